// RUN: pallas-opt %s --mosaic-gpu-hoist-splats | FileCheck %s

// What is computed of splats alone is computed once. So are its reductions: a sum is a product.
// CHECK-LABEL: func.func @splats
// CHECK: %[[S:.*]] = arith.addf %{{.*}}, %{{.*}} : f32
// CHECK: %[[V:.*]] = vector.broadcast %[[S]] : f32 to vector<15xf32>
// CHECK: "mosaic_gpu.vector_store"(%[[V]]
// CHECK: %[[T:.*]] = arith.mulf %{{.*}}, %{{.*}} : f32
// CHECK: %[[R:.*]] = arith.addf %[[T]], %{{.*}} : f32
// CHECK: vector.broadcast %[[R]] : f32 to vector<5xf32>
func.func @splats(%x: f32, %a: memref<15xf32>, %b: memref<5xf32>) {
  %c1 = arith.constant dense<1.0> : vector<15xf32>
  %0 = vector.broadcast %x : f32 to vector<15xf32>
  %1 = arith.addf %0, %c1 : vector<15xf32>
  "mosaic_gpu.vector_store"(%1, %a) <{multimem = false}> : (vector<15xf32>, memref<15xf32>) -> ()
  %c2 = arith.constant dense<2.0> : vector<5xf32>
  %2 = vector.broadcast %x : f32 to vector<5x7xf32>
  %3 = vector.multi_reduction <add>, %2, %c2 [1] : vector<5x7xf32> to vector<5xf32>
  "mosaic_gpu.vector_store"(%3, %b) <{multimem = false}> : (vector<5xf32>, memref<5xf32>) -> ()
  return
}

// So is what folds since loads of one value are one.
// CHECK-LABEL: func.func @differences
// CHECK: %[[ZERO:.*]] = arith.constant dense<0> : vector<4x33xi32>
// CHECK: "mosaic_gpu.vector_store"(%[[ZERO]]
func.func @differences(%a: memref<4x33xi32>) {
  %0 = "mosaic_gpu.vector_load"(%a) : (memref<4x33xi32>) -> vector<4x33xi32>
  %1 = arith.subi %0, %0 : vector<4x33xi32>
  "mosaic_gpu.vector_store"(%1, %a) <{multimem = false}> : (vector<4x33xi32>, memref<4x33xi32>) -> ()
  return
}

// One operand has elements of its own.
// CHECK-LABEL: func.func @mixed
// CHECK: arith.addf %{{.*}} : vector<15xf32>
func.func @mixed(%x: f32, %a: memref<15xf32>) {
  %0 = vector.broadcast %x : f32 to vector<15xf32>
  %1 = "mosaic_gpu.vector_load"(%a) : (memref<15xf32>) -> vector<15xf32>
  %2 = arith.addf %0, %1 : vector<15xf32>
  "mosaic_gpu.vector_store"(%2, %a) <{multimem = false}> : (vector<15xf32>, memref<15xf32>) -> ()
  return
}
