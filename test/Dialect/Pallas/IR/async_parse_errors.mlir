// RUN: pallas-opt %s --verify-diagnostics --split-input-file

func.func @no_target(%r: !pallas.ref<8xf32, hbm>, %s: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
  // expected-error @+1 {{expected 'to'}}
  pallas.dma_start %r signals %s : !pallas.ref<8xf32, hbm>, !pallas.ref<!pallas.dma_semaphore, semaphore>
  return
}

// -----

func.func @id_type(%s: !pallas.ref<!pallas.semaphore, semaphore>, %n: i32) {
  // expected-error @+1 {{expected '('}}
  pallas.semaphore_signal %s, %n device mesh : !pallas.ref<!pallas.semaphore, semaphore>
  return
}

// -----

func.func @test_parity(%b: !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>, %p: i1) {
  // expected-error @+1 {{expected ':'}}
  %done = pallas.barrier_test %b %p : !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
  return
}
