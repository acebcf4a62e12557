// RUN: pallas-opt %s --convert-pallas-to-linalg | FileCheck %s

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
