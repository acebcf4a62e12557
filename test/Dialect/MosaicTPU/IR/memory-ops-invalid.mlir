// RUN: pallas-opt %s --split-input-file --verify-diagnostics

func.func @vector_load(%m: memref<16x128xf32, #tpu.memory_space<vmem>>, %i: index) {
  // expected-error @below {{has 1 indices for a base of rank 2; give one per dimension}}
  %0 = tpu.vector_load %m[%i] {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>, 
  return
}

// -----

func.func @vector_load(%m: memref<16x128xf32, #tpu.memory_space<vmem>>, %i: index) {
  // expected-error @below {{has strides, which are not supported here; use tpu.strided_load or tpu.strided_store}}
  %0 = tpu.vector_load %m[%i, %i] {strides = array<i32: 1, 1>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>, 
  return
}

// -----

func.func @vector_load(%m: memref<16x128xf32, #tpu.memory_space<vmem>>, %i: index) {
  // expected-error @below {{has 1 strides for a base of rank 2; leave strides empty}}
  %0 = tpu.vector_load %m[%i, %i] {strides = array<i32: 1>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>, 
  return
}

// -----

func.func @vector_load(%m: memref<16x128xf32, #tpu.memory_space<smem>>, %i: index) {
  // expected-error @below {{accesses a base in #tpu.memory_space<smem>, but vectors move to and from vmem only; copy the data there with tpu.enqueue_dma, or use memref.load and memref.store in smem}}
  %0 = tpu.vector_load %m[%i, %i] {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<smem>>, vector<16x128xf32>, 
  return
}

// -----

func.func @vector_load(%m: memref<16x128xf32, 1>, %i: index) {
  // expected-error @below {{accesses a base in 1 : i64, but vectors move to and from vmem only; copy the data there with tpu.enqueue_dma, or use memref.load and memref.store in smem}}
  %0 = tpu.vector_load %m[%i, %i] {strides = array<i32>} : memref<16x128xf32, 1>, vector<16x128xf32>, 
  return
}

// -----

func.func @vector_load(%m: memref<16x128xf32, #tpu.memory_space<any>>, %i: index) {
  // expected-error @below {{accesses a base in #tpu.memory_space<any>, but vectors move to and from vmem only; copy the data there with tpu.enqueue_dma, or use memref.load and memref.store in smem}}
  %0 = tpu.vector_load %m[%i, %i] {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<any>>, vector<16x128xf32>, 
  return
}

// -----

func.func @vector_load(%m: memref<16x128xf32, #tpu.memory_space<vmem_shared>>, %i: index) {
  // expected-error @below {{accesses a base in #tpu.memory_space<vmem_shared>, but vectors move to and from vmem only; copy the data there with tpu.enqueue_dma, or use memref.load and memref.store in smem}}
  %0 = tpu.vector_load %m[%i, %i] {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem_shared>>, vector<16x128xf32>, 
  return
}

// -----

func.func @vector_load(%m: memref<16x128xf32, #tpu.memory_space<vmem>>, %i: index) {
  // expected-error @below {{moves elements of type 'i32' but the base holds 'f32'; convert the vector or cast the base}}
  %0 = tpu.vector_load %m[%i, %i] {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xi32>, 
  return
}

// -----

func.func @vector_load(%m: memref<16x128xbf16, #tpu.memory_space<vmem>>, %i: index, %k: vector<16x128xi1>) {
  // expected-error @below {{has a mask on elements of type 'bf16', but only 32-bit elements can be masked}}
  %0 = tpu.vector_load %m[%i, %i] masked %k {strides = array<i32>} : memref<16x128xbf16, #tpu.memory_space<vmem>>, vector<16x128xbf16>, vector<16x128xi1>
  return
}

// -----

func.func @vector_load(%m: memref<16x128xf32, #tpu.memory_space<vmem>>, %i: index, %k: vector<8x128xi1>) {
  // expected-error @below {{has a mask of type 'vector<8x128xi1>' that cannot be broadcast to the result type 'vector<16x128xf32>'}}
  %0 = tpu.vector_load %m[%i, %i] masked %k {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>, vector<8x128xi1>
  return
}

// -----

func.func @vector_load(%m: memref<16x128xf32, #tpu.memory_space<vmem>>, %i: index, %k: vector<1x16x128xi1>) {
  // expected-error @below {{has a mask of type 'vector<1x16x128xi1>' that cannot be broadcast to the result type 'vector<16x128xf32>'}}
  %0 = tpu.vector_load %m[%i, %i] masked %k {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>, vector<1x16x128xi1>
  return
}

// -----

func.func @vector_store(%m: memref<16x128xf32, #tpu.memory_space<vmem>>, %i: index, %v: vector<16x128xf32>) {
  // expected-error @below {{has 1 indices for a base of rank 2; give one per dimension}}
  tpu.vector_store %m[%i], %v {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>, 
  return
}

// -----

func.func @vector_store(%m: memref<16x128xf32, #tpu.memory_space<vmem>>, %i: index, %v: vector<16x128xf32>) {
  // expected-error @below {{has strides, which are not supported here; use tpu.strided_load or tpu.strided_store}}
  tpu.vector_store %m[%i, %i], %v {strides = array<i32: 1, 1>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>, 
  return
}

// -----

func.func @vector_store(%m: memref<16x128xbf16, #tpu.memory_space<vmem>>, %i: index, %v: vector<16x128xf32>) {
  // expected-error @below {{moves elements of type 'f32' but the base holds 'bf16'; convert the vector or cast the base}}
  tpu.vector_store %m[%i, %i], %v {strides = array<i32>} : memref<16x128xbf16, #tpu.memory_space<vmem>>, vector<16x128xf32>, 
  return
}

// -----

func.func @vector_store(%m: memref<16x128xf32, #tpu.memory_space<vmem>>, %i: index, %v: vector<16x128xf32>, %k: vector<1x128xi1>) {
  // expected-error @below {{has a mask of type 'vector<1x128xi1>' for a value of type 'vector<16x128xf32>'; both need the same shape}}
  tpu.vector_store %m[%i, %i], %v masked %k {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>, vector<1x128xi1>
  return
}

// -----

func.func @vector_store(%m: memref<16x128xbf16, #tpu.memory_space<vmem>>, %i: index, %v: vector<16x128xbf16>, %k: vector<16x128xi1>) {
  // expected-error @below {{has a mask on elements of type 'bf16', but only 32-bit elements can be masked}}
  tpu.vector_store %m[%i, %i], %v masked %k {strides = array<i32>} : memref<16x128xbf16, #tpu.memory_space<vmem>>, vector<16x128xbf16>, vector<16x128xi1>
  return
}

// -----

func.func @strided_load(%m: memref<16x128xf32, #tpu.memory_space<vmem>>, %i: index) {
  // expected-error @below {{has stride -1 along dimension 0, below 0}}
  %0 = tpu.strided_load %m[%i, %i] {strides = array<i32: -1, 1>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
  return
}

// -----

func.func @strided_load(%m: memref<16x128xf32, #tpu.memory_space<vmem>>, %i: index) {
  // expected-error @below {{has 1 strides for a base of rank 2; give one per dimension}}
  %0 = tpu.strided_load %m[%i, %i] {strides = array<i32: 2>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
  return
}

// -----

func.func @strided_load(%m: memref<16x128xf32, #tpu.memory_space<vmem>>, %i: index) {
  // expected-error @below {{has 1 indices for a base of rank 2; give one per dimension}}
  %0 = tpu.strided_load %m[%i] {strides = array<i32: 2, 1>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
  return
}

// -----

func.func @strided_load(%m: memref<16x128xf32, #tpu.memory_space<vmem>>, %i: index) {
  // expected-error @below {{moves a vector of rank 1 but the base has rank 2; give the vector size 1 where a dimension is dropped}}
  %0 = tpu.strided_load %m[%i, %i] {strides = array<i32: 2, 1>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<128xf32>
  return
}

// -----

func.func @strided_load(%m: memref<16x128xf32, #tpu.memory_space<vmem>>, %i: index) {
  // expected-error @below {{moves elements of type 'i32' but the base holds 'f32'; convert the vector or cast the base}}
  %0 = tpu.strided_load %m[%i, %i] {strides = array<i32: 2, 1>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<8x128xi32>
  return
}

// -----

func.func @strided_store(%m: memref<16x128xf32, #tpu.memory_space<vmem>>, %i: index, %v: vector<16x128xf32>) {
  // expected-error @below {{has stride 0 along dimension 0, below 1}}
  tpu.strided_store %m[%i, %i], %v {strides = array<i32: 0, 1>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>
  return
}

// -----

func.func @strided_store(%m: memref<16x128xbf16, #tpu.memory_space<vmem>>, %i: index, %v: vector<16x128xf32>) {
  // expected-error @below {{moves elements of type 'f32' but the base holds 'bf16'; convert the vector or cast the base}}
  tpu.strided_store %m[%i, %i], %v {strides = array<i32: 2, 1>} : memref<16x128xbf16, #tpu.memory_space<vmem>>, vector<16x128xf32>
  return
}

// -----

func.func @vector_load_idx(%m: memref<128xf32, #tpu.memory_space<vmem>>, %x: vector<16xi32>) {
  // expected-error @below {{has 2 index vectors for a base of rank 1; give one per dimension}}
  %0 = tpu.vector_load_idx %m[%x, %x] : memref<128xf32, #tpu.memory_space<vmem>>[vector<16xi32>, vector<16xi32>], vector<16xf32>, 
  return
}

// -----

func.func @vector_load_idx(%m: memref<128xf32, #tpu.memory_space<vmem>>, %x: vector<8xi32>) {
  // expected-error @below {{has an index vector of type 'vector<8xi32>' along dimension 0 for elements of type 'vector<16xf32>'; both need the same shape}}
  %0 = tpu.vector_load_idx %m[%x] : memref<128xf32, #tpu.memory_space<vmem>>[vector<8xi32>], vector<16xf32>, 
  return
}

// -----

func.func @vector_load_idx(%m: memref<128xf32, #tpu.memory_space<vmem>>, %x: vector<16xi32>) {
  // expected-error @below {{moves elements of type 'i32' but the base holds 'f32'; convert the vector or cast the base}}
  %0 = tpu.vector_load_idx %m[%x] : memref<128xf32, #tpu.memory_space<vmem>>[vector<16xi32>], vector<16xi32>, 
  return
}

// -----

func.func @vector_load_idx(%m: memref<128xf32, #tpu.memory_space<vmem>>, %x: vector<16xi32>, %k: vector<8xi1>) {
  // expected-error @below {{has a mask of type 'vector<8xi1>' that cannot be broadcast to the result type 'vector<16xf32>'}}
  %0 = tpu.vector_load_idx %m[%x] masked %k : memref<128xf32, #tpu.memory_space<vmem>>[vector<16xi32>], vector<16xf32>, vector<8xi1>
  return
}

// -----

func.func @vector_load_idx(%m: memref<128xf32, #tpu.memory_space<hbm>>, %x: vector<16xi32>) {
  // expected-error @below {{accesses a base in #tpu.memory_space<hbm>, but vectors move to and from vmem only; copy the data there with tpu.enqueue_dma, or use memref.load and memref.store in smem}}
  %0 = tpu.vector_load_idx %m[%x] : memref<128xf32, #tpu.memory_space<hbm>>[vector<16xi32>], vector<16xf32>, 
  return
}

// -----

func.func @vector_store_idx(%m: memref<16x128xf32, #tpu.memory_space<vmem>>, %x: vector<4x4xi32>, %v: vector<4x4xf32>) {
  // expected-error @below {{scatters a vector of rank 2; flatten it to rank 1}}
  tpu.vector_store_idx %m[%x, %x], %v : memref<16x128xf32, #tpu.memory_space<vmem>>[vector<4x4xi32>, vector<4x4xi32>], vector<4x4xf32>, 
  return
}

// -----

func.func @vector_store_idx(%m: memref<128xf32, #tpu.memory_space<vmem>>, %x: vector<8xi32>, %v: vector<16xf32>) {
  // expected-error @below {{has an index vector of type 'vector<8xi32>' along dimension 0 for elements of type 'vector<16xf32>'; both need the same shape}}
  tpu.vector_store_idx %m[%x], %v : memref<128xf32, #tpu.memory_space<vmem>>[vector<8xi32>], vector<16xf32>, 
  return
}

// -----

func.func @vector_store_idx(%m: memref<16x128xf32, #tpu.memory_space<vmem>>, %x: vector<16xi32>, %v: vector<16xf32>) {
  // expected-error @below {{has 1 index vectors for a base of rank 2; give one per dimension}}
  tpu.vector_store_idx %m[%x], %v : memref<16x128xf32, #tpu.memory_space<vmem>>[vector<16xi32>], vector<16xf32>, 
  return
}
