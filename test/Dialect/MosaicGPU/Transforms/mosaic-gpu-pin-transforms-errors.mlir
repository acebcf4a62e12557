// RUN: pallas-opt %s --mosaic-gpu-pin-transforms --split-input-file --verify-diagnostics

// Tiles of four rows: the second one lies 512 bytes behind the first.
func.func @short_tiles() -> vector<4x32xf32> {
  %m = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<64x32xf32, #gpu.address_space<workgroup>>
  // expected-note @below {{the memory is swizzled here}}
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
  // expected-note @below {{the memory is swizzled here}}
  %t = "mosaic_gpu.with_transforms"(%m) <{transforms = [#mosaic_gpu.tile<[8, 32]>, #mosaic_gpu.swizzle<128 : i32>]}> : (memref<64x64xf32, #gpu.address_space<workgroup>>) -> memref<64x64xf32, #gpu.address_space<workgroup>>
  %p = memref.subview %t[0, %i] [64, 32] [1, 1] : memref<64x64xf32, #gpu.address_space<workgroup>> to memref<64x32xf32, strided<[64, 1], offset: ?>, #gpu.address_space<workgroup>>
  // expected-error @below {{may begin inside of a swizzle}}
  %v = "mosaic_gpu.vector_load"(%p) : (memref<64x32xf32, strided<[64, 1], offset: ?>, #gpu.address_space<workgroup>>) -> vector<64x32xf32>
  return %v : vector<64x32xf32>
}
