// RUN: pallas-opt %s --pallas-discharge-state=memory-spaces=vmem,smem,acc --verify-diagnostics --split-input-file

// Refs that become values beside refs that stay.

func.func @copy(%x: tensor<8xf32>) {
  pallas.run_scoped (%a: !pallas.ref<8xf32, vmem>, %s: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
    // expected-error @+1 {{copies a value and signals a semaphore that stays; discharge the space of the semaphore, too}}
    pallas.dma_start %a to %a signals %s : !pallas.ref<8xf32, vmem>, !pallas.ref<8xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
  }
  return
}

// -----

func.func @wait(%x: tensor<8xf32>) {
  pallas.run_scoped (%a: !pallas.ref<8xf32, vmem>, %s: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
    // expected-error @+1 {{waits for a copy that is no value; discharge local copies only, and the space of the semaphore, too}}
    pallas.dma_wait %a to %a signals %s : !pallas.ref<8xf32, vmem>, !pallas.ref<8xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
  }
  return
}

// -----

func.func @pipeline(%x: !pallas.ref<8xf32, hbm>) {
  pallas.run_scoped (%a: !pallas.ref<4xf32, vmem>) {
    // expected-error @+1 {{moves blocks between values and a ref of type '!pallas.ref<8xf32, hbm>', which stays; discharge its memory space, too}}
    pallas.emit_pipeline grid(2) in(%x : !pallas.ref<8xf32, hbm>) block<[4], vmem> map(%i) {
        pallas.yield %i : i32
      } kernel(%i: i32, %w: !pallas.ref<4xf32, vmem>) {
      %v = pallas.get %w[...] : !pallas.ref<4xf32, vmem>
      pallas.addupdate %a[...], %v : !pallas.ref<4xf32, vmem>, tensor<4xf32>
    }
  }
  return
}

// -----

func.func @collective() {
  // expected-error @+1 {{shares memory along ["wg"], which a value of one program can't replace; discharge other memory spaces only}}
  pallas.run_scoped (%s: !pallas.ref<8xf32, smem>) collective ["wg"] {
    %v = pallas.get %s[...] : !pallas.ref<8xf32, smem>
  }
  return
}

// -----

func.func @state(%v: tensor<8xf32>) {
  // expected-error @+1 {{holds refs of types '!pallas.ref<8xf32, vmem>', '!pallas.ref<8xf32, gmem>', of which only some become values; select all of them}}
  %0:2 = pallas.run_state (%a: !pallas.ref<8xf32, vmem> = %v : tensor<8xf32>, %b: !pallas.ref<8xf32, gmem> = %v : tensor<8xf32>) {}
  return
}

// -----

func.func @arrive() {
  pallas.run_scoped (%b: !pallas.ref<!pallas.cluster_barrier<collectiveAxes = ["c"], numArrivals = 1>, smem>) {
    // expected-error @+1 {{which several blocks share; their arrivals are no value of one}}
    pallas.barrier_wait %b : !pallas.ref<!pallas.cluster_barrier<collectiveAxes = ["c"], numArrivals = 1>, smem>
  }
  return
}
