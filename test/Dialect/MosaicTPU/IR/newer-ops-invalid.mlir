// RUN: pallas-opt %s --split-input-file --verify-diagnostics

func.func @reduce(%v: vector<16x128xf32>) {
  // expected-error @below {{has dimension 2, which is not in [0, 2)}}
  %0 = tpu.reduce <maxf>, %v [2] : vector<16x128xf32> -> vector<16x128xf32>
  return
}

// -----

func.func @reduce(%v: vector<16x128xf32>) {
  // expected-error @below {{names dimension 1 twice}}
  %0 = tpu.reduce <maxf>, %v [1, 1] : vector<16x128xf32> -> vector<16x1xf32>
  return
}

// -----

func.func @reduce(%v: vector<16x128xf32>) {
  // expected-error @below {{gives 'vector<16xf32>', but reducing 'vector<16x128xf32>' leaves 'vector<16x1xf32>'}}
  %0 = tpu.reduce <maxf>, %v [1] : vector<16x128xf32> -> vector<16xf32>
  return
}

// -----

func.func @reduce(%v: vector<16x128xf32>) {
  // expected-error @below {{has kind max, which leaves open how elements compare; use maxf for floats, maxsi for signed and maxui for unsigned integers}}
  %0 = tpu.reduce <max>, %v [1] : vector<16x128xf32> -> vector<16x1xf32>
  return
}

// -----

func.func @reduce(%v: vector<16x128xf32>) {
  // expected-error @below {{has kind minsi on 'f32' elements; it compares integers}}
  %0 = tpu.reduce <minsi>, %v [1] : vector<16x128xf32> -> vector<16x1xf32>
  return
}

// -----

func.func @reduce(%v: vector<16x128xi32>) {
  // expected-error @below {{has kind maxf on 'i32' elements; it compares floats}}
  %0 = tpu.reduce <maxf>, %v [1] : vector<16x128xi32> -> vector<16x1xi32>
  return
}

// -----

func.func @reduce(%v: vector<16x128xf32>) {
  // expected-error @below {{has kind arg_max; a sum, maximum or minimum is supported}}
  %0 = tpu.reduce <arg_max>, %v [1] : vector<16x128xf32> -> vector<16x1xf32>
  return
}

// -----

func.func @all_reduce(%v: vector<16x128xf32>) {
  // expected-error @below {{has kind min, which leaves open how elements compare; use minf for floats, minsi for signed and minui for unsigned integers}}
  %0 = tpu.all_reduce %v {dim = 0 : i64, kind = #tpu.reduction_kind<min>} : vector<16x128xf32> -> vector<16x128xf32>
  return
}

// -----

func.func @all_reduce(%v: vector<16x128xf32>) {
  // expected-error @below {{has kind maxui on 'f32' elements; it compares integers}}
  %0 = tpu.all_reduce %v {dim = 0 : i64, kind = #tpu.reduction_kind<maxui>} : vector<16x128xf32> -> vector<16x128xf32>
  return
}

// -----

func.func @scan(%v: vector<16xf32>) {
  // expected-error @below {{runs on tc, but only sc_vector_subcore scans}}
  %0 = tpu.scan <sum>, %v {dimension = 0 : i64} : vector<16xf32>,  -> vector<16xf32>
  return
}

// -----

func.func @scan(%v: vector<16xf32>) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error @below {{has kind arg_max; a sum, maximum or minimum is supported}}
  %0 = tpu.scan <arg_max>, %v {dimension = 0 : i64} : vector<16xf32>,  -> vector<16xf32>
  return
}

// -----

func.func @scan(%v: vector<16xf32>) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error @below {{has kind max, which leaves open how elements compare; use maxf for floats, maxsi for signed and maxui for unsigned integers}}
  %0 = tpu.scan <max>, %v {dimension = 0 : i64} : vector<16xf32>,  -> vector<16xf32>
  return
}

// -----

func.func @scan(%v: vector<16xf32>) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error @below {{has kind maxsi on 'f32' elements; it compares integers}}
  %0 = tpu.scan <maxsi>, %v {dimension = 0 : i64} : vector<16xf32>,  -> vector<16xf32>
  return
}

// -----

func.func @scan(%v: vector<16xf32>) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error @below {{has dimension 1, which is not in [0, 1)}}
  %0 = tpu.scan <sum>, %v {dimension = 1 : i64} : vector<16xf32>,  -> vector<16xf32>
  return
}

