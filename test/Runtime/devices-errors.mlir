// RUN: rm -rf %t && mkdir %t
// RUN: %python %S/../Runner/Inputs/arrays.py %t
// RUN: not pallas-run %s --no-cache --devices=2 --entry one_sided --in %t/good.npy --out %t/never.npy 2>&1 | FileCheck %s --check-prefix=DEADLOCK
// RUN: not ls %t/never.npy
// RUN: pallas-run %s --no-cache --devices=2 --entry too_many_signals --in %t/good.npy 2>&1 | FileCheck %s --check-prefix=LEFT
// RUN: pallas-run %s --no-cache --devices=2 --entry never_waits --in %t/good.npy 2>&1 | FileCheck %s --check-prefix=COPY
// RUN: not pallas-run %s --no-cache --devices=2 --entry sends_far --in %t/good.npy 2>&1 | FileCheck %s --check-prefix=FAR
// RUN: not pallas-run %s --no-cache --devices=2x2 --entry names_axis --in %t/good.npy 2>&1 | FileCheck %s --check-prefix=UNNAMED
// RUN: not pallas-run %s --no-cache --devices=x=2,y=1 --entry names_axis --in %t/good.npy 2>&1 | FileCheck %s --check-prefix=AXIS
// RUN: env PALLAS_PATIENCE=1 not pallas-run %s --no-cache --devices=2 --entry asks_forever --in %t/good.npy 2>&1 | FileCheck %s --check-prefix=POLL
// RUN: not pallas-run %s --no-cache --devices=y=2,y=2 --entry one_sided --in %t/good.npy 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not pallas-run %s --no-cache --devices=2x --entry one_sided --in %t/good.npy 2>&1 | FileCheck %s --check-prefix=MESH
// RUN: not pallas-run %s --no-cache --devices=3 --entry one_sided --in %t/shape.npy 2>&1 | FileCheck %s --check-prefix=PARTS

// TWICE: pallas-run: 'y=2,y=2' is no mesh of devices
!sem = !pallas.ref<!pallas.semaphore, semaphore>
!dma = !pallas.ref<!pallas.dma_semaphore, semaphore>
!x = !pallas.ref<4x8xf32, any>

// Only device 0 signals, but both wait.
// DEADLOCK: devices-errors.mlir{{.*}}deadlock: nothing is left to signal what is waited for
// DEADLOCK: device 0 at {{.*}}devices-errors.mlir{{.*}}: waits for 2 on a semaphore, which is 0 (element 0 of
func.func @one_sided(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %o = pallas.pallas_call grid()
      in(%x : tensor<4x8xf32>) block<[4, 8], any>
      out(tensor<4x8xf32>) block<[4, 8], any>
      kernel(%xr: !x, %or: !x, %s: !sem) {
    %me = pallas.axis_index "x"
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %first = arith.cmpi eq, %me, %c0 : i32
    scf.if %first {
      pallas.semaphore_signal %s, %c2 device logical(%c1) : !sem
    }
    pallas.semaphore_wait %s, %c2 : !sem
  }
  return %o : tensor<4x8xf32>
}

// LEFT: warning: {{.*}}: element 0 of this semaphore is 1 when its scope ends on device {{[01]}}; every signal and every copy needs a wait
func.func @too_many_signals(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %o = pallas.pallas_call grid()
      in(%x : tensor<4x8xf32>) block<[4, 8], any>
      out(tensor<4x8xf32>) block<[4, 8], any>
      kernel(%xr: !x, %or: !x, %s: !sem) {
    %me = pallas.device_id
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %other = arith.subi %c1, %me : i32
    pallas.semaphore_signal %s, %c2 device logical(%other) : !sem
    pallas.semaphore_wait %s, %c1 : !sem
  }
  return %o : tensor<4x8xf32>
}

// COPY: warning: {{.*}}: element 0 of this semaphore is 128 when its scope ends
func.func @never_waits(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %o = pallas.pallas_call grid()
      in(%x : tensor<4x8xf32>) block<[4, 8], any>
      out(tensor<4x8xf32>) block<[4, 8], any>
      kernel(%xr: !x, %or: !x, %sent: !dma, %received: !dma) {
    %me = pallas.device_id
    %c1 = arith.constant 1 : i32
    %other = arith.subi %c1, %me : i32
    pallas.dma_start %xr to %or signals %received source_signals %sent device logical(%other) : !x, !x, !dma, !dma
    pallas.dma_wait %xr to %or signals %received : !x, !x, !dma
  }
  return %o : tensor<4x8xf32>
}

// FAR: this names device 2, but there are only 2
func.func @sends_far(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %o = pallas.pallas_call grid()
      in(%x : tensor<4x8xf32>) block<[4, 8], any>
      out(tensor<4x8xf32>) block<[4, 8], any>
      kernel(%xr: !x, %or: !x, %sent: !dma, %received: !dma) {
    %me = pallas.device_id
    %c1 = arith.constant 1 : i32
    %next = arith.addi %me, %c1 : i32
    pallas.dma_start %xr to %or signals %received source_signals %sent device logical(%next) : !x, !x, !dma, !dma
    pallas.dma_wait %xr to %or signals %sent : !x, !x, !dma
    pallas.dma_wait %xr to %or signals %received : !x, !x, !dma
  }
  return %o : tensor<4x8xf32>
}

// UNNAMED: there is no axis 'ring' in the grid, the mesh, or the mesh of the devices, whose axes are (unnamed), (unnamed)
// AXIS: there is no axis 'ring' in the grid, the mesh, or the mesh of the devices, whose axes are x, y
func.func @names_axis(%x: tensor<4x8xf32>) -> tensor<1xi32> {
  %o = pallas.pallas_call grid()
      in(%x : tensor<4x8xf32>) block<[4, 8], any>
      out(tensor<1xi32>) block<[1], smem>
      kernel(%xr: !x, %or: !pallas.ref<1xi32, smem>) {
    %me = pallas.axis_index "ring"
    pallas.swap %or[0], %me : !pallas.ref<1xi32, smem>, i32
  }
  return %o : tensor<1xi32>
}

// POLL: deadlock: device {{[01]}} asks for a count again and again, which nothing has changed for
func.func @asks_forever(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %o = pallas.pallas_call grid()
      in(%x : tensor<4x8xf32>) block<[4, 8], any>
      out(tensor<4x8xf32>) block<[4, 8], any>
      kernel(%xr: !x, %or: !x, %s: !sem) {
    %me = pallas.device_id
    %c0 = arith.constant 0 : i32
    %c7 = arith.constant 7 : i32
    %never = arith.cmpi eq, %me, %c7 : i32
    scf.if %never {
      pallas.semaphore_signal %s, %c7 device logical(%c0) : !sem
    }
    scf.while : () -> () {
      %n = pallas.semaphore_read %s : !sem
      %go = arith.cmpi eq, %n, %c0 : i32
      scf.condition(%go)
    } do {
      scf.yield
    }
  }
  return %o : tensor<4x8xf32>
}

// MESH: '2x' is no mesh of devices; write a number, sizes as in 2x2, or named axes as in x=2,y=2, each with a name of its own, with at most 1024 devices in all
// PARTS: input 0 of 'one_sided' is tensor<4x8xf32>, but tensor<8x4xf32> was given
