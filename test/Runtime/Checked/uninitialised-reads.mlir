// Reads of memory that nothing has written, and what makes them right.

// RUN: not pallas-run %s --no-cache --check --entry scratch 2>&1 | FileCheck %s --check-prefix=SCRATCH
// RUN: pallas-run %s --no-cache --check --entry scratch_repaired
// RUN: not pallas-run %s --no-cache --check --entry partial 2>&1 | FileCheck %s --check-prefix=PARTIAL
// RUN: pallas-run %s --no-cache --check --entry partial_repaired
// RUN: not pallas-run %s --no-cache --check --entry scoped_sum 2>&1 | FileCheck %s --check-prefix=SCOPED
// RUN: not pallas-run %s --no-cache --check --entry next_window 2>&1 | FileCheck %s --check-prefix=WINDOW
// RUN: pallas-run %s --no-cache --check --entry next_window_repaired
// RUN: not pallas-run %s --no-cache --check --entry old_value 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: not pallas-run %s --no-cache --check --entry masked 2>&1 | FileCheck %s --check-prefix=MASKED
// RUN: pallas-run %s --no-cache --check --entry masked_repaired
// RUN: not pallas-run %s --no-cache --check --entry through_copy 2>&1 | FileCheck %s --check-prefix=COPY
// RUN: not pallas-run %s --no-cache --check --entry histogram 2>&1 | FileCheck %s --check-prefix=ATOMIC
// RUN: not pallas-run %s --no-cache --check --entry loop_bound 2>&1 | FileCheck %s --check-prefix=BOUND
// RUN: not pallas-run %s --no-cache --check --entry best 2>&1 | FileCheck %s --check-prefix=BEST
// RUN: pallas-run %s --no-cache --check --entry selected_away
// RUN: not pallas-run %s --no-cache --check --entry left_out 2>&1 | FileCheck %s --check-prefix=LEFT
// RUN: pallas-run %s --no-cache --check --entry left_out_repaired

!block = !pallas.ref<8x4xf32, vmem>

func.func @scratch() -> tensor<8x4xf32> {
  %o = pallas.pallas_call grid(2) out(tensor<8x4xf32>) block<[8, 4], vmem> map(%i) -> (0, 0)
      kernel(%or: !block, %acc: !block) {
    // SCRATCH: uninitialised-reads.mlir:[[@LINE+1]]:10: error: uninitialised read: 'pallas.get' reads element [0, 0] of scratch 0 at grid point (1), which nothing has written; result 0 depends on it at [0, 0] (2 times)
    %v = pallas.get %acc[...] : !block
    pallas.swap %or[...], %v : !block, tensor<8x4xf32>
  }
  return %o : tensor<8x4xf32>
}

// SCRATCH: pallas-run: the check found 1 mistake{{$}}

func.func @scratch_repaired() -> tensor<8x4xf32> {
  %o = pallas.pallas_call grid(2) out(tensor<8x4xf32>) block<[8, 4], vmem> map(%i) -> (0, 0)
      kernel(%or: !block, %acc: !block) {
    %z = arith.constant dense<0.0> : tensor<8x4xf32>
    pallas.swap %acc[...], %z : !block, tensor<8x4xf32>
    %v = pallas.get %acc[...] : !block
    pallas.swap %or[...], %v : !block, tensor<8x4xf32>
  }
  return %o : tensor<8x4xf32>
}

// Seven of eight elements are written.
func.func @partial() -> tensor<8xi32> {
  %o = pallas.pallas_call grid(8) out(tensor<8xi32>) block<[8], smem>
      kernel(%or: !pallas.ref<8xi32, smem>, %t: !pallas.ref<8xi32, smem>) {
    %p = pallas.program_id 0
    %c7 = arith.constant 7 : i32
    %inside = arith.cmpi slt, %p, %c7 : i32
    scf.if %inside {
      pallas.swap %t[%p], %p : !pallas.ref<8xi32, smem>, i32
    }
    // PARTIAL: uninitialised-reads.mlir:[[@LINE+1]]:10: error: uninitialised read: 'pallas.get' reads element [7] of scratch 0 at grid point (7), which nothing has written; result 0 depends on it at [7]
    %v = pallas.get %t[%p] : !pallas.ref<8xi32, smem>
    pallas.swap %or[%p], %v : !pallas.ref<8xi32, smem>, i32
  }
  return %o : tensor<8xi32>
}

