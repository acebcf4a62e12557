// RUN: pallas-opt %s --pallas-cpu-generalize-concats | FileCheck %s

// CHECK-LABEL: func.func @interleaved
// CHECK-SAME: %[[X:.*]]: tensor<64xf32>, %[[Y:.*]]: tensor<64xf32>
// CHECK-NOT: tensor.concat
// CHECK: linalg.generic {{.*}} ins(%[[X]], %[[Y]] : tensor<64xf32>, tensor<64xf32>)
// CHECK: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32,
// CHECK: %[[PLACE:.*]] = linalg.index 1 : index
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[PLACE]], %c0{{.*}} : index
// CHECK: arith.select %[[FIRST]], %[[A]], %[[B]] : f32
func.func @interleaved(%x: tensor<64xf32>, %y: tensor<64xf32>) -> tensor<128xf32> {
  %a = tensor.expand_shape %x [[0, 1]] output_shape [64, 1] : tensor<64xf32> into tensor<64x1xf32>
  %b = tensor.expand_shape %y [[0, 1]] output_shape [64, 1] : tensor<64xf32> into tensor<64x1xf32>
  %c = tensor.concat dim(1) %a, %b : (tensor<64x1xf32>, tensor<64x1xf32>) -> tensor<64x2xf32>
  %r = tensor.collapse_shape %c [[0, 1]] : tensor<64x2xf32> into tensor<128xf32>
  return %r : tensor<128xf32>
}

// Parts in another shape lose their last dimension; the last of three is left over.
// CHECK-LABEL: func.func @three
// CHECK-COUNT-3: tensor.collapse_shape %{{.*}} {{\[\[}}0, 1]] : tensor<32x1xi32> into tensor<32xi32>
// CHECK-COUNT-2: arith.select
// CHECK-NOT: arith.select
func.func @three(%x: tensor<32x1xi32>, %y: tensor<32x1xi32>, %z: tensor<32x1xi32>) -> tensor<32x3xi32> {
  %r = tensor.concat dim(1) %x, %y, %z : (tensor<32x1xi32>, tensor<32x1xi32>, tensor<32x1xi32>) -> tensor<32x3xi32>
  return %r : tensor<32x3xi32>
}

// Few rows, long parts, and parts along rows stay.
// CHECK-LABEL: func.func @kept
// CHECK-COUNT-3: tensor.concat
// CHECK-NOT: linalg.generic
func.func @kept(%x: tensor<8x1xf32>, %y: tensor<64x2xf32>, %z: tensor<64x1xf32>) -> (tensor<8x2xf32>, tensor<64x4xf32>, tensor<128x1xf32>) {
  %a = tensor.concat dim(1) %x, %x : (tensor<8x1xf32>, tensor<8x1xf32>) -> tensor<8x2xf32>
  %b = tensor.concat dim(1) %y, %y : (tensor<64x2xf32>, tensor<64x2xf32>) -> tensor<64x4xf32>
  %c = tensor.concat dim(0) %z, %z : (tensor<64x1xf32>, tensor<64x1xf32>) -> tensor<128x1xf32>
  return %a, %b, %c : tensor<8x2xf32>, tensor<64x4xf32>, tensor<128x1xf32>
}
