// RUN: pallas-opt %s --verify-diagnostics --split-input-file

func.func @axis() {
  // expected-note @+1 {{the grid belongs to this call}}
  pallas.pallas_call grid(2) kernel() {
    // V25
    // expected-error @+1 {{axis 1 is out of range: the grid has 1 dimensions that the kernel sees}}
    %0 = pallas.program_id 1
  }
  return
}

// -----

func.func @vmapped_axis() {
  // expected-note @+1 {{the grid belongs to this call}}
  pallas.pallas_call grid(2, 2) vmapped [0] kernel() {
    // V25
    // expected-error @+1 {{axis 1 is out of range: the grid has 1 dimensions that the kernel sees}}
    %0 = pallas.num_programs 1
  }
  return
}

// -----

func.func @negative_axis() {
  // V25
  // expected-error @+1 {{axis must not be negative, but is -1}}
  %0 = pallas.program_id -1
  return
}

// -----

func.func @placeholders(%x: i32) {
  // V26
  // expected-error @+1 {{format has 2 placeholders {}, but 1 values are given}}
  pallas.debug_print "{} {}" %x : i32
  return
}

// -----

func.func @braces(%x: i32) {
  // V26
  // expected-error @+1 {{format has 1 placeholders {}, but 2 values are given}}
  pallas.debug_print "{{}} {}" %x, %x : i32, i32
  return
}

// -----

func.func @unsigned_values(%x: i32) {
  // V26
  // expected-error @+1 {{has 2 flags for unsigned values, but 1 values}}
  pallas.debug_print "{}" %x : i32 {unsignedValues = array<i1: true, false>}
  return
}

// -----

func.func @random_floats() {
  // V24
  // expected-error @+1 {{result #0 must be integer or tensor of integers of static shape, but got 'tensor<8x128xf32>'}}
  %0 = pallas.prng_random_bits : tensor<8x128xf32>
  return
}
