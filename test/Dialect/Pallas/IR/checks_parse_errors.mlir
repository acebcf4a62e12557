// RUN: pallas-opt %s --verify-diagnostics --split-input-file

func.func @kind(%r: !pallas.ref<8xf32, vmem>) {
  // expected-error @+1 {{expected string or keyword containing one of the following enum values for attribute 'kind' [read, write, update, atomic]}}
  pallas.check_access load "input 0" %r[...] by "pallas.get" : !pallas.ref<8xf32, vmem>
  return
}

// -----

func.func @outside(%r: !pallas.ref<8xf32, vmem>) {
  // expected-error @+1 {{expected string or keyword containing one of the following enum values for attribute 'outside' [moved, dropped, allowed]}}
  pallas.check_access read "input 0" %r[...] outside lost by "pallas.get" : !pallas.ref<8xf32, vmem>
  return
}

// -----

func.func @accessor(%r: !pallas.ref<8xf32, vmem>) {
  // expected-error @+1 {{expected 'by'}}
  pallas.check_contents read "a ref" %r : !pallas.ref<8xf32, vmem>
  return
}

// -----

func.func @name(%r: !pallas.ref<8xf32, vmem>, %i: i32) {
  // expected-error @+1 {{expected attribute value}}
  pallas.check_bounds %r[%i] : !pallas.ref<8xf32, vmem>
  return
}

// -----

func.func @operation(%inside: i1) {
  pallas.check_tensor_bounds %inside
  // expected-error @+1 {{expected 'by'}}
  return
}

// -----

func.func @commit() {
  // expected-error @+1 {{expected string or keyword containing one of the following enum values for attribute 'kind' [copies, stores]}}
  pallas.check_commit products
  return
}

// -----

func.func @wait() {
  // expected-error @+1 {{expected string or keyword containing one of the following enum values for attribute 'kind' [copies, sources, products]}}
  pallas.check_wait stores pending 0
  return
}

// -----

func.func @pending() {
  pallas.check_wait copies
  // expected-error @+1 {{expected 'pending'}}
  return
}

// -----

func.func @tensor_memory() {
  // expected-error @+1 {{expected string or keyword containing one of the following enum values for attribute 'kind' [loads, stores]}}
  pallas.check_tensor_memory_wait products
  return
}
