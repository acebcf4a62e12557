// RUN: pallas-opt %s --split-input-file --verify-diagnostics

// The bug: the verifier of an access followed the views of its ref for ever, because it runs before
// dominance is checked.

func.func @multicast(%n: i32) {
  // expected-error@+2 {{operand #0 does not dominate this use}}
  // expected-note@+1 {{operand defined here}}
  %0 = pallas.multicast_ref %0 axes ["x"] : !pallas.ref<8xi32, smem>
  pallas.swap %0[0], %n : !pallas.ref<8xi32, smem>, i32
  return
}

// -----

func.func @slices(%n: i32) {
  // expected-error@+1 {{operand #0 does not dominate this use}}
  %0 = pallas.slice_ref %1[...] : !pallas.ref<8xi32, smem>
  // expected-note@+1 {{operand defined here}}
  %1 = pallas.slice_ref %0[...] : !pallas.ref<8xi32, smem>
  pallas.swap %1[0], %n : !pallas.ref<8xi32, smem>, i32
  return
}
