// RUN: pallas-opt %s --split-input-file --verify-diagnostics

func.func @bitcast(%v: vector<16x128xf32>) {
  // expected-error @below {{turns 'vector<16x128xf32>' into 'vector<16x64xi32>', but the bits make 'vector<16x128xi32>'}}
  %0 = tpu.bitcast %v : vector<16x128xf32> -> vector<16x64xi32>
  return
}

// -----

func.func @bitcast(%v: vector<16x128xf32>) {
  // expected-error @below {{turns 'vector<16x128xf32>' into 'vector<16x256xbf16>', but the bits make 'vector<32x128xbf16>'}}
  %0 = tpu.bitcast %v : vector<16x128xf32> -> vector<16x256xbf16>
  return
}

// -----

func.func @bitcast(%v: vector<128xf32>) {
  // expected-error @below {{changes the width of the elements from 32 to 16 bits in a vector of rank 1; rank 2 or more is needed}}
  %0 = tpu.bitcast %v : vector<128xf32> -> vector<256xbf16>
  return
}

// -----

func.func @bitcast(%v: vector<16x128xf32>) {
  // expected-error @below {{turns 'vector<16x128xf32>' into 'vector<1x32x128xbf16>', but the bits make 'vector<32x128xbf16>'}}
  %0 = tpu.bitcast %v : vector<16x128xf32> -> vector<1x32x128xbf16>
  return
}

// -----

func.func @bitcast(%v: vector<31x128xbf16>) {
  // expected-error @below {{casts 31 rows of 16-bit elements, which do not make whole 32-bit ones}}
  %0 = tpu.bitcast %v : vector<31x128xbf16> -> vector<15x128xf32>
  return
}

// -----

func.func @bitcast(%v: vector<8x128xindex>) {
  // expected-error @below {{casts elements of type 'index', which have no fixed width}}
  %0 = tpu.bitcast %v : vector<8x128xindex> -> vector<8x128xi32>
  return
}

// -----

func.func @reciprocal(%v: vector<16x128xf32>) {
  // expected-error @below {{requires the same type for all operands and results}}
  %0 = tpu.reciprocal %v : vector<16x128xf32> -> vector<8x128xf32>
  return
}

// -----

func.func @stochastic_convert(%v: vector<16x128xf32>, %r: vector<16x128xi32>) {
  // expected-error @below {{requires the same shape for all operands and results}}
  %0 = tpu.stochastic_convert %v, %r : vector<16x128xf32>, vector<16x128xi32> -> vector<8x128xbf16>
  return
}

// -----

func.func @pack_elementwise(%v: vector<16x128xf32>) {
  // expected-error @below {{packs 1 vectors, but 'i32' holds 2 elements of type 'bf16'}}
  %0 = tpu.pack_elementwise %v {target_type = bf16} : vector<16x128xf32> -> vector<16x128xi32>
  return
}

// -----

func.func @pack_elementwise(%v: vector<16x128xf32>) {
  // expected-error @below {{packs 'f32' as 'f16'; f32 as bf16, and integers as integers are supported}}
  %0 = tpu.pack_elementwise %v, %v {target_type = f16} : vector<16x128xf32>, vector<16x128xf32> -> vector<16x128xi32>
  return
}

// -----

func.func @pack_elementwise(%v: vector<16x128xf32>) {
  // expected-error @below {{packs 'f32' elements into 'i16'; both need the same width}}
  %0 = tpu.pack_elementwise %v, %v {target_type = bf16} : vector<16x128xf32>, vector<16x128xf32> -> vector<16x128xi16>
  return
}

// -----

func.func @pack_elementwise(%v: vector<16x128xi32>) {
  // expected-error @below {{packs 'i32' as 'i64', which is wider}}
  %0 = tpu.pack_elementwise %v {target_type = i64} : vector<16x128xi32> -> vector<16x128xi32>
  return
}

// -----

