// RUN: pallas-opt %s --split-input-file --verify-diagnostics

func.func @load(%s: memref<64x128xf32>) {
  // expected-error @below {{inferred type(s) 'vector<64x128xf32>' are incompatible with return type(s) of operation 'vector<64x64xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "mosaic_gpu.vector_load"(%s) : (memref<64x128xf32>) -> vector<64x64xf32>
  return
}

// -----

func.func @store(%v: vector<64x64xf32>, %s: memref<64x128xf32>) {
  // expected-error @below {{stores 'vector<64x64xf32>' to 'memref<64x128xf32>'; shape and element type have to match}}
  "mosaic_gpu.vector_store"(%v, %s) : (vector<64x64xf32>, memref<64x128xf32>) -> ()
  return
}

// -----

func.func @multimem(%v: vector<64x128xf32>, %s: memref<64x128xf32, #gpu.address_space<workgroup>>) {
  // expected-error @below {{which is not in global memory}}
  "mosaic_gpu.vector_store"(%v, %s) <{multimem = true}> : (vector<64x128xf32>, memref<64x128xf32, #gpu.address_space<workgroup>>) -> ()
  return
}

// -----

func.func @sign(%s: memref<64xi32>) {
  // expected-error @below {{reduces 'i32' by min; name the sign: umin, umax, smin or smax}}
  %0 = "mosaic_gpu.multimem_load_reduce"(%s) <{reduction_type = 1 : i32}> : (memref<64xi32>) -> vector<64xi32>
  return
}

// -----

func.func @width(%s: memref<64xi16>) {
  // expected-error @below {{reduces 'i16' by add; integers have 32 or 64 bits}}
  %0 = "mosaic_gpu.multimem_load_reduce"(%s) <{reduction_type = 0 : i32}> : (memref<64xi16>) -> vector<64xi16>
  return
}

// -----

func.func @float(%s: memref<64xf64>) {
  // expected-error @below {{reduces 'f64' by add; floats are f32, f16, bf16, f8E4M3FN or f8E5M2}}
  %0 = "mosaic_gpu.multimem_load_reduce"(%s) <{reduction_type = 0 : i32}> : (memref<64xf64>) -> vector<64xf64>
  return
}

// -----

func.func @bits(%s: memref<64xf16>) {
  // expected-error @below {{reduces 'f16' by xor; floats are added, or their min or max is taken}}
  %0 = "mosaic_gpu.multimem_load_reduce"(%s) <{reduction_type = 5 : i32}> : (memref<64xf16>) -> vector<64xf16>
  return
}

// -----

func.func @f32(%s: memref<64xf32>) {
  // expected-error @below {{reduces 'f32' by max; f32 can only be added}}
  %0 = "mosaic_gpu.multimem_load_reduce"(%s) <{reduction_type = 2 : i32}> : (memref<64xf32>) -> vector<64xf32>
  return
}

// -----

func.func @cast(%v: vector<64xf32>) {
  // expected-error @below {{attribute 'new_layout' failed to satisfy constraint}}
  %0 = "mosaic_gpu.layout_cast"(%v) <{new_layout = #mosaic_gpu.WGSplatFragLayout<[64]>}> : (vector<64xf32>) -> vector<64xf32>
  return
}

// -----

func.func @rank(%v: vector<64x2xf32>) {
  // expected-error @below {{broadcasts rank 2 to the smaller rank 1}}
  %0 = mosaic_gpu.broadcast_in_dim(%v : vector<64x2xf32>) {broadcast_dimensions = array<i64: 0, 1>} -> vector<64xf32>
  return
}

// -----

func.func @rank0(%v: vector<f32>) {
  // expected-error @below {{broadcasts a vector of rank 0; use vector.broadcast of a scalar}}
  %0 = mosaic_gpu.broadcast_in_dim(%v : vector<f32>) {broadcast_dimensions = array<i64>} -> vector<64xf32>
  return
}

// -----

func.func @dims(%v: vector<64xf32>) {
  // expected-error @below {{has 2 broadcast_dimensions for an operand of rank 1}}
  %0 = mosaic_gpu.broadcast_in_dim(%v : vector<64xf32>) {broadcast_dimensions = array<i64: 0, 1>} -> vector<64x64xf32>
  return
}

// -----

func.func @range(%v: vector<64xf32>) {
  // expected-error @below {{maps dimension 0 to dimension 2 of a result of rank 2}}
  %0 = mosaic_gpu.broadcast_in_dim(%v : vector<64xf32>) {broadcast_dimensions = array<i64: 2>} -> vector<64x64xf32>
  return
}

// -----

func.func @order(%v: vector<64x64xf32>) {
  // expected-error @below {{has broadcast_dimensions that do not increase: 0 follows 1}}
  %0 = mosaic_gpu.broadcast_in_dim(%v : vector<64x64xf32>) {broadcast_dimensions = array<i64: 1, 0>} -> vector<64x64xf32>
  return
}

// -----

func.func @size(%v: vector<32xf32>) {
  // expected-error @below {{maps dimension 0 of size 32 to dimension 1 of size 64; sizes are equal, or the first is 1}}
  %0 = mosaic_gpu.broadcast_in_dim(%v : vector<32xf32>) {broadcast_dimensions = array<i64: 1>} -> vector<64x64xf32>
  return
}

// -----

func.func @iota() {
  // expected-error @below {{counts along dimension 1 of a vector of rank 1}}
  %0 = "mosaic_gpu.broadcasted_iota"() <{dimension = 1 : i32}> : () -> vector<64xi32>
  return
}

// -----

func.func @no_values() {
  // expected-error @below {{holds no value; give at least one}}
  // expected-error @below {{failed to infer returned types}}
  "mosaic_gpu.optimization_barrier"() : () -> ()
  return
}

// -----

func.func @concat(%v: vector<64xf32>) {
  // expected-error @below {{concatenates along dimension 1 of 'vector<64xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = mosaic_gpu.vector_concat(%v, %v : vector<64xf32>, vector<64xf32>) {dimension = 1 : i32} -> vector<128xf32>
  return
}

// -----

func.func @concat_sizes(%v: vector<64x8xf32>, %w: vector<64x16xf32>) {
  // expected-error @below {{concatenates 'vector<64x16xf32>' and 'vector<64x8xf32>', which differ in more than dimension 0}}
  // expected-error @below {{failed to infer returned types}}
  %0 = mosaic_gpu.vector_concat(%v, %w : vector<64x8xf32>, vector<64x16xf32>) {dimension = 0 : i32} -> vector<128x8xf32>
  return
}

// -----

func.func @multiple(%i: index) {
  // expected-error @below {{attribute 'multiple' failed to satisfy constraint: 32-bit signless integer attribute whose value is positive}}
  %0 = mosaic_gpu.assume_multiple %i, 0 : index
  return
}

// -----

func.func @layout_of_global(%m: memref<64xf32>) {
  // expected-error @below {{prints the layout of 'memref<64xf32>'; shared memory and tensor memory have layouts}}
  "mosaic_gpu.print_layout"(%m) <{format = "m"}> : (memref<64xf32>) -> ()
  return
}
