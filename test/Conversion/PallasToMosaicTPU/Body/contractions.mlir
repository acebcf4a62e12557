// RUN: pallas-opt %s --convert-pallas-to-mosaic-tpu | FileCheck %s

// Contractions: shapes and element types are brought to those that the matrix
// unit multiplies.

module attributes {tpu.target = "v5e"} {

// CHECK-LABEL: func.func @matmul(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<8x16xbf16>, %[[ARG1:[^:]*]]: vector<16x32xbf16>
// CHECK-NEXT: %[[V0:.*]] = arith.constant dense<0.000000e+00> : vector<8x32xf32>
// CHECK-NEXT: %[[V1:.*]] = tpu.matmul %[[ARG0]], %[[ARG1]], %[[V0]] {dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [0], [1], [0, 0, 1, 1], [], []>, transpose_lhs_hint = false} : vector<8x16xbf16>, vector<16x32xbf16>, vector<8x32xf32> -> vector<8x32xf32>
// CHECK-NEXT: return %[[V1]] : vector<8x32xf32>
func.func @matmul(%a: vector<8x16xbf16>, %b: vector<16x32xbf16>) -> vector<8x32xf32> {
  %a_t = builtin.unrealized_conversion_cast %a : vector<8x16xbf16> to tensor<8x16xbf16>
  %b_t = builtin.unrealized_conversion_cast %b : vector<16x32xbf16> to tensor<16x32xbf16>
  %0 = pallas.dot_general %a_t, %b_t contract [1] x [0] : tensor<8x16xbf16>, tensor<16x32xbf16> -> tensor<8x32xf32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<8x32xf32> to vector<8x32xf32>
  return %r : vector<8x32xf32>
}

// An accumulator of 32 bits goes into the product.
// CHECK-LABEL: func.func @accumulate(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<8x16xbf16>, %[[ARG1:[^:]*]]: vector<16x32xbf16>, %[[ARG2:[^:]*]]: vector<8x32xf32>
// CHECK-NEXT: %[[V0:.*]] = tpu.matmul %[[ARG0]], %[[ARG1]], %[[ARG2]] {dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [0], [1], [0, 0, 1, 1], [], []>, transpose_lhs_hint = false} : vector<8x16xbf16>, vector<16x32xbf16>, vector<8x32xf32> -> vector<8x32xf32>
// CHECK-NEXT: return %[[V0]] : vector<8x32xf32>
func.func @accumulate(%a: vector<8x16xbf16>, %b: vector<16x32xbf16>, %c: vector<8x32xf32>) -> vector<8x32xf32> {
  %a_t = builtin.unrealized_conversion_cast %a : vector<8x16xbf16> to tensor<8x16xbf16>
  %b_t = builtin.unrealized_conversion_cast %b : vector<16x32xbf16> to tensor<16x32xbf16>
  %c_t = builtin.unrealized_conversion_cast %c : vector<8x32xf32> to tensor<8x32xf32>
  %0 = pallas.dot_general %a_t, %b_t acc %c_t contract [1] x [0] : tensor<8x16xbf16>, tensor<16x32xbf16>, tensor<8x32xf32> -> tensor<8x32xf32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<8x32xf32> to vector<8x32xf32>
  return %r : vector<8x32xf32>
}

// A narrow result is rounded once, from the sum in f32.
// CHECK-LABEL: func.func @narrow_result(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<8x16xbf16>, %[[ARG1:[^:]*]]: vector<16x32xbf16>
// CHECK-NEXT: %[[V0:.*]] = arith.constant dense<0.000000e+00> : vector<8x32xf32>
// CHECK-NEXT: %[[V1:.*]] = tpu.matmul %[[ARG0]], %[[ARG1]], %[[V0]] {dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [0], [1], [0, 0, 1, 1], [], []>, transpose_lhs_hint = false} : vector<8x16xbf16>, vector<16x32xbf16>, vector<8x32xf32> -> vector<8x32xf32>
// CHECK-NEXT: %[[V2:.*]] = arith.truncf %[[V1]] : vector<8x32xf32> to vector<8x32xbf16>
// CHECK-NEXT: return %[[V2]] : vector<8x32xbf16>
func.func @narrow_result(%a: vector<8x16xbf16>, %b: vector<16x32xbf16>) -> vector<8x32xbf16> {
  %a_t = builtin.unrealized_conversion_cast %a : vector<8x16xbf16> to tensor<8x16xbf16>
  %b_t = builtin.unrealized_conversion_cast %b : vector<16x32xbf16> to tensor<16x32xbf16>
  %0 = pallas.dot_general %a_t, %b_t contract [1] x [0] : tensor<8x16xbf16>, tensor<16x32xbf16> -> tensor<8x32xbf16>
  %r = builtin.unrealized_conversion_cast %0 : tensor<8x32xbf16> to vector<8x32xbf16>
  return %r : vector<8x32xbf16>
}

// CHECK-LABEL: func.func @highest_precision(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<8x16xf32>, %[[ARG1:[^:]*]]: vector<16x32xf32>
// CHECK-NEXT: %[[V0:.*]] = arith.constant dense<0.000000e+00> : vector<8x32xf32>
// CHECK-NEXT: %[[V1:.*]] = tpu.matmul %[[ARG0]], %[[ARG1]], %[[V0]] {dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [0], [1], [0, 0, 1, 1], [], []>, precision = #tpu.contract_precision<fp32>, transpose_lhs_hint = false} : vector<8x16xf32>, vector<16x32xf32>, vector<8x32xf32> -> vector<8x32xf32>
// CHECK-NEXT: return %[[V1]] : vector<8x32xf32>
func.func @highest_precision(%a: vector<8x16xf32>, %b: vector<16x32xf32>) -> vector<8x32xf32> {
  %a_t = builtin.unrealized_conversion_cast %a : vector<8x16xf32> to tensor<8x16xf32>
  %b_t = builtin.unrealized_conversion_cast %b : vector<16x32xf32> to tensor<16x32xf32>
  %0 = pallas.dot_general %a_t, %b_t contract [1] x [0] precision highest : tensor<8x16xf32>, tensor<16x32xf32> -> tensor<8x32xf32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<8x32xf32> to vector<8x32xf32>
  return %r : vector<8x32xf32>
}

// CHECK-LABEL: func.func @batched(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<2x8x16xf32>, %[[ARG1:[^:]*]]: vector<2x32x16xf32>
// CHECK-NEXT: %[[V0:.*]] = arith.constant dense<0.000000e+00> : vector<2x8x32xf32>
// CHECK-NEXT: %[[V1:.*]] = tpu.matmul %[[ARG0]], %[[ARG1]], %[[V0]] {dimension_numbers = #tpu.dot_dimension_numbers<[2], [2], [1], [1], [0, 0, 0, 1, 1, 1], [0], [0]>, transpose_lhs_hint = false} : vector<2x8x16xf32>, vector<2x32x16xf32>, vector<2x8x32xf32> -> vector<2x8x32xf32>
// CHECK-NEXT: return %[[V1]] : vector<2x8x32xf32>
func.func @batched(%a: vector<2x8x16xf32>, %b: vector<2x32x16xf32>) -> vector<2x8x32xf32> {
  %a_t = builtin.unrealized_conversion_cast %a : vector<2x8x16xf32> to tensor<2x8x16xf32>
  %b_t = builtin.unrealized_conversion_cast %b : vector<2x32x16xf32> to tensor<2x32x16xf32>
  %0 = pallas.dot_general %a_t, %b_t contract [2] x [2] batch [0] x [0] : tensor<2x8x16xf32>, tensor<2x32x16xf32> -> tensor<2x8x32xf32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<2x8x32xf32> to vector<2x8x32xf32>
  return %r : vector<2x8x32xf32>
}

// Several contracted dimensions are joined to one, behind the others.
// CHECK-LABEL: func.func @two_contracted_dimensions(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<4x8x16xf32>, %[[ARG1:[^:]*]]: vector<4x16x32xf32>
// CHECK-NEXT: %[[V0:.*]] = tpu.transpose %[[ARG0]], [1, 0, 2] : vector<4x8x16xf32> -> vector<8x4x16xf32>
// CHECK: %[[V1:.*]] = tpu.transpose %[[ARG1]], [2, 0, 1] : vector<4x16x32xf32> -> vector<32x4x16xf32>
// CHECK: %[[V2:.*]] = tpu.matmul %{{.*}}, %{{.*}}, %{{.*}} {dimension_numbers = #tpu.dot_dimension_numbers<[1], [1], [0], [0], [0, 0, 1, 0], [], []>, transpose_lhs_hint = false} : vector<8x64xf32>, vector<32x64xf32>, vector<8x32xf32> -> vector<8x32xf32>
// CHECK-NEXT: return %[[V2]] : vector<8x32xf32>
func.func @two_contracted_dimensions(%a: vector<4x8x16xf32>, %b: vector<4x16x32xf32>) -> vector<8x32xf32> {
  %a_t = builtin.unrealized_conversion_cast %a : vector<4x8x16xf32> to tensor<4x8x16xf32>
  %b_t = builtin.unrealized_conversion_cast %b : vector<4x16x32xf32> to tensor<4x16x32xf32>
  %0 = pallas.dot_general %a_t, %b_t contract [0, 2] x [0, 1] : tensor<4x8x16xf32>, tensor<4x16x32xf32> -> tensor<8x32xf32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<8x32xf32> to vector<8x32xf32>
  return %r : vector<8x32xf32>
}

// A product of vectors is one of a row and a column.
// CHECK-LABEL: func.func @dot(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<16xf32>, %[[ARG1:[^:]*]]: vector<16xf32>
// CHECK-NEXT: %[[V0:.*]] = vector.shape_cast %[[ARG0]] : vector<16xf32> to vector<1x16xf32>
// CHECK-NEXT: %[[V1:.*]] = vector.shape_cast %[[ARG1]] : vector<16xf32> to vector<1x16xf32>
// CHECK-NEXT: %[[V2:.*]] = arith.constant dense<0.000000e+00> : vector<1x1xf32>
// CHECK-NEXT: %[[V3:.*]] = tpu.matmul %[[V0]], %[[V1]], %[[V2]] {dimension_numbers = #tpu.dot_dimension_numbers<[1], [1], [0], [0], [0, 0, 1, 0], [], []>, transpose_lhs_hint = false} : vector<1x16xf32>, vector<1x16xf32>, vector<1x1xf32> -> vector<1x1xf32>
// CHECK-NEXT: %[[V4:.*]] = vector.extract %[[V3]][0, 0] : f32 from vector<1x1xf32>
// CHECK-NEXT: return %[[V4]] : f32
func.func @dot(%a: vector<16xf32>, %b: vector<16xf32>) -> f32 {
  %a_t = builtin.unrealized_conversion_cast %a : vector<16xf32> to tensor<16xf32>
  %b_t = builtin.unrealized_conversion_cast %b : vector<16xf32> to tensor<16xf32>
  %0 = pallas.dot_general %a_t, %b_t contract [0] x [0] : tensor<16xf32>, tensor<16xf32> -> f32
  return %0 : f32
}

// CHECK-LABEL: func.func @bytes(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<8x16xi8>, %[[ARG1:[^:]*]]: vector<16x32xi8>
// CHECK-NEXT: %[[V0:.*]] = arith.constant dense<0> : vector<8x32xi32>
// CHECK-NEXT: %[[V1:.*]] = tpu.matmul %[[ARG0]], %[[ARG1]], %[[V0]] {dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [0], [1], [0, 0, 1, 1], [], []>, transpose_lhs_hint = false} : vector<8x16xi8>, vector<16x32xi8>, vector<8x32xi32> -> vector<8x32xi32>
// CHECK-NEXT: return %[[V1]] : vector<8x32xi32>
func.func @bytes(%a: vector<8x16xi8>, %b: vector<16x32xi8>) -> vector<8x32xi32> {
  %a_t = builtin.unrealized_conversion_cast %a : vector<8x16xi8> to tensor<8x16xi8>
  %b_t = builtin.unrealized_conversion_cast %b : vector<16x32xi8> to tensor<16x32xi8>
  %0 = pallas.dot_general %a_t, %b_t contract [1] x [0] : tensor<8x16xi8>, tensor<16x32xi8> -> tensor<8x32xi32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<8x32xi32> to vector<8x32xi32>
  return %r : vector<8x32xi32>
}

// Unsigned bytes are exact as bf16, and so is their sum in f32.
// CHECK-LABEL: func.func @unsigned_bytes(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<8x16xi8>, %[[ARG1:[^:]*]]: vector<16x32xi8>
// CHECK-NEXT: %[[V0:.*]] = arith.extui %[[ARG0]] : vector<8x16xi8> to vector<8x16xi32>
// CHECK-NEXT: %[[V1:.*]] = arith.sitofp %[[V0]] : vector<8x16xi32> to vector<8x16xf32>
// CHECK-NEXT: %[[V2:.*]] = arith.truncf %[[V1]] : vector<8x16xf32> to vector<8x16xbf16>
// CHECK-NEXT: %[[V3:.*]] = arith.extui %[[ARG1]] : vector<16x32xi8> to vector<16x32xi32>
// CHECK-NEXT: %[[V4:.*]] = arith.sitofp %[[V3]] : vector<16x32xi32> to vector<16x32xf32>
// CHECK-NEXT: %[[V5:.*]] = arith.truncf %[[V4]] : vector<16x32xf32> to vector<16x32xbf16>
// CHECK-NEXT: %[[V6:.*]] = arith.constant dense<0.000000e+00> : vector<8x32xf32>
// CHECK-NEXT: %[[V7:.*]] = tpu.matmul %[[V2]], %[[V5]], %[[V6]] {dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [0], [1], [0, 0, 1, 1], [], []>, transpose_lhs_hint = false} : vector<8x16xbf16>, vector<16x32xbf16>, vector<8x32xf32> -> vector<8x32xf32>
// CHECK-NEXT: %[[V8:.*]] = arith.fptosi %[[V7]] : vector<8x32xf32> to vector<8x32xi32>
// CHECK-NEXT: return %[[V8]] : vector<8x32xi32>
func.func @unsigned_bytes(%a: vector<8x16xi8>, %b: vector<16x32xi8>) -> vector<8x32xi32> {
  %a_t = builtin.unrealized_conversion_cast %a : vector<8x16xi8> to tensor<8x16xi8>
  %b_t = builtin.unrealized_conversion_cast %b : vector<16x32xi8> to tensor<16x32xi8>
  %0 = pallas.dot_general %a_t, %b_t contract [1] x [0] unsigned_lhs unsigned_rhs : tensor<8x16xi8>, tensor<16x32xi8> -> tensor<8x32xi32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<8x32xi32> to vector<8x32xi32>
  return %r : vector<8x32xi32>
}

// Integers of two bytes are products of their digits, each at its place.
// CHECK-LABEL: func.func @shorts(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<8x16xi16>, %[[ARG1:[^:]*]]: vector<16x32xi16>
// CHECK: %[[V0:.*]] = arith.trunci %{{.*}} : vector<8x16xi32> to vector<8x16xi8>
// CHECK: %[[V1:.*]] = arith.trunci %{{.*}} : vector<8x16xi32> to vector<8x16xi8>
// CHECK: %[[V2:.*]] = arith.trunci %{{.*}} : vector<16x32xi32> to vector<16x32xi8>
// CHECK: %[[V3:.*]] = arith.trunci %{{.*}} : vector<16x32xi32> to vector<16x32xi8>
// CHECK: %[[V4:.*]] = tpu.matmul %[[V0]], %[[V2]], %{{.*}} {dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [0], [1], [0, 0, 1, 1], [], []>, transpose_lhs_hint = false} : vector<8x16xi8>, vector<16x32xi8>, vector<8x32xi32> -> vector<8x32xi32>
// CHECK-NEXT: %[[V5:.*]] = tpu.matmul %[[V0]], %[[V3]], %{{.*}} {dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [0], [1], [0, 0, 1, 1], [], []>, transpose_lhs_hint = false} : vector<8x16xi8>, vector<16x32xi8>, vector<8x32xi32> -> vector<8x32xi32>
// CHECK: %[[V6:.*]] = arith.addi %[[V4]], %{{.*}} : vector<8x32xi32>
// CHECK-NEXT: %[[V7:.*]] = tpu.matmul %[[V1]], %[[V2]], %{{.*}} {dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [0], [1], [0, 0, 1, 1], [], []>, transpose_lhs_hint = false} : vector<8x16xi8>, vector<16x32xi8>, vector<8x32xi32> -> vector<8x32xi32>
// CHECK: %[[V8:.*]] = arith.addi %[[V6]], %{{.*}} : vector<8x32xi32>
// CHECK-NEXT: %[[V9:.*]] = tpu.matmul %[[V1]], %[[V3]], %{{.*}} {dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [0], [1], [0, 0, 1, 1], [], []>, transpose_lhs_hint = false} : vector<8x16xi8>, vector<16x32xi8>, vector<8x32xi32> -> vector<8x32xi32>
// CHECK: %[[V10:.*]] = arith.addi %[[V8]], %{{.*}} : vector<8x32xi32>
// CHECK-NEXT: return %[[V10]] : vector<8x32xi32>
func.func @shorts(%a: vector<8x16xi16>, %b: vector<16x32xi16>) -> vector<8x32xi32> {
  %a_t = builtin.unrealized_conversion_cast %a : vector<8x16xi16> to tensor<8x16xi16>
  %b_t = builtin.unrealized_conversion_cast %b : vector<16x32xi16> to tensor<16x32xi16>
  %0 = pallas.dot_general %a_t, %b_t contract [1] x [0] : tensor<8x16xi16>, tensor<16x32xi16> -> tensor<8x32xi32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<8x32xi32> to vector<8x32xi32>
  return %r : vector<8x32xi32>
}

// Signed bytes beside bf16 are taken as they are.
// CHECK-LABEL: func.func @mixed(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<8x16xi8>, %[[ARG1:[^:]*]]: vector<16x32xbf16>
// CHECK-NEXT: %[[V0:.*]] = arith.constant dense<0.000000e+00> : vector<8x32xf32>
// CHECK-NEXT: %[[V1:.*]] = tpu.matmul %[[ARG0]], %[[ARG1]], %[[V0]] {dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [0], [1], [0, 0, 1, 1], [], []>, transpose_lhs_hint = false} : vector<8x16xi8>, vector<16x32xbf16>, vector<8x32xf32> -> vector<8x32xf32>
// CHECK-NEXT: return %[[V1]] : vector<8x32xf32>
func.func @mixed(%a: vector<8x16xi8>, %b: vector<16x32xbf16>) -> vector<8x32xf32> {
  %a_t = builtin.unrealized_conversion_cast %a : vector<8x16xi8> to tensor<8x16xi8>
  %b_t = builtin.unrealized_conversion_cast %b : vector<16x32xbf16> to tensor<16x32xbf16>
  %0 = pallas.dot_general %a_t, %b_t contract [1] x [0] : tensor<8x16xi8>, tensor<16x32xbf16> -> tensor<8x32xf32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<8x32xf32> to vector<8x32xf32>
  return %r : vector<8x32xf32>
}
}
