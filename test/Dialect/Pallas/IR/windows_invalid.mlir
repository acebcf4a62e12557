// RUN: pallas-opt %s --verify-diagnostics --split-input-file

func.func @indices(%x: !pallas.ref<16x256xf32, hbm>, %i: i32) {
  // D8
  // expected-error @+1 {{has 1 indices and a block of 2 dimensions for an array of 2; give one per dimension of the array}}
  %a = pallas.window %x[%i : i32] block<[8, 64], vmem> : !pallas.ref<16x256xf32, hbm>
  return
}

// -----

func.func @bounded(%x: !pallas.ref<16xf32, hbm>, %i: i32) {
  // D8
  // expected-error @+1 {{has a block with a bounded dimension, of which no view has a part; use a blocked or an element dimension}}
  %a = pallas.window %x[%i : i32] block<[bounded<8>], vmem> : !pallas.ref<16xf32, hbm>
  return
}

// -----

func.func @overhang(%x: !pallas.ref<4x10xf32, hbm>, %i: i32) {
  // V14
  // expected-error @+1 {{block of 16 elements does not fit in dimension 1 of '!pallas.ref<4x10xf32, hbm>'; pad the array}}
  %a = pallas.window %x[%i, %i : i32, i32] block<[4, 16], vmem> : !pallas.ref<4x10xf32, hbm>
  return
}

// -----

func.func @outgrown(%x: !pallas.ref<10xf32, any>) {
  // V14
  // expected-error @+1 {{pads '!pallas.ref<10xf32, any>' to '!pallas.ref<12xf32, any>' with [3] elements in front; both need static shapes of one rank and one element type, of which the padded one holds the other}}
  %p = pallas.pad_ref %x low [3] : !pallas.ref<10xf32, any> -> !pallas.ref<12xf32, any>
  return
}

// -----

func.func @other_elements(%x: !pallas.ref<10xf32, any>, %p: !pallas.ref<12xi32, any>) {
  // V14
  // expected-error @+1 {{pads '!pallas.ref<10xf32, any>' to '!pallas.ref<12xi32, any>' with [1] elements in front}}
  pallas.unpad_ref %p low [1] to %x : !pallas.ref<12xi32, any>, !pallas.ref<10xf32, any>
  return
}

// -----

func.func @whole(%x: !pallas.ref<16xf32, hbm>, %i: i32) {
  %a = pallas.window %x[%i : i32] block<[8], vmem> : !pallas.ref<16xf32, hbm>
  // V14
  // expected-error @+1 {{copies '!pallas.ref<8xf32, vmem>' back, which is no block of an output that may be partial; use the result of a pallas.edge_window with output}}
  pallas.write_edge %a : !pallas.ref<8xf32, vmem>
  return
}

// -----

func.func @edge_indices(%x: !pallas.ref<16x256xf32, hbm>, %i: i32) {
  // D8
  // expected-error @+1 {{has 1 indices and a block of 2 dimensions for an array of 2; give one per dimension of the array}}
  %a = pallas.edge_window %x[%i : i32] block<[8, 64], vmem> : !pallas.ref<16x256xf32, hbm>
  return
}

// -----

func.func @operand(%x: tensor<8xf32>) {
  // V10
  // expected-error @+1 {{has '!pallas.ref<8xi32, any>' for 'tensor<8xf32>'; both need one static shape and element type}}
  %a = pallas.operand_ref "input 0" %x : tensor<8xf32> -> !pallas.ref<8xi32, any>
  return
}

// -----

func.func @value(%r: !pallas.ref<8xf32, any>) -> tensor<4xf32> {
  // V10
  // expected-error @+1 {{has '!pallas.ref<8xf32, any>' for 'tensor<4xf32>'; both need one static shape and element type}}
  %v = pallas.ref_value %r : !pallas.ref<8xf32, any> -> tensor<4xf32>
  return %v : tensor<4xf32>
}

// -----

func.func @result(%r: !pallas.ref<8xf32, any>) {
  // V10
  // expected-error @+1 {{starts as '!pallas.ref<8xf32, any>', but is '!pallas.ref<4xf32, any>'; both need one static shape and element type}}
  %o = pallas.result_ref "output 0" of %r as !pallas.ref<8xf32, any> : !pallas.ref<4xf32, any>
  return
}
