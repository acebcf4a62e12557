// RUN: pallas-opt %s --convert-pallas-to-linalg --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @matmul
// CHECK-SAME: %[[A:.*]]: tensor<8x16xbf16>, %[[B:.*]]: tensor<16x32xbf16>, %[[C:.*]]: tensor<8x32xf32>
func.func @matmul(%a: tensor<8x16xbf16>, %b: tensor<16x32xbf16>, %c: tensor<8x32xf32>) -> tensor<8x32xf32> {
  // The extension stays within the operation, and the accumulator is its init.
  // CHECK-NEXT: %[[R:.*]] = linalg.matmul ins(%[[A]], %[[B]] : tensor<8x16xbf16>, tensor<16x32xbf16>) outs(%[[C]] : tensor<8x32xf32>)
  // CHECK-NEXT: return %[[R]]
  %0 = pallas.dot_general %a, %b acc %c contract [1] x [0] : tensor<8x16xbf16>, tensor<16x32xbf16>, tensor<8x32xf32> -> tensor<8x32xf32>
  return %0 : tensor<8x32xf32>
}

// CHECK-LABEL: func.func @transposed
func.func @transposed(%a: tensor<8x16xf32>, %b: tensor<32x16xf32>) -> tensor<8x32xf32> {
  // No transposed copy is made.
  // CHECK-NOT: linalg.transpose
  // CHECK: linalg.fill
  // CHECK: linalg.contract
  %0 = pallas.dot_general %a, %b contract [1] x [1] : tensor<8x16xf32>, tensor<32x16xf32> -> tensor<8x32xf32>
  return %0 : tensor<8x32xf32>
}

// CHECK-LABEL: func.func @batch
func.func @batch(%a: tensor<2x8x16xi8>, %b: tensor<2x16x32xi8>) -> tensor<2x8x32xi32> {
  // CHECK: linalg.batch_matmul {cast = #linalg.type_fn<cast_unsigned>}
  %0 = pallas.dot_general %a, %b contract [2] x [1] batch [0] x [0] unsigned_lhs unsigned_rhs : tensor<2x8x16xi8>, tensor<2x16x32xi8> -> tensor<2x8x32xi32>
  return %0 : tensor<2x8x32xi32>
}

// CHECK-LABEL: func.func @rounds_once
func.func @rounds_once(%a: tensor<16xbf16>, %b: tensor<16xbf16>) -> bf16 {
  // CHECK: linalg.contract {{.*}} outs(%{{.*}} : tensor<f32>)
  // CHECK: arith.truncf
  // CHECK: tensor.extract
  %0 = pallas.dot_general %a, %b contract [0] x [0] : tensor<16xbf16>, tensor<16xbf16> -> bf16
  return %0 : bf16
}

// Operands are extended within the operation: one attribute says how, unless
// only one of two integers has a sign.

// CHECK-LABEL: func.func @weights
// CHECK-SAME: %[[A:.*]]: tensor<8x16xbf16>, %[[B:.*]]: tensor<16x32xi8>
func.func @weights(%a: tensor<8x16xbf16>, %b: tensor<16x32xi8>) -> tensor<8x32xf32> {
  // CHECK: linalg.matmul ins(%[[A]], %[[B]] : tensor<8x16xbf16>, tensor<16x32xi8>) outs(%{{.*}} : tensor<8x32xf32>)
  %0 = pallas.dot_general %a, %b contract [1] x [0] : tensor<8x16xbf16>, tensor<16x32xi8> -> tensor<8x32xf32>
  return %0 : tensor<8x32xf32>
}

// CHECK-LABEL: func.func @unsigned_weights
func.func @unsigned_weights(%a: tensor<8x16xbf16>, %b: tensor<16x32xi8>) -> tensor<8x32xbf16> {
  // CHECK: linalg.matmul {cast = #linalg.type_fn<cast_unsigned>} {{.*}} outs(%{{.*}} : tensor<8x32xf32>)
  // CHECK: arith.truncf
  %0 = pallas.dot_general %a, %b contract [1] x [0] unsigned_rhs : tensor<8x16xbf16>, tensor<16x32xi8> -> tensor<8x32xbf16>
  return %0 : tensor<8x32xbf16>
}

// A boolean never has a sign.

// CHECK-LABEL: func.func @mask
func.func @mask(%a: tensor<8x16xi1>, %b: tensor<16x32xf32>) -> tensor<8x32xf32> {
  // CHECK: linalg.matmul {cast = #linalg.type_fn<cast_unsigned>}
  %0 = pallas.dot_general %a, %b contract [1] x [0] : tensor<8x16xi1>, tensor<16x32xf32> -> tensor<8x32xf32>
  return %0 : tensor<8x32xf32>
}