func.func @partial_repaired() -> tensor<8xi32> {
  %o = pallas.pallas_call grid(8) out(tensor<8xi32>) block<[8], smem>
      kernel(%or: !pallas.ref<8xi32, smem>, %t: !pallas.ref<8xi32, smem>) {
    %p = pallas.program_id 0
    pallas.swap %t[%p], %p : !pallas.ref<8xi32, smem>, i32
    %v = pallas.get %t[%p] : !pallas.ref<8xi32, smem>
    pallas.swap %or[%p], %v : !pallas.ref<8xi32, smem>, i32
  }
  return %o : tensor<8xi32>
}

func.func @scoped_sum() -> tensor<4xbf16> {
  %o = pallas.pallas_call grid() out(tensor<4xbf16>) block<[4], vmem> kernel(%or: !pallas.ref<4xbf16, vmem>) {
    pallas.run_scoped (%s: !pallas.ref<4xbf16, vmem>) {
      %one = arith.constant dense<1.0> : tensor<2xbf16>
      pallas.swap %s[ds(0, 2)], %one : !pallas.ref<4xbf16, vmem>, tensor<2xbf16>
      // SCOPED: uninitialised-reads.mlir:[[@LINE+1]]:7: error: uninitialised read: 'pallas.addupdate' reads element [2] of scoped ref 0, which nothing has written
      pallas.addupdate %s[ds(1, 2)], %one : !pallas.ref<4xbf16, vmem>, tensor<2xbf16>
      %two = arith.constant dense<2.0> : tensor<1xbf16>
      pallas.swap %s[ds(3, 1)], %two : !pallas.ref<4xbf16, vmem>, tensor<1xbf16>
      %v = pallas.get %s[...] : !pallas.ref<4xbf16, vmem>
      pallas.swap %or[...], %v : !pallas.ref<4xbf16, vmem>, tensor<4xbf16>
    }
  }
  return %o : tensor<4xbf16>
}

// The sum starts at zero in the first window only.
func.func @next_window() -> tensor<16x4xf32> {
  %o = pallas.pallas_call grid(2, 3)
      out(tensor<16x4xf32>) block<[8, 4], vmem, origin = "sums"> map(%i, %k) -> (%i, 0)
      kernel(%or: !block) {
    %i = pallas.program_id 0
    %k = pallas.program_id 1
    %c0 = arith.constant 0 : i32
    %both = arith.ori %i, %k : i32
    %first = arith.cmpi eq, %both, %c0 : i32
    scf.if %first {
      %z = arith.constant dense<0.0> : tensor<8x4xf32>
      pallas.swap %or[...], %z : !block, tensor<8x4xf32>
    }
    %one = arith.constant dense<1.0> : tensor<8x4xf32>
    // WINDOW: uninitialised-reads.mlir:[[@LINE+1]]:5: error: uninitialised read: 'pallas.addupdate' reads element [8, 0] of output 0 (sums) at grid point (1, 0), which nothing has written; result 0 depends on it at [8, 0]
    pallas.addupdate %or[...], %one : !block, tensor<8x4xf32>
  }
  return %o : tensor<16x4xf32>
}

func.func @next_window_repaired() -> tensor<16x4xf32> {
  %o = pallas.pallas_call grid(2, 3)
      out(tensor<16x4xf32>) block<[8, 4], vmem> map(%i, %k) -> (%i, 0)
      kernel(%or: !block) {
    %k = pallas.program_id 1
    %c0 = arith.constant 0 : i32
    %first = arith.cmpi eq, %k, %c0 : i32
    scf.if %first {
      %z = arith.constant dense<0.0> : tensor<8x4xf32>
      pallas.swap %or[...], %z : !block, tensor<8x4xf32>
    }
    %one = arith.constant dense<1.0> : tensor<8x4xf32>
    pallas.addupdate %or[...], %one : !block, tensor<8x4xf32>
  }
  return %o : tensor<16x4xf32>
}

func.func @old_value() -> tensor<4xi8> {
  %o = pallas.pallas_call grid() out(tensor<4xi8>) block<[4], vmem>
      kernel(%or: !pallas.ref<4xi8, vmem>, %s: !pallas.ref<4xi8, vmem>) {
    %one = arith.constant dense<1> : tensor<4xi8>
    // OLD: uninitialised-reads.mlir:[[@LINE+1]]:12: error: uninitialised read: 'pallas.swap' reads element [0] of scratch 0, which nothing has written; result 0 depends on it at [0]
    %old = pallas.swap %s[...], %one : !pallas.ref<4xi8, vmem>, tensor<4xi8>
    pallas.swap %or[...], %old : !pallas.ref<4xi8, vmem>, tensor<4xi8>
  }
  return %o : tensor<4xi8>
}