// -----

func.func @scan(%v: vector<16xf32>) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error @below {{has dimension -1, which is not in [0, 1)}}
  %0 = tpu.scan <sum>, %v {dimension = -1 : i64} : vector<16xf32>,  -> vector<16xf32>
  return
}

// -----

func.func @scan(%v: vector<16xf32>) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error @below {{gives 'vector<8xf32>' for 'vector<16xf32>'; the result is 'vector<16xf32>'}}
  %0 = tpu.scan <sum>, %v {dimension = 0 : i64} : vector<16xf32>,  -> vector<8xf32>
  return
}

// -----

func.func @scan(%v: vector<16xi1>) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error @below {{has kind maxui on i1 elements; only sum is supported}}
  %0 = tpu.scan <maxui>, %v {dimension = 0 : i64} : vector<16xi1>,  -> vector<16xi32>
  return
}

// -----

func.func @scan(%v: vector<16xi1>, %k: vector<16xi1>) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error @below {{has a mask on i1 elements, which is not supported}}
  %0 = tpu.scan <sum>, %v masked %k {dimension = 0 : i64} : vector<16xi1>, vector<16xi1> -> vector<16xi32>
  return
}

// -----

func.func @scan(%v: vector<16xi1>) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error @below {{gives 'vector<16xi1>' for 'vector<16xi1>'; the result is 'vector<16xi32>'}}
  %0 = tpu.scan <sum>, %v {dimension = 0 : i64} : vector<16xi1>,  -> vector<16xi1>
  return
}

// -----

func.func @scan(%v: vector<16xf32>) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error @below {{gives 'vector<16xi32>' for 'vector<16xf32>'; the result is 'vector<16xf32>'}}
  %0 = tpu.scan <sum>, %v {dimension = 0 : i64} : vector<16xf32>,  -> vector<16xi32>
  return
}

// -----

func.func @scan(%v: vector<4x16xf32>, %k: vector<4x16xi1>) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error @below {{has a mask of type 'vector<4x16xi1>' for 'vector<4x16xf32>' along dimension 1; give vector<16xi1>}}
  %0 = tpu.scan <sum>, %v masked %k {dimension = 1 : i64} : vector<4x16xf32>, vector<4x16xi1> -> vector<4x16xf32>
  return
}

// -----

func.func @scan(%v: vector<4x16xf32>, %k: vector<16xi1>) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error @below {{has a mask of type 'vector<16xi1>' for 'vector<4x16xf32>' along dimension 0; give vector<4xi1>}}
  %0 = tpu.scan <sum>, %v masked %k {dimension = 0 : i64} : vector<4x16xf32>, vector<16xi1> -> vector<4x16xf32>
  return
}

// -----

func.func @logistic(%v: vector<16xi32>) {
  // expected-error @below {{operand #0 must be vector of floating-point values}}
  %0 = tpu.logistic %v : vector<16xi32> -> vector<16xi32>
  return
}

// -----

func.func @logistic(%v: vector<16xf32>) {
  // expected-error @below {{requires the same type for all operands and results}}
  %0 = "tpu.logistic"(%v) : (vector<16xf32>) -> vector<8xf32>
  return
}

// -----

func.func @reduce_precision(%v: vector<16xf16>) {
  // expected-error @below {{operand #0 must be vector of 32-bit float or bfloat16 type values}}
  %0 = tpu.reduce_precision %v {exponent_bits = 5 : i32, mantissa_bits = 7 : i32} : vector<16xf16> -> vector<16xf16>
  return
}

// -----

func.func @reduce_precision(%v: vector<16xf32>) {
  // expected-error @below {{rounds to a float of 0 exponent and 7 mantissa bits; give at least 1 and 0}}
  %0 = tpu.reduce_precision %v {exponent_bits = 0 : i32, mantissa_bits = 7 : i32} : vector<16xf32> -> vector<16xf32>
  return
}

// -----

func.func @reduce_precision(%v: vector<16xf32>) {
  // expected-error @below {{rounds to a float of 5 exponent and -1 mantissa bits; give at least 1 and 0}}
  %0 = tpu.reduce_precision %v {exponent_bits = 5 : i32, mantissa_bits = -1 : i32} : vector<16xf32> -> vector<16xf32>
  return
}

// -----

