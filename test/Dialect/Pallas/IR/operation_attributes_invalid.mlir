// RUN: pallas-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{has the 'pallas.device_mesh' [], but it must list axes, as in [["x", 2], ["y", 4]]}}
func.func private @no_axes() attributes {pallas.device_mesh = []}

// -----

// expected-error @below {{has a 'pallas.device_mesh' with the entry ["a", 0], but each must be the name of an axis and its size, as in ["x", 2]}}
func.func private @empty_axis() attributes {pallas.device_mesh = [["b", 4], ["a", 0]]}

// -----

// expected-error @below {{has 'pallas.parallel_loop', which belongs on scf.for}}
func.func private @no_loop() attributes {pallas.parallel_loop = 1 : i64}

// -----

func.func @no_number(%n: index) {
  // expected-error @below {{has 'pallas.parallel_loop' of 0 : i64, but it is a number of iterations; write an i64 of 1 or more}}
  scf.for %i = %n to %n step %n {
  } {pallas.parallel_loop = 0 : i64}
  return
}

// -----

// expected-error @below {{has 'pallas.coarsen', which belongs on pallas.pallas_call or pallas.emit_pipeline}}
func.func private @no_call() attributes {pallas.coarsen = array<i64: 2>}

// -----

func.func @too_few_factors() {
  // expected-error @below {{has 'pallas.coarsen' of array<i64: 2>, but its grid has 2 dimensions; write array<i64: ...> with a number of 1 or more for each}}
  pallas.pallas_call grid(2, 2) attributes {pallas.coarsen = array<i64: 2>} kernel() {
  }
  return
}

// -----

// Attributes of the dialect are verified before those of the operation.
func.func @no_grid() {
  // expected-error @below {{requires attribute 'blockMappings'}}
  "pallas.pallas_call"() ({}, {}) {pallas.coarsen = array<i64: 2>} : () -> ()
  return
}

// -----

// expected-error @below {{has 'pallas.split', which belongs on pallas.pallas_call}}
func.func private @nothing_to_split() attributes {pallas.split = array<i64: 2>}

// -----

func.func @parts() -> tensor<8x128xf32> {
  // expected-error @below {{has 'pallas.split' of array<i64: 2>, but its first result has 2 dimensions; write array<i64: ...> with a number of 1 or more for each}}
  %o = pallas.pallas_call grid() out(tensor<8x128xf32>) attributes {pallas.split = array<i64: 2>}
    kernel(%or: !pallas.ref<8x128xf32, default>) {
  }
  return %o : tensor<8x128xf32>
}
