// RUN: pallas-opt %s --mosaic-gpu-separate-positions | FileCheck %s

// One vector counts rows and columns: each gets its own, and the constant stays one.
// CHECK-LABEL: func.func @positions
// CHECK-DAG: %[[ROWS:.*]] = "mosaic_gpu.broadcasted_iota"
// CHECK-DAG: %[[COLUMNS:.*]] = "mosaic_gpu.broadcasted_iota"
// CHECK: %[[NEXT:.*]] = arith.addi %[[COLUMNS]], %{{.*}}
// CHECK: mosaic_gpu.broadcast_in_dim(%[[ROWS]] : vector<16xi32>) {broadcast_dimensions = array<i64: 0>}
// CHECK: mosaic_gpu.broadcast_in_dim(%[[NEXT]] : vector<16xi32>) {broadcast_dimensions = array<i64: 1>}
func.func @positions(%b: memref<16x16xi32>) {
  %0 = "mosaic_gpu.broadcasted_iota"() <{dimension = 0 : i32}> : () -> vector<16xi32>
  %one = arith.constant dense<1> : vector<16xi32>
  %next = arith.addi %0, %one : vector<16xi32>
  %1 = mosaic_gpu.broadcast_in_dim(%0 : vector<16xi32>) {broadcast_dimensions = array<i64: 0>} -> vector<16x16xi32>
  %2 = mosaic_gpu.broadcast_in_dim(%next : vector<16xi32>) {broadcast_dimensions = array<i64: 1>} -> vector<16x16xi32>
  %3 = arith.maxsi %1, %2 : vector<16x16xi32>
  "mosaic_gpu.vector_store"(%3, %b) <{multimem = false}> : (vector<16x16xi32>, memref<16x16xi32>) -> ()
  return
}

// What is computed of an iota is copied with it.
// CHECK-LABEL: func.func @computed
// CHECK-COUNT-2: "mosaic_gpu.broadcasted_iota"
// CHECK-COUNT-2: arith.muli
// CHECK-NOT: arith.muli
func.func @computed() -> (vector<16x16xi32>, vector<16x16xi32>) {
  %0 = "mosaic_gpu.broadcasted_iota"() <{dimension = 0 : i32}> : () -> vector<16xi32>
  %1 = arith.muli %0, %0 : vector<16xi32>
  %2 = mosaic_gpu.broadcast_in_dim(%1 : vector<16xi32>) {broadcast_dimensions = array<i64: 0>} -> vector<16x16xi32>
  %3 = mosaic_gpu.broadcast_in_dim(%1 : vector<16xi32>) {broadcast_dimensions = array<i64: 1>} -> vector<16x16xi32>
  return %2, %3 : vector<16x16xi32>, vector<16x16xi32>
}

// What is loaded has one layout.
// CHECK-LABEL: func.func @loaded
// CHECK: %[[V:.*]] = "mosaic_gpu.vector_load"
// CHECK: broadcast_in_dim(%[[V]]
// CHECK: broadcast_in_dim(%[[V]]
func.func @loaded(%a: memref<16xi32>) -> (vector<16x16xi32>, vector<16x16xi32>) {
  %0 = "mosaic_gpu.vector_load"(%a) : (memref<16xi32>) -> vector<16xi32>
  %1 = mosaic_gpu.broadcast_in_dim(%0 : vector<16xi32>) {broadcast_dimensions = array<i64: 0>} -> vector<16x16xi32>
  %2 = mosaic_gpu.broadcast_in_dim(%0 : vector<16xi32>) {broadcast_dimensions = array<i64: 1>} -> vector<16x16xi32>
  return %1, %2 : vector<16x16xi32>, vector<16x16xi32>
}
