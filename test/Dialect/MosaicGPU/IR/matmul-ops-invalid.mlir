// RUN: pallas-opt %s --split-input-file --verify-diagnostics

func.func @elements(%c: vector<64x64xf32>, %a: memref<64x64xbf16, #gpu.address_space<workgroup>>, %b: memref<64x64xf16, #gpu.address_space<workgroup>>) {
  // expected-error @below {{multiplies elements of type 'bf16' by 'f16'; they are equal, or both are floats of 8 bits}}
  %0 = mosaic_gpu.wgmma accumulator(%c : vector<64x64xf32>) a(%a : memref<64x64xbf16, #gpu.address_space<workgroup>>) b(%b : memref<64x64xf16, #gpu.address_space<workgroup>>) -> vector<64x64xf32>
  return
}

// -----

func.func @rows(%c: vector<128x64xf32>, %a: memref<64x64xbf16, #gpu.address_space<workgroup>>, %b: memref<64x64xbf16, #gpu.address_space<workgroup>>) {
  // expected-error @below {{rows of the accumulator and of a are 128 and 64}}
  %0 = mosaic_gpu.wgmma accumulator(%c : vector<128x64xf32>) a(%a : memref<64x64xbf16, #gpu.address_space<workgroup>>) b(%b : memref<64x64xbf16, #gpu.address_space<workgroup>>) -> vector<128x64xf32>
  return
}

// -----

func.func @inner(%c: vector<64x64xf32>, %a: memref<64x64xbf16, #gpu.address_space<workgroup>>, %b: memref<32x64xbf16, #gpu.address_space<workgroup>>) {
  // expected-error @below {{columns of a and rows of b are 64 and 32}}
  %0 = mosaic_gpu.wgmma accumulator(%c : vector<64x64xf32>) a(%a : memref<64x64xbf16, #gpu.address_space<workgroup>>) b(%b : memref<32x64xbf16, #gpu.address_space<workgroup>>) -> vector<64x64xf32>
  return
}

// -----

func.func @columns(%c: vector<64x64xf32>, %a: memref<64x64xbf16, #gpu.address_space<workgroup>>, %b: memref<64x32xbf16, #gpu.address_space<workgroup>>) {
  // expected-error @below {{columns of b and of the accumulator are 32 and 64}}
  %0 = mosaic_gpu.wgmma accumulator(%c : vector<64x64xf32>) a(%a : memref<64x64xbf16, #gpu.address_space<workgroup>>) b(%b : memref<64x32xbf16, #gpu.address_space<workgroup>>) -> vector<64x64xf32>
  return
}

// -----

func.func @sixty_four(%c: vector<32x64xf32>, %a: memref<32x64xbf16, #gpu.address_space<workgroup>>, %b: memref<64x64xbf16, #gpu.address_space<workgroup>>) {
  // expected-error @below {{has an accumulator of 32 rows; rows are a multiple of 64}}
  %0 = mosaic_gpu.wgmma accumulator(%c : vector<32x64xf32>) a(%a : memref<32x64xbf16, #gpu.address_space<workgroup>>) b(%b : memref<64x64xbf16, #gpu.address_space<workgroup>>) -> vector<32x64xf32>
  return
}

// -----

func.func @sum_type(%c: vector<64x64xbf16>, %a: memref<64x64xbf16, #gpu.address_space<workgroup>>, %b: memref<64x64xbf16, #gpu.address_space<workgroup>>) {
  // expected-error @below {{operand #0 must be vector of 16-bit float or 32-bit float or 32-bit signless integer values of ranks 2}}
  %0 = mosaic_gpu.wgmma accumulator(%c : vector<64x64xbf16>) a(%a : memref<64x64xbf16, #gpu.address_space<workgroup>>) b(%b : memref<64x64xbf16, #gpu.address_space<workgroup>>) -> vector<64x64xbf16>
  return
}

// -----

func.func @mma_elements(%c: vector<64x8xf32>, %a: vector<64x16xf16>, %b: vector<16x8xbf16>) {
  // expected-error @below {{multiplies elements of type 'f16' by 'bf16'; they are equal}}
  %0 = mosaic_gpu.mma accumulator(%c : vector<64x8xf32>) a(%a : vector<64x16xf16>) b(%b : vector<16x8xbf16>) -> vector<64x8xf32>
  return
}

// -----

func.func @mma_sum(%c: vector<64x8xf32>, %a: vector<64x16xi8>, %b: vector<16x8xi8>) {
  // expected-error @below {{adds products of 'i8' in 'f32'; integers are added in i32, floats in floats}}
  %0 = mosaic_gpu.mma accumulator(%c : vector<64x8xf32>) a(%a : vector<64x16xi8>) b(%b : vector<16x8xi8>) -> vector<64x8xf32>
  return
}

// -----

func.func @mma_sizes(%c: vector<64x8xf32>, %a: vector<64x32xf16>, %b: vector<16x8xf16>) {
  // expected-error @below {{columns of a and rows of b are 32 and 16}}
  %0 = mosaic_gpu.mma accumulator(%c : vector<64x8xf32>) a(%a : vector<64x32xf16>) b(%b : vector<16x8xf16>) -> vector<64x8xf32>
  return
}

// -----

func.func @accumulator_memory(%c: memref<128x128xf32, #gpu.address_space<workgroup>>, %a: memref<128x64xbf16, #gpu.address_space<workgroup>>, %b: memref<64x128xbf16, #gpu.address_space<workgroup>>, %t: i1) {
  // expected-error @below {{which lies in no tensor memory}}
  "mosaic_gpu.tcgen05_mma"(%c, %a, %b, %t) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (memref<128x128xf32, #gpu.address_space<workgroup>>, memref<128x64xbf16, #gpu.address_space<workgroup>>, memref<64x128xbf16, #gpu.address_space<workgroup>>, i1) -> ()
  return
}

// -----

func.func @a_memory(%c: memref<128x128xf32, #mosaic_gpu.tmem>, %a: memref<128x64xbf16>, %b: memref<64x128xbf16, #gpu.address_space<workgroup>>, %t: i1) {
  // expected-error @below {{which lies in neither shared nor tensor memory}}
  "mosaic_gpu.tcgen05_mma"(%c, %a, %b, %t) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (memref<128x128xf32, #mosaic_gpu.tmem>, memref<128x64xbf16>, memref<64x128xbf16, #gpu.address_space<workgroup>>, i1) -> ()
  return
}

// -----

func.func @b_memory(%c: memref<128x128xf32, #mosaic_gpu.tmem>, %a: memref<128x64xbf16, #gpu.address_space<workgroup>>, %b: memref<64x128xbf16, #mosaic_gpu.tmem>, %t: i1) {
  // expected-error @below {{which lies in no shared memory}}
  "mosaic_gpu.tcgen05_mma"(%c, %a, %b, %t) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (memref<128x128xf32, #mosaic_gpu.tmem>, memref<128x64xbf16, #gpu.address_space<workgroup>>, memref<64x128xbf16, #mosaic_gpu.tmem>, i1) -> ()
  return
}

// -----

func.func @pair(%c: memref<128x128xf32, #mosaic_gpu.tmem>, %a: memref<128x64xbf16, #gpu.address_space<workgroup>>, %b: memref<64x128xbf16, #gpu.address_space<workgroup>>, %t: i1) {
  // expected-error @below {{columns of b and of the accumulator are 256 and 128}}
  "mosaic_gpu.tcgen05_mma"(%c, %a, %b, %t) <{collective = true, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (memref<128x128xf32, #mosaic_gpu.tmem>, memref<128x64xbf16, #gpu.address_space<workgroup>>, memref<64x128xbf16, #gpu.address_space<workgroup>>, i1) -> ()
  return
}

// -----

func.func @sparse(%c: memref<128x128xf32, #mosaic_gpu.tmem>, %a: memref<128x64xbf16, #gpu.address_space<workgroup>>, %b: memref<64x128xbf16, #gpu.address_space<workgroup>>, %t: i1, %m: memref<128x64xi2, #mosaic_gpu.tmem>) {
  // expected-error @below {{columns of a and rows of b are 128 and 64}}
  "mosaic_gpu.tcgen05_mma"(%c, %a, %b, %t, %m) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}> : (memref<128x128xf32, #mosaic_gpu.tmem>, memref<128x64xbf16, #gpu.address_space<workgroup>>, memref<64x128xbf16, #gpu.address_space<workgroup>>, i1, memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @metadata(%c: memref<128x128xf32, #mosaic_gpu.tmem>, %a: memref<128x32xbf16, #gpu.address_space<workgroup>>, %b: memref<64x128xbf16, #gpu.address_space<workgroup>>, %t: i1, %m: memref<128x64xi2, #mosaic_gpu.tmem>) {
  // expected-error @below {{the shapes are equal}}
  "mosaic_gpu.tcgen05_mma"(%c, %a, %b, %t, %m) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}> : (memref<128x128xf32, #mosaic_gpu.tmem>, memref<128x32xbf16, #gpu.address_space<workgroup>>, memref<64x128xbf16, #gpu.address_space<workgroup>>, i1, memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @scales(%c: memref<128x128xf32, #mosaic_gpu.tmem>, %a: memref<128x64xbf16, #gpu.address_space<workgroup>>, %b: memref<64x128xbf16, #gpu.address_space<workgroup>>, %t: i1, %m: memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>) {
  // expected-error @below {{has scales of one operand; give both or none}}
  "mosaic_gpu.tcgen05_mma"(%c, %a, %b, %t, %m) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0>}> : (memref<128x128xf32, #mosaic_gpu.tmem>, memref<128x64xbf16, #gpu.address_space<workgroup>>, memref<64x128xbf16, #gpu.address_space<workgroup>>, i1, memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @scales_memory(%c: memref<128x128xf32, #mosaic_gpu.tmem>, %a: memref<128x64xbf16, #gpu.address_space<workgroup>>, %b: memref<64x128xbf16, #gpu.address_space<workgroup>>, %t: i1, %m: memref<128x4xf8E8M0FNU>) {
  // expected-error @below {{which lies in no tensor memory}}
  "mosaic_gpu.tcgen05_mma"(%c, %a, %b, %t, %m, %m) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0>}> : (memref<128x128xf32, #mosaic_gpu.tmem>, memref<128x64xbf16, #gpu.address_space<workgroup>>, memref<64x128xbf16, #gpu.address_space<workgroup>>, i1, memref<128x4xf8E8M0FNU>, memref<128x4xf8E8M0FNU>) -> ()
  return
}

// -----

func.func @rows32(%c: memref<48x128xf32, #mosaic_gpu.tmem>, %a: memref<48x64xbf16, #gpu.address_space<workgroup>>, %b: memref<64x128xbf16, #gpu.address_space<workgroup>>, %t: i1) {
  // expected-error @below {{has an accumulator of 48 rows; rows are a multiple of 32}}
  "mosaic_gpu.tcgen05_mma"(%c, %a, %b, %t) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (memref<48x128xf32, #mosaic_gpu.tmem>, memref<48x64xbf16, #gpu.address_space<workgroup>>, memref<64x128xbf16, #gpu.address_space<workgroup>>, i1) -> ()
  return
}
