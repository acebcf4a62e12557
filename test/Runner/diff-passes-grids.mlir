// RUN: rm -rf %t && mkdir %t
// RUN: %python -c "import numpy as np; np.save('%t/x.npy', np.arange(32, dtype=np.float32).reshape(4, 8))"

// Loops over the grid of a pipeline are a stage of their own, and are blamed by name.
// RUN: pallas-run %s --entry=subtract --in %t/x.npy --diff-passes | FileCheck %s --check-prefix=CLEAN
// CLEAN: no pass changes the answer

// DEFINE: %{pass} =
// DEFINE: %{plant} = not pallas-test-run %s --entry=subtract --in %t/x.npy --diff-passes='test-plant{in=%{pass}},pallas-to-llvm' 2>&1 | FileCheck %s -DPASS=%{pass}
// CHECK: pass {{[0-9]+}}, [[PASS]] on builtin.module{{.*}}, changes the answer: {{[0-9]+}} of 32 elements of result 0 differ

// REDEFINE: %{pass} = pallas-join-aliased-refs
// RUN: %{plant}
// REDEFINE: %{pass} = pallas-grids-to-loops
// RUN: %{plant}
// REDEFINE: %{pass} = convert-pallas-to-cpu
// RUN: %{plant}

func.func @subtract(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %o = pallas.pallas_call grid()
      in(%x : tensor<4x8xf32>) block<[4, 8], any>
      out(tensor<4x8xf32>) block<[4, 8], any>
      kernel(%xr: !pallas.ref<4x8xf32, any>, %or: !pallas.ref<4x8xf32, any>) {
    pallas.emit_pipeline grid(2)
        in(%xr : !pallas.ref<4x8xf32, any>) block<[2, 8], vmem> map(%i) -> (%i, 0)
        out(%or : !pallas.ref<4x8xf32, any>) block<[2, 8], vmem> map(%i) -> (%i, 0)
        kernel(%i: i32, %a: !pallas.ref<2x8xf32, vmem>, %b: !pallas.ref<2x8xf32, vmem>) {
      %v = pallas.get %a[...] : !pallas.ref<2x8xf32, vmem>
      %c = arith.constant dense<1.0> : tensor<2x8xf32>
      %e = math.exp %c : tensor<2x8xf32>
      %d = arith.subf %e, %v : tensor<2x8xf32>
      pallas.swap %b[...], %d : !pallas.ref<2x8xf32, vmem>, tensor<2x8xf32>
    }
  }
  return %o : tensor<4x8xf32>
}
