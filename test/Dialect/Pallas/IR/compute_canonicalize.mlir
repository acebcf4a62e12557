// RUN: pallas-opt %s --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @constants
// CHECK-DAG: %[[A:.*]] = arith.constant dense<2.000000e+00> : tensor<8x128xf32>
// CHECK-DAG: %[[B:.*]] = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
// CHECK-DAG: %[[C:.*]] = arith.constant dense<3> : tensor<4x2xi32>
// CHECK-DAG: %[[D:.*]] = arith.constant 3 : i32
// CHECK: return %[[A]], %[[B]], %[[C]], %[[D]]
func.func @constants() -> (tensor<8x128xf32>, tensor<4xi32>, tensor<4x2xi32>, i32) {
  %c = arith.constant 2.0 : f32
  %0 = pallas.broadcast %c : f32 -> tensor<8x128xf32>
  %d = arith.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %1 = pallas.reshape %d : tensor<2x2xi32> -> tensor<4xi32>
  %e = arith.constant dense<3> : tensor<2x4xi32>
  %2 = pallas.transpose %e, [1, 0] : tensor<2x4xi32>
  %f = arith.constant dense<3> : tensor<1x1xi32>
  %3 = pallas.reshape %f : tensor<1x1xi32> -> i32
  return %0, %1, %2, %3 : tensor<8x128xf32>, tensor<4xi32>, tensor<4x2xi32>, i32
}

// -----

// CHECK-LABEL: func.func @chains
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[R:.*]]: tensor<8xf32>
// CHECK-DAG: %[[A:.*]] = pallas.broadcast %[[R]] dims [2] : tensor<8xf32> -> tensor<2x4x8xf32>
// CHECK-DAG: %[[B:.*]] = pallas.reshape %[[X]] : tensor<4x8xf32> -> tensor<32xf32>
// CHECK: return %[[A]], %[[B]], %[[X]], %[[X]]
func.func @chains(%x: tensor<4x8xf32>, %r: tensor<8xf32>) -> (tensor<2x4x8xf32>, tensor<32xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = pallas.broadcast %r dims [1] : tensor<8xf32> -> tensor<4x8xf32>
  %1 = pallas.broadcast %0 dims [1, 2] : tensor<4x8xf32> -> tensor<2x4x8xf32>
  %2 = pallas.reshape %x : tensor<4x8xf32> -> tensor<8x4xf32>
  %3 = pallas.reshape %2 : tensor<8x4xf32> -> tensor<32xf32>
  %4 = pallas.transpose %x, [1, 0] : tensor<4x8xf32>
  %5 = pallas.transpose %4, [1, 0] : tensor<8x4xf32>
  %6 = pallas.rev %x dims [0, 1] : tensor<4x8xf32>
  %7 = pallas.rev %6 dims [1, 0] : tensor<4x8xf32>
  return %1, %3, %5, %7 : tensor<2x4x8xf32>, tensor<32xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// CHECK-LABEL: func.func @identities
// CHECK-SAME: %[[X:.*]]: tensor<4x1xf32>, %[[N:.*]]: i32
// CHECK-NEXT: return %[[X]], %[[X]], %[[X]], %[[N]]
func.func @identities(%x: tensor<4x1xf32>, %n: i32) -> (tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>, i32) {
  %c0 = arith.constant 0 : i32
  %0 = pallas.reduce <add> %x dims [] : tensor<4x1xf32>
  %1 = pallas.rev %x dims [1] : tensor<4x1xf32>
  %2 = pallas.roll %x by %c0 dim 0 : tensor<4x1xf32>
  %3 = pallas.multiple_of %n, [1] : i32
  return %0, %1, %2, %3 : tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>, i32
}

// -----

// CHECK-LABEL: func.func @zero_accumulator
// CHECK: pallas.dot_general %{{.*}}, %{{.*}} contract [1] x [0] : tensor<8x16xf32>, tensor<16x8xf32> -> tensor<8x8xf32>
func.func @zero_accumulator(%a: tensor<8x16xf32>, %b: tensor<16x8xf32>) -> tensor<8x8xf32> {
  %zero = arith.constant dense<0.0> : tensor<8x8xf32>
  %0 = pallas.dot_general %a, %b acc %zero contract [1] x [0] : tensor<8x16xf32>, tensor<16x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
