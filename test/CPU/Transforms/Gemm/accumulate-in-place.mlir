// RUN: pallas-opt %s --pallas-cpu-accumulate-in-place | FileCheck %s
// RUN: pallas-opt %s --pass-pipeline="builtin.module(func.func(pallas-cpu-accumulate-in-place,pallas-cpu-lower-contractions{cpu=x86-64-v4}))" | FileCheck %s --check-prefix=TILES

// CHECK-LABEL: func.func @short
// CHECK-SAME: %[[A:.*]]: memref<16x32xf32>, %[[B:.*]]: memref<32x64xf32>, %[[O:.*]]: memref<16x64xf32>
// CHECK: linalg.fill {{.*}} outs(%[[O]] :
// CHECK-NEXT: linalg.matmul ins(%[[A]], %[[B]] {{.*}} outs(%[[O]] :
// CHECK-NEXT: return
func.func @short(%a: memref<16x32xf32>, %b: memref<32x64xf32>, %o: memref<16x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %sums = memref.alloc() : memref<16x64xf32>
  linalg.fill ins(%zero : f32) outs(%sums : memref<16x64xf32>)
  linalg.matmul ins(%a, %b : memref<16x32xf32>, memref<32x64xf32>) outs(%sums : memref<16x64xf32>)
  memref.copy %sums, %o : memref<16x64xf32> to memref<16x64xf32>
  return
}

// An operand lies in the memory that sums are copied to.
// CHECK-LABEL: func.func @onto_operand
// CHECK: %[[SUMS:.*]] = memref.alloc
// CHECK: memref.copy %[[SUMS]]
func.func @onto_operand(%a: memref<16x16xf32>, %b: memref<16x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %sums = memref.alloc() : memref<16x16xf32>
  linalg.fill ins(%zero : f32) outs(%sums : memref<16x16xf32>)
  linalg.matmul ins(%a, %b : memref<16x16xf32>, memref<16x16xf32>) outs(%sums : memref<16x16xf32>)
  memref.copy %sums, %a : memref<16x16xf32> to memref<16x16xf32>
  return
}

// Something else reads the sums, behind the copy.
// CHECK-LABEL: func.func @read_later
// CHECK: %[[SUMS:.*]] = memref.alloc
// CHECK: memref.copy %[[SUMS]]
func.func @read_later(%a: memref<16x32xf32>, %b: memref<32x64xf32>, %o: memref<16x64xf32>, %i: index) -> f32 {
  %zero = arith.constant 0.0 : f32
  %sums = memref.alloc() : memref<16x64xf32>
  linalg.fill ins(%zero : f32) outs(%sums : memref<16x64xf32>)
  linalg.matmul ins(%a, %b : memref<16x32xf32>, memref<32x64xf32>) outs(%sums : memref<16x64xf32>)
  memref.copy %sums, %o : memref<16x64xf32> to memref<16x64xf32>
  %r = memref.load %sums[%i, %i] : memref<16x64xf32>
  return %r : f32
}

// Sums that tiles see several times stay where they lie close together.

// CHECK-LABEL: func.func @long
// CHECK: %[[SUMS:.*]] = memref.alloc
// CHECK: linalg.matmul {{.*}} outs(%[[SUMS]]
// CHECK: memref.copy %[[SUMS]], %arg2
// TILES-LABEL: func.func @long
// TILES: scf.if
// TILES: vector.load {{.*}} : memref<16x64xf32>
func.func @long(%a: memref<16x512xf32>, %b: memref<512x64xf32>, %o: memref<16x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %sums = memref.alloc() : memref<16x64xf32>
  linalg.fill ins(%zero : f32) outs(%sums : memref<16x64xf32>)
  linalg.matmul ins(%a, %b : memref<16x512xf32>, memref<512x64xf32>) outs(%sums : memref<16x64xf32>)
  memref.copy %sums, %o : memref<16x64xf32> to memref<16x64xf32>
  return
}
