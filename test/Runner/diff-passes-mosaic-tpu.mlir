// RUN: rm -rf %t && mkdir %t
// RUN: %python -c "import numpy as np; np.save('%t/x.npy', np.arange(2048, dtype=np.float32).reshape(16, 128))"

// Whichever pass of the lowering is wrong, it is the one that is named: the
// module is executed after each of them.
// RUN: pallas-run %s --entry=subtract --in %t/x.npy --diff-passes=pallas-to-mosaic-tpu | FileCheck %s --check-prefix=CLEAN
// CLEAN: pallas-to-mosaic-tpu: 16 passes, executed after 16{{$}}
// CLEAN-NEXT: no pass changes the answer

// DEFINE: %{pass} =
// DEFINE: %{plant} = not pallas-test-run %s --entry=subtract --in %t/x.npy --diff-passes='test-plant{in=%{pass}},pallas-to-mosaic-tpu' 2>&1 | FileCheck %s -DPASS=%{pass}
// CHECK: pass {{[0-9]+}}, [[PASS]] on builtin.module{{.*}}, changes the answer: {{[0-9]+}} of 2048 elements of result 0 differ

// REDEFINE: %{pass} = choose-tpu-coarsening
// RUN: %{plant}
// REDEFINE: %{pass} = pallas-coarsen-grid
// RUN: %{plant}
// REDEFINE: %{pass} = pallas-split-blocks
// RUN: %{plant}
// REDEFINE: %{pass} = pallas-resolve-device-mesh
// RUN: %{plant}
// REDEFINE: %{pass} = pallas-distribute-pipelines
// RUN: %{plant}
// REDEFINE: %{pass} = pallas-expand-pipelines
// RUN: %{plant}
// REDEFINE: %{pass} = pallas-fold-transposed-views
// RUN: %{plant}
// REDEFINE: %{pass} = pallas-clamp-masked-slices
// RUN: %{plant}
// REDEFINE: %{pass} = pallas-decompose-gather-scatter
// RUN: %{plant}
// REDEFINE: %{pass} = pallas-outline-tpu-kernels
// RUN: %{plant}
// REDEFINE: %{pass} = convert-pallas-to-mosaic-tpu
// RUN: %{plant}
// REDEFINE: %{pass} = tpu-carry-vectors-as-matrices
// RUN: %{plant}
// REDEFINE: %{pass} = tpu-unroll-short-loops
// RUN: %{plant}
// REDEFINE: %{pass} = tpu-legalize-for-generation
// RUN: %{plant}
// REDEFINE: %{pass} = tpu-settle-lane-vectors
// RUN: %{plant}
// REDEFINE: %{pass} = tpu-strip-target
// RUN: %{plant}

func.func @subtract(%x: tensor<16x128xf32>) -> tensor<16x128xf32> {
  %o = pallas.pallas_call grid(2)
      in(%x : tensor<16x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      out(tensor<16x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      kernel(%xr: !pallas.ref<8x128xf32, vmem>, %or: !pallas.ref<8x128xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x128xf32, vmem>
    %c = arith.constant dense<2.0> : tensor<8x128xf32>
    %e = math.exp %c : tensor<8x128xf32>
    %d = arith.subf %e, %v : tensor<8x128xf32>
    pallas.swap %or[...], %d : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
  }
  return %o : tensor<16x128xf32>
}