// The mask lets one element too many through.
func.func @masked() -> tensor<8xf32> {
  %o = pallas.pallas_call grid() out(tensor<8xf32>) block<[8], vmem>
      kernel(%or: !pallas.ref<8xf32, vmem>, %s: !pallas.ref<8xf32, vmem>) {
    %some = arith.constant dense<1.0> : tensor<6xf32>
    %zero = arith.constant dense<0.0> : tensor<8xf32>
    pallas.swap %s[ds(0, 6)], %some : !pallas.ref<8xf32, vmem>, tensor<6xf32>
    %at = pallas.iota 0 : tensor<8xi32>
    %end = arith.constant dense<7> : tensor<8xi32>
    %m = arith.cmpi slt, %at, %end : tensor<8xi32>
    // MASKED: uninitialised-reads.mlir:[[@LINE+1]]:10: error: uninitialised read: 'pallas.masked_load' reads element [6] of scratch 0, which nothing has written; result 0 depends on it at [6]
    %v = pallas.masked_load %s[...] mask %m other %zero : !pallas.ref<8xf32, vmem>, tensor<8xi1>, other tensor<8xf32>
    pallas.swap %or[...], %v : !pallas.ref<8xf32, vmem>, tensor<8xf32>
  }
  return %o : tensor<8xf32>
}

func.func @masked_repaired() -> tensor<8xf32> {
  %o = pallas.pallas_call grid() out(tensor<8xf32>) block<[8], vmem>
      kernel(%or: !pallas.ref<8xf32, vmem>, %s: !pallas.ref<8xf32, vmem>) {
    %some = arith.constant dense<1.0> : tensor<6xf32>
    %zero = arith.constant dense<0.0> : tensor<8xf32>
    pallas.swap %s[ds(0, 6)], %some : !pallas.ref<8xf32, vmem>, tensor<6xf32>
    %at = pallas.iota 0 : tensor<8xi32>
    %end = arith.constant dense<6> : tensor<8xi32>
    %m = arith.cmpi slt, %at, %end : tensor<8xi32>
    %v = pallas.masked_load %s[...] mask %m other %zero : !pallas.ref<8xf32, vmem>, tensor<8xi1>, other tensor<8xf32>
    pallas.swap %or[...], %v : !pallas.ref<8xf32, vmem>, tensor<8xf32>
  }
  return %o : tensor<8xf32>
}

// A copy hands on what nothing has written.
func.func @through_copy() -> tensor<8x4xf32> {
  %o = pallas.pallas_call grid() out(tensor<8x4xf32>) block<[8, 4], vmem>
      kernel(%or: !block, %from: !block, %to: !block, %sem: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
    pallas.dma_start %from to %to signals %sem
        : !block, !block, !pallas.ref<!pallas.dma_semaphore, semaphore>
    pallas.dma_wait %from to %to signals %sem
        : !block, !block, !pallas.ref<!pallas.dma_semaphore, semaphore>
    // COPY: uninitialised-reads.mlir:[[@LINE+1]]:10: error: uninitialised read: 'pallas.get' reads element [0, 0] of scratch 1
    %v = pallas.get %to[...] : !block
    pallas.swap %or[...], %v : !block, tensor<8x4xf32>
  }
  return %o : tensor<8x4xf32>
}

func.func @histogram() -> tensor<4xi32> {
  %o = pallas.pallas_call grid() out(tensor<4xi32>) block<[4], gmem>
      kernel(%or: !pallas.ref<4xi32, gmem>) {
    %at = arith.constant dense<[1, 3, 1]> : tensor<3xi32>
    %one = arith.constant dense<1> : tensor<3xi32>
    // ATOMIC: uninitialised-reads.mlir:[[@LINE+1]]:5: error: uninitialised read: 'pallas.atomic_rmw' reads element [1] of output 0, which nothing has written
    pallas.atomic_rmw <add> %or[gather(%at : tensor<3xi32>)], %one : !pallas.ref<4xi32, gmem>, tensor<3xi32>
  }
  return %o : tensor<4xi32>
}

// A loop that runs as often as memory says that nothing has written.
func.func @loop_bound() -> tensor<1xi32> {
  %o = pallas.pallas_call grid() out(tensor<1xi32>) block<[1], smem>
      kernel(%or: !pallas.ref<1xi32, smem>, %n: !pallas.ref<i32, smem>) {
    // BOUND: uninitialised-reads.mlir:[[@LINE+1]]:10: error: uninitialised read: 'pallas.get' reads scratch 0
    %v = pallas.get %n[...] : !pallas.ref<i32, smem>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %sum = scf.for %i = %c0 to %v step %c1 iter_args(%s = %c0) -> (i32) : i32 {
      %t = arith.addi %s, %c1 : i32
      scf.yield %t : i32
    }
    pallas.swap %or[0], %sum : !pallas.ref<1xi32, smem>, i32
  }
  return %o : tensor<1xi32>
}

