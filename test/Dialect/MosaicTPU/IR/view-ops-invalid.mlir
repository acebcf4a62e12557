// RUN: pallas-opt %s --split-input-file --verify-diagnostics

func.func @memref_slice(%m: memref<64x8x128xf32, #tpu.memory_space<hbm>>, %n: i32) {
  // expected-error @below {{slices a memref of rank 3 with 2 indices to a memref of rank 3; all three are equal, tpu.memref_squeeze drops dimensions}}
  %0 = tpu.memref_slice %m[%n, %n] : memref<64x8x128xf32, #tpu.memory_space<hbm>> -> memref<1x8x128xf32, #tpu.memory_space<hbm>>
  return
}

// -----

func.func @memref_slice(%m: memref<64x8x128xf32, #tpu.memory_space<hbm>>, %n: i32) {
  // expected-error @below {{slices a memref of rank 3 with 3 indices to a memref of rank 2; all three are equal, tpu.memref_squeeze drops dimensions}}
  %0 = tpu.memref_slice %m[%n, %n, %n] : memref<64x8x128xf32, #tpu.memory_space<hbm>> -> memref<8x128xf32, #tpu.memory_space<hbm>>
  return
}

// -----

func.func @memref_slice(%m: memref<64x8x128xf32, #tpu.memory_space<hbm>>, %n: i32) {
  // expected-error @below {{takes 65 elements of the 64 along dimension 0}}
  %0 = tpu.memref_slice %m[%n, %n, %n] : memref<64x8x128xf32, #tpu.memory_space<hbm>> -> memref<65x8x128xf32, #tpu.memory_space<hbm>>
  return
}

// -----

func.func @memref_slice(%m: memref<64x8x128xf32, #tpu.memory_space<hbm>>, %n: i32) {
  // expected-error @below {{gives a view of 'i32' elements of a memref of 'f32'; tpu.memref_bitcast changes the type}}
  %0 = tpu.memref_slice %m[%n, %n, %n] : memref<64x8x128xf32, #tpu.memory_space<hbm>> -> memref<1x8x128xi32, #tpu.memory_space<hbm>>
  return
}

// -----

func.func @memref_slice(%m: memref<64x8x128xf32, #tpu.memory_space<hbm>>, %n: i32) {
  // expected-error @below {{gives a view in #tpu.memory_space<vmem> of memory in #tpu.memory_space<hbm>; a view stays in its memory, a DMA moves data}}
  %0 = tpu.memref_slice %m[%n, %n, %n] : memref<64x8x128xf32, #tpu.memory_space<hbm>> -> memref<1x8x128xf32, #tpu.memory_space<vmem>>
  return
}

// -----

func.func @memref_slice(%m: memref<64x8x128xf32>, %n: i32) {
  // expected-error @below {{gives a view in #tpu.memory_space<hbm> of memory in no space; a view stays in its memory, a DMA moves data}}
  %0 = tpu.memref_slice %m[%n, %n, %n] : memref<64x8x128xf32> -> memref<1x8x128xf32, #tpu.memory_space<hbm>>
  return
}

// -----

func.func @memref_slice(%m: memref<?x8x128xf32, #tpu.memory_space<hbm>>, %n: i32) {
  // expected-error @below {{slices 'memref<?x8x128xf32, #tpu.memory_space<hbm>>', but only memrefs of static shape can be sliced}}
  %0 = tpu.memref_slice %m[%n, %n, %n] : memref<?x8x128xf32, #tpu.memory_space<hbm>> -> memref<1x8x128xf32, #tpu.memory_space<hbm>>
  return
}

// -----

func.func @memref_slice(%m: memref<64x8x128xf32, #tpu.memory_space<hbm>>, %n: i32) {
  // expected-error @below {{has 0 dynamic sizes for a result with 1 dynamic dimensions}}
  %0 = tpu.memref_slice %m[%n, %n, %n] : memref<64x8x128xf32, #tpu.memory_space<hbm>> -> memref<?x8x128xf32, #tpu.memory_space<hbm>>
  return
}

// -----

func.func @memref_slice(%m: memref<64xf32, #tpu.memory_space<semaphore_mem>>, %n: i32) {
  // expected-error @below {{slices 'f32' elements in semaphore memory, which holds only !tpu.semaphore and !tpu.dma_semaphore}}
  %0 = tpu.memref_slice %m[%n] : memref<64xf32, #tpu.memory_space<semaphore_mem>> -> memref<1xf32, #tpu.memory_space<semaphore_mem>>
  return
}

