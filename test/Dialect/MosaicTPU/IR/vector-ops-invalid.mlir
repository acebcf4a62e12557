// RUN: pallas-opt %s --split-input-file --verify-diagnostics

func.func @iota() {
  // expected-error @below {{names dimension 1 twice}}
  %0 = tpu.iota {dimensions = array<i32: 1, 1>} : vector<8x128xi32>
  return
}

// -----

func.func @iota() {
  // expected-error @below {{has dimension 2, which is not in [0, 2)}}
  %0 = tpu.iota {dimensions = array<i32: 2>} : vector<8x128xi32>
  return
}

// -----

func.func @transpose(%v: vector<16x128xf32>) {
  // expected-error @below {{turns elements of type 'f32' into 'i32'; it only moves elements}}
  %0 = tpu.transpose %v, [1, 0] : vector<16x128xf32> -> vector<128x16xi32>
  return
}

// -----

func.func @transpose(%v: vector<16x128xf32>) {
  // expected-error @below {{permutes dimension 1 twice}}
  %0 = tpu.transpose %v, [1, 1] : vector<16x128xf32> -> vector<128x16xf32>
  return
}

// -----

func.func @transpose(%v: vector<16x128xf32>) {
  // expected-error @below {{permutes dimension 2, which is not in [0, 2)}}
  %0 = tpu.transpose %v, [2, 0] : vector<16x128xf32> -> vector<128x16xf32>
  return
}

// -----

func.func @transpose(%v: vector<16x128xf32>) {
  // expected-error @below {{moves dimension 1 of size 128 to dimension 0 of size 16}}
  %0 = tpu.transpose %v, [1, 0] : vector<16x128xf32> -> vector<16x128xf32>
  return
}

// -----

func.func @transpose(%v: vector<16x128xf32>) {
  // expected-error @below {{permutes 2 dimensions of a vector of rank 2 to rank 3; all three are equal}}
  %0 = tpu.transpose %v, [1, 0] : vector<16x128xf32> -> vector<1x16x128xf32>
  return
}

// -----

func.func @reshape(%v: vector<16x128xf32>) {
  // expected-error @below {{turns elements of type 'f32' into 'i32'; it only moves elements}}
  %0 = tpu.reshape %v : vector<16x128xf32> -> vector<2048xi32>
  return
}

// -----

func.func @reshape(%v: vector<16x128xf32>) {
  // expected-error @below {{turns 2048 elements into 2047; a reshape keeps their number}}
  %0 = tpu.reshape %v : vector<16x128xf32> -> vector<2047xf32>
  return
}

// -----

func.func @concatenate(%v: vector<16x128xf32>) {
  // expected-error @below {{joins 1 vectors; give at least 2}}
  %0 = tpu.concatenate %v in 0 : vector<16x128xf32> -> vector<16x128xf32>
  return
}

// -----

func.func @concatenate(%v: vector<16x128xf32>) {
  // expected-error @below {{failed to infer returned types}}
  // expected-error @below {{dimension 2 is not in [0, 2)}}
  %0 = tpu.concatenate %v, %v in 2 : vector<16x128xf32>, vector<16x128xf32> -> vector<32x128xf32>
  return
}

// -----

func.func @concatenate(%v: vector<16x128xf32>) {
  // expected-error @below {{failed to infer returned types}}
  // expected-error @below {{dimension -1 is not in [0, 2)}}
  %0 = tpu.concatenate %v, %v in -1 : vector<16x128xf32>, vector<16x128xf32> -> vector<16x256xf32>
  return
}

// -----

func.func @concatenate(%v: vector<16x128xf32>) {
  // expected-error @below {{failed to infer returned types}}
  // expected-error @below {{inferred type(s) 'vector<32x128xf32>' are incompatible with return type(s) of operation 'vector<31x128xf32>'}}
  %0 = tpu.concatenate %v, %v in 0 : vector<16x128xf32>, vector<16x128xf32> -> vector<31x128xf32>
  return
}

// -----

func.func @concatenate(%v: vector<16x128xf32>, %w: vector<16x64xf32>) {
  // expected-error @below {{joins 'vector<16x128xf32>' with operand 1 of type 'vector<16x64xf32>'; they may differ along dimension 0 only}}
  %0 = tpu.concatenate %v, %w in 0 : vector<16x128xf32>, vector<16x64xf32> -> vector<32x128xf32>
  return
}

// -----

func.func @concatenate(%v: vector<16x128xf32>, %w: vector<16x128xi32>) {
  // expected-error @below {{joins 'vector<16x128xf32>' with operand 1 of type 'vector<16x128xi32>'; they may differ along dimension 0 only}}
  %0 = tpu.concatenate %v, %w in 0 : vector<16x128xf32>, vector<16x128xi32> -> vector<32x128xf32>
  return
}

