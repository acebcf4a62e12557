// RUN: pallas-opt %s --convert-pallas-to-linalg --split-input-file | FileCheck %s

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

// -----

// A shift that is not known yet is taken modulo the size, like a negative constant.

// CHECK-LABEL: func.func @roll_dynamic(
// CHECK-SAME: %[[A:.*]]: tensor<8x128xf32>, %[[S:.*]]: i32)
// CHECK: %[[I:.*]] = arith.index_cast %[[S]] : i32 to index
// CHECK: %[[REST:.*]] = arith.remsi %[[I]], %{{.*}} : index
// CHECK: %[[WRAPPED:.*]] = arith.addi %[[REST]]
// CHECK: %[[SHIFT:.*]] = arith.select %{{.*}}, %[[WRAPPED]], %[[REST]]
// CHECK: %[[LATER:.*]] = arith.subi %{{.*}}, %[[SHIFT]] : index
// CHECK: tensor.extract_slice %[[A]][0, 0] [8, %[[LATER]]]
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[0, %[[SHIFT]]] [8, %[[LATER]]]
// CHECK: tensor.extract_slice %[[A]][0, %[[LATER]]] [8, %[[SHIFT]]]
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[0, 0] [8, %[[SHIFT]]]
func.func @roll_dynamic(%a: tensor<8x128xf32>, %s: i32) -> tensor<8x128xf32> {
  %0 = pallas.roll %a by %s dim 1 : tensor<8x128xf32>
  return %0 : tensor<8x128xf32>
}

// -----

// CHECK-LABEL: func.func @roll_back(
// CHECK: tensor.extract_slice %{{.*}}[0, 0] [3, 128]
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[5, 0] [3, 128]
func.func @roll_back(%a: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %c = arith.constant -3 : i32
  %0 = pallas.roll %a by %c dim 0 : tensor<8x128xf32>
  return %0 : tensor<8x128xf32>
}

// -----

// A rotation by a multiple of the size is none, and so is one of nothing.

// CHECK-LABEL: func.func @roll_nowhere(
// CHECK-SAME: %[[A:.*]]: tensor<8x128xf32>, %[[B:.*]]: tensor<0x128xf32>, %{{.*}}: i32)
// CHECK: return %[[A]], %[[B]]
func.func @roll_nowhere(%a: tensor<8x128xf32>, %b: tensor<0x128xf32>, %s: i32) -> (tensor<8x128xf32>, tensor<0x128xf32>) {
  %c = arith.constant 16 : i32
  %0 = pallas.roll %a by %c dim 0 : tensor<8x128xf32>
  %1 = pallas.roll %b by %s dim 0 : tensor<0x128xf32>
  return %0, %1 : tensor<8x128xf32>, tensor<0x128xf32>
}

// -----

// With a stride each row has a shift of its own, so elements are read one by one.

// CHECK-LABEL: func.func @roll_strided(
// CHECK-SAME: %[[A:.*]]: tensor<8x128xf32>, %[[S:.*]]: i32)
// CHECK: linalg.generic
// CHECK: %[[ROW:.*]] = linalg.index 0 : index
// CHECK: %[[COLUMN:.*]] = linalg.index 1 : index
// CHECK: %[[EXTRA:.*]] = arith.muli %[[ROW]], %{{.*}} : index
// CHECK: %[[SHIFT:.*]] = arith.addi %{{.*}}, %[[EXTRA]] : index
// CHECK: arith.subi %[[COLUMN]], %[[SHIFT]] : index
// CHECK: %[[AT:.*]] = arith.select
// CHECK: tensor.extract %[[A]][%[[ROW]], %[[AT]]]
func.func @roll_strided(%a: tensor<8x128xf32>, %s: i32) -> tensor<8x128xf32> {
  %0 = pallas.roll %a by %s dim 1 stride 2 along 0 : tensor<8x128xf32>
  return %0 : tensor<8x128xf32>
}

// -----

// A narrow float counts in f32, which has more bits, and is rounded last.

