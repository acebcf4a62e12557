// RUN: pallas-opt %s --split-input-file --verify-diagnostics

func.func @segments(%g: memref<128x256xbf16>, %s: memref<64x64xbf16, #gpu.address_space<workgroup>>, %b: memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, %i: i32, %f: f32, %x: memref<64x64xf16, #gpu.address_space<workgroup>>, %v: vector<32xi32>) {
  // expected-error @below {{has 4 operand segments; 0.10.2 has 5 and later releases have 6}}
  "mosaic_gpu.async_load"(%g, %s, %b, %i, %i) <{collective = [], oob_fill_mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 2>, slice_lengths = array<i64: 64, 64>}> : (memref<128x256xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i32, i32) -> ()
  return
}

// -----

func.func @sum(%g: memref<128x256xbf16>, %s: memref<64x64xbf16, #gpu.address_space<workgroup>>, %b: memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, %i: i32, %f: f32, %x: memref<64x64xf16, #gpu.address_space<workgroup>>, %v: vector<32xi32>) {
  // expected-error @below {{has 5 operands, but its segments hold 6}}
  "mosaic_gpu.async_load"(%g, %s, %b, %i, %i) <{collective = [], oob_fill_mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 2, 1>, slice_lengths = array<i64: 64, 64>}> : (memref<128x256xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i32, i32) -> ()
  return
}

// -----

func.func @negative(%g: memref<128x256xbf16>, %s: memref<64x64xbf16, #gpu.address_space<workgroup>>, %b: memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, %i: i32, %f: f32, %x: memref<64x64xf16, #gpu.address_space<workgroup>>, %v: vector<32xi32>) {
  // expected-error @below {{has an operand segment of size -1}}
  "mosaic_gpu.async_load"(%g, %s, %b, %i, %i) <{collective = [], oob_fill_mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 3, -1>, slice_lengths = array<i64: 64, 64>}> : (memref<128x256xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i32, i32) -> ()
  return
}

// -----

func.func @no_barrier(%g: memref<128x256xbf16>, %s: memref<64x64xbf16, #gpu.address_space<workgroup>>, %b: memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, %i: i32, %f: f32, %x: memref<64x64xf16, #gpu.address_space<workgroup>>, %v: vector<32xi32>) {
  // expected-error @below {{has no barrier}}
  "mosaic_gpu.async_load"(%g, %s, %i, %i) <{collective = [], oob_fill_mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 2, 0>, slice_lengths = array<i64: 64, 64>}> : (memref<128x256xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>, i32, i32) -> ()
  return
}

// -----

func.func @two_sources(%g: memref<128x256xbf16>, %s: memref<64x64xbf16, #gpu.address_space<workgroup>>, %b: memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, %i: i32, %f: f32, %x: memref<64x64xf16, #gpu.address_space<workgroup>>, %v: vector<32xi32>) {
  // expected-error @below {{has 2 operands as source}}
  "mosaic_gpu.async_load"(%g, %g, %s, %b, %i, %i) <{collective = [], oob_fill_mode = 2 : i32, operandSegmentSizes = array<i32: 2, 1, 1, 2, 0>, slice_lengths = array<i64: 64, 64>}> : (memref<128x256xbf16>, memref<128x256xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i32, i32) -> ()
  return
}

// -----

func.func @index_type(%g: memref<128x256xbf16>, %s: memref<64x64xbf16, #gpu.address_space<workgroup>>, %b: memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, %i: i32, %f: f32, %x: memref<64x64xf16, #gpu.address_space<workgroup>>, %v: vector<32xi32>) {
  // expected-error @below {{has a indices of type 'f32'}}
  "mosaic_gpu.async_load"(%g, %s, %b, %f, %i) <{collective = [], oob_fill_mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 2, 0>, slice_lengths = array<i64: 64, 64>}> : (memref<128x256xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, f32, i32) -> ()
  return
}

