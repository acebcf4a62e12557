// Async copies and the accesses around them.

// RUN: not pallas-run %s --no-cache --check --entry read_early 2>&1 | FileCheck %s --check-prefix=READ
// RUN: pallas-run %s --no-cache --check --entry read_early_repaired
// RUN: not pallas-run %s --no-cache --check --entry source_overwritten 2>&1 | FileCheck %s --check-prefix=SOURCE
// RUN: pallas-run %s --no-cache --check --entry source_overwritten_repaired
// RUN: not pallas-run %s --no-cache --check --entry target_overwritten 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not pallas-run %s --no-cache --check --entry same_target 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: not pallas-run %s --no-cache --check --entry overlapping_rows 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: not pallas-run %s --no-cache --check --entry next_window 2>&1 | FileCheck %s --check-prefix=WINDOW
// RUN: not pallas-run %s --no-cache --check --entry other_semaphore 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not pallas-run %s --no-cache --check --entry half_waited 2>&1 | FileCheck %s --check-prefix=HALF
// RUN: not pallas-run %s --no-cache --check --entry never_waited 2>&1 | FileCheck %s --check-prefix=NEVER
// RUN: not pallas-run %s --no-cache --check --entry last_not_waited 2>&1 | FileCheck %s --check-prefix=LAST
// RUN: not pallas-run %s --no-cache --check --entry slots 2>&1 | FileCheck %s --check-prefix=SLOTS
// RUN: pallas-run %s --no-cache --check --entry slots_repaired
// RUN: not pallas-run %s --no-cache --check --entry one_semaphore 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: pallas-run %s --no-cache --check --entry one_semaphore_repaired
// RUN: not pallas-run %s --no-cache --check --entry two_sources 2>&1 | FileCheck %s --check-prefix=SOURCES
// RUN: pallas-run %s --no-cache --check --entry two_readers
// RUN: pallas-run %s --no-cache --check --entry to_its_source
// RUN: pallas-run %s --no-cache --check --entry copies_nothing
// RUN: not pallas-run %s --no-cache --check --entry adds_to_nothing 2>&1 | FileCheck %s --check-prefix=ADDS

!block = !pallas.ref<8x4xf32, vmem>
!array = !pallas.ref<8x4xf32, any>
!sem = !pallas.ref<!pallas.dma_semaphore, semaphore>

func.func @read_early() -> tensor<8x4xf32> {
  %x = arith.constant dense<1.0> : tensor<8x4xf32>
  %o = pallas.pallas_call grid(2)
      in(%x : tensor<8x4xf32>) block<[8, 4], any> out(tensor<8x4xf32>) block<[8, 4], vmem>
      kernel(%xr: !array, %or: !block, %t: !block, %done: !sem) {
    pallas.dma_start %xr to %t signals %done : !array, !block, !sem
    // READ: copies.mlir:[[@LINE+2]]:10: error: data race: 'pallas.get' reads element [0, 0] of scratch 0 at grid point (0), while 'pallas.dma_start' at {{.*}}copies.mlir:[[@LINE-1]]:5, started at grid point (0), may still be writing it (2 times)
    // READ-NEXT: copies.mlir:[[@LINE+1]]:10: note: wait for its end in between
    %v = pallas.get %t[...] : !block
    pallas.dma_wait %xr to %t signals %done : !array, !block, !sem
    pallas.swap %or[...], %v : !block, tensor<8x4xf32>
  }
  return %o : tensor<8x4xf32>
}

func.func @read_early_repaired() -> tensor<8x4xf32> {
  %x = arith.constant dense<1.0> : tensor<8x4xf32>
  %o = pallas.pallas_call grid(2)
      in(%x : tensor<8x4xf32>) block<[8, 4], any> out(tensor<8x4xf32>) block<[8, 4], vmem>
      kernel(%xr: !array, %or: !block, %t: !block, %done: !sem) {
    pallas.dma_start %xr to %t signals %done : !array, !block, !sem
    pallas.dma_wait %xr to %t signals %done : !array, !block, !sem
    %v = pallas.get %t[...] : !block
    pallas.swap %or[...], %v : !block, tensor<8x4xf32>
  }
  return %o : tensor<8x4xf32>
}