// CHECK-LABEL: func.func @iota_of_floats(
// CHECK: %[[I:.*]] = arith.index_cast %{{.*}} : index to i32
// CHECK: %[[X:.*]] = arith.sitofp %[[I]] : i32 to f32
// CHECK: arith.truncf %[[X]] : f32 to bf16
func.func @iota_of_floats() -> tensor<4x8xbf16> {
  %0 = pallas.iota 1 : tensor<4x8xbf16>
  return %0 : tensor<4x8xbf16>
}

// -----

// CHECK-LABEL: func.func @iota_of_indices(
// CHECK: %[[I:.*]] = linalg.index 0 : index
// CHECK-NEXT: linalg.yield %[[I]] : index
func.func @iota_of_indices() -> tensor<4x8xindex> {
  %0 = pallas.iota 0 : tensor<4x8xindex>
  return %0 : tensor<4x8xindex>
}

// -----

// CHECK: #[[SCALAR:.*]] = affine_map<(d0, d1) -> ()>
// CHECK-LABEL: func.func @broadcast_scalar(
// CHECK-SAME: %[[A:.*]]: f32, %[[B:.*]]: tensor<f32>)
// CHECK: linalg.fill ins(%[[A]] : f32) outs(%{{.*}} : tensor<4x8xf32>)
// CHECK: linalg.generic {indexing_maps = [#[[SCALAR]], #{{.*}}], {{.*}} ins(%[[B]] : tensor<f32>)
func.func @broadcast_scalar(%a: f32, %b: tensor<f32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = pallas.broadcast %a dims [] : f32 -> tensor<4x8xf32>
  %1 = pallas.broadcast %b dims [] : tensor<f32> -> tensor<4x8xf32>
  return %0, %1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// The input's dimensions may lie apart, and need not be the last ones.

// CHECK: #[[APART:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-LABEL: func.func @broadcast_between(
// CHECK-NOT: tensor.collapse_shape
// CHECK: linalg.generic {indexing_maps = [#[[APART]], #{{.*}}]
func.func @broadcast_between(%a: tensor<4x8xf32>) -> tensor<4x3x8xf32> {
  %0 = pallas.broadcast %a dims [0, 2] : tensor<4x8xf32> -> tensor<4x3x8xf32>
  return %0 : tensor<4x3x8xf32>
}

// -----

// CHECK-LABEL: func.func @reshape_from_scalar(
// CHECK: tensor.from_elements %{{.*}} : tensor<1x1xf32>
// CHECK: tensor.expand_shape %{{.*}} [] output_shape [1, 1] : tensor<f32> into tensor<1x1xf32>
func.func @reshape_from_scalar(%a: f32, %b: tensor<f32>) -> (tensor<1x1xf32>, tensor<1x1xf32>) {
  %0 = pallas.reshape %a : f32 -> tensor<1x1xf32>
  %1 = pallas.reshape %b : tensor<f32> -> tensor<1x1xf32>
  return %0, %1 : tensor<1x1xf32>, tensor<1x1xf32>
}

// -----

// Nothing has no elements to move, whatever its shape.

// CHECK-LABEL: func.func @reshape_of_nothing(
// CHECK-NEXT: %[[EMPTY:.*]] = tensor.empty() : tensor<2x0xf32>
// CHECK-NEXT: return %[[EMPTY]]
func.func @reshape_of_nothing(%a: tensor<0x4xf32>) -> tensor<2x0xf32> {
  %0 = pallas.reshape %a : tensor<0x4xf32> -> tensor<2x0xf32>
  return %0 : tensor<2x0xf32>
}

// -----

// CHECK-LABEL: func.func @rev_of_nothing(
// CHECK-SAME: %[[A:.*]]: tensor<0x4xf32>
// CHECK-NEXT: return %[[A]]
func.func @rev_of_nothing(%a: tensor<0x4xf32>) -> tensor<0x4xf32> {
  %0 = pallas.rev %a dims [0] : tensor<0x4xf32>
  return %0 : tensor<0x4xf32>
}
