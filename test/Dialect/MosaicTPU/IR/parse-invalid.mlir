// RUN: pallas-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{expected ::mlir::tpu::MemorySpace to be one of}}
// expected-error @below {{failed to parse}}
func.func private @memory_space(memref<8xf32, #tpu.memory_space<vmm>>)

// -----

// expected-error @below {{expected one of [tc, sc_scalar_subcore, sc_vector_subcore] for core that runs a function, got: gpu}}
// expected-error @below {{failed to parse}}
func.func private @core(memref<8xf32, #tpu.memory_space<vmem, gpu>>)

// -----

// expected-error @below {{expected integer value}}
// expected-error @below {{failed to parse}}
func.func private @no_contraction() attributes {a = #tpu.dot_dimension_numbers<[], [0], [], [], [], [], []>}

// -----

// expected-error @below {{element window has 1 low and 2 high paddings; give one of each per dimension}}
func.func private @element_window() attributes {a = #tpu.element_window<[0], [0, 0]>}

// -----

// expected-error @below {{float of 32 bits does not fit into the 8 bits of !tpu.float8_exmy}}
func.func private @float8(!tpu.float8_exmy<f32>)

// -----

// expected-error @below {{tiled layout has 1 strides for a memref of rank 2; give one per dimension}}
func.func private @tiled_rank(memref<16x128xf32, #tpu.tiled<(128),[1]>>)

// -----

// expected-error @below {{first tile has 2 dimensions, but there are 1 strides; give one stride per dimension of the memref}}
func.func private @tiled_strides(memref<16x128xf32, #tpu.tiled<(8,128),[1]>>)

// -----

// expected-error @below {{tile 0 has a size below 1; sizes are positive}}
func.func private @tiled_size(memref<16x128xf32, #tpu.tiled<(0,128),[1,1]>>)

// -----

// expected-error @below {{size 3 of tile 1 does not divide size 8 of the tile before it}}
func.func private @tiled_subtile(memref<16x128xf32, #tpu.tiled<(8,128)(3,1),[1,1]>>)

// -----

// expected-error @below {{tile 1 has 2 dimensions, more than the 1 of the tile before it}}
func.func private @tiled_subtile_rank(memref<16x128xf32, #tpu.tiled<(128)(2,1),[1,1]>>)

// -----

// expected-error @below {{expected '('}}
func.func private @tiled_no_strides(memref<16x128xf32, #tpu.tiled<[1,1]>>)

// -----

func.func @unknown_op() {
  // expected-error @below {{custom op 'tpu.vector_lood' is unknown}}
  tpu.vector_lood
  return
}

// -----

func.func @scalar_vector(%m: memref<8xf32>, %i: index) {
  // expected-error @below {{custom op 'tpu.vector_load' invalid kind of type specified: expected builtin.vector, but found 'f32'}}
  %0 = tpu.vector_load %m[%i] {strides = array<i32>} : memref<8xf32>, f32,
  return
}

// -----

func.func @missing_hint(%a: vector<8x8xf32>) {
  // expected-error @below {{requires attribute 'transpose_lhs_hint'}}
  %0 = tpu.matmul %a, %a, %a : vector<8x8xf32>, vector<8x8xf32>, vector<8x8xf32> -> vector<8x8xf32>
  return
}

// -----

func.func @missing_strides(%m: memref<8x128xf32>, %i: index) {
  // expected-error @below {{requires attribute 'strides'}}
  %0 = tpu.vector_load %m[%i, %i] : memref<8x128xf32>, vector<8x128xf32>,
  return
}

// -----

// expected-error @below {{expected integer value}}
func.func private @tiled_stride(memref<16x128xf32, #tpu.tiled<(8,128),[x,1]>>)

// -----

// expected-error @below {{expected integer value}}
// expected-error @below {{failed to parse}}
func.func private @conv_batch() attributes {a = #tpu.conv_dimension_numbers<[], 3, [1], 1, 2, [0], 0, 2, [1]>}

// -----

// expected-error @below {{expected ','}}
func.func private @conv_spatial() attributes {a = #tpu.conv_dimension_numbers<0, 2, [1] 1, 2, [0], 0, 2, [1]>}

// -----

func.func @reduce(%v: vector<16x128xf32>) {
  // expected-error @below {{expected ::mlir::tpu::ReductionKind to be one of}}
  // expected-error @below {{failed to parse}}
  %0 = tpu.reduce <maximum>, %v [1] : vector<16x128xf32> -> vector<16x1xf32>
  return
}

// -----

func.func @reduce_without_dimensions(%v: vector<16x128xf32>) {
  // expected-error @below {{expected '['}}
  %0 = tpu.reduce <sum>, %v : vector<16x128xf32> -> vector<16x1xf32>
  return
}

// -----

func.func @compress_store(%m: memref<64xf32>, %v: vector<16xf32>, %i: index) {
  // expected-error @below {{expected ','}}
  tpu.vector_compress_store %m[%i], %v {compress_dim = 0 : i32} : memref<64xf32>, vector<16xf32>
  return
}

// -----

func.func @expand_load(%m: memref<64xf32>, %k: vector<16xi1>, %i: index) {
  // expected-error @below {{expected ','}}
  %0 = tpu.vector_expand_load %m[%i], %k {expand_dim = 0 : i32} : memref<64xf32>, vector<16xf32>
  return
}

// -----

func.func @memory_space_is(%m: memref<64xf32>) {
  // expected-error @below {{expected ::mlir::tpu::MemorySpace to be one of}}
  // expected-error @below {{failed to parse}}
  %0 = tpu.memref_memory_space_is %m, <ram> : memref<64xf32>
  return
}

// -----

func.func @tile_size(%m: memref<64xf32>) {
  // expected-error @below {{expected ','}}
  %0 = tpu.tile_size %m : memref<64xf32>
  return
}

// -----

func.func @shared_slice(%m: memref<64xf32>) {
  // expected-error @below {{expected '->'}}
  %0 = tpu.shared_memref_slice %m : memref<64xf32>
  return
}
