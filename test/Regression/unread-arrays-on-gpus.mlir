// RUN: pallas-opt %s --pallas-to-mosaic-gpu | FileCheck %s

// Both reads become one, their difference zero, and the array is read no more. Its type was listed only where
// the kernel had no reads from the start, so the module could not be executed.

// CHECK-LABEL: module @kernel
// CHECK: func.func {{.*}}mosaic_gpu.arrays = [memref<7x1xi8>, memref<7x16xi8>]
// CHECK-NOT: memref<7x1xi8>
func.func @kernel(%x: tensor<7x1xi8>) -> tensor<7x16xi8> {
  %0 = pallas.pallas_call @kernel grid(1)
    in(%x : tensor<7x1xi8>) block<[7, 1], default> map(%i) -> (0, 0)
    out(tensor<7x16xi8>) block<[7, 16], default> map(%i) -> (0, 0)
    kernel(%xr: !pallas.ref<7x1xi8, default>, %or: !pallas.ref<7x16xi8, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<7x1xi8, default>
    %w = pallas.get %xr[...] : !pallas.ref<7x1xi8, default>
    %a = pallas.broadcast %v dims [0, 1] : tensor<7x1xi8> -> tensor<7x16xi8>
    %b = pallas.broadcast %w dims [0, 1] : tensor<7x1xi8> -> tensor<7x16xi8>
    %d = arith.xori %a, %b : tensor<7x16xi8>
    %c = arith.constant dense<2> : tensor<7x16xi8>
    %e = arith.addi %d, %c : tensor<7x16xi8>
    %old = pallas.swap %or[...], %e : !pallas.ref<7x16xi8, default>, tensor<7x16xi8>
  }
  return %0 : tensor<7x16xi8>
}
