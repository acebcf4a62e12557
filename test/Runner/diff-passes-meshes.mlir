// RUN: rm -rf %t && mkdir %t
// RUN: %python -c "import numpy as np; np.save('%t/x.npy', np.arange(32, dtype=np.float32).reshape(4, 8))"

// Loops over the cores of a mesh, and tasks, are a stage of their own, and are blamed by name.
// RUN: pallas-run %s --entry=rows --in %t/x.npy --diff-passes | FileCheck %s --check-prefix=CLEAN
// RUN: pallas-run %s --entry=tasks --in %t/x.npy --diff-passes | FileCheck %s --check-prefix=CLEAN
// CLEAN: no pass changes the answer

// DEFINE: %{pass} =
// DEFINE: %{plant} = not pallas-test-run %s --entry=rows --in %t/x.npy --diff-passes='test-plant{in=%{pass}},pallas-to-llvm' 2>&1 | FileCheck %s -DPASS=%{pass}
// CHECK: pass {{[0-9]+}}, [[PASS]] on builtin.module{{.*}}, changes the answer: {{[0-9]+}} of 32 elements of result 0 differ

// REDEFINE: %{pass} = pallas-meshes-to-loops
// RUN: %{plant}
// REDEFINE: %{pass} = convert-pallas-to-cpu
// RUN: %{plant}

!hbm = !pallas.ref<4x8xf32, hbm>
!row = !pallas.ref<8xf32, vmem>
!sem = !pallas.ref<!pallas.semaphore, semaphore>

func.func @rows(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %o = pallas.mpmd_map
      in(%x : tensor<4x8xf32>)
      out(tensor<4x8xf32>)
      kernel on <tensorcore, [<core "c" = 4>]> (%xr: !hbm, %or: !hbm, %t: !row) {
    %i = pallas.axis_index "c"
    %v = pallas.get %xr[%i, :] : !hbm
    %c = arith.constant dense<1.0> : tensor<8xf32>
    %d = arith.subf %c, %v : tensor<8xf32>
    pallas.swap %t[...], %d : !row, tensor<8xf32>
    %w = pallas.get %t[...] : !row
    pallas.swap %or[%i, :], %w : !hbm, tensor<8xf32>
  }
  return %o : tensor<4x8xf32>
}

func.func @tasks(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %o = pallas.mpmd_map
      in(%x : tensor<4x8xf32>)
      out(tensor<4x8xf32>)
      kernel on <tensorcore, [<core "c" = 4>]> (%xr: !hbm, %or: !hbm, %s: !sem) {
    %i = pallas.axis_index "c"
    %one = arith.constant 1 : i32
    %v = pallas.get %xr[%i, :] : !hbm
    %c = arith.constant dense<1.0> : tensor<8xf32>
    %d = arith.subf %c, %v : tensor<8xf32>
    pallas.semaphore_signal %s, %one : !sem
    pallas.semaphore_wait %s, %one : !sem
    pallas.swap %or[%i, :], %d : !hbm, tensor<8xf32>
  }
  return %o : tensor<4x8xf32>
}
