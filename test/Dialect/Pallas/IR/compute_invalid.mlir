// RUN: pallas-opt %s --verify-diagnostics --split-input-file

func.func @dot_dimension(%a: tensor<4x8xf32>) {
  // V24
  // expected-error @+1 {{lhs dimension 2 is out of range for rank 2}}
  %0 = pallas.dot_general %a, %a contract [2] x [0] : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @dot_twice(%a: tensor<4x8xf32>) {
  // V24
  // expected-error @+1 {{lhs dimension 0 is named twice}}
  %0 = pallas.dot_general %a, %a contract [0] x [0] batch [0] x [1] : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @dot_sizes(%a: tensor<4x8xf32>) {
  // V24
  // expected-error @+1 {{contracting dimensions 1 of lhs and 0 of rhs have the sizes 8 and 4, but must be equal}}
  %0 = pallas.dot_general %a, %a contract [1] x [0] : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @dot_count(%a: tensor<4x8xf32>) {
  // V24
  // expected-error @+1 {{has 1 contracting dimensions of lhs, but 2 of rhs}}
  %0 = pallas.dot_general %a, %a contract [1] x [0, 1] : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @dot_result(%a: tensor<4x8xf32>) {
  // V24
  // expected-error @+1 {{result must have type 'tensor<4x4xf32>', but has type 'tensor<4x8xf32>'}}
  %0 = pallas.dot_general %a, %a contract [1] x [1] : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @dot_types(%a: tensor<4x8xf32>, %b: tensor<4x8xi32>) {
  // V27
  // expected-error @+1 {{contracts 'f32' and 'i32' into 'i32'; a float operand needs a float result, so convert 'f32' to 'i32' first, or the result to 'i32' after}}
  %0 = pallas.dot_general %a, %b contract [1] x [1] : tensor<4x8xf32>, tensor<4x8xi32> -> tensor<4x4xi32>
  return
}

// -----

func.func @dot_index(%a: tensor<4x8xf32>, %b: tensor<4x8xindex>) {
  // V27
  // expected-error @+1 {{contracts 'f32' and 'index' into 'f32'; elements must be floats or signless integers, so convert 'index' first}}
  %0 = pallas.dot_general %a, %b contract [1] x [1] : tensor<4x8xf32>, tensor<4x8xindex> -> tensor<4x4xf32>
  return
}

// -----

func.func @dot_sign(%a: tensor<4x8xi8>, %b: tensor<4x8xbf16>) {
  // V27
  // expected-error @+1 {{has unsigned_rhs, but the elements of rhs are 'bf16', which always has a sign; drop it}}
  %0 = pallas.dot_general %a, %b contract [1] x [1] unsigned_lhs unsigned_rhs : tensor<4x8xi8>, tensor<4x8xbf16> -> tensor<4x4xf32>
  return
}

// -----

func.func @dot_accumulator(%a: tensor<4x8xf32>, %c: tensor<4xf32>) {
  // V24
  // expected-error @+1 {{accumulator has type 'tensor<4xf32>', but the result has type 'tensor<4x4xf32>'}}
  %0 = pallas.dot_general %a, %a acc %c contract [1] x [1] : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @reduce_dimension(%a: tensor<4x8xf32>) {
  // V24
  // expected-error @+1 {{reduced dimension 2 is out of range for rank 2}}
  %0 = pallas.reduce <add> %a dims [2] : tensor<4x8xf32>
  return
}

// -----

func.func @reduce_kind(%a: tensor<4x8xf32>) {
  // V24
  // expected-error @+1 {{umax needs integers, but the element type is 'f32'}}
  %0 = pallas.reduce <umax> %a dims [1] : tensor<4x8xf32>
  return
}

// -----

func.func @reduce_element(%a: tensor<4x8xcomplex<f32>>) {
  // V24
  // expected-error @+1 {{combines integers and floats only, but the element type is 'complex<f32>'}}
  %0 = pallas.reduce <add> %a dims [1] : tensor<4x8xcomplex<f32>>
  return
}

// -----

func.func @arg_reduce_kind(%a: tensor<4x8xf32>) {
  // V24
  // expected-error @+1 {{kind must be max, min, umax or umin, but is add}}
  %0 = pallas.arg_reduce <add> %a dim 1 to i32 : tensor<4x8xf32>
  return
}

// -----

func.func @arg_reduce_empty(%a: tensor<4x0xf32>) {
  // V24
  // expected-error @+1 {{dimension 1 is empty, so it has no greatest or least element}}
  %0 = pallas.arg_reduce <max> %a dim 1 to i32 : tensor<4x0xf32>
  return
}

// -----

func.func @cumulative_kind(%a: tensor<4x8xi32>) {
  // V24
  // expected-error @+1 {{logsumexp needs floats, but the element type is 'i32'}}
  %0 = pallas.cumulative <logsumexp> %a dim 0 : tensor<4x8xi32>
  return
}

// -----

func.func @iota_dimension() {
  // V24
  // expected-error @+1 {{iota dimension 1 is out of range for rank 1}}
  %0 = pallas.iota 1 : tensor<4xi32>
  return
}

// -----

func.func @broadcast_size(%a: tensor<4xf32>) {
  // V24
  // expected-error @+1 {{input dimension 0 of size 4 does not broadcast to result dimension 0 of size 8}}
  %0 = pallas.broadcast %a dims [0] : tensor<4xf32> -> tensor<8x4xf32>
  return
}

// -----

func.func @broadcast_rank(%a: tensor<4xf32>) {
  // V24
  // expected-error @+1 {{names 0 result dimensions, but the input has rank 1}}
  %0 = pallas.broadcast %a : tensor<4xf32> -> tensor<8x4xf32>
  return
}

// -----

func.func @transpose(%a: tensor<4x8xf32>) {
  // V24
  // expected-error @+1 {{[0] is not a permutation of the input's dimensions}}
  %0 = pallas.transpose %a, [0] : tensor<4x8xf32>
  return
}

// -----

func.func @reshape_count(%a: tensor<4x8xf32>) {
  // V24
  // expected-error @+1 {{both shapes must hold the same number of elements}}
  %0 = pallas.reshape %a : tensor<4x8xf32> -> tensor<16xf32>
  return
}

// -----

func.func @bitcast_dimension(%a: tensor<4x8xf32>) {
  // V24
  // expected-error @+1 {{changes the width from 32 to 16 bits, so it needs a dimension}}
  %0 = pallas.bitcast %a : tensor<4x8xf32> -> tensor<8x8xf16>
  return
}

// -----

func.func @bitcast_no_bits(%a: tensor<4x8xi0>) {
  // V24
  // expected-error @+1 {{casts integers and floats only, but casts 'i0' to 'f16'}}
  %0 = pallas.bitcast %a dim 0 : tensor<4x8xi0> -> tensor<8x8xf16>
  return
}

// -----

func.func @bitcast_join(%a: tensor<3x8xf16>) {
  // V24
  // expected-error @+1 {{cannot join 2 elements along dimension 0 of [3, 8]}}
  %0 = pallas.bitcast %a dim 0 : tensor<3x8xf16> -> tensor<1x8xf32>
  return
}

// -----

func.func @roll_stride(%a: tensor<4x8xf32>, %n: i32) {
  // V24
  // expected-error @+1 {{needs both a stride and its dimension, or neither}}
  %0 = "pallas.roll"(%a, %n) <{dimension = 0 : i64, stride = 1 : i64}> : (tensor<4x8xf32>, i32) -> tensor<4x8xf32>
  return
}

// -----

func.func @gather_batch(%a: tensor<4x8xf32>, %i: tensor<3x1xi32>) {
  // V24
  // expected-error @+1 {{batching dimensions 0 of the operand and 0 of the indices have the sizes 4 and 3, but must be equal}}
  %0 = pallas.gather %a at %i offset [] collapsed [1] batching [0] x [0] map [1] sizes [1, 1]
      : tensor<4x8xf32>, tensor<3x1xi32> -> tensor<3xf32>
  return
}

// -----

func.func @gather_sizes(%a: tensor<4x8xf32>, %i: tensor<3x1xi32>) {
  // V24
  // expected-error @+1 {{slice size 9 of dimension 1 must be from 0 to 8}}
  %0 = pallas.gather %a at %i offset [1] collapsed [0] batching [] x [] map [0] sizes [1, 9]
      : tensor<4x8xf32>, tensor<3x1xi32> -> tensor<3x9xf32>
  return
}

// -----

func.func @take_along(%a: tensor<4x8xf32>, %i: tensor<3x2xi32>) {
  // V24
  // expected-error @+1 {{input and indices have the sizes 4 and 3 in dimension 0, but must be equal outside of dimension 1}}
  %0 = pallas.take_along %a at %i dim 1 : tensor<4x8xf32>, tensor<3x2xi32> -> tensor<3x2xf32>
  return
}

// -----

func.func @scatter_updates(%a: tensor<4x8xf32>, %i: tensor<3x1xi32>, %u: tensor<3xf32>) {
  // V24
  // expected-error @+1 {{updates of shape [3] do not fit windows of rank 1}}
  %0 = pallas.scatter combining <add> %a at %i, %u window [] inserted [0] batching [] x [] map [0]
      : tensor<4x8xf32>, tensor<3x1xi32>, tensor<3xf32>
  return
}

// -----

func.func @sort_keys(%a: tensor<4xf32>) {
  // V24
  // expected-error @+1 {{number of keys must be from 1 to the 1 operands, but is 2}}
  %0 = pallas.sort %a dim 0 keys 2 : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @pack_type(%a: tensor<4xf32>) {
  // V24
  // expected-error @+1 {{cannot pack elements of type 'f32' into 'i32'; a word is an integer of a multiple of their width}}
  %0 = pallas.pack_elementwise %a as f32 : tensor<4xf32> -> tensor<4xi32>
  return
}

// -----

func.func @unpack_index(%a: tensor<4xi32>) {
  // V24
  // expected-error @+1 {{'i32' holds 2 elements of type 'bf16', but element 2 is asked for}}
  %0 = pallas.unpack_elementwise %a[2] as bf16 : tensor<4xi32> -> tensor<4xf32>
  return
}

// -----

func.func @hint(%a: i32) {
  // V24
  // expected-error @+1 {{numbers must be at least 1, but one is 0}}
  %0 = pallas.multiple_of %a, [0] : i32
  return
}

// -----

func.func @scan_count(%a: tensor<4xi32>, %m: tensor<3xi1>) {
  // V24
  // expected-error @+1 {{masks 'tensor<4xi32>' by 'tensor<3xi1>'; both must have the same shape}}
  %0:2 = pallas.scan_count %a mask %m : tensor<4xi32>, tensor<3xi1> -> tensor<4xi32>, tensor<4xi1>
  return
}

// -----

func.func @barrier_types(%a: i32) {
  // V24
  // expected-error @+2 {{inferred type(s) 'i32' are incompatible with return type(s) of operation 'i64'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = pallas.optimization_barrier %a : i32 -> i64
  return
}

// -----

func.func @scatter_places(%x: tensor<8x4xf32>, %i: tensor<2x1xi32>, %u: tensor<5x4xf32>) {
  // V24
  // expected-error @+1 {{has windows of updates in the shape [5], but indices in [2]; give one window per index}}
  %0 = pallas.scatter %x at %i, %u window [1] inserted [0] batching [] x [] map [0] : tensor<8x4xf32>, tensor<2x1xi32>, tensor<5x4xf32>
  return
}

// -----

func.func @float_indices(%x: tensor<8x4xf32>, %i: tensor<2x1xf32>) {
  // V24
  // expected-error @+1 {{operand #1 must be ranked tensor of signless integer values, but got 'tensor<2x1xf32>'}}
  %0 = pallas.gather %x at %i offset [1] collapsed [0] batching [] x [] map [0] sizes [1, 4] : tensor<8x4xf32>, tensor<2x1xf32> -> tensor<2x4xf32>
  return
}

// -----

func.func @round_shapes(%x: tensor<8x128xf32>, %b: tensor<4xi32>) {
  // V24
  // expected-error @+1 {{rounds 'tensor<8x128xf32>' by 'tensor<4xi32>' to 'tensor<8x128xbf16>'; all three must have the same shape}}
  %0 = pallas.stochastic_round %x bits %b : tensor<8x128xf32>, tensor<4xi32> -> tensor<8x128xbf16>
  return
}

// -----

func.func @round_elements(%x: tensor<8xf32>, %b: tensor<8xi16>) {
  // V24
  // expected-error @+1 {{rounds 'f32' by 'i16' to 'bf16'; it takes f32 and i32 to a narrower float}}
  %0 = pallas.stochastic_round %x bits %b : tensor<8xf32>, tensor<8xi16> -> tensor<8xbf16>
  return
}

// -----

func.func @reciprocal_of_integers(%x: tensor<8xi32>) {
  // V24
  // expected-error @+1 {{operand #0 must be float or tensor of floats, but got 'tensor<8xi32>'}}
  %0 = pallas.reciprocal %x : tensor<8xi32>
  return
}

// -----

func.func @pack_integers_as_floats(%x: tensor<8xi32>) {
  // V24
  // expected-error @+1 {{holds 'i32' elements as 'bf16'; both must be floats, or both integers, and the packed ones no wider}}
  %0 = pallas.pack_elementwise %x, %x as bf16 : tensor<8xi32>, tensor<8xi32> -> tensor<8xi32>
  return
}

// -----

func.func @unpack_to_index(%x: tensor<8xi32>) {
  // V24
  // expected-error @+1 {{holds 'index' elements as 'i16'; both must be floats, or both integers, and the packed ones no wider}}
  %0 = pallas.unpack_elementwise %x[1] as i16 : tensor<8xi32> -> tensor<8xindex>
  return
}

// -----

func.func @sort_types(%x: tensor<8xf32>) {
  // V24
  // expected-error @+2 {{inferred type(s) 'tensor<8xf32>' are incompatible with return type(s) of operation 'tensor<8xi32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = pallas.sort %x dim 0 : tensor<8xf32> -> tensor<8xi32>
  return
}

// -----

func.func @cumulative_unsigned(%x: tensor<8xf32>) {
  // V24
  // expected-error @+1 {{umax needs integers, but the element type is 'f32'}}
  %0 = pallas.cumulative <umax> %x dim 0 : tensor<8xf32>
  return
}

// -----

func.func @reduce_indices(%x: tensor<8x4xindex>) {
  // V24
  // expected-error @+1 {{combines integers and floats only, but the element type is 'index'; convert them first}}
  %0 = pallas.reduce <max> %x dims [0] : tensor<8x4xindex>
  return
}

// -----

func.func @gather_offsets(%a: tensor<4x8xf32>, %i: tensor<3x1xi32>) {
  // V24
  // expected-error @+2 {{has 0 offset dimensions, but slices keep 1; give one for each that is neither collapsed nor batching, below 2}}
  // expected-error @+1 {{'pallas.gather' op failed to infer returned types}}
  %0 = pallas.gather %a at %i offset [] collapsed [0] batching [] x [] map [0] sizes [1, 8]
      : tensor<4x8xf32>, tensor<3x1xi32> -> tensor<3x8xf32>
  return
}

// -----

func.func @gather_result(%a: tensor<4x8xf32>, %i: tensor<3x1xi32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<3x8xf32>' are incompatible with return type(s) of operation 'tensor<8x3xf32>'}}
  // expected-error @+1 {{'pallas.gather' op failed to infer returned types}}
  %0 = pallas.gather %a at %i offset [1] collapsed [0] batching [] x [] map [0] sizes [1, 8]
      : tensor<4x8xf32>, tensor<3x1xi32> -> tensor<8x3xf32>
  return
}

// -----

func.func @gather_dynamic(%a: tensor<?x8xf32>, %i: tensor<3x1xi32>) {
  // V24
  // expected-error @+1 {{gathers slices of 'tensor<?x8xf32>'; its dimensions must have static sizes}}
  %0 = pallas.gather %a at %i offset [1] collapsed [0] batching [] x [] map [0] sizes [1, 8]
      : tensor<?x8xf32>, tensor<3x1xi32> -> tensor<3x8xf32>
  return
}

// -----

func.func @pack_shapes(%a: tensor<4xf32>, %b: tensor<8xf32>) {
  // V24
  // expected-error @+1 {{operands and result must have the same shape, but have 'tensor<8xf32>' and 'tensor<4xi32>'}}
  %0 = pallas.pack_elementwise %a, %b as bf16 : tensor<4xf32>, tensor<8xf32> -> tensor<4xi32>
  return
}

// -----

func.func @unpack_shapes(%a: tensor<4xi32>) {
  // V24
  // expected-error @+1 {{operand and result must have the same shape, but have 'tensor<4xi32>' and 'tensor<8xf32>'}}
  %0 = pallas.unpack_elementwise %a[1] as bf16 : tensor<4xi32> -> tensor<8xf32>
  return
}

// -----

func.func @hint_count(%a: tensor<8x128xi32>) {
  // V24
  // expected-error @+1 {{has 3 numbers for a value of rank 2; give one, or one per dimension}}
  %0 = pallas.max_contiguous %a, [1, 1, 8] : tensor<8x128xi32>
  return
}

// -----

func.func @hint_on_float(%a: tensor<8x128xf32>) {
  // V24
  // expected-error @+1 {{is about integers, but the value has type 'tensor<8x128xf32>'; put it on the index}}
  %0 = pallas.multiple_of %a, [8] : tensor<8x128xf32>
  return
}

// -----

func.func @sort_shapes(%a: tensor<4xf32>, %b: tensor<8xi32>) {
  // V24
  // expected-error @+1 {{sorts tensors together, so they need the same shape, but have the types 'tensor<4xf32>', 'tensor<8xi32>'}}
  %0:2 = pallas.sort %a, %b dim 0 : tensor<4xf32>, tensor<8xi32> -> tensor<4xf32>, tensor<8xi32>
  return
}

// -----

func.func @sort_nothing() {
  // V24
  // expected-error @+1 {{needs at least one tensor to sort; give the keys first}}
  "pallas.sort"() <{dimension = 0 : i64}> : () -> ()
  return
}

// -----

func.func @gather_pairs(%a: tensor<3x8xf32>, %i: tensor<3x1xi32>) {
  // V24
  // expected-error @+1 {{has 1 batching dimensions of the operand, but 0 of the indices; name them in pairs}}
  %0 = pallas.gather %a at %i offset [] collapsed [1] batching [0] x [] map [1] sizes [1, 1]
      : tensor<3x8xf32>, tensor<3x1xi32> -> tensor<3xf32>
  return
}

// -----

func.func @gather_pair_sizes(%a: tensor<4x8xf32>, %i: tensor<3x1xi32>) {
  // V24
  // expected-error @+1 {{batching dimensions 0 of the operand and 0 of the indices have the sizes 4 and 3, but must be equal}}
  %0 = pallas.gather %a at %i offset [] collapsed [1] batching [0] x [0] map [1] sizes [1, 1]
      : tensor<4x8xf32>, tensor<3x1xi32> -> tensor<3xf32>
  return
}

// -----

func.func @gather_dropped_size(%a: tensor<4x8xf32>, %i: tensor<3x1xi32>) {
  // V24
  // expected-error @+1 {{collapsed or batching dimension 0 must have slice size 1, but has 2}}
  %0 = pallas.gather %a at %i offset [1] collapsed [0] batching [] x [] map [0] sizes [2, 8]
      : tensor<4x8xf32>, tensor<3x1xi32> -> tensor<3x8xf32>
  return
}

// -----

func.func @iota_elements() {
  // V24
  // expected-error @+1 {{elements must be integers or floats, but are 'complex<f32>'}}
  %0 = pallas.iota 0 : tensor<4xcomplex<f32>>
  return
}

// -----

func.func @broadcast_elements(%a: tensor<4xf32>) {
  // V24
  // expected-error @+1 {{broadcasts 'f32' elements to 'f16'; both must be equal}}
  %0 = pallas.broadcast %a dims [0] : tensor<4xf32> -> tensor<4xf16>
  return
}

// -----

func.func @broadcast_order(%a: tensor<4x8xf32>) {
  // V24
  // expected-error @+1 {{result dimensions [1, 0] must be ascending; use pallas.transpose first}}
  %0 = pallas.broadcast %a dims [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  return
}

// -----

func.func @reshape_elements(%a: tensor<4xf32>) {
  // V24
  // expected-error @+1 {{keeps the elements, but 'f32' becomes 'i32'; convert or bitcast them}}
  %0 = pallas.reshape %a : tensor<4xf32> -> tensor<4xi32>
  return
}

// -----

func.func @reshape_dynamic(%a: tensor<?xf32>) {
  // V24
  // expected-error @+1 {{needs static shapes, but reshapes 'tensor<?xf32>' to 'tensor<4xf32>'; slice a static part first}}
  %0 = pallas.reshape %a : tensor<?xf32> -> tensor<4xf32>
  return
}

// -----

func.func @bitcast_dynamic(%a: tensor<?x8xf32>) {
  // V24
  // expected-error @+1 {{changes the width of elements, which needs a static shape, but casts 'tensor<?x8xf32>'; slice a static part first}}
  %0 = pallas.bitcast %a dim 0 : tensor<?x8xf32> -> tensor<?x8xf16>
  return
}

// -----

func.func @bitcast_overflow(%a: tensor<4611686018427387904x0xf32>) {
  // V24
  // expected-error @+1 {{splits dimension 0 of 'tensor<4611686018427387904x0xf32>' into more elements than 64 bits can count; split a smaller dimension}}
  %0 = pallas.bitcast %a dim 0 : tensor<4611686018427387904x0xf32> -> tensor<8x0xf16>
  return
}

// -----

func.func @bitcast_widths(%a: tensor<8xi24>) {
  // V24
  // expected-error @+1 {{cannot cast 24-bit elements to 16 bits along dimension 0 of a value of rank 1; the widths must divide, and the dimension exist}}
  %0 = pallas.bitcast %a dim 0 : tensor<8xi24> -> tensor<12xi16>
  return
}

// -----

func.func @gather_index_size(%a: tensor<4x8xf32>, %i: tensor<3x2xi32>) {
  // V24
  // expected-error @+1 {{the last dimension of the indices 'tensor<3x2xi32>' must hold the 1 indices of a slice}}
  %0 = pallas.gather %a at %i offset [1] collapsed [0] batching [] x [] map [0] sizes [1, 8]
      : tensor<4x8xf32>, tensor<3x2xi32> -> tensor<3x8xf32>
  return
}

// -----

func.func @gather_number_of_sizes(%a: tensor<4x8xf32>, %i: tensor<3x1xi32>) {
  // V24
  // expected-error @+1 {{has 1 slice sizes for an operand of rank 2; give one per dimension}}
  %0 = pallas.gather %a at %i offset [] collapsed [0] batching [] x [] map [0] sizes [1]
      : tensor<4x8xf32>, tensor<3x1xi32> -> tensor<3xf32>
  return
}

// -----

func.func @gather_index_batch(%a: tensor<4x8xf32>, %i: tensor<4x1xi32>) {
  // V24
  // expected-error @+1 {{index batching dimension 1 is out of range for rank 1}}
  %0 = pallas.gather %a at %i offset [] collapsed [1] batching [0] x [1] map [1] sizes [1, 1]
      : tensor<4x8xf32>, tensor<4x1xi32> -> tensor<4xf32>
  return
}

// -----

func.func @take_along_of_nothing(%a: tensor<0x4xf32>, %i: tensor<2x4xi32>) {
  // expected-error @+1 {{takes elements along dimension 0, but 'tensor<0x4xf32>' has none there; use mode fill, or leave the operation out}}
  %0 = pallas.take_along %a at %i dim 0 : tensor<0x4xf32>, tensor<2x4xi32> -> tensor<2x4xf32>
  return
}

// -----

func.func @take_along_rank(%a: tensor<4x8xf32>, %i: tensor<4xi32>) {
  // V24
  // expected-error @+1 {{input has rank 2, but the indices have rank 1; reshape the indices}}
  %0 = pallas.take_along %a at %i dim 0 : tensor<4x8xf32>, tensor<4xi32> -> tensor<4xf32>
  return
}

// -----

func.func @scatter_index_size(%x: tensor<8x4xf32>, %i: tensor<2x3xi32>, %u: tensor<2x4xf32>) {
  // V24
  // expected-error @+1 {{the last dimension of the indices 'tensor<2x3xi32>' must hold the 1 indices of a window}}
  %0 = pallas.scatter %x at %i, %u window [1] inserted [0] batching [] x [] map [0] : tensor<8x4xf32>, tensor<2x3xi32>, tensor<2x4xf32>
  return
}

// -----

func.func @scatter_inserted(%x: tensor<8x4xf32>, %i: tensor<2x1xi32>, %u: tensor<2x4xf32>) {
  // V24
  // expected-error @+1 {{inserted or batching dimension 2 is out of range for rank 2}}
  %0 = pallas.scatter %x at %i, %u window [1] inserted [2] batching [] x [] map [0] : tensor<8x4xf32>, tensor<2x1xi32>, tensor<2x4xf32>
  return
}

// -----

func.func @scatter_elements(%x: tensor<8x4xf32>, %i: tensor<2x1xi32>, %u: tensor<2x4xf16>) {
  // V24
  // expected-error @+1 {{updates have elements 'f16', but the operand has 'f32'; convert them first}}
  %0 = pallas.scatter %x at %i, %u window [1] inserted [0] batching [] x [] map [0] : tensor<8x4xf32>, tensor<2x1xi32>, tensor<2x4xf16>
  return
}

// -----

func.func @pack_operands(%a: tensor<8xf32>) {
  // V24
  // expected-error @+1 {{packs 2 elements of type 'bf16' per 'i32', but has 1 operands; give one per element}}
  %0 = pallas.pack_elementwise %a as bf16 : tensor<8xf32> -> tensor<8xi32>
  return
}

// -----

func.func @cumulative_dimension(%a: tensor<8xf32>) {
  // V24
  // expected-error @+1 {{cumulative dimension 1 is out of range for rank 1}}
  %0 = pallas.cumulative <sum> %a dim 1 : tensor<8xf32>
  return
}

// -----

func.func @dot_batch_sizes(%a: tensor<2x4x8xf32>, %b: tensor<3x8x4xf32>) {
  // V24
  // expected-error @+1 {{batch dimensions 0 of lhs and 0 of rhs have the sizes 2 and 3, but must be equal}}
  %0 = pallas.dot_general %a, %b contract [2] x [1] batch [0] x [0] : tensor<2x4x8xf32>, tensor<3x8x4xf32> -> tensor<2x4x4xf32>
  return
}

// -----

func.func @sort_without_keys(%a: tensor<4xf32>) {
  // V24
  // expected-error @+1 {{number of keys must be from 1 to the 1 operands, but is 0}}
  %0 = pallas.sort %a dim 0 keys 0 : tensor<4xf32> -> tensor<4xf32>
  return
}