// -----

func.func @concatenate(%v: vector<16x128xf32>, %w: vector<128xf32>) {
  // expected-error @below {{joins 'vector<16x128xf32>' with operand 1 of type 'vector<128xf32>'; they may differ along dimension 0 only}}
  %0 = tpu.concatenate %v, %w in 0 : vector<16x128xf32>, vector<128xf32> -> vector<32x128xf32>
  return
}

// -----

func.func @repeat(%v: vector<16x128xf32>) {
  // expected-error @below {{gives 'vector<17x128xf32>', but repeating 'vector<16x128xf32>' makes 'vector<32x128xf32>'}}
  %0 = tpu.repeat %v, 0 x 2 : vector<16x128xf32> -> vector<17x128xf32>
  return
}

// -----

func.func @repeat(%v: vector<16x128xf32>) {
  // expected-error @below {{has dimension 5, which is not in [0, 2)}}
  %0 = tpu.repeat %v, 5 x 2 : vector<16x128xf32> -> vector<17x128xf32>
  return
}

// -----

func.func @dynamic_rotate(%v: vector<16x128xf32>, %n: i32) {
  // expected-error @below {{has dimension 2, which is not in [0, 2)}}
  %0 = tpu.dynamic_rotate %v by %n dim 2 : vector<16x128xf32>, i32 -> vector<16x128xf32>
  return
}

// -----

func.func @dynamic_rotate(%v: vector<16x128xf32>, %n: i32) {
  // expected-error @below {{has a stride without a stride_dimension; give both or neither}}
  %0 = tpu.dynamic_rotate %v by %n dim 1 {stride = 1 : si32} : vector<16x128xf32>, i32 -> vector<16x128xf32>
  return
}

// -----

func.func @dynamic_rotate(%v: vector<16x128xf32>, %n: i32) {
  // expected-error @below {{has a stride_dimension without a stride; give both or neither}}
  %0 = tpu.dynamic_rotate %v by %n dim 1 {stride_dimension = 0 : si32} : vector<16x128xf32>, i32 -> vector<16x128xf32>
  return
}

// -----

func.func @dynamic_rotate(%v: vector<16x128xf32>, %n: i32) {
  // expected-error @below {{has stride -1, below 0}}
  %0 = tpu.dynamic_rotate %v by %n dim 1 {stride = -1 : si32, stride_dimension = 0 : si32} : vector<16x128xf32>, i32 -> vector<16x128xf32>
  return
}

// -----

func.func @dynamic_rotate(%v: vector<16x128xf32>, %n: i32) {
  // expected-error @below {{has stride_dimension 2, which is not in [0, 2)}}
  %0 = tpu.dynamic_rotate %v by %n dim 1 {stride = 1 : si32, stride_dimension = 2 : si32} : vector<16x128xf32>, i32 -> vector<16x128xf32>
  return
}

// -----

func.func @dynamic_gather(%v: vector<16x128xf32>, %x: vector<16x128xi32>) {
  // expected-error @below {{names dimension 0 twice}}
  %0 = tpu.dynamic_gather %v[%x] in [0, 0] : vector<16x128xf32>, vector<16x128xi32> -> vector<16x128xf32>
  return
}

// -----

func.func @dynamic_gather(%v: vector<16x128xf32>, %x: vector<16x128xi32>) {
  // expected-error @below {{has dimension 2, which is not in [0, 2)}}
  %0 = tpu.dynamic_gather %v[%x] in [2] : vector<16x128xf32>, vector<16x128xi32> -> vector<16x128xf32>
  return
}

// -----

func.func @dynamic_gather(%v: vector<16x128xf32>, %x: vector<16xi32>) {
  // expected-error @below {{gathers from rank 2 by indices of rank 1; both need the same rank}}
  %0 = tpu.dynamic_gather %v[%x] in [0] : vector<16x128xf32>, vector<16xi32> -> vector<16xf32>
  return
}

// -----

func.func @dynamic_gather(%v: vector<16x128xf32>, %x: vector<16x64xi32>) {
  // expected-error @below {{has source size 128 and index size 64 along dimension 1, which is not gathered; they are equal there}}
  %0 = tpu.dynamic_gather %v[%x] in [0] : vector<16x128xf32>, vector<16x64xi32> -> vector<16x64xf32>
  return
}

// -----

func.func @dynamic_gather(%v: vector<16x128xf32>, %x: vector<16x128xi32>) {
  // expected-error @below {{failed to infer returned types}}
  // expected-error @below {{inferred type(s) 'vector<16x128xf32>' are incompatible with return type(s) of operation 'vector<16x128xi32>'}}
  %0 = tpu.dynamic_gather %v[%x] in [0] : vector<16x128xf32>, vector<16x128xi32> -> vector<16x128xi32>
  return
}

