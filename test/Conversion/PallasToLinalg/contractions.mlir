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
  %0 = pallas.dot_general %a, %b contract [2] x [1] batch [0] x [0] unsigned : tensor<2x8x16xi8>, tensor<2x16x32xi8> -> tensor<2x8x32xi32>
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

// CHECK-LABEL: func.func @outer
func.func @outer(%a: tensor<4xf32>, %b: tensor<5xf32>) -> tensor<4x5xf32> {
  // CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]
  %0 = pallas.dot_general %a, %b contract [] x [] : tensor<4xf32>, tensor<5xf32> -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}