func.func @source_overwritten() -> tensor<8x4xf32> {
  %o = pallas.pallas_call grid(1) out(tensor<8x4xf32>) block<[8, 4], any>
      kernel(%or: !array, %t: !block, %done: !sem) {
    %one = arith.constant dense<1.0> : tensor<8x4xf32>
    %two = arith.constant dense<2.0> : tensor<1x4xf32>
    pallas.swap %t[...], %one : !block, tensor<8x4xf32>
    pallas.dma_start %t to %or signals %done : !block, !array, !sem
    // SOURCE: copies.mlir:[[@LINE+1]]:5: error: data race: 'pallas.swap' writes element [3, 0] of scratch 0 at grid point (0), while 'pallas.dma_start' at {{.*}}, started at grid point (0), may still be reading it
    pallas.swap %t[ds(3, 1), :], %two : !block, tensor<1x4xf32>
    pallas.dma_wait %t to %or signals %done : !block, !array, !sem
  }
  return %o : tensor<8x4xf32>
}

func.func @source_overwritten_repaired() -> tensor<8x4xf32> {
  %o = pallas.pallas_call grid(1) out(tensor<8x4xf32>) block<[8, 4], any>
      kernel(%or: !array, %t: !block, %done: !sem) {
    %one = arith.constant dense<1.0> : tensor<8x4xf32>
    %two = arith.constant dense<2.0> : tensor<1x4xf32>
    pallas.swap %t[...], %one : !block, tensor<8x4xf32>
    pallas.dma_start %t to %or signals %done : !block, !array, !sem
    pallas.dma_wait %t to %or signals %done : !block, !array, !sem
    pallas.swap %t[ds(3, 1), :], %two : !block, tensor<1x4xf32>
  }
  return %o : tensor<8x4xf32>
}

func.func @target_overwritten() -> tensor<8x4xf32> {
  %x = arith.constant dense<1.0> : tensor<8x4xf32>
  %o = pallas.pallas_call grid(1)
      in(%x : tensor<8x4xf32>) block<[8, 4], any> out(tensor<8x4xf32>) block<[8, 4], vmem>
      kernel(%xr: !array, %or: !block, %done: !sem) {
    pallas.dma_start %xr to %or signals %done : !array, !block, !sem
    %two = arith.constant dense<2.0> : tensor<1x4xf32>
    // TARGET: copies.mlir:[[@LINE+1]]:5: error: data race: 'pallas.swap' writes element [7, 0] of output 0 at grid point (0), while 'pallas.dma_start' at {{.*}}, started at grid point (0), may still be writing it
    pallas.swap %or[ds(7, 1), :], %two : !block, tensor<1x4xf32>
    pallas.dma_wait %xr to %or signals %done : !array, !block, !sem
  }
  return %o : tensor<8x4xf32>
}

func.func @same_target() -> tensor<8x4xf32> {
  %x = arith.constant dense<1.0> : tensor<8x4xf32>
  %y = arith.constant dense<2.0> : tensor<8x4xf32>
  %o = pallas.pallas_call grid(1)
      in(%x : tensor<8x4xf32>) block<[8, 4], any> in(%y : tensor<8x4xf32>) block<[8, 4], any>
      out(tensor<8x4xf32>) block<[8, 4], vmem>
      kernel(%xr: !array, %yr: !array, %or: !block, %done: !sem) {
    pallas.dma_start %xr to %or signals %done : !array, !block, !sem
    // SAME: copies.mlir:[[@LINE+1]]:5: error: data race: 'pallas.dma_start' writes element [0, 0] of output 0 at grid point (0), while 'pallas.dma_start' at {{.*}}, started at grid point (0), may still be writing it
    pallas.dma_start %yr to %or signals %done : !array, !block, !sem
    pallas.dma_wait %xr to %or signals %done : !array, !block, !sem
    pallas.dma_wait %yr to %or signals %done : !array, !block, !sem
  }
  return %o : tensor<8x4xf32>
}

