// RUN: pallas-opt %s | pallas-opt | FileCheck %s
// RUN: pallas-opt %s --mlir-print-op-generic | pallas-opt | FileCheck %s
// RUN: pallas-opt %s --emit-bytecode | pallas-opt | FileCheck %s

// Shapes and reductions of vectors.

// CHECK-LABEL: @iota
func.func @iota() {
  // CHECK: tpu.iota {dimensions = array<i32: 1>} : vector<16x128xi32>
  %0 = tpu.iota {dimensions = array<i32: 1>} : vector<16x128xi32>
  // CHECK: tpu.iota {dimensions = array<i32: 0, 1>} : vector<16x128xindex>
  %1 = tpu.iota {dimensions = array<i32: 0, 1>} : vector<16x128xindex>
  return
}

// CHECK-LABEL: @shapes
func.func @shapes(%v: vector<16x128xf32>) {
  // CHECK: tpu.transpose %{{.*}}, [1, 0] : vector<16x128xf32> -> vector<128x16xf32>
  %0 = tpu.transpose %v, [1, 0] : vector<16x128xf32> -> vector<128x16xf32>
  // CHECK: tpu.reshape %{{.*}} : vector<16x128xf32> -> vector<2x8x128xf32>
  %1 = tpu.reshape %v : vector<16x128xf32> -> vector<2x8x128xf32>
  // CHECK: tpu.concatenate %{{.*}}, %{{.*}} in 0 : vector<16x128xf32>, vector<16x128xf32> -> vector<32x128xf32>
  %2 = tpu.concatenate %v, %v in 0 : vector<16x128xf32>, vector<16x128xf32> -> vector<32x128xf32>
  return
}

// CHECK-LABEL: @dynamic_rotate
func.func @dynamic_rotate(%v: vector<16x128xf32>, %n: i32) {
  // CHECK: tpu.dynamic_rotate %{{.*}} by %{{.*}} dim 1 : vector<16x128xf32>, i32 -> vector<16x128xf32>
  %0 = tpu.dynamic_rotate %v by %n dim 1 : vector<16x128xf32>, i32 -> vector<16x128xf32>
  // CHECK: tpu.dynamic_rotate %{{.*}} by %{{.*}} dim 1 {stride = 2 : si32, stride_dimension = 0 : si32} : vector<16x128xf32>, i32 -> vector<16x128xf32>
  %1 = tpu.dynamic_rotate %v by %n dim 1 {stride = 2 : si32, stride_dimension = 0 : si32} : vector<16x128xf32>, i32 -> vector<16x128xf32>
  return
}

// CHECK-LABEL: @dynamic_gather
func.func @dynamic_gather(%v: vector<16x128xf32>, %x: vector<8x128xi32>) {
  // CHECK: tpu.dynamic_gather %{{.*}}[%{{.*}}] in [0] : vector<16x128xf32>, vector<8x128xi32> -> vector<8x128xf32>
  %0 = tpu.dynamic_gather %v[%x] in [0] : vector<16x128xf32>, vector<8x128xi32> -> vector<8x128xf32>
  return
}

// CHECK-LABEL: @reduce
func.func @reduce(%v: vector<16x128xf32>, %k: vector<16xi1>) {
  // CHECK: tpu.reduce_index %{{.*}} {axis = 1 : i32, kind = #tpu.reduction_kind<arg_max>} : vector<16x128xf32> -> vector<16xi32>
  %0 = tpu.reduce_index %v {axis = 1 : i32, kind = #tpu.reduction_kind<arg_max>} : vector<16x128xf32> -> vector<16xi32>
  // CHECK: tpu.reduce_index %{{.*}} {axis = 0 : i32, kind = #tpu.reduction_kind<arg_min>} : vector<16x128xf32> -> vector<128xi32>
  %1 = tpu.reduce_index %v {axis = 0 : i32, kind = #tpu.reduction_kind<arg_min>} : vector<16x128xf32> -> vector<128xi32>
  // CHECK: tpu.all_reduce %{{.*}} {dim = 1 : i64, kind = #tpu.reduction_kind<sum>} : vector<16x128xf32> -> vector<16x128xf32>
  %2 = tpu.all_reduce %v {dim = 1 : i64, kind = #tpu.reduction_kind<sum>} : vector<16x128xf32> -> vector<16x128xf32>
  // CHECK: tpu.all_reduce %{{.*}} {dim = 0 : i64, kind = #tpu.reduction_kind<find_first_set>} : vector<16xi1> -> vector<16xi32>
  %3 = tpu.all_reduce %k {dim = 0 : i64, kind = #tpu.reduction_kind<find_first_set>} : vector<16xi1> -> vector<16xi32>
  return
}

// CHECK-LABEL: @scan_count
func.func @scan_count(%k: vector<16xi1>, %x: vector<16xi32>) {
  // CHECK: tpu.scan_count mask(%{{.*}} : vector<16xi1>) value(%{{.*}} : vector<16xi32>) : vector<16xi1>, vector<16xi32>
  %0:2 = tpu.scan_count mask(%k : vector<16xi1>) value(%x : vector<16xi32>) : vector<16xi1>, vector<16xi32>
  return
}

// CHECK-LABEL: @sort
func.func @sort(%x: vector<16xi32>, %v: vector<16xf32>, %k: vector<16xi1>) {
  // CHECK: tpu.sort %{{.*}}, %{{.*}} : (vector<16xi32>, vector<16xf32>) -> (vector<16xi1>, vector<16xi32>, vector<16xf32>)
  %0:3 = tpu.sort %x, %v : (vector<16xi32>, vector<16xf32>) -> (vector<16xi1>, vector<16xi32>, vector<16xf32>)
  // CHECK: tpu.sort %{{.*}}, %{{.*}} masked %{{.*}} {descending = true} : (vector<16xi32>, vector<16xf32>, vector<16xi1>) -> (vector<16xi1>, vector<16xi32>, vector<16xf32>)
  %1:3 = tpu.sort %x, %v masked %k {descending = true} : (vector<16xi32>, vector<16xf32>, vector<16xi1>) -> (vector<16xi1>, vector<16xi32>, vector<16xf32>)
  return
}