// The first value that a run makes up is less than all others, so later programs
// find it replaced; with another one they don't.
func.func @best() -> tensor<1xf32> {
  %x = arith.constant dense<[5.0, 6.0, 9.0, 7.0]> : tensor<4xf32>
  %o = pallas.pallas_call grid(4)
      in(%x : tensor<4xf32>) block<[squeezed], smem> map(%i) -> (%i)
      out(tensor<1xf32>) block<[1], smem>
      kernel(%xr: !pallas.ref<f32, smem>, %or: !pallas.ref<1xf32, smem>, %best: !pallas.ref<1xf32, smem>) {
    %v = pallas.get %xr[...] : !pallas.ref<f32, smem>
    // BEST: uninitialised-reads.mlir:[[@LINE+1]]:10: error: uninitialised read: 'pallas.get' reads element [0] of scratch 0 at grid point (2), which nothing has written; result 0 depends on it at [0]
    %b = pallas.get %best[0] : !pallas.ref<1xf32, smem>
    %better = arith.cmpf ogt, %v, %b : f32
    scf.if %better {
      pallas.swap %best[0], %v : !pallas.ref<1xf32, smem>, f32
    }
    %n = pallas.get %best[0] : !pallas.ref<1xf32, smem>
    pallas.swap %or[0], %n : !pallas.ref<1xf32, smem>, f32
  }
  return %o : tensor<1xf32>
}

// Half of the scratch is never written, and never used.
func.func @selected_away() -> tensor<8xf32> {
  %o = pallas.pallas_call grid() out(tensor<8xf32>) block<[8], vmem>
      kernel(%or: !pallas.ref<8xf32, vmem>, %s: !pallas.ref<8xf32, vmem>) {
    %some = arith.constant dense<1.0> : tensor<4xf32>
    pallas.swap %s[ds(0, 4)], %some : !pallas.ref<8xf32, vmem>, tensor<4xf32>
    %v = pallas.get %s[...] : !pallas.ref<8xf32, vmem>
    %at = pallas.iota 0 : tensor<8xi32>
    %end = arith.constant dense<4> : tensor<8xi32>
    %is_written = arith.cmpi slt, %at, %end : tensor<8xi32>
    %zero = arith.constant dense<0.0> : tensor<8xf32>
    %w = arith.select %is_written, %v, %zero : tensor<8xi1>, tensor<8xf32>
    pallas.swap %or[...], %w : !pallas.ref<8xf32, vmem>, tensor<8xf32>
  }
  return %o : tensor<8xf32>
}

func.func @left_out() -> tensor<8x4xf32> {
  %o = pallas.pallas_call grid() out(tensor<8x4xf32>) block<[8, 4], vmem>
      kernel(%or: !block) {
    %z = arith.constant dense<0.0> : tensor<8x4xf32>
    pallas.swap %or[...], %z : !block, tensor<8x4xf32>
    %m = arith.constant dense<[true, true, false, true]> : tensor<4xi1>
    // LEFT: uninitialised-reads.mlir:[[@LINE+1]]:10: error: uninitialised read: 'pallas.masked_load' reads element [0, 2] of what its mask leaves out, which nothing has written; result 0 depends on it at [0, 2]
    %v = pallas.masked_load %or[...] mask %m : !block, tensor<4xi1>
    pallas.swap %or[...], %v : !block, tensor<8x4xf32>
  }
  return %o : tensor<8x4xf32>
}

func.func @left_out_repaired() -> tensor<8x4xf32> {
  %o = pallas.pallas_call grid() out(tensor<8x4xf32>) block<[8, 4], vmem>
      kernel(%or: !block) {
    %z = arith.constant dense<0.0> : tensor<8x4xf32>
    pallas.swap %or[...], %z : !block, tensor<8x4xf32>
    %m = arith.constant dense<[true, true, false, true]> : tensor<4xi1>
    %v = pallas.masked_load %or[...] mask %m other %z : !block, tensor<4xi1>, other tensor<8x4xf32>
    pallas.swap %or[...], %v : !block, tensor<8x4xf32>
  }
  return %o : tensor<8x4xf32>
}
