// RUN: pallas-opt %s --mosaic-gpu-pin-transforms --split-input-file --verify-diagnostics

// Tiles of four rows: the second one lies 512 bytes behind the first.
func.func @short_tiles() -> vector<4x32xf32> {
  %m = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<64x32xf32, #gpu.address_space<workgroup>>
  // expected-note @below {{the memory is tiled here}}
  %t = "mosaic_gpu.with_transforms"(%m) <{transforms = [#mosaic_gpu.tile<[4, 32]>, #mosaic_gpu.swizzle<128 : i32>]}> : (memref<64x32xf32, #gpu.address_space<workgroup>>) -> memref<64x32xf32, #gpu.address_space<workgroup>>
  %p = memref.subview %t[4, 0] [4, 32] [1, 1] : memref<64x32xf32, #gpu.address_space<workgroup>> to memref<4x32xf32, strided<[32, 1], offset: 128>, #gpu.address_space<workgroup>>
  // expected-error @below {{accesses a part that may begin inside of a swizzle, which repeats after 1024 bytes; begin parts at multiples of 8 rows and of the columns of a tile, or leave the swizzle out}}
  %v = "mosaic_gpu.vector_load"(%p) : (memref<4x32xf32, strided<[32, 1], offset: 128>, #gpu.address_space<workgroup>>) -> vector<4x32xf32>
  return %v : vector<4x32xf32>
}

// -----

// Nothing is known of the column.
func.func @column(%i: index) -> vector<64x32xf32> {
  %m = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<64x64xf32, #gpu.address_space<workgroup>>
  // expected-note @below {{the memory is tiled here}}
  %t = "mosaic_gpu.with_transforms"(%m) <{transforms = [#mosaic_gpu.tile<[8, 32]>, #mosaic_gpu.swizzle<128 : i32>]}> : (memref<64x64xf32, #gpu.address_space<workgroup>>) -> memref<64x64xf32, #gpu.address_space<workgroup>>
  %p = memref.subview %t[0, %i] [64, 32] [1, 1] : memref<64x64xf32, #gpu.address_space<workgroup>> to memref<64x32xf32, strided<[64, 1], offset: ?>, #gpu.address_space<workgroup>>
  // expected-error @below {{may begin inside of a swizzle}}
  %v = "mosaic_gpu.vector_load"(%p) : (memref<64x32xf32, strided<[64, 1], offset: ?>, #gpu.address_space<workgroup>>) -> vector<64x32xf32>
  return %v : vector<64x32xf32>
}

// -----

func.func @long_box(%g: memref<3x16x16x128xf32>, %i: i32, %b: memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) {
  %m = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<16x16x128xf32, #gpu.address_space<workgroup>>
  // expected-note @below {{the memory is tiled here}}
  %t = "mosaic_gpu.with_transforms"(%m) <{transforms = [#mosaic_gpu.tile<[8, 32]>, #mosaic_gpu.swizzle<128 : i32>]}> : (memref<16x16x128xf32, #gpu.address_space<workgroup>>) -> memref<16x16x128xf32, #gpu.address_space<workgroup>>
  // expected-error @below {{copies a box of more than 5 dimensions, two of them for tiles; copies on GPUs take 5: squeeze dimensions, or join them before the call}}
  "mosaic_gpu.async_load"(%g, %t, %b, %i, %i, %i, %i) <{collective = [], oob_fill_mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 4, 0>, slice_lengths = array<i64: -1, 16, 16, 128>}> : (memref<3x16x16x128xf32>, memref<16x16x128xf32, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i32, i32, i32, i32) -> ()
  return
}

// -----

func.func @plain_box(%g: memref<2x2x2x2x2x8xf32>, %i: i32, %b: memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) {
  %m = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<2x2x2x2x2x8xf32, #gpu.address_space<workgroup>>
  // expected-error @below {{copies a box of more than 5 dimensions; copies on GPUs take 5: squeeze dimensions, or join them before the call}}
  "mosaic_gpu.async_load"(%g, %m, %b, %i, %i, %i, %i, %i, %i) <{collective = [], oob_fill_mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 6, 0>, slice_lengths = array<i64: 2, 2, 2, 2, 2, 8>}> : (memref<2x2x2x2x2x8xf32>, memref<2x2x2x2x2x8xf32, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i32, i32, i32, i32, i32, i32) -> ()
  return
}

// -----

func.func @uneven(%g: memref<58x32xf32>, %i: i32, %b: memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) {
  %m = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<8x32xf32, #gpu.address_space<workgroup>>
  // expected-note @below {{the memory is tiled here}}
  %t = "mosaic_gpu.with_transforms"(%m) <{transforms = [#mosaic_gpu.tile<[8, 32]>, #mosaic_gpu.swizzle<128 : i32>]}> : (memref<8x32xf32, #gpu.address_space<workgroup>>) -> memref<8x32xf32, #gpu.address_space<workgroup>>
  // expected-error @below {{copies tiles of 8, 32, which do not divide the array; pad it, or leave the tiles out}}
  "mosaic_gpu.async_load"(%g, %t, %b, %i, %i) <{collective = [], oob_fill_mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 2, 0>, slice_lengths = array<i64: 8, 32>}> : (memref<58x32xf32>, memref<8x32xf32, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i32, i32) -> ()
  return
}
