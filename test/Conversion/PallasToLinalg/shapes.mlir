// RUN: pallas-opt %s --convert-pallas-to-linalg --split-input-file --verify-diagnostics | FileCheck %s

// CHECK: #[[ROW:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: func.func @broadcast
func.func @broadcast(%a: tensor<1x128xf32>) -> tensor<8x128xf32> {
  // The repeated dimension is dropped, not materialized.
  // CHECK: tensor.collapse_shape
  // CHECK: linalg.generic {indexing_maps = [#[[ROW]], #{{.*}}]
  %0 = pallas.broadcast %a dims [0, 1] : tensor<1x128xf32> -> tensor<8x128xf32>
  return %0 : tensor<8x128xf32>
}

// -----

// CHECK-LABEL: func.func @reshape
func.func @reshape(%a: tensor<4x6xf32>, %b: tensor<1x1xf32>) -> (tensor<8x3xf32>, tensor<24xf32>, f32) {
  // CHECK: tensor.collapse_shape %{{.*}} {{\[\[}}0, 1]] : tensor<4x6xf32> into tensor<24xf32>
  // CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0, 1]] output_shape [8, 3]
  %0 = pallas.reshape %a : tensor<4x6xf32> -> tensor<8x3xf32>
  %1 = pallas.reshape %a : tensor<4x6xf32> -> tensor<24xf32>
  // CHECK: tensor.extract
  %2 = pallas.reshape %b : tensor<1x1xf32> -> f32
  return %0, %1, %2 : tensor<8x3xf32>, tensor<24xf32>, f32
}

// -----

// CHECK-LABEL: func.func @roll
func.func @roll(%a: tensor<8x128xf32>) -> tensor<8x128xf32> {
  // A constant rotation is two static slices.
  // CHECK: tensor.extract_slice %{{.*}}[0, 0] [8, 125] [1, 1]
  // CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[0, 3] [8, 125] [1, 1]
  // CHECK: tensor.extract_slice %{{.*}}[0, 125] [8, 3] [1, 1]
  // CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[0, 0] [8, 3] [1, 1]
  %c = arith.constant 131 : i32
  %0 = pallas.roll %a by %c dim 1 : tensor<8x128xf32>
  return %0 : tensor<8x128xf32>
}

// -----

// CHECK-LABEL: func.func @hints
// CHECK-SAME: %[[A:.*]]: i32
func.func @hints(%a: i32) -> i32 {
  // CHECK-NEXT: return %[[A]]
  %0 = pallas.multiple_of %a, [8] : i32
  %1 = pallas.max_contiguous %0, [8] : i32
  %2 = pallas.optimization_barrier %1 : i32 -> i32
  return %2 : i32
}

// -----

func.func @dynamic(%a: tensor<?x8xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{needs static shapes to become loops, but works on 'tensor<?x8xf32>'; cast it to a static shape first}}
  %0 = pallas.reduce <add> %a dims [1] : tensor<?x8xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @dynamic_reciprocal(%a: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-error @+1 {{needs static shapes to become loops, but works on 'tensor<?x8xf32>'; cast it to a static shape first}}
  %0 = pallas.reciprocal %a : tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// -----

func.func @complex(%a: tensor<8xcomplex<f32>>, %s: i32) -> tensor<8xcomplex<f32>> {
  // expected-error @+1 {{works on 'tensor<8xcomplex<f32>>', but loops compute on signless integers and floats; split or convert the elements first}}
  %0 = pallas.roll %a by %s dim 0 : tensor<8xcomplex<f32>>
  return %0 : tensor<8xcomplex<f32>>
}

// -----

// CHECK-LABEL: func.func @fill_with_indices
func.func @fill_with_indices(%a: tensor<8xindex>, %i: tensor<2xi32>) -> tensor<2xindex> {
  // CHECK: arith.constant -9223372036854775808 : index
  %0 = pallas.take_along %a at %i dim 0 mode fill : tensor<8xindex>, tensor<2xi32> -> tensor<2xindex>
  return %0 : tensor<2xindex>
}

// -----

// CHECK-LABEL: func.func @iota(
// CHECK: linalg.generic {indexing_maps = [#{{.*}}], iterator_types = ["parallel", "parallel"]} outs(%{{.*}} : tensor<4x8xi32>) {
// CHECK: %[[INDEX:.*]] = linalg.index 1 : index
// CHECK: %[[INDEX_CAST:.*]] = arith.index_cast %[[INDEX]] : index to i32
// CHECK: linalg.yield %[[INDEX_CAST]] : i32
func.func @iota() -> tensor<4x8xi32> {
  %0 = pallas.iota 1 : tensor<4x8xi32>
  return %0 : tensor<4x8xi32>
}

// -----

// CHECK-LABEL: func.func @transpose(
// CHECK: linalg.transpose ins(%{{.*}} : tensor<4x8xf32>) outs(%{{.*}} : tensor<8x4xf32>) permutation = [1, 0]
func.func @transpose(%a: tensor<4x8xf32>) -> tensor<8x4xf32> {
  %0 = pallas.transpose %a, [1, 0] : tensor<4x8xf32>
  return %0 : tensor<8x4xf32>
}

// -----

// The elements are moved by the indexing map alone.

// CHECK: #[[REVERSED:.*]] = affine_map<(d0, d1) -> (d0, -d1 + 7)>
// CHECK-LABEL: func.func @rev(
// CHECK: linalg.generic {indexing_maps = [#[[REVERSED]], #{{.*}}]
// CHECK: linalg.yield %{{.*}} : f32
func.func @rev(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = pallas.rev %a dims [1] : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
