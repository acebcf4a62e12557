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