// Copies of three rows each that start every second row.
func.func @overlapping_rows() -> tensor<5x4xf32> {
  %x = arith.constant dense<1.0> : tensor<5x4xf32>
  %o = pallas.pallas_call grid(1)
      in(%x : tensor<5x4xf32>) block<[5, 4], any> out(tensor<5x4xf32>) block<[5, 4], any>
      kernel(%xr: !pallas.ref<5x4xf32, any>, %or: !pallas.ref<5x4xf32, any>, %done: !sem) {
    %x0 = pallas.slice_ref %xr[ds(0, 3), :] : !pallas.ref<5x4xf32, any>
    %x1 = pallas.slice_ref %xr[ds(2, 3), :] : !pallas.ref<5x4xf32, any>
    %o0 = pallas.slice_ref %or[ds(0, 3), :] : !pallas.ref<5x4xf32, any>
    %o1 = pallas.slice_ref %or[ds(2, 3), :] : !pallas.ref<5x4xf32, any>
    pallas.dma_start %x0 to %o0 signals %done : !pallas.ref<3x4xf32, any>, !pallas.ref<3x4xf32, any>, !sem
    // ROWS: copies.mlir:[[@LINE+1]]:5: error: data race: 'pallas.dma_start' writes element [2, 0] of output 0 at grid point (0), while 'pallas.dma_start'
    pallas.dma_start %x1 to %o1 signals %done : !pallas.ref<3x4xf32, any>, !pallas.ref<3x4xf32, any>, !sem
    pallas.dma_wait %x0 to %o0 signals %done : !pallas.ref<3x4xf32, any>, !pallas.ref<3x4xf32, any>, !sem
    pallas.dma_wait %x1 to %o1 signals %done : !pallas.ref<3x4xf32, any>, !pallas.ref<3x4xf32, any>, !sem
  }
  return %o : tensor<5x4xf32>
}

// The copy of one program is waited for by the next one, when its window has
// moved on.
func.func @next_window() -> tensor<16x4xf32> {
  %x = arith.constant dense<1.0> : tensor<8x4xf32>
  // WINDOW: copies.mlir:[[@LINE+1]]:8: error: data race: 'pallas.pallas_call' copies out element [0, 0] of output 0 at grid point (1), while 'pallas.dma_start' at {{.*}}, started at grid point (0), may still be writing it
  %o = pallas.pallas_call grid(2)
      in(%x : tensor<8x4xf32>) block<[8, 4], any> out(tensor<16x4xf32>) block<[8, 4], vmem> map(%i) -> (%i, 0)
      kernel(%xr: !array, %or: !block, %done: !sem) {
    %p = pallas.program_id 0
    %c0 = arith.constant 0 : i32
    %first = arith.cmpi eq, %p, %c0 : i32
    scf.if %first {
      pallas.dma_start %xr to %or signals %done : !array, !block, !sem
    } else {
      pallas.dma_wait %xr to %or signals %done : !array, !block, !sem
      %v = arith.constant dense<2.0> : tensor<8x4xf32>
      pallas.swap %or[...], %v : !block, tensor<8x4xf32>
    }
  }
  return %o : tensor<16x4xf32>
}

// The wait is for the semaphore of another copy of the same size.
func.func @other_semaphore() -> tensor<8x4xf32> {
  %x = arith.constant dense<1.0> : tensor<8x4xf32>
  %y = arith.constant dense<2.0> : tensor<8x4xf32>
  %o = pallas.pallas_call grid(1)
      in(%x : tensor<8x4xf32>) block<[8, 4], any> in(%y : tensor<8x4xf32>) block<[8, 4], any>
      out(tensor<8x4xf32>) block<[8, 4], vmem>
      kernel(%xr: !array, %yr: !array, %or: !block, %s: !block, %t: !block, %s_done: !sem, %t_done: !sem) {
    pallas.dma_start %xr to %s signals %s_done : !array, !block, !sem
    pallas.dma_start %yr to %t signals %t_done : !array, !block, !sem
    pallas.dma_wait %xr to %s signals %t_done : !array, !block, !sem
    // OTHER: copies.mlir:[[@LINE+1]]:10: error: data race: 'pallas.get' reads element [0, 0] of scratch 0 at grid point (0), while 'pallas.dma_start'
    %a = pallas.get %s[...] : !block
    pallas.dma_wait %yr to %t signals %s_done : !array, !block, !sem
    %b = pallas.get %t[...] : !block
    %c = arith.addf %a, %b : tensor<8x4xf32>
    pallas.swap %or[...], %c : !block, tensor<8x4xf32>
  }
  return %o : tensor<8x4xf32>
}