// -----

func.func @memref_slice(%m: memref<64x128xf32, #tpu.tiled<(8,128),[1,1]>, #tpu.memory_space<hbm>>, %n: i32) {
  // expected-error @below {{has a tiled layout on one side only: 'memref<64x128xf32, #tpu.tiled<(8,128),[1,1]>, #tpu.memory_space<hbm>>' and 'memref<8x128xf32, #tpu.memory_space<hbm>>'}}
  %0 = tpu.memref_slice %m[%n, %n] : memref<64x128xf32, #tpu.tiled<(8,128),[1,1]>, #tpu.memory_space<hbm>> -> memref<8x128xf32, #tpu.memory_space<hbm>>
  return
}

// -----

func.func @memref_squeeze(%m: memref<2x8x1x128xf32, #tpu.memory_space<hbm>>, %n: i32) {
  // expected-error @below {{turns 'memref<2x8x1x128xf32, #tpu.memory_space<hbm>>' into 'memref<8x128xf32, #tpu.memory_space<hbm>>', but only dimensions of size 1 can be dropped}}
  %0 = tpu.memref_squeeze %m : memref<2x8x1x128xf32, #tpu.memory_space<hbm>> -> memref<8x128xf32, #tpu.memory_space<hbm>>
  return
}

// -----

func.func @memref_squeeze(%m: memref<8xf32, #tpu.memory_space<hbm>>, %n: i32) {
  // expected-error @below {{turns 'memref<8xf32, #tpu.memory_space<hbm>>' into 'memref<1x8xf32, #tpu.memory_space<hbm>>', but only dimensions of size 1 can be dropped}}
  %0 = tpu.memref_squeeze %m : memref<8xf32, #tpu.memory_space<hbm>> -> memref<1x8xf32, #tpu.memory_space<hbm>>
  return
}

// -----

func.func @memref_squeeze(%m: memref<1x8xf32, #tpu.memory_space<hbm>>, %n: i32) {
  // expected-error @below {{gives a view of 'i32' elements of a memref of 'f32'; tpu.memref_bitcast changes the type}}
  %0 = tpu.memref_squeeze %m : memref<1x8xf32, #tpu.memory_space<hbm>> -> memref<8xi32, #tpu.memory_space<hbm>>
  return
}

// -----

func.func @memref_squeeze(%m: memref<1x8xf32, #tpu.memory_space<hbm>>, %n: i32) {
  // expected-error @below {{gives a view in #tpu.memory_space<vmem> of memory in #tpu.memory_space<hbm>; a view stays in its memory, a DMA moves data}}
  %0 = tpu.memref_squeeze %m : memref<1x8xf32, #tpu.memory_space<hbm>> -> memref<8xf32, #tpu.memory_space<vmem>>
  return
}

// -----

func.func @memref_reshape(%m: memref<64x8x128xf32, #tpu.memory_space<hbm>>, %n: i32) {
  // expected-error @below {{reshapes rank 3 to rank 1, but both need rank 2 or more}}
  %0 = tpu.memref_reshape %m : memref<64x8x128xf32, #tpu.memory_space<hbm>> -> memref<65536xf32, #tpu.memory_space<hbm>>
  return
}

// -----

func.func @memref_reshape(%m: memref<64x8x128xf32, #tpu.memory_space<hbm>>, %n: i32) {
  // expected-error @below {{turns 65536 elements into 65664; a reshape keeps their number}}
  %0 = tpu.memref_reshape %m : memref<64x8x128xf32, #tpu.memory_space<hbm>> -> memref<513x128xf32, #tpu.memory_space<hbm>>
  return
}

// -----

func.func @memref_reshape(%m: memref<64x8x128xf32, #tpu.memory_space<hbm>>, %n: i32) {
  // expected-error @below {{gives a view of 'i32' elements of a memref of 'f32'; tpu.memref_bitcast changes the type}}
  %0 = tpu.memref_reshape %m : memref<64x8x128xf32, #tpu.memory_space<hbm>> -> memref<512x128xi32, #tpu.memory_space<hbm>>
  return
}

// -----