// -----

func.func @element(%g: memref<128x256xbf16>, %s: memref<64x64xbf16, #gpu.address_space<workgroup>>, %b: memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, %i: i32, %f: f32, %x: memref<64x64xf16, #gpu.address_space<workgroup>>, %v: vector<32xi32>) {
  // expected-error @below {{copies between elements of type 'bf16' and 'f16'}}
  "mosaic_gpu.async_load"(%g, %x, %b, %i, %i) <{collective = [], oob_fill_mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 2, 0>, slice_lengths = array<i64: 64, 64>}> : (memref<128x256xbf16>, memref<64x64xf16, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i32, i32) -> ()
  return
}

// -----

func.func @lengths(%g: memref<128x256xbf16>, %s: memref<64x64xbf16, #gpu.address_space<workgroup>>, %b: memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, %i: i32, %f: f32, %x: memref<64x64xf16, #gpu.address_space<workgroup>>, %v: vector<32xi32>) {
  // expected-error @below {{has 1 slice_lengths for a memref of rank 2}}
  "mosaic_gpu.async_load"(%g, %s, %b, %i, %i) <{collective = [], oob_fill_mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 2, 0>, slice_lengths = array<i64: 64>}> : (memref<128x256xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i32, i32) -> ()
  return
}

// -----

func.func @indices(%g: memref<128x256xbf16>, %s: memref<64x64xbf16, #gpu.address_space<workgroup>>, %b: memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, %i: i32, %f: f32, %x: memref<64x64xf16, #gpu.address_space<workgroup>>, %v: vector<32xi32>) {
  // expected-error @below {{has 1 indices for a memref of rank 2}}
  "mosaic_gpu.async_load"(%g, %s, %b, %i) <{collective = [], oob_fill_mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>, slice_lengths = array<i64: 64, 64>}> : (memref<128x256xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i32) -> ()
  return
}

// -----

func.func @length(%g: memref<128x256xbf16>, %s: memref<64x64xbf16, #gpu.address_space<workgroup>>, %b: memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, %i: i32, %f: f32, %x: memref<64x64xf16, #gpu.address_space<workgroup>>, %v: vector<32xi32>) {
  // expected-error @below {{has a slice length of -2 in dimension 1; give a size, or -1 for a dimension that is dropped}}
  "mosaic_gpu.async_load"(%g, %s, %b, %i, %i) <{collective = [], oob_fill_mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 2, 0>, slice_lengths = array<i64: 64, -2>}> : (memref<128x256xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i32, i32) -> ()
  return
}

// -----

func.func @rank(%g: memref<128x256xbf16>, %s: memref<64x64xbf16, #gpu.address_space<workgroup>>, %b: memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, %i: i32, %f: f32, %x: memref<64x64xf16, #gpu.address_space<workgroup>>, %v: vector<32xi32>) {
  // expected-error @below {{copies a box of 1 dimensions, but 'memref<64x64xbf16, #gpu.address_space<workgroup>>' has 2}}
  "mosaic_gpu.async_load"(%g, %s, %b, %i, %i) <{collective = [], oob_fill_mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 2, 0>, slice_lengths = array<i64: 64, -1>}> : (memref<128x256xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i32, i32) -> ()
  return
}

// -----

func.func @vector(%g: memref<128x256xbf16>, %s: memref<64x64xbf16, #gpu.address_space<workgroup>>, %b: memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, %i: i32, %f: f32, %x: memref<64x64xf16, #gpu.address_space<workgroup>>, %v: vector<32xi32>) {
  // expected-error @below {{has 32 indices in dimension 0, whose slice length is 64}}
  "mosaic_gpu.async_load"(%g, %s, %b, %v, %i) <{collective = [], oob_fill_mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 2, 0>, slice_lengths = array<i64: 64, 64>}> : (memref<128x256xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, vector<32xi32>, i32) -> ()
  return
}

// -----

