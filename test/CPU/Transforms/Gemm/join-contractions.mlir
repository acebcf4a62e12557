// RUN: pallas-opt %s --pallas-cpu-join-contractions --pallas-cpu-accumulate-in-place | FileCheck %s
// RUN: pallas-opt %s --pass-pipeline="builtin.module(func.func(pallas-cpu-join-contractions,pallas-cpu-accumulate-in-place,pallas-cpu-lower-contractions{cpu=x86-64-v4}))" | FileCheck %s --check-prefix=TILES

// Blocks that follow each other along k are one product, which starts and ends
// as the loop did. Its sums are made where they were copied to.

// CHECK-LABEL: func.func @blocks
// CHECK-NOT: scf.for
// CHECK: %[[A:.*]] = memref.subview %arg0[{{.*}}] [16, 96]
// CHECK: %[[B:.*]] = memref.subview %arg1[{{.*}}] [96, 64]
// CHECK: %[[TO:.*]] = memref.subview %arg2[0, 64]
// CHECK: linalg.fill {{.*}} outs(%[[TO]]
// CHECK-NEXT: linalg.matmul ins(%[[A]], %[[B]] {{.*}} outs(%[[TO]]
// CHECK-NEXT: return
// TILES-LABEL: func.func @blocks
// TILES: vector.broadcast
// TILES-NOT: linalg.fill
func.func @blocks(%a: memref<16x96xf32>, %b: memref<96x128xf32>, %o: memref<16x128xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c32 = arith.constant 32 : index
  %first = arith.constant 0 : i32
  %last = arith.constant 2 : i32
  %zero = arith.constant 0.0 : f32
  %sums = memref.alloc() : memref<16x64xf32>
  scf.for %k = %c0 to %c3 step %c1 {
    %number = arith.index_cast %k : index to i32
    %at = arith.muli %k, %c32 : index
    %x = memref.subview %a[0, %at] [16, 32] [1, 1] : memref<16x96xf32> to memref<16x32xf32, strided<[96, 1], offset: ?>>
    %y = memref.subview %b[%at, 64] [32, 64] [1, 1] : memref<96x128xf32> to memref<32x64xf32, strided<[128, 1], offset: ?>>
    %is_first = arith.cmpi eq, %number, %first : i32
    scf.if %is_first {
      linalg.fill ins(%zero : f32) outs(%sums : memref<16x64xf32>)
    }
    linalg.matmul ins(%x, %y : memref<16x32xf32, strided<[96, 1], offset: ?>>, memref<32x64xf32, strided<[128, 1], offset: ?>>) outs(%sums : memref<16x64xf32>)
    %is_last = arith.cmpi eq, %number, %last : i32
    scf.if %is_last {
      %to = memref.subview %o[0, 64] [16, 64] [1, 1] : memref<16x128xf32> to memref<16x64xf32, strided<[128, 1], offset: 64>>
      memref.copy %sums, %to : memref<16x64xf32> to memref<16x64xf32, strided<[128, 1], offset: 64>>
    }
  }
  return
}

// Windows that overlap are no longer window.

// CHECK-LABEL: func.func @overlapping
// CHECK: scf.for
// CHECK: linalg.matmul
func.func @overlapping(%a: memref<16x64xf32>, %b: memref<64x64xf32>, %o: memref<16x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c16 = arith.constant 16 : index
  scf.for %k = %c0 to %c3 step %c1 {
    %at = arith.muli %k, %c16 : index
    %x = memref.subview %a[0, %at] [16, 32] [1, 1] : memref<16x64xf32> to memref<16x32xf32, strided<[64, 1], offset: ?>>
    %y = memref.subview %b[%at, 0] [32, 64] [1, 1] : memref<64x64xf32> to memref<32x64xf32, strided<[64, 1], offset: ?>>
    linalg.matmul ins(%x, %y : memref<16x32xf32, strided<[64, 1], offset: ?>>, memref<32x64xf32, strided<[64, 1], offset: ?>>) outs(%o : memref<16x64xf32>)
  }
  return
}
