// RUN: pallas-opt %s --mosaic-gpu-flatten-reductions | FileCheck %s

// Lanes hold the elements in turn, so one reduction takes all of them.
// CHECK-LABEL: func.func @all_at_once
// CHECK: %[[V:.*]] = "mosaic_gpu.vector_load"(%{{.*}}) : (memref<128x64xf32>) -> vector<128x64xf32>
// CHECK-NEXT: %[[D:.*]] = arith.addf %[[V]], %[[V]]
// CHECK-NEXT: %[[F:.*]] = vector.shape_cast %[[D]] : vector<128x64xf32> to vector<8192xf32>
// CHECK-NEXT: vector.reduction <add>, %[[F]] {offset = 64 : i32, scratch_size = 64 : i32} : vector<8192xf32> into f32
func.func @all_at_once(%a: memref<128x64xf32>) -> f32 {
  %zero = arith.constant dense<0.0> : vector<64xf32>
  %0 = "mosaic_gpu.vector_load"(%a) : (memref<128x64xf32>) -> vector<128x64xf32>
  %1 = arith.addf %0, %0 : vector<128x64xf32>
  %2 = vector.multi_reduction <add>, %1, %zero {offset = 0 : i32, scratch_size = 64 : i32} [0] : vector<128x64xf32> to vector<64xf32>
  %3 = vector.reduction <add>, %2 {offset = 64 : i32, scratch_size = 64 : i32} : vector<64xf32> into f32
  return %3 : f32
}

// Rows are asked for, too, or the reductions differ, or the first one does not
// start from zero: these stay.
// CHECK-LABEL: func.func @one_after_the_other
// CHECK-NOT: vector.shape_cast
// CHECK-COUNT-4: vector.multi_reduction
func.func @one_after_the_other(%a: memref<128x64xi32>, %r: memref<128xi32>) -> (i32, i32, i32) {
  %zero = arith.constant dense<0> : vector<64xi32>
  %one = arith.constant dense<1> : vector<64xi32>
  %rows = arith.constant dense<0> : vector<128xi32>
  %0 = "mosaic_gpu.vector_load"(%a) : (memref<128x64xi32>) -> vector<128x64xi32>
  %1 = vector.multi_reduction <add>, %0, %rows [1] : vector<128x64xi32> to vector<128xi32>
  "mosaic_gpu.vector_store"(%1, %r) <{multimem = false}> : (vector<128xi32>, memref<128xi32>) -> ()
  %2 = vector.multi_reduction <add>, %0, %zero [0] : vector<128x64xi32> to vector<64xi32>
  %3 = vector.reduction <add>, %2 : vector<64xi32> into i32
  %4 = "mosaic_gpu.vector_load"(%a) : (memref<128x64xi32>) -> vector<128x64xi32>
  %5 = vector.multi_reduction <add>, %4, %zero [0] : vector<128x64xi32> to vector<64xi32>
  %6 = vector.reduction <maxsi>, %5 : vector<64xi32> into i32
  %7 = "mosaic_gpu.vector_load"(%a) : (memref<128x64xi32>) -> vector<128x64xi32>
  %8 = vector.multi_reduction <add>, %7, %one [0] : vector<128x64xi32> to vector<64xi32>
  %9 = vector.reduction <add>, %8 : vector<64xi32> into i32
  return %3, %6, %9 : i32, i32, i32
}
