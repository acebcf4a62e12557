// RUN: pallas-opt %s --mosaic-gpu-pin-transforms | FileCheck %s

// Row 5 lies 2560 bytes behind the start, and a swizzle repeats after 1024.
// CHECK-LABEL: func.func @row
// CHECK: %[[M:.*]] = "mosaic_gpu.slice_smem"
// CHECK: %[[K:.*]] = "mosaic_gpu.with_transforms"(%[[M]]) <{transforms = []}>
// CHECK: %[[P:.*]] = memref.subview %[[K]][5, 0]
// CHECK: "mosaic_gpu.vector_load"(%[[P]]) <{optimized = false}>
func.func @row() -> vector<64x128xf32> {
  %m = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<72x128xf32, #gpu.address_space<workgroup>>
  %p = memref.subview %m[5, 0] [64, 128] [1, 1] : memref<72x128xf32, #gpu.address_space<workgroup>> to memref<64x128xf32, strided<[128, 1], offset: 640>, #gpu.address_space<workgroup>>
  %v = "mosaic_gpu.vector_load"(%p) : (memref<64x128xf32, strided<[128, 1], offset: 640>, #gpu.address_space<workgroup>>) -> vector<64x128xf32>
  return %v : vector<64x128xf32>
}

// Multiples of two rows of 512 bytes, and of eight rows.
// CHECK-LABEL: func.func @aligned
// CHECK-NOT: with_transforms
func.func @aligned(%i: i32) -> (vector<64x128xf32>, vector<8x128xf32>) {
  %c8 = arith.constant 8 : i32
  %m = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<72x128xf32, #gpu.address_space<workgroup>>
  %p = memref.subview %m[6, 0] [64, 128] [1, 1] : memref<72x128xf32, #gpu.address_space<workgroup>> to memref<64x128xf32, strided<[128, 1], offset: 768>, #gpu.address_space<workgroup>>
  %v = "mosaic_gpu.vector_load"(%p) : (memref<64x128xf32, strided<[128, 1], offset: 768>, #gpu.address_space<workgroup>>) -> vector<64x128xf32>
  %0 = arith.muli %i, %c8 : i32
  %1 = arith.index_cast %0 : i32 to index
  %q = memref.subview %m[%1, 0] [8, 128] [1, 1] : memref<72x128xf32, #gpu.address_space<workgroup>> to memref<8x128xf32, strided<[128, 1], offset: ?>, #gpu.address_space<workgroup>>
  %w = "mosaic_gpu.vector_load"(%q) : (memref<8x128xf32, strided<[128, 1], offset: ?>, #gpu.address_space<workgroup>>) -> vector<8x128xf32>
  return %v, %w : vector<64x128xf32>, vector<8x128xf32>
}

// Nothing is known of the row, and of a part of a part.
// CHECK-LABEL: func.func @unknown
// CHECK-COUNT-2: with_transforms"(%{{.*}}) <{transforms = []}>
func.func @unknown(%i: index, %v: vector<8x128xf32>) -> vector<8x128xf32> {
  %m = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<72x128xf32, #gpu.address_space<workgroup>>
  %p = memref.subview %m[%i, 0] [8, 128] [1, 1] : memref<72x128xf32, #gpu.address_space<workgroup>> to memref<8x128xf32, strided<[128, 1], offset: ?>, #gpu.address_space<workgroup>>
  %0 = "mosaic_gpu.vector_load"(%p) : (memref<8x128xf32, strided<[128, 1], offset: ?>, #gpu.address_space<workgroup>>) -> vector<8x128xf32>
  %n = "mosaic_gpu.slice_smem"() <{offset = 36864 : i32}> : () -> memref<3x17x128xf32, #gpu.address_space<workgroup>>
  %s = memref.subview %n[1, 0, 0] [1, 17, 128] [1, 1, 1] : memref<3x17x128xf32, #gpu.address_space<workgroup>> to memref<17x128xf32, strided<[128, 1], offset: 2176>, #gpu.address_space<workgroup>>
  %c = memref.cast %s : memref<17x128xf32, strided<[128, 1], offset: 2176>, #gpu.address_space<workgroup>> to memref<17x128xf32, strided<[128, 1], offset: ?>, #gpu.address_space<workgroup>>
  %q = memref.subview %c[8, 0] [8, 128] [1, 1] : memref<17x128xf32, strided<[128, 1], offset: ?>, #gpu.address_space<workgroup>> to memref<8x128xf32, strided<[128, 1], offset: ?>, #gpu.address_space<workgroup>>
  "mosaic_gpu.vector_store"(%v, %q) <{multimem = false}> : (vector<8x128xf32>, memref<8x128xf32, strided<[128, 1], offset: ?>, #gpu.address_space<workgroup>>) -> ()
  return %0 : vector<8x128xf32>
}

// The second tile of four rows lies 512 bytes behind the first, that of eight rows 1024.
// CHECK-LABEL: func.func @columns
// CHECK: "mosaic_gpu.slice_smem"() <{offset = 0 : i32}>
// CHECK-NEXT: with_transforms"(%{{.*}}) <{transforms = []}>
// CHECK-NOT: with_transforms
func.func @columns() -> (vector<4x32xf32>, vector<8x32xf32>) {
  %m = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<4x128xf32, #gpu.address_space<workgroup>>
  %p = memref.subview %m[0, 32] [4, 32] [1, 1] : memref<4x128xf32, #gpu.address_space<workgroup>> to memref<4x32xf32, strided<[128, 1], offset: 32>, #gpu.address_space<workgroup>>
  %v = "mosaic_gpu.vector_load"(%p) : (memref<4x32xf32, strided<[128, 1], offset: 32>, #gpu.address_space<workgroup>>) -> vector<4x32xf32>
  %n = "mosaic_gpu.slice_smem"() <{offset = 2048 : i32}> : () -> memref<8x128xf32, #gpu.address_space<workgroup>>
  %q = memref.subview %n[0, 32] [8, 32] [1, 1] : memref<8x128xf32, #gpu.address_space<workgroup>> to memref<8x32xf32, strided<[128, 1], offset: 32>, #gpu.address_space<workgroup>>
  %w = "mosaic_gpu.vector_load"(%q) : (memref<8x32xf32, strided<[128, 1], offset: 32>, #gpu.address_space<workgroup>>) -> vector<8x32xf32>
  return %v, %w : vector<4x32xf32>, vector<8x32xf32>
}

// Copies swizzle by the address, and 48 bytes have no swizzle.
// CHECK-LABEL: func.func @plain
// CHECK-NOT: with_transforms
func.func @plain(%g: memref<72x128xf32>) -> vector<2x12xf32> {
  %c0 = arith.constant 0 : i32
  %m = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<72x128xf32, #gpu.address_space<workgroup>>
  %p = memref.subview %m[5, 0] [3, 128] [1, 1] : memref<72x128xf32, #gpu.address_space<workgroup>> to memref<3x128xf32, strided<[128, 1], offset: 640>, #gpu.address_space<workgroup>>
  "mosaic_gpu.async_store"(%p, %g, %c0, %c0) <{operandSegmentSizes = array<i32: 1, 1, 2, 0, 0>, slice_lengths = array<i64: 3, 128>}> : (memref<3x128xf32, strided<[128, 1], offset: 640>, #gpu.address_space<workgroup>>, memref<72x128xf32>, i32, i32) -> ()
  %o = "mosaic_gpu.slice_smem"() <{offset = 38912 : i32}> : () -> memref<4x12xf32, #gpu.address_space<workgroup>>
  %s = memref.subview %o[1, 0] [2, 12] [1, 1] : memref<4x12xf32, #gpu.address_space<workgroup>> to memref<2x12xf32, strided<[12, 1], offset: 12>, #gpu.address_space<workgroup>>
  %w = "mosaic_gpu.vector_load"(%s) : (memref<2x12xf32, strided<[12, 1], offset: 12>, #gpu.address_space<workgroup>>) -> vector<2x12xf32>
  return %w : vector<2x12xf32>
}

// Copies of rows let the compiler take tiles of one row of 128 bytes, so that the second
// column of tiles begins 128 bytes behind the first.
// CHECK-LABEL: func.func @rows
// CHECK: with_transforms"(%{{.*}}) <{transforms = []}>
// CHECK: "mosaic_gpu.vector_store"(%{{.*}}) <{multimem = false, optimized = false}>
func.func @rows(%g: memref<64x640xi8>, %v: vector<64x128xi8>) {
  %c0 = arith.constant 0 : i32
  %m = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<64x640xi8, #gpu.address_space<workgroup>>
  %p = memref.subview %m[0, 128] [64, 128] [1, 1] : memref<64x640xi8, #gpu.address_space<workgroup>> to memref<64x128xi8, strided<[640, 1], offset: 128>, #gpu.address_space<workgroup>>
  "mosaic_gpu.vector_store"(%v, %p) <{multimem = false}> : (vector<64x128xi8>, memref<64x128xi8, strided<[640, 1], offset: 128>, #gpu.address_space<workgroup>>) -> ()
  %r = memref.subview %m[0, 0] [1, 256] [1, 1] : memref<64x640xi8, #gpu.address_space<workgroup>> to memref<256xi8, strided<[1]>, #gpu.address_space<workgroup>>
  "mosaic_gpu.async_store"(%r, %g, %c0, %c0) <{operandSegmentSizes = array<i32: 1, 1, 2, 0, 0>, slice_lengths = array<i64: -1, 256>}> : (memref<256xi8, strided<[1]>, #gpu.address_space<workgroup>>, memref<64x640xi8>, i32, i32) -> ()
  return
}

// Single elements have no tiles.
// CHECK-LABEL: func.func @element
// CHECK-NOT: with_transforms
func.func @element(%i: index) -> f32 {
  %m = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<8x128xf32, #gpu.address_space<workgroup>>
  %p = memref.subview %m[%i, 5] [1, 1] [1, 1] : memref<8x128xf32, #gpu.address_space<workgroup>> to memref<f32, strided<[], offset: ?>, #gpu.address_space<workgroup>>
  %0 = memref.load %p[] : memref<f32, strided<[], offset: ?>, #gpu.address_space<workgroup>>
  return %0 : f32
}

// In tiles of 8x32 the box would have six dimensions, of which one is squeezed; in rows it has four.
// CHECK-LABEL: func.func @long_box
// CHECK: "mosaic_gpu.slice_smem"() <{offset = 0 : i32}>
// CHECK-NEXT: with_transforms"(%{{.*}}) <{transforms = []}>
// CHECK: "mosaic_gpu.slice_smem"() <{offset = 131072 : i32}>
// CHECK-NOT: with_transforms
func.func @long_box(%g: memref<3x16x16x128xf32>, %h: memref<16x16x128xf32>, %i: i32, %b: memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) {
  %m = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<16x16x128xf32, #gpu.address_space<workgroup>>
  "mosaic_gpu.async_load"(%g, %m, %b, %i, %i, %i, %i) <{collective = [], oob_fill_mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 4, 0>, slice_lengths = array<i64: -1, 16, 16, 128>}> : (memref<3x16x16x128xf32>, memref<16x16x128xf32, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i32, i32, i32, i32) -> ()
  %n = "mosaic_gpu.slice_smem"() <{offset = 131072 : i32}> : () -> memref<16x16x128xf32, #gpu.address_space<workgroup>>
  "mosaic_gpu.async_load"(%h, %n, %b, %i, %i, %i) <{collective = [], oob_fill_mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 3, 0>, slice_lengths = array<i64: 16, 16, 128>}> : (memref<16x16x128xf32>, memref<16x16x128xf32, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i32, i32, i32) -> ()
  return
}

// Tiles of eight rows do not divide 58.
// CHECK-LABEL: func.func @uneven
// CHECK: with_transforms"(%{{.*}}) <{transforms = []}>
func.func @uneven(%g: memref<58x32xf32>, %i: i32, %b: memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) {
  %m = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<8x32xf32, #gpu.address_space<workgroup>>
  "mosaic_gpu.async_load"(%g, %m, %b, %i, %i) <{collective = [], oob_fill_mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 2, 0>, slice_lengths = array<i64: 8, 32>}> : (memref<58x32xf32>, memref<8x32xf32, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i32, i32) -> ()
  return
}
