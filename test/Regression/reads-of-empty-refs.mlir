// RUN: pallas-opt %s --pallas-discharge-state | FileCheck %s
// RUN: pallas-opt %s --convert-pallas-to-cpu | FileCheck %s

// The bug: what lies outside of a ref is moved inside where it is read, but a ref without elements
// has no inside, so its memory was read all the same.

// CHECK-LABEL: func.func @gather
// CHECK-NOT: tensor.extract %{{.*}} : tensor<0xf32>
// CHECK-NOT: memref.load %{{.*}} : memref<0xf32>
// CHECK: 0x7FC00000
func.func @gather(%r: tensor<0xf32>, %i: tensor<4xi32>) -> tensor<4xf32> {
  %ref = pallas.new_ref %r : tensor<0xf32> -> !pallas.ref<0xf32, vmem>
  %v = pallas.get %ref[gather(%i : tensor<4xi32>)] : !pallas.ref<0xf32, vmem>
  return %v : tensor<4xf32>
}

// CHECK-LABEL: func.func @hangs_over
// CHECK-NOT: tensor.extract %{{.*}} : tensor<0xf32>
// CHECK-NOT: memref.load %{{.*}} : memref<0xf32>
// CHECK: 0x7FC00000
func.func @hangs_over(%r: tensor<0xf32>, %i: i32) -> tensor<4xf32> {
  %ref = pallas.new_ref %r : tensor<0xf32> -> !pallas.ref<0xf32, vmem>
  %v = pallas.masked_load %ref[ds(%i, 4)] : !pallas.ref<0xf32, vmem>
  return %v : tensor<4xf32>
}