func.func @compress_store(%m: memref<64xf32, #tpu.memory_space<vmem>>, %v: vector<16xf32>, %k: vector<16xi1>, %i: index) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error @below {{packs elements along dimension 1, which is not in [0, 1)}}
  tpu.vector_compress_store %m[%i], %v, %k {compress_dim = 1 : i32} : memref<64xf32, #tpu.memory_space<vmem>>, vector<16xf32>, vector<16xi1>
  return
}

// -----

func.func @compress_store(%m: memref<64xf32, #tpu.memory_space<vmem>>, %v: vector<16xf32>, %k: vector<16xi1>, %i: index) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error @below {{has 2 indices for a base of rank 1; give one per dimension}}
  tpu.vector_compress_store %m[%i, %i], %v, %k {compress_dim = 0 : i32} : memref<64xf32, #tpu.memory_space<vmem>>, vector<16xf32>, vector<16xi1>
  return
}

// -----

func.func @compress_store(%m: memref<64xf32, #tpu.memory_space<vmem>>, %v: vector<16xf32>, %k: vector<8xi1>, %i: index) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error @below {{has a mask of type 'vector<8xi1>' for a vector of type 'vector<16xf32>'; both need the same shape}}
  tpu.vector_compress_store %m[%i], %v, %k {compress_dim = 0 : i32} : memref<64xf32, #tpu.memory_space<vmem>>, vector<16xf32>, vector<8xi1>
  return
}

// -----

func.func @compress_store(%m: memref<64xf32, #tpu.memory_space<hbm>>, %v: vector<16xf32>, %k: vector<16xi1>, %i: index) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error @below {{but vectors move to and from vmem only}}
  tpu.vector_compress_store %m[%i], %v, %k {compress_dim = 0 : i32} : memref<64xf32, #tpu.memory_space<hbm>>, vector<16xf32>, vector<16xi1>
  return
}

// -----

func.func @compress_store(%m: memref<64xi32, #tpu.memory_space<vmem>>, %v: vector<16xf32>, %k: vector<16xi1>, %i: index) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error @below {{moves elements of type 'f32' but the base holds 'i32'; convert the vector or cast the base}}
  tpu.vector_compress_store %m[%i], %v, %k {compress_dim = 0 : i32} : memref<64xi32, #tpu.memory_space<vmem>>, vector<16xf32>, vector<16xi1>
  return
}

// -----

func.func @compress_store(%m: memref<4x64xf32, #tpu.memory_space<vmem>>, %v: vector<16xf32>, %k: vector<16xi1>, %i: index) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error @below {{moves a vector of rank 1 but the base has rank 2; give the vector size 1 where a dimension is dropped}}
  tpu.vector_compress_store %m[%i, %i], %v, %k {compress_dim = 0 : i32} : memref<4x64xf32, #tpu.memory_space<vmem>>, vector<16xf32>, vector<16xi1>
  return
}

// -----

func.func @expand_load(%m: memref<64xf32, #tpu.memory_space<vmem>>, %k: vector<16xi1>, %i: index) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error @below {{packs elements along dimension 1, which is not in [0, 1)}}
  %0 = tpu.vector_expand_load %m[%i], %k {expand_dim = 1 : i32} : memref<64xf32, #tpu.memory_space<vmem>>, vector<16xf32>, vector<16xi1>
  return
}

// -----

func.func @expand_load(%m: memref<64xf32, #tpu.memory_space<vmem>>, %k: vector<16xi1>, %i: index) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error @below {{has 2 indices for a base of rank 1; give one per dimension}}
  %0 = tpu.vector_expand_load %m[%i, %i], %k {expand_dim = 0 : i32} : memref<64xf32, #tpu.memory_space<vmem>>, vector<16xf32>, vector<16xi1>
  return
}

// -----

func.func @expand_load(%m: memref<64xf32, #tpu.memory_space<vmem>>, %k: vector<8xi1>, %i: index) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error @below {{has a mask of type 'vector<8xi1>' for a vector of type 'vector<16xf32>'; both need the same shape}}
  %0 = tpu.vector_expand_load %m[%i], %k {expand_dim = 0 : i32} : memref<64xf32, #tpu.memory_space<vmem>>, vector<16xf32>, vector<8xi1>
  return
}

// -----

func.func @expand_load(%m: memref<64xf32, #tpu.memory_space<hbm>>, %k: vector<16xi1>, %i: index) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error @below {{but vectors move to and from vmem only}}
  %0 = tpu.vector_expand_load %m[%i], %k {expand_dim = 0 : i32} : memref<64xf32, #tpu.memory_space<hbm>>, vector<16xf32>, vector<16xi1>
  return
}