func.func @vectors(%g: memref<128x256xbf16>, %s: memref<64x64xbf16, #gpu.address_space<workgroup>>, %b: memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, %i: i32, %f: f32, %x: memref<64x64xf16, #gpu.address_space<workgroup>>, %v: vector<32xi32>) {
  // expected-error @below {{has a second vector of indices, in dimension 1; one dimension is gathered or scattered}}
  "mosaic_gpu.async_load"(%g, %s, %b, %v, %v) <{collective = [], oob_fill_mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 2, 0>, slice_lengths = array<i64: 32, 32>}> : (memref<128x256xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, vector<32xi32>, vector<32xi32>) -> ()
  return
}

// -----

func.func @collective(%g: memref<128x256xbf16>, %s: memref<64x64xbf16, #gpu.address_space<workgroup>>, %b: memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, %i: i32, %f: f32, %x: memref<64x64xf16, #gpu.address_space<workgroup>>, %v: vector<32xi32>) {
  // expected-error @below {{names dimension x of the cluster twice}}
  "mosaic_gpu.async_load"(%g, %s, %b, %i, %i) <{collective = [0 : i32, 0 : i32], oob_fill_mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 2, 0>, slice_lengths = array<i64: 64, 64>}> : (memref<128x256xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i32, i32) -> ()
  return
}

// -----

func.func @prefetch(%g: memref<128x256xbf16>, %s: memref<64x64xbf16, #gpu.address_space<workgroup>>, %b: memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, %i: i32, %f: f32, %x: memref<64x64xf16, #gpu.address_space<workgroup>>, %v: vector<32xi32>) {
  // expected-error @below {{has 1 indices for a memref of rank 2}}
  "mosaic_gpu.async_prefetch"(%g, %i) <{collective = [], operandSegmentSizes = array<i32: 1, 1, 0>, slice_lengths = array<i64: 64, 64>}> : (memref<128x256xbf16>, i32) -> ()
  return
}

// -----

func.func @everywhere(%g: memref<128x256xbf16>, %s: memref<64x64xbf16, #gpu.address_space<workgroup>>, %b: memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, %i: i32, %f: f32, %x: memref<64x64xf16, #gpu.address_space<workgroup>>, %v: vector<32xi32>) {
  // expected-error @below {{has a gmem_peer_id and is_global_broadcast; copy to one device or to all}}
  "mosaic_gpu.async_store"(%s, %g, %i, %i, %i) <{is_global_broadcast = true, operandSegmentSizes = array<i32: 1, 1, 2, 0, 1>, slice_lengths = array<i64: 64, 64>}> : (memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<128x256xbf16>, i32, i32, i32) -> ()
  return
}

// -----

func.func @cluster_shape(%w: vector<64x32xbf16>, %g: memref<128x256xbf16>, %s: memref<64x64xbf16, #gpu.address_space<workgroup>>, %b: memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, %i: i32, %f: f32, %x: memref<64x64xf16, #gpu.address_space<workgroup>>, %v: vector<32xi32>) {
  // expected-error @below {{shape and element type have to match}}
  "mosaic_gpu.async_store_smem"(%w, %s, %b, %i) <{cluster_dim = 0 : i32}> : (vector<64x32xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i32) -> ()
  return
}

// -----

func.func @cluster_memory(%w: vector<128x256xbf16>, %g: memref<128x256xbf16>, %s: memref<64x64xbf16, #gpu.address_space<workgroup>>, %b: memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, %i: i32, %f: f32, %x: memref<64x64xf16, #gpu.address_space<workgroup>>, %v: vector<32xi32>) {
  // expected-error @below {{which is not in #gpu.address_space<workgroup>}}
  "mosaic_gpu.async_store_smem"(%w, %g, %b, %i) <{cluster_dim = 0 : i32}> : (vector<128x256xbf16>, memref<128x256xbf16>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i32) -> ()
  return
}