// The wait is for half as many rows as are copied.
func.func @half_waited() -> tensor<8x4xf32> {
  %x = arith.constant dense<1.0> : tensor<8x4xf32>
  %o = pallas.pallas_call grid(1)
      in(%x : tensor<8x4xf32>) block<[8, 4], any> out(tensor<8x4xf32>) block<[8, 4], vmem>
      kernel(%xr: !array, %or: !block, %t: !block, %done: !sem) {
    // HALF-DAG: copies.mlir:[[@LINE+1]]:5: error: copy never waited for: 'pallas.dma_start' copies input 0 to scratch 0 at grid point (0)
    pallas.dma_start %xr to %t signals %done : !array, !block, !sem
    %from = pallas.slice_ref %xr[ds(0, 4), :] : !array
    %to = pallas.slice_ref %t[ds(0, 4), :] : !block
    pallas.dma_wait %from to %to signals %done : !pallas.ref<4x4xf32, any>, !pallas.ref<4x4xf32, vmem>, !sem
    // HALF-DAG: copies.mlir:[[@LINE+1]]:10: error: data race: 'pallas.get' reads element [0, 0] of scratch 0 at grid point (0), while 'pallas.dma_start'
    %v = pallas.get %t[...] : !block
    pallas.swap %or[...], %v : !block, tensor<8x4xf32>
  }
  return %o : tensor<8x4xf32>
}

func.func @never_waited() -> tensor<8x4xf32> {
  %x = arith.constant dense<1.0> : tensor<8x4xf32>
  %o = pallas.pallas_call grid(1)
      in(%x : tensor<8x4xf32>) block<[8, 4], any> out(tensor<8x4xf32>) block<[8, 4], any>
      kernel(%xr: !array, %or: !array, %done: !sem) {
    // NEVER: copies.mlir:[[@LINE+2]]:5: error: copy never waited for: 'pallas.dma_start' copies input 0 to output 0 at grid point (0), but nothing waits for its end
    // NEVER-NEXT: copies.mlir:[[@LINE+1]]:5: note: wait for it before the kernel ends
    pallas.dma_start %xr to %or signals %done : !array, !array, !sem
  }
  return %o : tensor<8x4xf32>
}

// Each program waits for the copy of the one before; nobody for the last one.
func.func @last_not_waited() -> tensor<12x8x4xf32> {
  %o = pallas.pallas_call grid(12) out(tensor<12x8x4xf32>) block<[12, 8, 4], any>
      kernel(%or: !pallas.ref<12x8x4xf32, any>, %t: !pallas.ref<2x8x4xf32, vmem>, %done: !pallas.ref<2x!pallas.dma_semaphore, semaphore>) {
    %p = pallas.program_id 0
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %slot = arith.remsi %p, %c2 : i32
    %other = arith.subi %c1, %slot : i32
    %part = pallas.slice_ref %t[%slot, :, :] : !pallas.ref<2x8x4xf32, vmem>
    %there = pallas.slice_ref %or[%p, :, :] : !pallas.ref<12x8x4xf32, any>
    %one = arith.constant dense<1.0> : tensor<8x4xf32>
    pallas.swap %part[...], %one : !block, tensor<8x4xf32>
    %mine = pallas.slice_ref %done[%slot] : !pallas.ref<2x!pallas.dma_semaphore, semaphore>
    // LAST: copies.mlir:[[@LINE+1]]:5: error: copy never waited for: 'pallas.dma_start' copies scratch 0 to output 0 at grid point (11), but nothing waits for its end
    pallas.dma_start %part to %there signals %mine : !block, !array, !sem
    %is_later = arith.cmpi ne, %p, %c0 : i32
    scf.if %is_later {
      %before = pallas.slice_ref %done[%other] : !pallas.ref<2x!pallas.dma_semaphore, semaphore>
      pallas.dma_wait %part to %there signals %before : !block, !array, !sem
    }
  }
  return %o : tensor<12x8x4xf32>
}