// -----

func.func @dynamic_gather(%v: vector<16x128xf32>, %x: vector<8x128xi32>) {
  // expected-error @below {{failed to infer returned types}}
  // expected-error @below {{inferred type(s) 'vector<8x128xf32>' are incompatible with return type(s) of operation 'vector<16x128xf32>'}}
  %0 = tpu.dynamic_gather %v[%x] in [0] : vector<16x128xf32>, vector<8x128xi32> -> vector<16x128xf32>
  return
}

// -----

func.func @reduce_index(%v: vector<16x128xf32>) {
  // expected-error @below {{has kind sum; arg_max and arg_min give an index}}
  %0 = tpu.reduce_index %v {axis = 1 : i32, kind = #tpu.reduction_kind<sum>} : vector<16x128xf32> -> vector<16xi32>
  return
}

// -----

func.func @reduce_index(%v: vector<16x128xbf16>) {
  // expected-error @below {{gives indices of type 'i32' for elements of type 'bf16'; use i16}}
  %0 = tpu.reduce_index %v {axis = 1 : i32, kind = #tpu.reduction_kind<arg_max>} : vector<16x128xbf16> -> vector<16xi32>
  return
}

// -----

func.func @reduce_index(%v: vector<16x128xf32>) {
  // expected-error @below {{has axis 2, which is not in [0, 2)}}
  %0 = tpu.reduce_index %v {axis = 2 : i32, kind = #tpu.reduction_kind<arg_max>} : vector<16x128xf32> -> vector<16xi32>
  return
}

// -----

func.func @reduce_index(%v: vector<128xf32>) {
  // expected-error @below {{reduces a vector of rank 1, but rank 2 or more is needed}}
  %0 = tpu.reduce_index %v {axis = 0 : i32, kind = #tpu.reduction_kind<arg_max>} : vector<128xf32> -> vector<1xi32>
  return
}

// -----

func.func @reduce_index(%v: vector<16x128xf32>) {
  // expected-error @below {{gives 'vector<16xi32>', but reducing axis 0 of 'vector<16x128xf32>' leaves 'vector<128xi32>'}}
  %0 = tpu.reduce_index %v {axis = 0 : i32, kind = #tpu.reduction_kind<arg_max>} : vector<16x128xf32> -> vector<16xi32>
  return
}

// -----

func.func @reduce_index(%v: vector<16x128xf32>) {
  // expected-error @below {{gives 'vector<16x128xi32>', but reducing axis 0 of 'vector<16x128xf32>' leaves 'vector<128xi32>'}}
  %0 = tpu.reduce_index %v {axis = 0 : i32, kind = #tpu.reduction_kind<arg_max>} : vector<16x128xf32> -> vector<16x128xi32>
  return
}

// -----

func.func @reduce_index(%v: vector<16x128xi32>) {
  // expected-error @below {{looks for an index among 'i32' elements, but only f32 and bf16 are supported}}
  %0 = tpu.reduce_index %v {axis = 1 : i32, kind = #tpu.reduction_kind<arg_max>} : vector<16x128xi32> -> vector<16xi32>
  return
}

// -----

func.func @reduce_index(%v: vector<2x131072xbf16>) {
  // expected-error @below {{looks among 131072 elements, whose indices do not fit into i16}}
  %0 = tpu.reduce_index %v {axis = 1 : i32, kind = #tpu.reduction_kind<arg_max>} : vector<2x131072xbf16> -> vector<2xi16>
  return
}

// -----

func.func @all_reduce(%v: vector<16x128xf32>) {
  // expected-error @below {{gives 'vector<16x128xi32>' for 'vector<16x128xf32>'; sum keeps the type}}
  %0 = tpu.all_reduce %v {dim = 0 : i64, kind = #tpu.reduction_kind<sum>} : vector<16x128xf32> -> vector<16x128xi32>
  return
}

// -----

func.func @all_reduce(%v: vector<16x128xi32>) {
  // expected-error @below {{looks for an index among 'i32' elements, but only f32 and bf16 are supported}}
  %0 = tpu.all_reduce %v {dim = 0 : i64, kind = #tpu.reduction_kind<arg_max>} : vector<16x128xi32> -> vector<16x128xi32>
  return
}

// -----

func.func @all_reduce(%v: vector<16x128xbf16>) {
  // expected-error @below {{gives indices of type 'i32' for elements of type 'bf16'; use i16}}
  %0 = tpu.all_reduce %v {dim = 0 : i64, kind = #tpu.reduction_kind<arg_max>} : vector<16x128xbf16> -> vector<16x128xi32>
  return
}

// -----

func.func @all_reduce(%v: vector<16xi1>) {
  // expected-error @below {{has kind maxui on i1 elements; sum and find_first_set are supported}}
  %0 = tpu.all_reduce %v {dim = 0 : i64, kind = #tpu.reduction_kind<maxui>} : vector<16xi1> -> vector<16xi32>
  return
}

// -----

func.func @all_reduce(%v: vector<16xi1>) {
  // expected-error @below {{gives 'vector<16xi1>' for i1 elements; the result holds i32}}
  %0 = tpu.all_reduce %v {dim = 0 : i64, kind = #tpu.reduction_kind<sum>} : vector<16xi1> -> vector<16xi1>
  return
}

// -----

func.func @all_reduce(%v: vector<16x128xf32>) {
  // expected-error @below {{looks for a set bit among 'f32' elements; find_first_set takes i1}}
  %0 = tpu.all_reduce %v {dim = 0 : i64, kind = #tpu.reduction_kind<find_first_set>} : vector<16x128xf32> -> vector<16x128xf32>
  return
}

// -----

func.func @all_reduce(%v: vector<16x128xf32>) {
  // expected-error @below {{gives 'vector<16xi32>' for 'vector<16x128xf32>'; both need the same shape}}
  %0 = tpu.all_reduce %v {dim = 0 : i64, kind = #tpu.reduction_kind<arg_max>} : vector<16x128xf32> -> vector<16xi32>
  return
}

// -----

func.func @scan_count(%k: vector<16xi1>, %v: vector<8xi32>) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error @below {{has a mask of type 'vector<16xi1>' beside 'vector<8xi32>'; all need the same shape}}
  %0:2 = tpu.scan_count mask(%k : vector<16xi1>) value(%v : vector<8xi32>) : vector<16xi1>, vector<16xi32>
  return
}

// -----

func.func @scan_count(%k: vector<16xi1>, %v: vector<16xi32>) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error @below {{has a mask of type 'vector<16xi1>' beside 'vector<8xi1>'; all need the same shape}}
  %0:2 = tpu.scan_count mask(%k : vector<16xi1>) value(%v : vector<16xi32>) : vector<8xi1>, vector<16xi32>
  return
}

// -----

func.func @scan_count(%k: vector<16xi1>, %v: vector<16xi32>) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error @below {{has a mask of type 'vector<16xi1>' beside 'vector<8xi32>'; all need the same shape}}
  %0:2 = tpu.scan_count mask(%k : vector<16xi1>) value(%v : vector<16xi32>) : vector<16xi1>, vector<8xi32>
  return
}

// -----

func.func @sort(%a: vector<16xi32>, %b: vector<8xf32>) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error @below {{has keys of type 'vector<16xi32>' beside 'vector<8xf32>'; all need the same shape}}
  %0:3 = tpu.sort %a, %b : (vector<16xi32>, vector<8xf32>) -> (vector<16xi1>, vector<16xi32>, vector<8xf32>)
  return
}

// -----

func.func @sort(%a: vector<16xi32>, %b: vector<16xf32>) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error @below {{gives keys of type 'vector<16xf32>' for keys of type 'vector<16xi32>'}}
  %0:3 = tpu.sort %a, %b : (vector<16xi32>, vector<16xf32>) -> (vector<16xi1>, vector<16xf32>, vector<16xf32>)
  return
}

// -----

func.func @sort(%a: vector<16xi32>, %b: vector<16xf32>) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error @below {{gives values of type 'vector<16xi32>' for values of type 'vector<16xf32>'}}
  %0:3 = tpu.sort %a, %b : (vector<16xi32>, vector<16xf32>) -> (vector<16xi1>, vector<16xi32>, vector<16xi32>)
  return
}

// -----

func.func @sort(%a: vector<16xi32>, %b: vector<16xf32>, %k: vector<8xi1>) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error @below {{has keys of type 'vector<16xi32>' beside 'vector<8xi1>'; all need the same shape}}
  %0:3 = tpu.sort %a, %b masked %k : (vector<16xi32>, vector<16xf32>, vector<8xi1>) -> (vector<16xi1>, vector<16xi32>, vector<16xf32>)
  return
}

// -----

func.func @sort(%a: vector<16xi32>, %b: vector<16xf32>) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error @below {{has keys of type 'vector<16xi32>' beside 'vector<8xi1>'; all need the same shape}}
  %0:3 = tpu.sort %a, %b : (vector<16xi32>, vector<16xf32>) -> (vector<8xi1>, vector<16xi32>, vector<16xf32>)
  return
}
