// RUN: pallas-opt %s --pallas-cpu-sink-collapses | FileCheck %s

// Parts are put together before they are collapsed, so that none is copied into
// the collapsed shape first.
// CHECK-LABEL: func.func @patches
// CHECK-SAME: %[[X:.*]]: tensor<10x8x4xf32>, %[[Y:.*]]: tensor<64x2xf32>
// CHECK-DAG: %[[A:.*]] = tensor.extract_slice %[[X]][0, 0, 0]
// CHECK-DAG: %[[B:.*]] = tensor.extract_slice %[[X]][2, 0, 0]
// CHECK-DAG: %[[C:.*]] = tensor.expand_shape %[[Y]] {{.*}} into tensor<8x8x2xf32>
// CHECK: %[[ALL:.*]] = tensor.concat dim(2) %[[A]], %[[B]], %[[C]]
// CHECK-SAME: -> tensor<8x8x10xf32>
// CHECK: tensor.collapse_shape %[[ALL]] {{.*}} into tensor<64x10xf32>
func.func @patches(%x: tensor<10x8x4xf32>, %y: tensor<64x2xf32>) -> tensor<64x10xf32> {
  %a = tensor.extract_slice %x[0, 0, 0] [8, 8, 4] [1, 1, 1] : tensor<10x8x4xf32> to tensor<8x8x4xf32>
  %b = tensor.extract_slice %x[2, 0, 0] [8, 8, 4] [1, 1, 1] : tensor<10x8x4xf32> to tensor<8x8x4xf32>
  %flatA = tensor.collapse_shape %a [[0, 1], [2]] : tensor<8x8x4xf32> into tensor<64x4xf32>
  %flatB = tensor.collapse_shape %b [[0, 1], [2]] : tensor<8x8x4xf32> into tensor<64x4xf32>
  %c = tensor.concat dim(1) %flatA, %flatB, %y : (tensor<64x4xf32>, tensor<64x4xf32>, tensor<64x2xf32>) -> tensor<64x10xf32>
  return %c : tensor<64x10xf32>
}

// Collapsed dimensions that are concatenated stay, and so do tensors that are
// no slices: a view of them costs nothing.
// CHECK-LABEL: func.func @collapsed_dimension
// CHECK: tensor.concat dim(0)
// CHECK-SAME: -> tensor<128x4xf32>
// CHECK-LABEL: func.func @whole
// CHECK: tensor.concat dim(1)
// CHECK-SAME: -> tensor<64x8xf32>
func.func @collapsed_dimension(%x: tensor<10x8x4xf32>) -> tensor<128x4xf32> {
  %a = tensor.extract_slice %x[0, 0, 0] [8, 8, 4] [1, 1, 1] : tensor<10x8x4xf32> to tensor<8x8x4xf32>
  %flat = tensor.collapse_shape %a [[0, 1], [2]] : tensor<8x8x4xf32> into tensor<64x4xf32>
  %c = tensor.concat dim(0) %flat, %flat : (tensor<64x4xf32>, tensor<64x4xf32>) -> tensor<128x4xf32>
  return %c : tensor<128x4xf32>
}
func.func @whole(%x: tensor<8x8x4xf32>) -> tensor<64x8xf32> {
  %flat = tensor.collapse_shape %x [[0, 1], [2]] : tensor<8x8x4xf32> into tensor<64x4xf32>
  %c = tensor.concat dim(1) %flat, %flat : (tensor<64x4xf32>, tensor<64x4xf32>) -> tensor<64x8xf32>
  return %c : tensor<64x8xf32>
}
