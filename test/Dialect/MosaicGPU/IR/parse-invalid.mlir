// RUN: pallas-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{element type 'f32' does not have 6 bits; give an integer or float that has, for example f6E2M3FN}}
func.func private @six_bits(memref<8x!mosaic_gpu.p2b6<f32>>)

// -----

// expected-error @below {{element type 'i8' does not have 6 bits}}
func.func private @six_bits(memref<8x!mosaic_gpu.b6x16_p32<i8>>)

// -----

// expected-error @below {{tile has a size of 0; sizes are positive}}
func.func private @tile() attributes {a = #mosaic_gpu.tile<[8, 0]>}

// -----

// expected-error @below {{invalid kind of attribute specified}}
// expected-error @below {{failed to parse MosaicGPU_SwizzleTransformAttr parameter 'swizzle'}}
func.func private @swizzle() attributes {a = #mosaic_gpu.swizzle<100 : i32>}

// -----

// expected-error @below {{replicates 0 times; give at least 1}}
func.func private @replicated() attributes {a = #mosaic_gpu.Replicated<times = 0>}

// -----

// expected-error @below {{strided layout has runs of 0 elements; give at least 1}}
func.func private @strided() attributes {a = #mosaic_gpu.WGStridedFragLayout<[64], 0>}

// -----

// expected-error @below {{tile 1 is 8 : i64; a tile is a list of positive integers}}
func.func private @tiles() attributes {a = #mosaic_gpu.TiledLayout<[[64], 8], warp_dims = [-1], lane_dims = [-1], vector_dim = -1>}

// -----

// expected-error @below {{tile 1 has 3 dimensions, but the tiles before it leave 2}}
func.func private @tiles() attributes {a = #mosaic_gpu.TiledLayout<[[64], [1, 1, 8]], warp_dims = [-1], lane_dims = [-1], vector_dim = -1>}

// -----

// expected-error @below {{warp_dims has 0 : i64; give dimensions from -2 to -1, or #mosaic_gpu.Replicated}}
func.func private @warps() attributes {a = #mosaic_gpu.TiledLayout<[[64]], warp_dims = [0], lane_dims = [-1], vector_dim = -1>}

// -----

// expected-error @below {{lane_dims has -3 : i64; give dimensions from -2 to -1, or #mosaic_gpu.Replicated}}
func.func private @lanes() attributes {a = #mosaic_gpu.TiledLayout<[[64]], warp_dims = [-2], lane_dims = [-3], vector_dim = -1>}

// -----

// expected-error @below {{vector_dim is 1; give a dimension from -2 to -1}}
func.func private @vector() attributes {a = #mosaic_gpu.TiledLayout<[[64]], warp_dims = [-2], lane_dims = [-1], vector_dim = 1>}

// -----

func.func @unknown() {
  // expected-error @below {{custom op 'mosaic_gpu.vector_lood' is unknown}}
  mosaic_gpu.vector_lood
  return
}

// -----

func.func @no_count(%b: memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) {
  // expected-error @below {{expected integer value}}
  mosaic_gpu.arrive_expect_tx barrier(%b : memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) bytes
  return
}

// -----

func.func @no_sizes(%s: memref<64xf32, #gpu.address_space<workgroup>>, %g: memref<64xf32>, %i: i32) {
  // expected-error @below {{requires attribute 'slice_lengths'}}
  "mosaic_gpu.async_store"(%s, %g, %i) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (memref<64xf32, #gpu.address_space<workgroup>>, memref<64xf32>, i32) -> ()
  return
}
