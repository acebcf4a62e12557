// RUN: pallas-opt %s | pallas-opt | FileCheck %s
// RUN: pallas-opt %s --mlir-print-op-generic | pallas-opt | FileCheck %s
// RUN: pallas-opt %s --emit-bytecode | pallas-opt | FileCheck %s

// Forms of the dialect that jaxlib 0.10.2 does not know yet.

// CHECK-LABEL: @precision
func.func @precision(%a: vector<16x128xbf16>, %b: vector<128x256xbf16>, %c: vector<16x256xf32>) {
  // CHECK: tpu.matmul %{{.*}}, %{{.*}}, %{{.*}} {dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [0], [1], [0, 0, 1, 1], [], []>, precision = #tpu.contract_precision<bf16x3>, transpose_lhs_hint = false} : vector<16x128xbf16>, vector<128x256xbf16>, vector<16x256xf32> -> vector<16x256xf32>
  %0 = tpu.matmul %a, %b, %c {dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [0], [1], [0, 0, 1, 1], [], []>, precision = #tpu.contract_precision<bf16x3>, transpose_lhs_hint = false} : vector<16x128xbf16>, vector<128x256xbf16>, vector<16x256xf32> -> vector<16x256xf32>
  return
}

// CHECK-LABEL: @matrix_unit_queue
func.func @matrix_unit_queue(%a: vector<16x128xbf16>) {
  // CHECK: tpu.matmul_lhs_fifo %{{.*}} {mxu_index = 0 : i32} : vector<16x128xbf16>
  tpu.matmul_lhs_fifo %a {mxu_index = 0 : i32} : vector<16x128xbf16>
  // CHECK: tpu.matmul_pop_fifo 0 : vector<16x256xf32>
  %0 = tpu.matmul_pop_fifo 0 : vector<16x256xf32>
  return
}

// CHECK-LABEL: @reduce_index
func.func @reduce_index(%v: vector<16x128xbf16>) {
  // CHECK: tpu.reduce_index %{{.*}} {axis = 1 : i32, kind = #tpu.reduction_kind<arg_min>} : vector<16x128xbf16> -> vector<16xi16>
  %0 = tpu.reduce_index %v {axis = 1 : i32, kind = #tpu.reduction_kind<arg_min>} : vector<16x128xbf16> -> vector<16xi16>
  return
}
