// RUN: pallas-opt %s --pallas-cpu-insert-parts | FileCheck %s

// CHECK-LABEL: func.func @side_by_side
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<4x6xf32>
// CHECK: %[[A:.*]] = tensor.insert_slice %arg0 into %[[EMPTY]][0, 0] [4, 2] [1, 1]
// CHECK: tensor.insert_slice %arg1 into %[[A]][0, 2] [4, 4] [1, 1]
func.func @side_by_side(%x: tensor<4x2xf32>, %y: tensor<4x4xf32>) -> tensor<4x6xf32> {
  %c = tensor.concat dim(1) %x, %y : (tensor<4x2xf32>, tensor<4x4xf32>) -> tensor<4x6xf32>
  return %c : tensor<4x6xf32>
}

// Stacked parts are inserted in the shape that they have before.
// CHECK-LABEL: func.func @stacked
// CHECK-NOT: tensor.expand_shape
// CHECK: %[[E:.*]] = math.exp
// CHECK: %[[A:.*]] = tensor.insert_slice %arg0 into %{{.*}}[0, 0, 0] [1, 64, 128] [1, 1, 1] : tensor<64x128xf32> into tensor<2x64x128xf32>
// CHECK: tensor.insert_slice %[[E]] into %[[A]][1, 0, 0] [1, 64, 128] [1, 1, 1] : tensor<64x128xf32> into tensor<2x64x128xf32>
func.func @stacked(%x: tensor<64x128xf32>) -> tensor<2x64x128xf32> {
  %a = tensor.expand_shape %x [[0, 1], [2]] output_shape [1, 64, 128] : tensor<64x128xf32> into tensor<1x64x128xf32>
  %e = math.exp %x : tensor<64x128xf32>
  %b = tensor.expand_shape %e [[0, 1], [2]] output_shape [1, 64, 128] : tensor<64x128xf32> into tensor<1x64x128xf32>
  %c = tensor.concat dim(0) %a, %b : (tensor<1x64x128xf32>, tensor<1x64x128xf32>) -> tensor<2x64x128xf32>
  return %c : tensor<2x64x128xf32>
}
