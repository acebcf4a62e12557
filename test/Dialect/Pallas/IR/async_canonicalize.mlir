// RUN: pallas-opt %s --canonicalize --split-input-file | FileCheck %s

!sem = !pallas.ref<2x!pallas.semaphore, semaphore>
!one = !pallas.ref<!pallas.semaphore, semaphore>

// Nothing is added, and nothing is waited for.
// CHECK-LABEL: func.func @zero
// CHECK-NEXT: return
func.func @zero(%s: !one) {
  %c0 = arith.constant 0 : i32
  pallas.semaphore_signal %s, %c0 : !one
  pallas.semaphore_wait %s, %c0 : !one
  pallas.delay %c0
  return
}

// -----

!one = !pallas.ref<!pallas.semaphore, semaphore>

// CHECK-LABEL: func.func @one
// CHECK: pallas.semaphore_signal
// CHECK-NEXT: pallas.semaphore_wait
// CHECK-NEXT: pallas.delay
func.func @one(%s: !one, %n: i32) {
  %c1 = arith.constant 1 : i32
  pallas.semaphore_signal %s, %c1 : !one
  pallas.semaphore_wait %s, %n : !one
  pallas.delay %c1
  return
}

// -----

// CHECK-LABEL: func.func @barriers
// CHECK: pallas.core_barrier "subcore"
// CHECK-NOT: pallas.core_barrier
func.func @barriers() {
  pallas.core_map <sc_vector, [<core "core" = 1>, <subcore "subcore" = 16>]> () {
    pallas.core_barrier "subcore"
    pallas.core_barrier "core"
  }
  return
}

// -----

!sem = !pallas.ref<!pallas.dma_semaphore, semaphore>

// The ends of a copy are one view each.
// CHECK-LABEL: func.func @copy
// CHECK-SAME: %[[X:.*]]: !pallas.ref<4x8x128xf32, hbm>, %[[Y:.*]]: !pallas.ref<8x128xf32, vmem>
// CHECK: %[[V:.*]] = pallas.slice_ref %[[X]][%{{.*}}, ds(4, 2), :]
// CHECK: %[[W:.*]] = pallas.slice_ref %[[Y]][ds(0, 2), :]
// CHECK: pallas.dma_start %[[V]] to %[[W]]
func.func @copy(%x: !pallas.ref<4x8x128xf32, hbm>, %y: !pallas.ref<8x128xf32, vmem>, %s: !sem, %i: i32) {
  %0 = pallas.slice_ref %x[%i, :, :] : !pallas.ref<4x8x128xf32, hbm>
  %1 = pallas.slice_ref %0[ds(4, 2), :] : !pallas.ref<8x128xf32, hbm>
  %2 = pallas.slice_ref %y[ds(0, 4), :] : !pallas.ref<8x128xf32, vmem>
  %3 = pallas.slice_ref %2[ds(0, 2), :] : !pallas.ref<4x128xf32, vmem>
  pallas.dma_start %1 to %3 signals %s : !pallas.ref<2x128xf32, hbm>, !pallas.ref<2x128xf32, vmem>, !sem
  return
}
