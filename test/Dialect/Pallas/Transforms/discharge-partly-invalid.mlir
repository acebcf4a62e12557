// RUN: pallas-opt %s --pallas-discharge-state=memory-spaces=smem --verify-diagnostics --split-input-file
// RUN: not pallas-opt %s --pallas-discharge-state=memory-spaces=vram --split-input-file 2>&1 | FileCheck %s

// Refs of one memory space become values where an operation needs another one, too.

// CHECK: error: 'vram' is not a memory space; use names as in !pallas.ref<8xf32, vmem>, or acc

!done = !pallas.ref<!pallas.dma_semaphore, semaphore>

func.func @indices_of_a_view(%i: !pallas.ref<4xi32, smem>, %a: !pallas.ref<64x128xf32, hbm>, %b: !pallas.ref<4x128xf32, vmem>, %d: !done) {
  // expected-error @+1 {{views a ref of type '!pallas.ref<64x128xf32, hbm>' that stays by indices in one that becomes a value; discharge both or none}}
  %rows = pallas.slice_ref %a[gather(%i : !pallas.ref<4xi32, smem>), :] : !pallas.ref<64x128xf32, hbm>
  pallas.dma_start %rows to %b signals %d : !pallas.ref<4x128xf32, hbm>, !pallas.ref<4x128xf32, vmem>, !done
  pallas.dma_wait %rows to %b signals %d : !pallas.ref<4x128xf32, hbm>, !pallas.ref<4x128xf32, vmem>, !done
  return
}

// -----

func.func @accumulator(%acc: !pallas.accumulator<64x128xf32>) {
  pallas.run_scoped (%a: !pallas.ref<64x64xf16, smem>, %b: !pallas.ref<64x128xf16, smem>) {
    // expected-error @+1 {{multiplies refs that become values into an accumulator that does not; discharge acc, too}}
    pallas.wgmma_ref %acc, %a, %b : !pallas.accumulator<64x128xf32>, !pallas.ref<64x64xf16, smem>, !pallas.ref<64x128xf16, smem>
  }
  return
}

// -----

!done = !pallas.ref<!pallas.dma_semaphore, semaphore>

func.func @semaphore(%a: !pallas.ref<8xf32, smem>, %d: !done) {
  pallas.run_scoped (%b: !pallas.ref<8xf32, smem>) {
    // expected-error @+1 {{copies a value and signals a semaphore that stays; discharge the space of the semaphore, too}}
    pallas.dma_start %a to %b signals %d : !pallas.ref<8xf32, smem>, !pallas.ref<8xf32, smem>, !done
  }
  return
}