func.func @memref_reshape(%m: memref<64x8x128xf32, #tpu.memory_space<hbm>>, %n: i32) {
  // expected-error @below {{gives a view in #tpu.memory_space<vmem> of memory in #tpu.memory_space<hbm>; a view stays in its memory, a DMA moves data}}
  %0 = tpu.memref_reshape %m : memref<64x8x128xf32, #tpu.memory_space<hbm>> -> memref<512x128xf32, #tpu.memory_space<vmem>>
  return
}

// -----

func.func @memref_reshape(%m: memref<64x128xf32, #tpu.tiled<(8,128),[1,1]>, #tpu.memory_space<hbm>>, %n: i32) {
  // expected-error @below {{reshapes 'memref<64x128xf32, #tpu.tiled<(8,128),[1,1]>, #tpu.memory_space<hbm>>' to 'memref<8x8x128xf32, #tpu.memory_space<hbm>>'; both layouts are the identity or both are tiled}}
  %0 = tpu.memref_reshape %m : memref<64x128xf32, #tpu.tiled<(8,128),[1,1]>, #tpu.memory_space<hbm>> -> memref<8x8x128xf32, #tpu.memory_space<hbm>>
  return
}

// -----

func.func @memref_reshape(%m: memref<64x128xf32, #tpu.tiled<(8,128),[1,1]>, #tpu.memory_space<hbm>>, %n: i32) {
  // expected-error @below {{reshapes 'memref<16x4x128xf32, #tpu.tiled<(8,128),[1,1,1]>, #tpu.memory_space<hbm>>', whose second to last dimension 4 is not a multiple of the tile's 8}}
  %0 = tpu.memref_reshape %m : memref<64x128xf32, #tpu.tiled<(8,128),[1,1]>, #tpu.memory_space<hbm>> -> memref<16x4x128xf32, #tpu.tiled<(8,128),[1,1,1]>, #tpu.memory_space<hbm>>
  return
}

// -----

func.func @memref_bitcast(%m: memref<128xf32, #tpu.memory_space<hbm>>, %n: i32) {
  // expected-error @below {{casts a memref of rank 1, but rank 2 or more is needed}}
  %0 = tpu.memref_bitcast %m : memref<128xf32, #tpu.memory_space<hbm>> -> memref<128xi32, #tpu.memory_space<hbm>>
  return
}

// -----

func.func @memref_bitcast(%m: memref<64x128xf32, #tpu.memory_space<hbm>>, %n: i32) {
  // expected-error @below {{changes the rank from 2 to 3; a bitcast keeps it}}
  %0 = tpu.memref_bitcast %m : memref<64x128xf32, #tpu.memory_space<hbm>> -> memref<1x128x128xbf16, #tpu.memory_space<hbm>>
  return
}

// -----

func.func @memref_bitcast(%m: memref<64x128xf32, #tpu.memory_space<hbm>>, %n: i32) {
  // expected-error @below {{turns 64 x 32 bits into 64 x 16 bits along dimension 0; a bitcast keeps their product}}
  %0 = tpu.memref_bitcast %m : memref<64x128xf32, #tpu.memory_space<hbm>> -> memref<64x256xbf16, #tpu.memory_space<hbm>>
  return
}

// -----

func.func @memref_bitcast(%m: memref<2x64x128xf32, #tpu.memory_space<hbm>>, %n: i32) {
  // expected-error @below {{changes dimension 0 from 2 to 3; only the second to last may change}}
  %0 = tpu.memref_bitcast %m : memref<2x64x128xf32, #tpu.memory_space<hbm>> -> memref<3x64x128xi32, #tpu.memory_space<hbm>>
  return
}

// -----

func.func @memref_bitcast(%m: memref<64x128xf32, #tpu.memory_space<hbm>>, %n: i32) {
  // expected-error @below {{gives a view in #tpu.memory_space<vmem> of memory in #tpu.memory_space<hbm>; a view stays in its memory, a DMA moves data}}
  %0 = tpu.memref_bitcast %m : memref<64x128xf32, #tpu.memory_space<hbm>> -> memref<64x128xi32, #tpu.memory_space<vmem>>
  return
}

// -----