// -----

func.func @expand_load(%m: memref<64xi32, #tpu.memory_space<vmem>>, %k: vector<16xi1>, %i: index) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error @below {{moves elements of type 'f32' but the base holds 'i32'; convert the vector or cast the base}}
  %0 = tpu.vector_expand_load %m[%i], %k {expand_dim = 0 : i32} : memref<64xi32, #tpu.memory_space<vmem>>, vector<16xf32>, vector<16xi1>
  return
}

// -----

func.func @expand_load(%m: memref<4x64xf32, #tpu.memory_space<vmem>>, %k: vector<16xi1>, %i: index) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error @below {{moves a vector of rank 1 but the base has rank 2; give the vector size 1 where a dimension is dropped}}
  %0 = tpu.vector_expand_load %m[%i, %i], %k {expand_dim = 0 : i32} : memref<4x64xf32, #tpu.memory_space<vmem>>, vector<16xf32>, vector<16xi1>
  return
}

// -----

func.func @shared_slice(%m: memref<8x128xi32, #tpu.memory_space<vmem_shared>>) attributes {tpu.core_type = #tpu.core_type<tc>} {
  // expected-error @below {{runs on tc, but only sc_vector_subcore has a part of shared memory}}
  %0 = tpu.shared_memref_slice %m : memref<8x128xi32, #tpu.memory_space<vmem_shared>> -> memref<8x8xi32, #tpu.memory_space<vmem>>
  return
}

// -----

func.func @shared_slice(%m: memref<8x128xi32, #tpu.memory_space<vmem>>) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error @below {{but only vmem_shared is dealt out to subcores}}
  %0 = tpu.shared_memref_slice %m : memref<8x128xi32, #tpu.memory_space<vmem>> -> memref<8x8xi32, #tpu.memory_space<vmem>>
  return
}

// -----

func.func @shared_slice(%m: memref<8x128xi32, #tpu.memory_space<vmem_shared>>) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error @below {{but the part lies in the subcore's own vmem}}
  %0 = tpu.shared_memref_slice %m : memref<8x128xi32, #tpu.memory_space<vmem_shared>> -> memref<8x8xi32, #tpu.memory_space<vmem_shared>>
  return
}

// -----

func.func @shared_slice(%m: memref<8x128xi32, #tpu.memory_space<vmem_shared>>) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error @below {{gives a view of 'f32' elements of a memref of 'i32'; tpu.memref_bitcast changes the type}}
  %0 = tpu.shared_memref_slice %m : memref<8x128xi32, #tpu.memory_space<vmem_shared>> -> memref<8x8xf32, #tpu.memory_space<vmem>>
  return
}

// -----

func.func @shared_slice(%m: memref<8x128xi32, #tpu.memory_space<vmem_shared>>) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error @below {{only the last dimension may differ}}
  %0 = tpu.shared_memref_slice %m : memref<8x128xi32, #tpu.memory_space<vmem_shared>> -> memref<4x8xi32, #tpu.memory_space<vmem>>
  return
}

// -----

func.func @shared_slice(%m: memref<8x128xi32, #tpu.memory_space<vmem_shared>>) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error @below {{gives 9 of the 128 elements along the last dimension to each subcore; the parts must be equal}}
  %0 = tpu.shared_memref_slice %m : memref<8x128xi32, #tpu.memory_space<vmem_shared>> -> memref<8x9xi32, #tpu.memory_space<vmem>>
  return
}

// -----

func.func @shared_slice(%m: memref<8x?xi32, #tpu.memory_space<vmem_shared>>) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error @below {{both must be static}}
  %0 = tpu.shared_memref_slice %m : memref<8x?xi32, #tpu.memory_space<vmem_shared>> -> memref<8x?xi32, #tpu.memory_space<vmem>>
  return
}

// -----

func.func @annotate(%m: memref<16x128xf32, #tpu.memory_space<vmem>>) {
  // expected-error @below {{has no_store and no_hazard set; each determines the order, keep one}}
  %0 = tpu.annotate %m {no_hazard = true, no_store = true} : memref<16x128xf32, #tpu.memory_space<vmem>>
  return
}

// -----