// CHECK-LABEL: func.func @signs
func.func @signs(%a: tensor<8x16xi8>, %b: tensor<16x32xi8>) -> tensor<8x32xi32> {
  // CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]
  // CHECK: ^bb0(%[[X:.*]]: i8, %[[Y:.*]]: i8, %[[SUM:.*]]: i32):
  // CHECK-DAG: %[[U:.*]] = arith.extui %[[X]] : i8 to i32
  // CHECK-DAG: %[[S:.*]] = arith.extsi %[[Y]] : i8 to i32
  // CHECK: %[[P:.*]] = arith.muli %[[U]], %[[S]]
  // CHECK: arith.addi %[[SUM]], %[[P]]
  %0 = pallas.dot_general %a, %b contract [1] x [0] unsigned_lhs : tensor<8x16xi8>, tensor<16x32xi8> -> tensor<8x32xi32>
  return %0 : tensor<8x32xi32>
}

// Only the low bits of a wider operand matter.

// CHECK-LABEL: func.func @low_bits
func.func @low_bits(%a: tensor<8x16xi32>, %b: tensor<16x32xi8>) -> tensor<8x32xi8> {
  // CHECK: linalg.matmul ins({{.*}} : tensor<8x16xi32>, tensor<16x32xi8>) outs(%{{.*}} : tensor<8x32xi8>)
  %0 = pallas.dot_general %a, %b contract [1] x [0] unsigned_lhs : tensor<8x16xi32>, tensor<16x32xi8> -> tensor<8x32xi8>
  return %0 : tensor<8x32xi8>
}

