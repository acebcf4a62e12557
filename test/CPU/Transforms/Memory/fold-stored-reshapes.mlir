// RUN: pallas-opt %s --pallas-cpu-fold-stored-reshapes | FileCheck %s

// CHECK-LABEL: func.func @collapsed
// CHECK-SAME: %[[X:.*]]: tensor<16x4xf32>, %[[M:.*]]: memref<64xf32>
// CHECK-NEXT: %[[ROWS:.*]] = memref.expand_shape %[[M]] {{\[\[}}0, 1]] output_shape [16, 4]
// CHECK-NEXT: bufferization.materialize_in_destination %[[X]] in restrict writable %[[ROWS]]
// CHECK-NEXT: return
func.func @collapsed(%x: tensor<16x4xf32>, %m: memref<64xf32>) {
  %flat = tensor.collapse_shape %x [[0, 1]] : tensor<16x4xf32> into tensor<64xf32>
  bufferization.materialize_in_destination %flat in restrict writable %m : (tensor<64xf32>, memref<64xf32>) -> ()
  return
}

// One reshape after the other, and the last one of them has another user.
// CHECK-LABEL: func.func @reshaped_twice
// CHECK-SAME: %[[X:.*]]: tensor<8x2x4xf32>, %[[M:.*]]: memref<16x4xf32>
// CHECK: %[[FLAT:.*]] = memref.collapse_shape %[[M]] {{\[\[}}0, 1]]
// CHECK-NEXT: %[[CUBE:.*]] = memref.expand_shape %[[FLAT]] {{\[\[}}0, 1, 2]] output_shape [8, 2, 4]
// CHECK-NEXT: bufferization.materialize_in_destination %[[X]] in restrict writable %[[CUBE]]
// CHECK-NEXT: return %{{.*}} : tensor<16x4xf32>
func.func @reshaped_twice(%x: tensor<8x2x4xf32>, %m: memref<16x4xf32>) -> tensor<16x4xf32> {
  %flat = tensor.collapse_shape %x [[0, 1, 2]] : tensor<8x2x4xf32> into tensor<64xf32>
  %rows = tensor.expand_shape %flat [[0, 1]] output_shape [16, 4] : tensor<64xf32> into tensor<16x4xf32>
  bufferization.materialize_in_destination %rows in restrict writable %m : (tensor<16x4xf32>, memref<16x4xf32>) -> ()
  return %rows : tensor<16x4xf32>
}

// Rows that lie apart are no single dimension, and a tensor is no memory.
// CHECK-LABEL: func.func @kept
// CHECK-COUNT-2: tensor.expand_shape
// CHECK-NOT: memref
// CHECK: return
func.func @kept(%x: tensor<64xf32>, %m: memref<16x4xf32, strided<[8, 1]>>, %t: tensor<16x4xf32>) -> tensor<16x4xf32> {
  %rows = tensor.expand_shape %x [[0, 1]] output_shape [16, 4] : tensor<64xf32> into tensor<16x4xf32>
  bufferization.materialize_in_destination %rows in restrict writable %m : (tensor<16x4xf32>, memref<16x4xf32, strided<[8, 1]>>) -> ()
  %others = tensor.expand_shape %x [[0, 1]] output_shape [16, 4] : tensor<64xf32> into tensor<16x4xf32>
  %r = bufferization.materialize_in_destination %others in %t : (tensor<16x4xf32>, tensor<16x4xf32>) -> tensor<16x4xf32>
  return %r : tensor<16x4xf32>
}