// Two slots: the next copy starts into the slot that is read afterwards.
func.func @slots() -> tensor<8x4xf32> {
  %x = arith.constant dense<1.0> : tensor<4x8x4xf32>
  %o = pallas.pallas_call grid(1)
      in(%x : tensor<4x8x4xf32>) block<[4, 8, 4], any> out(tensor<8x4xf32>) block<[8, 4], vmem>
      kernel(%xr: !pallas.ref<4x8x4xf32, any>, %or: !block, %t: !block, %done: !sem) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c3 = arith.constant 3 : i32
    %zero = arith.constant dense<0.0> : tensor<8x4xf32>
    pallas.swap %or[...], %zero : !block, tensor<8x4xf32>
    %first = pallas.slice_ref %xr[0, :, :] : !pallas.ref<4x8x4xf32, any>
    pallas.dma_start %first to %t signals %done : !array, !block, !sem
    scf.for %k = %c0 to %c3 step %c1 : i32 {
      pallas.dma_wait %first to %t signals %done : !array, !block, !sem
      %k1 = arith.addi %k, %c1 : i32
      %next = pallas.slice_ref %xr[%k1, :, :] : !pallas.ref<4x8x4xf32, any>
      pallas.dma_start %next to %t signals %done : !array, !block, !sem
      // SLOTS: copies.mlir:[[@LINE+1]]:12: error: data race: 'pallas.get' reads element [0, 0] of scratch 0 at grid point (0), while 'pallas.dma_start' at {{.*}}:[[@LINE-1]]:7, started at grid point (0), may still be writing it (3 times)
      %v = pallas.get %t[...] : !block
      pallas.addupdate %or[...], %v : !block, tensor<8x4xf32>
    }
    pallas.dma_wait %first to %t signals %done : !array, !block, !sem
  }
  return %o : tensor<8x4xf32>
}

func.func @slots_repaired() -> tensor<8x4xf32> {
  %x = arith.constant dense<1.0> : tensor<4x8x4xf32>
  %o = pallas.pallas_call grid(1)
      in(%x : tensor<4x8x4xf32>) block<[4, 8, 4], any> out(tensor<8x4xf32>) block<[8, 4], vmem>
      kernel(%xr: !pallas.ref<4x8x4xf32, any>, %or: !block, %t: !pallas.ref<2x8x4xf32, vmem>,
             %done: !pallas.ref<2x!pallas.dma_semaphore, semaphore>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %c4 = arith.constant 4 : i32
    %zero = arith.constant dense<0.0> : tensor<8x4xf32>
    pallas.swap %or[...], %zero : !block, tensor<8x4xf32>
    %first = pallas.slice_ref %xr[0, :, :] : !pallas.ref<4x8x4xf32, any>
    %t0 = pallas.slice_ref %t[0, :, :] : !pallas.ref<2x8x4xf32, vmem>
    %done0 = pallas.slice_ref %done[0] : !pallas.ref<2x!pallas.dma_semaphore, semaphore>
    pallas.dma_start %first to %t0 signals %done0 : !array, !block, !sem
    scf.for %k = %c0 to %c4 step %c1 : i32 {
      %slot = arith.remsi %k, %c2 : i32
      %other = arith.subi %c1, %slot : i32
      %more = arith.cmpi slt, %k, %c3 : i32
      scf.if %more {
        %k1 = arith.addi %k, %c1 : i32
        %next = pallas.slice_ref %xr[%k1, :, :] : !pallas.ref<4x8x4xf32, any>
        %to = pallas.slice_ref %t[%other, :, :] : !pallas.ref<2x8x4xf32, vmem>
        %signal = pallas.slice_ref %done[%other] : !pallas.ref<2x!pallas.dma_semaphore, semaphore>
        pallas.dma_start %next to %to signals %signal : !array, !block, !sem
      }
      %here = pallas.slice_ref %t[%slot, :, :] : !pallas.ref<2x8x4xf32, vmem>
      %come = pallas.slice_ref %done[%slot] : !pallas.ref<2x!pallas.dma_semaphore, semaphore>
      pallas.dma_wait %first to %here signals %come : !array, !block, !sem
      %v = pallas.get %here[...] : !block
      pallas.addupdate %or[...], %v : !block, tensor<8x4xf32>
    }
  }
  return %o : tensor<8x4xf32>
}

// Reading a source while it is copied is no race, nor are two copies from it.
func.func @two_readers() -> tensor<16x4xf32> {
  %x = arith.constant dense<1.0> : tensor<8x4xf32>
  %o = pallas.pallas_call grid(1)
      in(%x : tensor<8x4xf32>) block<[8, 4], vmem> out(tensor<16x4xf32>) block<[16, 4], any>
      kernel(%xr: !block, %or: !pallas.ref<16x4xf32, any>, %t: !block, %done: !sem) {
    %top = pallas.slice_ref %or[ds(0, 8), :] : !pallas.ref<16x4xf32, any>
    %bottom = pallas.slice_ref %or[ds(8, 8), :] : !pallas.ref<16x4xf32, any>
    pallas.dma_start %xr to %top signals %done : !block, !array, !sem
    pallas.dma_start %xr to %bottom signals %done : !block, !array, !sem
    %v = pallas.get %xr[...] : !block
    pallas.swap %t[...], %v : !block, tensor<8x4xf32>
    pallas.dma_wait %xr to %top signals %done : !block, !array, !sem
    pallas.dma_wait %xr to %bottom signals %done : !block, !array, !sem
  }
  return %o : tensor<16x4xf32>
}