// CHECK-LABEL: func.func @outer
func.func @outer(%a: tensor<4xf32>, %b: tensor<5xf32>) -> tensor<4x5xf32> {
  // CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]
  %0 = pallas.dot_general %a, %b contract [] x [] : tensor<4xf32>, tensor<5xf32> -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// -----

// Contracted dimensions become the innermost loops, in the order they are named in.

// CHECK-DAG: #[[LHS:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
// CHECK-DAG: #[[RHS:.*]] = affine_map<(d0, d1, d2, d3) -> (d3, d2, d1)>
// CHECK-DAG: #[[OUT:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1)>
// CHECK-LABEL: func.func @several_contracted
func.func @several_contracted(%a: tensor<4x8x16xf32>, %b: tensor<16x8x5xf32>) -> tensor<4x5xf32> {
  // CHECK: linalg.contract indexing_maps = [#[[LHS]], #[[RHS]], #[[OUT]]]
  %0 = pallas.dot_general %a, %b contract [1, 2] x [1, 0] : tensor<4x8x16xf32>, tensor<16x8x5xf32> -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// -----

// A batch dimension that is not the first one is no batch_matmul; it is the first
// dimension of the result all the same.

// CHECK-DAG: #[[LHS:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d3, d0)>
// CHECK-DAG: #[[RHS:.*]] = affine_map<(d0, d1, d2, d3) -> (d3, d0, d2)>
// CHECK-DAG: #[[OUT:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
// CHECK-LABEL: func.func @batch_behind
func.func @batch_behind(%a: tensor<8x16x2xf32>, %b: tensor<16x2x5xf32>) -> tensor<2x8x5xf32> {
  // CHECK: linalg.contract indexing_maps = [#[[LHS]], #[[RHS]], #[[OUT]]]
  %0 = pallas.dot_general %a, %b contract [1] x [0] batch [2] x [1] : tensor<8x16x2xf32>, tensor<16x2x5xf32> -> tensor<2x8x5xf32>
  return %0 : tensor<2x8x5xf32>
}

// -----

// A narrow accumulator is extended first, so that the sum is rounded once.

// CHECK-LABEL: func.func @narrow_acc
// CHECK-SAME: %[[C:[a-z0-9]+]]: tensor<8x4xbf16>)
func.func @narrow_acc(%a: tensor<8x16xbf16>, %b: tensor<16x4xbf16>, %c: tensor<8x4xbf16>) -> tensor<8x4xbf16> {
  // CHECK: %[[WIDE:.*]] = arith.extf %[[C]] : tensor<8x4xbf16> to tensor<8x4xf32>
  // CHECK: %[[SUM:.*]] = linalg.matmul {{.*}} outs(%[[WIDE]] : tensor<8x4xf32>)
  // CHECK: arith.truncf %[[SUM]]
  %0 = pallas.dot_general %a, %b acc %c contract [1] x [0] : tensor<8x16xbf16>, tensor<16x4xbf16>, tensor<8x4xbf16> -> tensor<8x4xbf16>
  return %0 : tensor<8x4xbf16>
}

// -----

// CHECK-LABEL: func.func @scalar_acc
// CHECK-SAME: %[[C:[a-z0-9]+]]: f32)
func.func @scalar_acc(%a: tensor<8xbf16>, %b: tensor<8xbf16>, %c: f32) -> f32 {
  // CHECK: %[[INIT:.*]] = tensor.from_elements %[[C]] : tensor<f32>
  // CHECK: linalg.contract {{.*}} outs(%[[INIT]] : tensor<f32>)
  %0 = pallas.dot_general %a, %b acc %c contract [0] x [0] : tensor<8xbf16>, tensor<8xbf16>, f32 -> f32
  return %0 : f32
}

// -----

// An operand that is wider than the result sets the type of the sum.

// CHECK-LABEL: func.func @wide_operand
func.func @wide_operand(%a: tensor<4x8xf64>, %b: tensor<8x4xf32>) -> tensor<4x4xf32> {
  // CHECK: linalg.matmul ins({{.*}} : tensor<4x8xf64>, tensor<8x4xf32>) outs(%{{.*}} : tensor<4x4xf64>)
  // CHECK: arith.truncf %{{.*}} : tensor<4x4xf64> to tensor<4x4xf32>
  %0 = pallas.dot_general %a, %b contract [1] x [0] : tensor<4x8xf64>, tensor<8x4xf32> -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// CHECK-LABEL: func.func @eight_bits
func.func @eight_bits(%a: tensor<4x8xf8E4M3FN>, %b: tensor<8x4xf8E5M2>) -> tensor<4x4xbf16> {
  // CHECK: linalg.matmul ins({{.*}} : tensor<4x8xf8E4M3FN>, tensor<8x4xf8E5M2>) outs(%{{.*}} : tensor<4x4xf32>)
  // CHECK: arith.truncf %{{.*}} : tensor<4x4xf32> to tensor<4x4xbf16>
  %0 = pallas.dot_general %a, %b contract [1] x [0] : tensor<4x8xf8E4M3FN>, tensor<8x4xf8E5M2> -> tensor<4x4xbf16>
  return %0 : tensor<4x4xbf16>
}

// -----

// Booleans are multiplied by `and` and summed by `or`, which linalg does for i1.

// CHECK-LABEL: func.func @booleans
func.func @booleans(%a: tensor<4x8xi1>, %b: tensor<8x4xi1>) -> tensor<4x4xi1> {
  // CHECK: %[[FALSE:.*]] = arith.constant false
  // CHECK: linalg.fill ins(%[[FALSE]] : i1)
  // CHECK: linalg.matmul ins({{.*}} : tensor<4x8xi1>, tensor<8x4xi1>)
  %0 = pallas.dot_general %a, %b contract [1] x [0] : tensor<4x8xi1>, tensor<8x4xi1> -> tensor<4x4xi1>
  return %0 : tensor<4x4xi1>
}

// -----

// A product without a sum is no linalg.contract, not even of scalars.

// CHECK-LABEL: func.func @rank_zero
func.func @rank_zero(%a: tensor<f32>, %b: tensor<f32>) -> f32 {
  // CHECK: %[[R:.*]] = linalg.generic {{.*}}iterator_types = []
  // CHECK: arith.mulf
  // CHECK: tensor.extract %[[R]][] : tensor<f32>
  %0 = pallas.dot_general %a, %b contract [] x [] : tensor<f32>, tensor<f32> -> f32
  return %0 : f32
}

// -----

// CHECK-LABEL: func.func @outer_signs
func.func @outer_signs(%a: tensor<4xi8>, %b: tensor<5xi8>) -> tensor<4x5xi32> {
  // CHECK: ^bb0(%[[X:.*]]: i8, %[[Y:.*]]: i8, %{{.*}}: i32):
  // CHECK: arith.extsi %[[X]]
  // CHECK: arith.extui %[[Y]]
  %0 = pallas.dot_general %a, %b contract [] x [] unsigned_rhs : tensor<4xi8>, tensor<5xi8> -> tensor<4x5xi32>
  return %0 : tensor<4x5xi32>
}
