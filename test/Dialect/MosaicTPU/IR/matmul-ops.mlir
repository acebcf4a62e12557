// RUN: pallas-opt %s | pallas-opt | FileCheck %s
// RUN: pallas-opt %s --mlir-print-op-generic | pallas-opt | FileCheck %s
// RUN: pallas-opt %s --emit-bytecode | pallas-opt | FileCheck %s

// Matrix multiplication and the steps of a matrix unit.

// CHECK-LABEL: @matmul
func.func @matmul(%a: vector<16x128xbf16>, %b: vector<128x256xbf16>, %c: vector<16x256xf32>) {
  // CHECK: tpu.matmul %{{.*}}, %{{.*}}, %{{.*}} {transpose_lhs_hint = false} : vector<16x128xbf16>, vector<128x256xbf16>, vector<16x256xf32> -> vector<16x256xf32>
  %0 = tpu.matmul %a, %b, %c {transpose_lhs_hint = false} : vector<16x128xbf16>, vector<128x256xbf16>, vector<16x256xf32> -> vector<16x256xf32>
  // CHECK: tpu.matmul %{{.*}}, %{{.*}}, %{{.*}} {dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [0], [1], [0, 0, 1, 1], [], []>, precision = #tpu.contract_precision<fp32>, transpose_lhs_hint = true} : vector<16x128xbf16>, vector<128x256xbf16>, vector<16x256xf32> -> vector<16x256xf32>
  %1 = tpu.matmul %a, %b, %c {dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [0], [1], [0, 0, 1, 1], [], []>, precision = #tpu.contract_precision<fp32>, transpose_lhs_hint = true} : vector<16x128xbf16>, vector<128x256xbf16>, vector<16x256xf32> -> vector<16x256xf32>
  return
}

// CHECK-LABEL: @batched
func.func @batched(%a: vector<4x16x128xbf16>, %b: vector<4x256x128xbf16>, %c: vector<4x16x256xf32>) {
  // CHECK: tpu.matmul %{{.*}}, %{{.*}}, %{{.*}} {dimension_numbers = #tpu.dot_dimension_numbers<[2], [2], [1], [1], [0, 0, 0, 1, 1, 1], [0], [0]>, precision = #tpu.contract_precision<bf16>, transpose_lhs_hint = false} : vector<4x16x128xbf16>, vector<4x256x128xbf16>, vector<4x16x256xf32> -> vector<4x16x256xf32>
  %0 = tpu.matmul %a, %b, %c {dimension_numbers = #tpu.dot_dimension_numbers<[2], [2], [1], [1], [0, 0, 0, 1, 1, 1], [0], [0]>, precision = #tpu.contract_precision<bf16>, transpose_lhs_hint = false} : vector<4x16x128xbf16>, vector<4x256x128xbf16>, vector<4x16x256xf32> -> vector<4x16x256xf32>
  return
}

// CHECK-LABEL: @matrix_unit
func.func @matrix_unit(%a: vector<16x128xbf16>, %b: vector<128x256xbf16>) {
  // CHECK: tpu.matmul_push_rhs %{{.*}} {mxu_index = 1 : i32} : vector<128x256xbf16>
  tpu.matmul_push_rhs %b {mxu_index = 1 : i32} : vector<128x256xbf16>
  // CHECK: tpu.matmul_push_rhs %{{.*}} {mxu_index = 1 : i32, staging_register = 1 : i32, transpose = true} : vector<128x256xbf16>
  tpu.matmul_push_rhs %b {mxu_index = 1 : i32, staging_register = 1 : i32, transpose = true} : vector<128x256xbf16>
  // CHECK: tpu.matmul_acc_lhs 1, %{{.*}} {mxu_index = 0 : i32} : vector<16x128xbf16>
  tpu.matmul_acc_lhs 1, %a {mxu_index = 0 : i32} : vector<16x128xbf16>
  // CHECK: tpu.matmul_acc_lhs 1, %{{.*}} {load_staged_rhs = 2 : i32, mxu_index = 0 : i32} : vector<16x128xbf16>
  tpu.matmul_acc_lhs 1, %a {load_staged_rhs = 2 : i32, mxu_index = 0 : i32} : vector<16x128xbf16>
  // CHECK: tpu.matmul_pop 1 {mxu_index = 0 : i32} : vector<16x256xf32>
  %0 = tpu.matmul_pop 1 {mxu_index = 0 : i32} : vector<16x256xf32>
  return
}