func.func @adds_to_nothing() -> tensor<8x4xf32> {
  %x = arith.constant dense<1.0> : tensor<8x4xf32>
  %o = pallas.pallas_call grid(1)
      in(%x : tensor<8x4xf32>) block<[8, 4], vmem> out(tensor<8x4xf32>) block<[8, 4], vmem>
      kernel(%xr: !block, %or: !block, %done: !sem) {
    // ADDS: copies.mlir:[[@LINE+1]]:5: error: uninitialised read: 'pallas.dma_start' reads element [0, 0] of output 0 at grid point (0), which nothing has written
    pallas.dma_start %xr to %or signals %done {add} : !block, !block, !sem
    pallas.dma_wait %xr to %or signals %done : !block, !block, !sem
  }
  return %o : tensor<8x4xf32>
}

// Copies of no rows need no wait.
func.func @copies_nothing() -> tensor<8x4xf32> {
  %x = arith.constant dense<1.0> : tensor<8x4xf32>
  %o = pallas.pallas_call grid(2)
      in(%x : tensor<8x4xf32>) block<[8, 4], any> out(tensor<8x4xf32>) block<[8, 4], any>
      kernel(%xr: !array, %or: !array, %done: !sem) {
    %p = pallas.program_id 0
    %c8 = arith.constant 8 : i32
    %size = arith.muli %p, %c8 : i32
    %from = pallas.slice_ref %xr[ds(0, %size), :] : !array
    %to = pallas.slice_ref %or[ds(0, %size), :] : !array
    pallas.dma_start %from to %to signals %done : !pallas.ref<?x4xf32, any>, !pallas.ref<?x4xf32, any>, !sem
    pallas.dma_wait %from to %to signals %done : !pallas.ref<?x4xf32, any>, !pallas.ref<?x4xf32, any>, !sem
    %none = arith.subi %c8, %c8 : i32
    %nothing = pallas.slice_ref %xr[ds(0, %none), :] : !array
    %nowhere = pallas.slice_ref %or[ds(0, %none), :] : !array
    pallas.dma_start %nothing to %nowhere signals %done : !pallas.ref<?x4xf32, any>, !pallas.ref<?x4xf32, any>, !sem
  }
  return %o : tensor<8x4xf32>
}

// The second copy may end first, and raise the count that the wait is for.
func.func @one_semaphore() -> tensor<8x4xf32> {
  %x = arith.constant dense<1.0> : tensor<2x8x4xf32>
  %o = pallas.pallas_call grid(1)
      in(%x : tensor<2x8x4xf32>) block<[2, 8, 4], any> out(tensor<8x4xf32>) block<[8, 4], vmem>
      kernel(%xr: !pallas.ref<2x8x4xf32, any>, %or: !block, %t: !pallas.ref<2x8x4xf32, vmem>, %done: !sem) {
    %x0 = pallas.slice_ref %xr[0, :, :] : !pallas.ref<2x8x4xf32, any>
    %x1 = pallas.slice_ref %xr[1, :, :] : !pallas.ref<2x8x4xf32, any>
    %t0 = pallas.slice_ref %t[0, :, :] : !pallas.ref<2x8x4xf32, vmem>
    %t1 = pallas.slice_ref %t[1, :, :] : !pallas.ref<2x8x4xf32, vmem>
    pallas.dma_start %x0 to %t0 signals %done : !array, !block, !sem
    pallas.dma_start %x1 to %t1 signals %done : !array, !block, !sem
    pallas.dma_wait %x0 to %t0 signals %done : !pallas.ref<8x4xf32, any>, !block, !sem
    // ONE: copies.mlir:[[@LINE+2]]:10: error: data race: 'pallas.get' reads element [0, 0, 0] of scratch 0 at grid point (0), while 'pallas.dma_start' at {{.*}}copies.mlir:[[@LINE-3]]:5, started at grid point (0), may still be writing it
    // ONE-NEXT: copies.mlir:[[@LINE+1]]:10: note: copies of one semaphore may end in any order, and the wait in between may have been for another one: give each copy that is under way at the same time a semaphore of its own, or wait for all of them
    %v = pallas.get %t0[...] : !block
    pallas.dma_wait %x1 to %t1 signals %done : !pallas.ref<8x4xf32, any>, !block, !sem
    pallas.swap %or[...], %v : !block, tensor<8x4xf32>
  }
  return %o : tensor<8x4xf32>
}

