// RUN: pallas-opt %s --verify-diagnostics --split-input-file

func.func @axis() {
  // expected-error @+1 {{expected attribute value}}
  %0 = pallas.program_id
  return
}

// -----

func.func @axis_name() {
  // expected-error @+1 {{expected}}
  %0 = pallas.axis_index core
  return
}

// -----

func.func @message(%c: i1) {
  // expected-error @+1 {{expected ','}}
  pallas.check %c "must hold"
  return
}

// -----

func.func @types(%x: i32) {
  // expected-error @+1 {{expected ':'}}
  pallas.debug_print "{}" %x
  return
}

// -----

func.func @bits() {
  // expected-error @+1 {{expected non-function type}}
  %0 = pallas.prng_random_bits : 8
  return
}
