// RUN: pallas-opt %s --verify-diagnostics --split-input-file

// Checks keep the rules of the accesses that they are about.

func.func @semaphore(%r: !pallas.ref<!pallas.semaphore, semaphore>) {
  // V15
  // expected-error @+1 {{cannot access a ref of type '!pallas.ref<!pallas.semaphore, semaphore>' as values; use the semaphore and barrier operations}}
  pallas.check_access read "scratch 0" %r[...] by "pallas.get" : !pallas.ref<!pallas.semaphore, semaphore>
  return
}

// -----

func.func @past_the_end(%r: !pallas.ref<8xf32, vmem>) {
  // N4
  // expected-error @+1 {{index 0 is a slice of 8 elements from 4 with stride 1, out of bounds for a dimension of size 8; at most 4 fit}}
  pallas.check_access read "input 0" %r[ds(4, 8)] by "pallas.get" : !pallas.ref<8xf32, vmem>
  return
}

// -----

func.func @mask(%r: !pallas.ref<8xf32, vmem>, %m: tensor<4xi1>) {
  // V12
  // expected-error @+1 {{mask has the shape [4], but the indexed part of the ref has [8]; the mask must broadcast to it}}
  pallas.check_access read "input 0" %r[...] mask %m outside dropped by "pallas.masked_load" : !pallas.ref<8xf32, vmem>, tensor<4xi1>
  return
}

// -----

func.func @indices_of_ref(%r: !pallas.ref<8xf32, vmem>, %i: !pallas.ref<4xi32, vmem>) {
  // N8
  // expected-error @+1 {{takes indices from a ref of type '!pallas.ref<4xi32, vmem>', which only async copies do; read them with pallas.get}}
  pallas.check_access read "input 0" %r[gather(%i : !pallas.ref<4xi32, vmem>)] by "pallas.get" : !pallas.ref<8xf32, vmem>
  return
}

// -----

func.func @view(%r: !pallas.ref<8xf32, vmem>) {
  // N4
  // expected-error @+1 {{index 0 is a slice of 8 elements from 4 with stride 1, out of bounds for a dimension of size 8; at most 4 fit}}
  pallas.check_bounds "input 0" %r[ds(4, 8)] : !pallas.ref<8xf32, vmem>
  return
}

// -----

func.func @value(%v: tensor<8xf32>) {
  // expected-error @+1 {{must be mutable memory that only pallas operations can touch or accumulator of warpgroup matmuls, in registers}}
  "pallas.check_contents"(%v) <{kind = 1 : i32, name = "a ref", accessor = "pallas.freeze"}> : (tensor<8xf32>) -> ()
  return
}

// -----

func.func @pending() {
  // expected-error @+1 {{attribute 'pending' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  pallas.check_wait copies pending -1
  return
}