func.func @one_semaphore_repaired() -> tensor<8x4xf32> {
  %x = arith.constant dense<1.0> : tensor<2x8x4xf32>
  %o = pallas.pallas_call grid(1)
      in(%x : tensor<2x8x4xf32>) block<[2, 8, 4], any> out(tensor<8x4xf32>) block<[8, 4], vmem>
      kernel(%xr: !pallas.ref<2x8x4xf32, any>, %or: !block, %t: !pallas.ref<2x8x4xf32, vmem>, %done: !sem) {
    %x0 = pallas.slice_ref %xr[0, :, :] : !pallas.ref<2x8x4xf32, any>
    %x1 = pallas.slice_ref %xr[1, :, :] : !pallas.ref<2x8x4xf32, any>
    %t0 = pallas.slice_ref %t[0, :, :] : !pallas.ref<2x8x4xf32, vmem>
    %t1 = pallas.slice_ref %t[1, :, :] : !pallas.ref<2x8x4xf32, vmem>
    pallas.dma_start %x0 to %t0 signals %done : !array, !block, !sem
    pallas.dma_start %x1 to %t1 signals %done : !array, !block, !sem
    pallas.dma_wait %x0 to %t0 signals %done : !pallas.ref<8x4xf32, any>, !block, !sem
    pallas.dma_wait %x1 to %t1 signals %done : !pallas.ref<8x4xf32, any>, !block, !sem
    %v = pallas.get %t0[...] : !block
    pallas.swap %or[...], %v : !block, tensor<8x4xf32>
  }
  return %o : tensor<8x4xf32>
}

// The same for sources.
func.func @two_sources() -> tensor<2x8x4xf32> {
  %o = pallas.pallas_call grid(1) out(tensor<2x8x4xf32>) block<[2, 8, 4], any>
      kernel(%or: !pallas.ref<2x8x4xf32, any>, %t: !pallas.ref<2x8x4xf32, vmem>, %done: !sem) {
    %ones = arith.constant dense<1.0> : tensor<2x8x4xf32>
    %twos = arith.constant dense<2.0> : tensor<8x4xf32>
    pallas.swap %t[...], %ones : !pallas.ref<2x8x4xf32, vmem>, tensor<2x8x4xf32>
    %o0 = pallas.slice_ref %or[0, :, :] : !pallas.ref<2x8x4xf32, any>
    %o1 = pallas.slice_ref %or[1, :, :] : !pallas.ref<2x8x4xf32, any>
    %t0 = pallas.slice_ref %t[0, :, :] : !pallas.ref<2x8x4xf32, vmem>
    %t1 = pallas.slice_ref %t[1, :, :] : !pallas.ref<2x8x4xf32, vmem>
    pallas.dma_start %t0 to %o0 signals %done : !block, !array, !sem
    pallas.dma_start %t1 to %o1 signals %done : !block, !array, !sem
    pallas.dma_wait %t0 to %o0 signals %done : !block, !array, !sem
    // SOURCES: copies.mlir:[[@LINE+1]]:5: error: data race: 'pallas.swap' writes element [0, 0, 0] of scratch 0 at grid point (0), while 'pallas.dma_start' at {{.*}}, started at grid point (0), may still be reading it
    pallas.swap %t0[...], %twos : !block, tensor<8x4xf32>
    pallas.dma_wait %t1 to %o1 signals %done : !block, !array, !sem
    // SOURCES: found 1 mistake
  }
  return %o : tensor<2x8x4xf32>
}

// This changes nothing, in whatever order elements are copied.
func.func @to_its_source() -> tensor<8x4xf32> {
  %o = pallas.pallas_call grid(1) out(tensor<8x4xf32>) block<[8, 4], vmem>
      kernel(%or: !block, %done: !sem) {
    %ones = arith.constant dense<1.0> : tensor<8x4xf32>
    pallas.swap %or[...], %ones : !block, tensor<8x4xf32>
    pallas.dma_start %or to %or signals %done : !block, !block, !sem
    pallas.dma_wait %or to %or signals %done : !block, !block, !sem
  }
  return %o : tensor<8x4xf32>
}
