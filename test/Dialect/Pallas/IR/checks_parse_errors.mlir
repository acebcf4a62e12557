// RUN: pallas-opt %s --verify-diagnostics --split-input-file

func.func @kind(%r: !pallas.ref<8xf32, vmem>) {
  // expected-error @+1 {{expected string or keyword containing one of the following enum values for attribute 'kind' [padding, read, write, update, atomic]}}
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
  // expected-error @+1 {{expected string or keyword containing one of the following enum values for attribute 'kind' [copies, stores, products]}}
  pallas.check_commit loads
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

// -----

func.func @signal(%s: !pallas.ref<!pallas.semaphore, semaphore>) {
  // expected-error @+1 {{expected ','}}
  pallas.check_semaphore_signal %s : !pallas.ref<!pallas.semaphore, semaphore>
  return
}

// -----

func.func @semaphore_wait(%s: !pallas.ref<!pallas.semaphore, semaphore>) {
  // expected-error @+1 {{expected ','}}
  pallas.check_semaphore_wait %s : !pallas.ref<!pallas.semaphore, semaphore>
  return
}

// -----

func.func @dma_wait(%r: !pallas.ref<8xf32, vmem>) {
  // expected-error @+1 {{expected 'signals'}}
  pallas.check_dma_wait %r : !pallas.ref<8xf32, vmem>
  return
}

// -----

func.func @core_barrier() {
  // expected-error @+1 {{expected string or keyword containing one of the following enum values for attribute 'side' [arrive, leave]}}
  pallas.check_core_barrier wait 0 "subcore"
  return
}

// -----

func.func @arrival(%b: !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>) {
  // expected-error @+1 {{expected attribute value}}
  pallas.check_arrival thread %b by "pallas.barrier_arrive" : !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
  return
}

// -----

func.func @phase(%b: !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>) {
  // expected-error @+1 {{expected SSA operand}}
  pallas.check_phase phase %b : !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
  return
}

// -----

func.func @dma_start(%x: !pallas.ref<8xf32, hbm>, %s: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
  // expected-error @+1 {{expected 'from'}}
  pallas.check_dma_start %x to %x signals %s : !pallas.ref<8xf32, hbm>, !pallas.ref<8xf32, hbm>, !pallas.ref<!pallas.dma_semaphore, semaphore>
  return
}

// -----

func.func @copy_gmem_to_smem(%g: !pallas.ref<8xf16, gmem>, %s: !pallas.ref<8xf16, smem>) {
  // expected-error @+1 {{expected 'signals'}}
  pallas.check_copy_gmem_to_smem %g to %s from "input 0" to "scoped ref 0" : !pallas.ref<8xf16, gmem>, !pallas.ref<8xf16, smem>
  return
}

// -----

func.func @copy_smem_to_gmem(%g: !pallas.ref<8xf16, gmem>, %s: !pallas.ref<8xf16, smem>) {
  // expected-error @+1 {{expected attribute value}}
  pallas.check_copy_smem_to_gmem %s to %g from %s : !pallas.ref<8xf16, smem>, !pallas.ref<8xf16, gmem>
  return
}

// -----

func.func @product(%a: !pallas.ref<8x8xf16, smem>) {
  // expected-error @+1 {{expected 'names'}}
  pallas.check_product reads %a by "pallas.wgmma" : !pallas.ref<8x8xf16, smem>
  return
}

// -----

func.func @accumulator() {
  // expected-error @+1 {{expected '['}}
  pallas.check_accumulator 1
  return
}

// -----

func.func @follow_products() {
  // expected-error @+1 {{expected SSA operand}}
  pallas.check_follow_products
  return
}

// -----

func.func @state(%r: !pallas.ref<8xf32, vmem>) {
  // expected-error @+1 {{expected string or keyword containing one of the following enum values for attribute 'state' [written, unwritten, padding]}}
  pallas.check_memory zero "input 0" %r : !pallas.ref<8xf32, vmem>
  return
}
