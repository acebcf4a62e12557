// RUN: rm -rf %t && mkdir %t
// RUN: %python %S/Inputs/arrays.py %t
// RUN: pallas-run %s --no-cache --verify-each --in %t/good.npy --out %t/out.npy
// RUN: %python %S/Inputs/arrays.py %t check
// RUN: rm %t/out.npy
// RUN: pallas-run %s --no-cache --verify-each=false --in %t/good.npy --out %t/out.npy
// RUN: %python %S/Inputs/arrays.py %t check
// RUN: sed 's/map(%i) -> (%i, 0)$/map(%i) -> (%i)/' %s > %t/invalid.mlir
// RUN: not pallas-run %t/invalid.mlir --no-cache --verify-each=false --in %t/good.npy 2>&1 | FileCheck %s

// What passes make is verified after each of them or once at the end, and what
// is read is verified in any case.

// CHECK: error: {{.*}} index map of input 0 must return 2 values, but returns 1
func.func @double(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %o = pallas.pallas_call grid(2)
      in(%x : tensor<4x8xf32>) block<[2, 8], vmem> map(%i) -> (%i, 0)
      out(tensor<4x8xf32>) block<[2, 8], vmem> map(%i) -> (%i, 0)
      kernel(%xr: !pallas.ref<2x8xf32, vmem>, %or: !pallas.ref<2x8xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<2x8xf32, vmem>
    %d = arith.addf %v, %v : tensor<2x8xf32>
    pallas.swap %or[...], %d : !pallas.ref<2x8xf32, vmem>, tensor<2x8xf32>
  }
  return %o : tensor<4x8xf32>
}