func.func @memref_bitcast(%m: memref<64x128x!tpu.semaphore, #tpu.memory_space<semaphore_mem>>, %n: i32) {
  // expected-error @below {{casts elements of type '!tpu.semaphore', which have no bits to reinterpret}}
  %0 = tpu.memref_bitcast %m : memref<64x128x!tpu.semaphore, #tpu.memory_space<semaphore_mem>> -> memref<64x128xi32, #tpu.memory_space<semaphore_mem>>
  return
}

// -----

func.func @reinterpret_cast(%m: memref<64x128xf32, #tpu.memory_space<hbm>>, %n: i32) {
  // expected-error @below {{casts 'memref<64x128xf32, #tpu.memory_space<hbm>>' to 'memref<64x128xi32, #tpu.memory_space<vmem>>', which is in another memory space}}
  %0 = tpu.reinterpret_cast %m : memref<64x128xf32, #tpu.memory_space<hbm>> -> memref<64x128xi32, #tpu.memory_space<vmem>>
  return
}

// -----

func.func @reinterpret_cast(%m: memref<64x128xf32, #tpu.memory_space<hbm>>, %n: i32) {
  // expected-error @below {{has 0 dynamic sizes for a result with 1 dynamic dimensions}}
  %0 = tpu.reinterpret_cast %m : memref<64x128xf32, #tpu.memory_space<hbm>> -> memref<?x128xf32, #tpu.memory_space<hbm>>
  return
}

// -----

func.func @assume_multiple(%n: i32) {
  // expected-error @below {{promises a multiple of 0, which is below 1}}
  %0 = tpu.assume_multiple %n, 0 : i32
  return
}

// -----

func.func @assume_multiple() {
  %n = arith.constant 12 : i32
  // expected-error @below {{promises a multiple of 8 but the operand is the constant 12}}
  %0 = tpu.assume_multiple %n, 8 : i32
  return
}

// -----

func.func @bitcast(%v: vector<2x16x128xf32>) {
  // expected-error @below {{turns 'vector<2x16x128xf32>' into 'vector<3x32x128xbf16>', but the bits make 'vector<2x32x128xbf16>'}}
  %0 = tpu.bitcast %v : vector<2x16x128xf32> -> vector<3x32x128xbf16>
  return
}

// -----

func.func @memref_reshape(%m: memref<64x128xf32, #tpu.tiled<(8,128),[1,1]>, #tpu.memory_space<hbm>>) {
  // expected-error @below {{changes the tiles of a memref: 'memref<64x128xf32, #tpu.tiled<(8,128),[1,1]>, #tpu.memory_space<hbm>>' and 'memref<4x16x128xf32, #tpu.tiled<(16,128),[1,1,1]>, #tpu.memory_space<hbm>>'}}
  %0 = tpu.memref_reshape %m : memref<64x128xf32, #tpu.tiled<(8,128),[1,1]>, #tpu.memory_space<hbm>> -> memref<4x16x128xf32, #tpu.tiled<(16,128),[1,1,1]>, #tpu.memory_space<hbm>>
  return
}

// -----

func.func @memref_reshape(%m: memref<64x128xf32, #tpu.tiled<(128),[128,1]>, #tpu.memory_space<hbm>>) {
  // expected-error @below {{reshapes a memref with a first tile of rank 1; rank 2 is supported}}
  %0 = tpu.memref_reshape %m : memref<64x128xf32, #tpu.tiled<(128),[128,1]>, #tpu.memory_space<hbm>> -> memref<8x8x128xf32, #tpu.tiled<(128),[1024,128,1]>, #tpu.memory_space<hbm>>
  return
}

// -----

func.func @memref_reshape(%m: memref<64x256xf32, #tpu.tiled<(8,128),[2,1]>, #tpu.memory_space<hbm>>) {
  // expected-error @below {{changes the last dimension of a tiled memref from 256 to 128}}
  %0 = tpu.memref_reshape %m : memref<64x256xf32, #tpu.tiled<(8,128),[2,1]>, #tpu.memory_space<hbm>> -> memref<128x128xf32, #tpu.tiled<(8,128),[1,1]>, #tpu.memory_space<hbm>>
  return
}

// -----

func.func @memref_bitcast(%m: memref<?x128xf32, #tpu.memory_space<hbm>>) {
  // expected-error @below {{changes the width of the elements along a dynamic dimension 0}}
  %0 = tpu.memref_bitcast %m : memref<?x128xf32, #tpu.memory_space<hbm>> -> memref<?x128xbf16, #tpu.memory_space<hbm>>
  return
}
