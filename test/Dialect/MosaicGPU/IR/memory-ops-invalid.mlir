// RUN: pallas-opt %s --split-input-file --verify-diagnostics

func.func @offset() {
  // expected-error @below {{attribute 'offset' failed to satisfy constraint: 32-bit signless integer attribute whose value is non-negative}}
  %0 = "mosaic_gpu.slice_smem"() <{offset = -8 : i32}> : () -> memref<64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @transform(%m: memref<64xf32, #gpu.address_space<workgroup>>) {
  // expected-error @below {{has the transform 8 : i64; give #mosaic_gpu.tile and #mosaic_gpu.swizzle}}
  %0 = "mosaic_gpu.with_transforms"(%m) <{transforms = [8]}> : (memref<64xf32, #gpu.address_space<workgroup>>) -> memref<64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @element(%m: memref<64xf32, #gpu.address_space<workgroup>>) {
  // expected-error @below {{changes elements of type 'f32' to 'i32'}}
  %0 = "mosaic_gpu.reinterpret_cast"(%m) : (memref<64xf32, #gpu.address_space<workgroup>>) -> memref<64xi32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @count(%m: memref<64xf32, #gpu.address_space<workgroup>>) {
  // expected-error @below {{casts 64 elements to 32}}
  %0 = "mosaic_gpu.reinterpret_cast"(%m) : (memref<64xf32, #gpu.address_space<workgroup>>) -> memref<32xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @dynamic(%m: memref<?xf32, #gpu.address_space<workgroup>>) {
  // expected-error @below {{shapes have to be static}}
  %0 = "mosaic_gpu.reinterpret_cast"(%m) : (memref<?xf32, #gpu.address_space<workgroup>>) -> memref<32xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @cluster(%m: memref<64xf32, #gpu.address_space<workgroup>>, %x: i32) {
  // expected-error @below {{are incompatible with return type(s) of operation}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "mosaic_gpu.get_cluster_ref"(%m, %x) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (memref<64xf32, #gpu.address_space<workgroup>>, i32) -> memref<64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @no_scope() {
  // expected-error @below {{is in no mosaic_gpu.alloca_scope, with which it would end}}
  %0 = "mosaic_gpu.alloc_smem"() : () -> memref<64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @alignment() {
  // expected-error @below {{has an alignment of 24; give a power of two}}
  %0 = "mosaic_gpu.alloc_smem"() <{alignment = 24 : i64}> : () -> memref<64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @global() {
  // expected-error @below {{allocates 'memref<64xf32>'; give a static shape in #gpu.address_space<workgroup>}}
  %0 = "mosaic_gpu.alloc_smem"() : () -> memref<64xf32>
  return
}