func.func @pack_elementwise(%v: vector<16x128xf32>) {
  // expected-error @below {{gives elements of type 'ui32'; the result holds signless integers}}
  %0 = tpu.pack_elementwise %v, %v {target_type = bf16} : vector<16x128xf32>, vector<16x128xf32> -> vector<16x128xui32>
  return
}

// -----

func.func @pack_elementwise() {
  // expected-error @below {{if a result is non-scalar, then at least one operand must be non-scalar}}
  %0 = "tpu.pack_elementwise"() <{target_type = bf16}> : () -> vector<16x128xi32>
  return
}

// -----

func.func @unpack_elementwise(%v: vector<16x128xi32>) {
  // expected-error @below {{takes element 2 of 2; elements are counted from 0}}
  %0 = tpu.unpack_elementwise %v, 2 {source_type = bf16} : vector<16x128xi32> -> vector<16x128xf32>
  return
}

// -----

func.func @pack_subelements(%v: vector<16x128xf32>) {
  // expected-error @below {{uses position 0 twice}}
  %0 = tpu.pack_subelements %v, %v {pack_format = #tpu.pack_format<compressed>, positions = array<i32: 0, 0>} : vector<16x128xf32>, vector<16x128xf32> -> vector<32x128xbf16>
  return
}

// -----

func.func @pack_subelements(%v: vector<16x128xf32>) {
  // expected-error @below {{has position 2, which is not in [0, 2)}}
  %0 = tpu.pack_subelements %v, %v {pack_format = #tpu.pack_format<compressed>, positions = array<i32: 0, 2>} : vector<16x128xf32>, vector<16x128xf32> -> vector<32x128xbf16>
  return
}

// -----

func.func @pack_subelements(%v: vector<16x128xf32>) {
  // expected-error @below {{has 1 positions for 2 vectors; give one each}}
  %0 = tpu.pack_subelements %v, %v {pack_format = #tpu.pack_format<compressed>, positions = array<i32: 0>} : vector<16x128xf32>, vector<16x128xf32> -> vector<32x128xbf16>
  return
}

// -----

func.func @pack_subelements(%v: vector<16x128xbf16>) {
  // expected-error @below {{packs elements as those of 'vector<16x128xf32>' into those of 'vector<16x128xbf16>', which are not wider}}
  %0 = tpu.pack_subelements %v {pack_format = #tpu.pack_format<compressed>, positions = array<i32: 0>} : vector<16x128xbf16> -> vector<16x128xf32>
  return
}

// -----

func.func @pack_subelements() {
  // expected-error @below {{packs no vectors; give at least 1}}
  %0 = "tpu.pack_subelements"() <{positions = array<i32>, pack_format = #tpu.pack_format<compressed>}> : () -> vector<32x128xbf16>
  return
}

// -----

func.func @unpack_subelements(%v: vector<32x128xbf16>) {
  // expected-error @below {{takes element 2 of 2; elements are counted from 0}}
  %0 = tpu.unpack_subelements %v, 2 {pack_format = #tpu.pack_format<interleaved>} : vector<32x128xbf16> -> vector<16x128xf32>
  return
}

// -----

func.func @unpack_subelements(%v: vector<32x128xbf16>) {
  // expected-error @below {{has unsigned_integers set on 'bf16' elements; it is for integers}}
  %0 = tpu.unpack_subelements %v, 0 {pack_format = #tpu.pack_format<interleaved>, unsigned_integers = true} : vector<32x128xbf16> -> vector<16x128xf32>
  return
}

// -----

func.func @unpack_subelements(%v: vector<16x128xf32>) {
  // expected-error @below {{packs elements as those of 'vector<16x128xf32>' into those of 'vector<32x128xbf16>', which are not wider}}
  %0 = tpu.unpack_subelements %v, 0 {pack_format = #tpu.pack_format<interleaved>} : vector<16x128xf32> -> vector<32x128xbf16>
  return
}
