// Copies and signals between devices.

// RUN: not pallas-run %s --no-cache --check --devices=2 --entry read_early 2>&1 | FileCheck %s --check-prefix=READ
// RUN: pallas-run %s --no-cache --check --devices=2 --entry read_early_repaired
// RUN: not pallas-run %s --no-cache --check --devices=2 --entry never_received 2>&1 | FileCheck %s --check-prefix=RECEIVED
// RUN: not pallas-run %s --no-cache --check --devices=2 --entry never_sent 2>&1 | FileCheck %s --check-prefix=SENT
// RUN: not pallas-run %s --no-cache --check --devices=2 --entry overwrites_neighbour 2>&1 | FileCheck %s --check-prefix=NEIGHBOUR

!x = !pallas.ref<4x8xf32, any>
!t = !pallas.ref<4x8xf32, vmem>
!dma = !pallas.ref<!pallas.dma_semaphore, semaphore>
!sem = !pallas.ref<!pallas.semaphore, semaphore>

// Nobody waits until the neighbour's block has come.
func.func @read_early() -> tensor<4x8xf32> {
  %x = arith.constant dense<1.0> : tensor<4x8xf32>
  %o = pallas.pallas_call grid() in(%x : tensor<4x8xf32>) block<[4, 8], any>
      out(tensor<4x8xf32>) block<[4, 8], vmem>
      kernel(%xr: !x, %or: !t, %t: !t, %sent: !dma, %come: !dma) {
    %me = pallas.device_id
    %c1 = arith.constant 1 : i32
    %other = arith.subi %c1, %me : i32
    pallas.dma_start %xr to %t signals %come source_signals %sent device logical(%other) : !x, !t, !dma, !dma
    pallas.dma_wait %xr to %t signals %sent : !x, !t, !dma
    // READ: devices.mlir:[[@LINE+1]]:{{(5|10)}}: error: data race: {{.*}} of scratch 0 on device {{[01]}}, while
    %v = pallas.get %t[...] : !t
    pallas.dma_wait %xr to %t signals %come : !x, !t, !dma
    pallas.swap %or[...], %v : !t, tensor<4x8xf32>
  }
  return %o : tensor<4x8xf32>
}

func.func @read_early_repaired() -> tensor<4x8xf32> {
  %x = arith.constant dense<1.0> : tensor<4x8xf32>
  %o = pallas.pallas_call grid() in(%x : tensor<4x8xf32>) block<[4, 8], any>
      out(tensor<4x8xf32>) block<[4, 8], vmem>
      kernel(%xr: !x, %or: !t, %t: !t, %sent: !dma, %come: !dma) {
    %me = pallas.device_id
    %c1 = arith.constant 1 : i32
    %other = arith.subi %c1, %me : i32
    pallas.dma_start %xr to %t signals %come source_signals %sent device logical(%other) : !x, !t, !dma, !dma
    pallas.dma_wait %xr to %t signals %sent : !x, !t, !dma
    pallas.dma_wait %xr to %t signals %come : !x, !t, !dma
    %v = pallas.get %t[...] : !t
    pallas.swap %or[...], %v : !t, tensor<4x8xf32>
  }
  return %o : tensor<4x8xf32>
}

func.func @never_received() -> tensor<4x8xf32> {
  %x = arith.constant dense<1.0> : tensor<4x8xf32>
  %o = pallas.pallas_call grid() in(%x : tensor<4x8xf32>) block<[4, 8], any>
      out(tensor<4x8xf32>) block<[4, 8], vmem>
      kernel(%xr: !x, %or: !t, %t: !t, %sent: !dma, %come: !dma, %met: !sem) {
    %me = pallas.device_id
    %c1 = arith.constant 1 : i32
    %other = arith.subi %c1, %me : i32
    // RECEIVED: devices.mlir:[[@LINE+1]]:5: error: copy never waited for: 'pallas.dma_start' copies input 0 to scratch 0 on device {{[01]}}, but nothing waits for its end (2 times)
    pallas.dma_start %xr to %t signals %come source_signals %sent device logical(%other) : !x, !t, !dma, !dma
    pallas.dma_wait %xr to %t signals %sent : !x, !t, !dma
    pallas.semaphore_signal %met, %c1 device logical(%other) : !sem
    pallas.semaphore_wait %met, %c1 : !sem
    %v = pallas.get %xr[...] : !x
    pallas.swap %or[...], %v : !t, tensor<4x8xf32>
  }
  return %o : tensor<4x8xf32>
}

func.func @never_sent() -> tensor<4x8xf32> {
  %x = arith.constant dense<1.0> : tensor<4x8xf32>
  // SENT: devices.mlir:[[@LINE+1]]:8: error: semaphore not zero: 'pallas.pallas_call' ends with scratch 1 at 128
  %o = pallas.pallas_call grid() in(%x : tensor<4x8xf32>) block<[4, 8], any>
      out(tensor<4x8xf32>) block<[4, 8], vmem>
      kernel(%xr: !x, %or: !t, %t: !t, %sent: !dma, %come: !dma) {
    %me = pallas.device_id
    %c1 = arith.constant 1 : i32
    %other = arith.subi %c1, %me : i32
    pallas.dma_start %xr to %t signals %come source_signals %sent device logical(%other) : !x, !t, !dma, !dma
    pallas.dma_wait %xr to %t signals %come : !x, !t, !dma
    %v = pallas.get %t[...] : !t
    pallas.swap %or[...], %v : !t, tensor<4x8xf32>
  }
  return %o : tensor<4x8xf32>
}

// A device sends its block where the other one still writes its own.
func.func @overwrites_neighbour() -> tensor<4x8xf32> {
  %x = arith.constant dense<1.0> : tensor<4x8xf32>
  %o = pallas.pallas_call grid() in(%x : tensor<4x8xf32>) block<[4, 8], any>
      out(tensor<4x8xf32>) block<[4, 8], vmem>
      kernel(%xr: !x, %or: !t, %t: !t, %sent: !dma, %come: !dma) {
    %me = pallas.device_id
    %c1 = arith.constant 1 : i32
    %other = arith.subi %c1, %me : i32
    %two = arith.constant dense<2.0> : tensor<4x8xf32>
    // NEIGHBOUR: error: data race: {{.*}} writes element [0, 0] of scratch 0 on device {{[01]}}, while
    pallas.swap %t[...], %two : !t, tensor<4x8xf32>
    pallas.dma_start %xr to %t signals %come source_signals %sent device logical(%other) : !x, !t, !dma, !dma
    pallas.dma_wait %xr to %t signals %sent : !x, !t, !dma
    pallas.dma_wait %xr to %t signals %come : !x, !t, !dma
    %v = pallas.get %t[...] : !t
    pallas.swap %or[...], %v : !t, tensor<4x8xf32>
  }
  return %o : tensor<4x8xf32>
}