func.func @annotate(%m: memref<16x128xf32, #tpu.memory_space<vmem>>) {
  // expected-error @below {{requires the same type for all operands and results}}
  %0 = "tpu.annotate"(%m) <{no_store = true}> : (memref<16x128xf32, #tpu.memory_space<vmem>>) -> memref<8x128xf32, #tpu.memory_space<vmem>>
  return
}

// -----

func.func @memory_space_is(%m: memref<16x128xf32, #tpu.memory_space<vmem>>) {
  // expected-error @below {{asks for the memory space any, in which no memref is in the end; name another one}}
  %0 = tpu.memref_memory_space_is %m, <any> : memref<16x128xf32, #tpu.memory_space<vmem>>
  return
}

// -----

func.func @tile_size(%m: memref<16x128xf32, #tpu.memory_space<vmem>>) {
  // expected-error @below {{asks for dimension 2, which is not in [0, 2)}}
  %0 = tpu.tile_size %m, 2 : memref<16x128xf32, #tpu.memory_space<vmem>>
  return
}

// -----

func.func @tile_size(%m: memref<16x128xf32, #tpu.memory_space<vmem>>) {
  // expected-error @below {{asks for dimension -1, which is not in [0, 2)}}
  %0 = tpu.tile_size %m, -1 : memref<16x128xf32, #tpu.memory_space<vmem>>
  return
}

// -----

func.func @reinterpret_cast(%m: memref<16x128xf32, #tpu.memory_space<vmem>>, %n: i32) {
  // expected-error @below {{has 0 dynamic strides for a result with 1 dynamic strides}}
  %0 = tpu.reinterpret_cast %m : memref<16x128xf32, #tpu.memory_space<vmem>> -> memref<16x128xf32, #tpu.tiled<(8,128),[?,1]>, #tpu.memory_space<vmem>>
  return
}

// -----

func.func @reinterpret_cast(%m: memref<16x128xf32, #tpu.memory_space<vmem>>, %n: i32) {
  // expected-error @below {{has 1 dynamic strides for a result with 0 dynamic strides}}
  %0 = tpu.reinterpret_cast %m [%n] : memref<16x128xf32, #tpu.memory_space<vmem>> -> memref<16x128xf32, #tpu.memory_space<vmem>>
  return
}

// -----

func.func @conv(%l: vector<1x8x8x128xf32>, %r: vector<3x3x128x128xf32>, %a: vector<1x6x6x128xf32>) {
  // expected-error @below {{gives 'vector<1x6x6x128xbf16>' for an accumulator of type 'vector<1x6x6x128xf32>'; both are equal}}
  %0 = tpu.conv %l, %r, %a {dimension_numbers = #tpu.conv_dimension_numbers<0, 3, [1, 2], 2, 3, [0, 1], 0, 3, [1, 2]>, lhs_dilation = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>} : vector<1x8x8x128xf32>, vector<3x3x128x128xf32>, vector<1x6x6x128xf32> -> vector<1x6x6x128xbf16>
  return
}

// -----

func.func @conv(%l: vector<8x8x128xf32>, %r: vector<3x3x128x128xf32>, %a: vector<1x6x6x128xf32>) {
  // expected-error @below {{has lhs of rank 3 with 2 spatial dimensions; there are two dimensions beside these}}
  %0 = tpu.conv %l, %r, %a {dimension_numbers = #tpu.conv_dimension_numbers<0, 3, [1, 2], 2, 3, [0, 1], 0, 3, [1, 2]>, lhs_dilation = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>} : vector<8x8x128xf32>, vector<3x3x128x128xf32>, vector<1x6x6x128xf32> -> vector<1x6x6x128xf32>
  return
}

// -----

func.func @conv(%l: vector<1x8x8x128xf32>, %r: vector<3x3x128x128xf32>, %a: vector<1x6x6x128xf32>) {
  // expected-error @below {{names dimension 1 of lhs twice}}
  %0 = tpu.conv %l, %r, %a {dimension_numbers = #tpu.conv_dimension_numbers<0, 3, [1, 1], 2, 3, [0, 1], 0, 3, [1, 2]>, lhs_dilation = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>} : vector<1x8x8x128xf32>, vector<3x3x128x128xf32>, vector<1x6x6x128xf32> -> vector<1x6x6x128xf32>
  return
}

// -----

func.func @conv(%l: vector<1x8x8x128xf32>, %r: vector<3x3x128x128xf32>, %a: vector<1x6x6x128xf32>) {
  // expected-error @below {{has dimension 9 of rhs, which is not in [0, 4)}}
  %0 = tpu.conv %l, %r, %a {dimension_numbers = #tpu.conv_dimension_numbers<0, 3, [1, 2], 9, 3, [0, 1], 0, 3, [1, 2]>, lhs_dilation = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>} : vector<1x8x8x128xf32>, vector<3x3x128x128xf32>, vector<1x6x6x128xf32> -> vector<1x6x6x128xf32>
  return
}

// -----

func.func @conv(%l: vector<1x8x8x128xf32>, %r: vector<128x128xf32>, %a: vector<1x6x6x128xf32>) {
  // expected-error @below {{has ranks 4, 2 and 4 of lhs, rhs and acc; they are equal}}
  %0 = tpu.conv %l, %r, %a {dimension_numbers = #tpu.conv_dimension_numbers<0, 3, [1, 2], 0, 1, [], 0, 3, [1, 2]>, lhs_dilation = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>} : vector<1x8x8x128xf32>, vector<128x128xf32>, vector<1x6x6x128xf32> -> vector<1x6x6x128xf32>
  return
}

// -----

func.func @conv(%l: vector<1x8x8x128xf32>, %r: vector<3x3x128x128xf32>, %a: vector<1x6x6x128xf32>) {
  // expected-error @below {{has 1 numbers in padding for 2 spatial dimensions; give 4}}
  %0 = tpu.conv %l, %r, %a {dimension_numbers = #tpu.conv_dimension_numbers<0, 3, [1, 2], 2, 3, [0, 1], 0, 3, [1, 2]>, lhs_dilation = array<i64: 1, 1>, padding = array<i64: 0>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>} : vector<1x8x8x128xf32>, vector<3x3x128x128xf32>, vector<1x6x6x128xf32> -> vector<1x6x6x128xf32>
  return
}

// -----

func.func @conv(%l: vector<1x8x8x128xf32>, %r: vector<3x3x128x128xf32>, %a: vector<1x6x6x128xf32>) {
  // expected-error @below {{has 1 numbers in window_strides for 2 spatial dimensions; give 2}}
  %0 = tpu.conv %l, %r, %a {dimension_numbers = #tpu.conv_dimension_numbers<0, 3, [1, 2], 2, 3, [0, 1], 0, 3, [1, 2]>, lhs_dilation = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1>} : vector<1x8x8x128xf32>, vector<3x3x128x128xf32>, vector<1x6x6x128xf32> -> vector<1x6x6x128xf32>
  return
}

// -----

func.func @conv(%l: vector<1x8x8x128xf32>, %r: vector<3x3x128x128xf32>, %a: vector<1x6x6x128xf32>) {
  // expected-error @below {{has 1 numbers in window_reversal for 2 spatial dimensions; give 2}}
  %0 = tpu.conv %l, %r, %a {dimension_numbers = #tpu.conv_dimension_numbers<0, 3, [1, 2], 2, 3, [0, 1], 0, 3, [1, 2]>, lhs_dilation = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: true>, window_strides = array<i64: 1, 1>} : vector<1x8x8x128xf32>, vector<3x3x128x128xf32>, vector<1x6x6x128xf32> -> vector<1x6x6x128xf32>
  return
}

// -----

func.func @conv(%l: vector<1x8x8x128xf32>, %r: vector<3x3x128x128xf32>, %a: vector<1x6x6x128xf32>) {
  // expected-error @below {{has 0 in window_strides, which is below 1}}
  %0 = tpu.conv %l, %r, %a {dimension_numbers = #tpu.conv_dimension_numbers<0, 3, [1, 2], 2, 3, [0, 1], 0, 3, [1, 2]>, lhs_dilation = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 0, 1>} : vector<1x8x8x128xf32>, vector<3x3x128x128xf32>, vector<1x6x6x128xf32> -> vector<1x6x6x128xf32>
  return
}

// -----

func.func @conv(%l: vector<1x8x8x128xf32>, %r: vector<3x3x128x128xf32>, %a: vector<1x6x6x128xf32>) {
  // expected-error @below {{has 0 in rhs_dilation, which is below 1}}
  %0 = tpu.conv %l, %r, %a {dimension_numbers = #tpu.conv_dimension_numbers<0, 3, [1, 2], 2, 3, [0, 1], 0, 3, [1, 2]>, lhs_dilation = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, rhs_dilation = array<i64: 1, 0>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>} : vector<1x8x8x128xf32>, vector<3x3x128x128xf32>, vector<1x6x6x128xf32> -> vector<1x6x6x128xf32>
  return
}

// -----

func.func @conv(%l: vector<1x8x8x128xf32>, %r: vector<3x3x128x128xf32>, %a: vector<1x6x6x128xf32>) {
  // expected-error @below {{has 0 groups of features and 1 of batches; give at least 1}}
  %0 = tpu.conv %l, %r, %a {dimension_numbers = #tpu.conv_dimension_numbers<0, 3, [1, 2], 2, 3, [0, 1], 0, 3, [1, 2]>, feature_group_count = 0 : i64, lhs_dilation = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>} : vector<1x8x8x128xf32>, vector<3x3x128x128xf32>, vector<1x6x6x128xf32> -> vector<1x6x6x128xf32>
  return
}

// -----

func.func @conv(%l: vector<1x8x8x128xf32>, %r: vector<3x3x128x128xf32>, %a: vector<1x6x6x128xf32>) {
  // expected-error @below {{has 128 features in 2 groups for a kernel of 128 input features; each group needs as many as the kernel has}}
  %0 = tpu.conv %l, %r, %a {dimension_numbers = #tpu.conv_dimension_numbers<0, 3, [1, 2], 2, 3, [0, 1], 0, 3, [1, 2]>, feature_group_count = 2 : i64, lhs_dilation = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>} : vector<1x8x8x128xf32>, vector<3x3x128x128xf32>, vector<1x6x6x128xf32> -> vector<1x6x6x128xf32>
  return
}

// -----

func.func @conv(%l: vector<1x8x8x128xf32>, %r: vector<3x3x128x128xf32>, %a: vector<1x6x6x128xf32>) {
  // expected-error @below {{turns 1 batches in 2 groups into 1 of the accumulator; these are those of one group}}
  %0 = tpu.conv %l, %r, %a {dimension_numbers = #tpu.conv_dimension_numbers<0, 3, [1, 2], 2, 3, [0, 1], 0, 3, [1, 2]>, batch_group_count = 2 : i64, lhs_dilation = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>} : vector<1x8x8x128xf32>, vector<3x3x128x128xf32>, vector<1x6x6x128xf32> -> vector<1x6x6x128xf32>
  return
}

// -----

func.func @conv(%l: vector<1x8x8x128xf32>, %r: vector<3x3x128x64xf32>, %a: vector<1x6x6x128xf32>) {
  // expected-error @below {{has 64 output features of the kernel and 128 of the accumulator; they are equal}}
  %0 = tpu.conv %l, %r, %a {dimension_numbers = #tpu.conv_dimension_numbers<0, 3, [1, 2], 2, 3, [0, 1], 0, 3, [1, 2]>, lhs_dilation = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>} : vector<1x8x8x128xf32>, vector<3x3x128x64xf32>, vector<1x6x6x128xf32> -> vector<1x6x6x128xf32>
  return
}

// -----

func.func @conv(%l: vector<1x8x8x128xf32>, %r: vector<3x3x128x128xf32>, %a: vector<1x6x5x128xf32>) {
  // expected-error @below {{has size 5 of the accumulator along spatial dimension 1, where the window has 6 places}}
  %0 = tpu.conv %l, %r, %a {dimension_numbers = #tpu.conv_dimension_numbers<0, 3, [1, 2], 2, 3, [0, 1], 0, 3, [1, 2]>, lhs_dilation = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>} : vector<1x8x8x128xf32>, vector<3x3x128x128xf32>, vector<1x6x5x128xf32> -> vector<1x6x5x128xf32>
  return
}

// -----

func.func @conv(%l: vector<1x8x8x128xf32>, %r: vector<3x3x128x128xf32>, %a: vector<1x6x6x128xf32>) {
  // expected-error @below {{has size 6 of the accumulator along spatial dimension 0, where the window has 3 places}}
  %0 = tpu.conv %l, %r, %a {dimension_numbers = #tpu.conv_dimension_numbers<0, 3, [1, 2], 2, 3, [0, 1], 0, 3, [1, 2]>, lhs_dilation = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 2, 1>} : vector<1x8x8x128xf32>, vector<3x3x128x128xf32>, vector<1x6x6x128xf32> -> vector<1x6x6x128xf32>
  return
}
