// RUN: rm -rf %t && mkdir %t
// RUN: %python %S/Inputs/arrays.py %t
// RUN: pallas-opt %s --pallas-to-llvm -o %t/lowered.mlir
// RUN: FileCheck %s < %t/lowered.mlir
// RUN: pallas-run %t/lowered.mlir --no-cache --in %t/good.npy --out %t/out.npy
// RUN: %python %S/Inputs/arrays.py %t check
// RUN: sed 's/pallas.entry_type = ([^)]*) -> [^,}]*>/pallas.entry_type = f32/' %t/lowered.mlir > %t/damaged.mlir
// RUN: not pallas-run %t/damaged.mlir --no-cache --in %t/good.npy 2>&1 | FileCheck %s --check-prefix=DAMAGED

// A module that is lowered already runs as one that is not: the function says
// what it takes, and its C interface is no entry of its own.

// CHECK: llvm.func @double
// CHECK-SAME: pallas.entry_type = (tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK: llvm.func @_mlir_ciface_double
// DAMAGED: the attribute pallas.entry_type of function 'double' is not a function type
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
