// Counts that are not zero in the end, and waits that nothing can satisfy.

// RUN: not pallas-run %s --no-cache --check --entry not_zero 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: pallas-run %s --no-cache --check --entry not_zero_repaired
// RUN: not pallas-run %s --no-cache --check --entry one_of_many 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not pallas-run %s --no-cache --check --entry scoped 2>&1 | FileCheck %s --check-prefix=SCOPED
// RUN: not pallas-run %s --no-cache --check --entry of_the_function 2>&1 | FileCheck %s --check-prefix=FUNCTION
// RUN: pallas-run %s --no-cache --check --entry of_the_function_repaired
// RUN: not pallas-run %s --no-cache --check --entry pipeline 2>&1 | FileCheck %s --check-prefix=PIPELINE
// RUN: not pallas-run %s --no-cache --check --entry no_decrement 2>&1 | FileCheck %s --check-prefix=KEPT
// RUN: pallas-run %s --no-cache --check --entry counts_on
// RUN: not pallas-run %s --no-cache --check --entry too_much 2>&1 | FileCheck %s --check-prefix=MUCH
// RUN: not pallas-run %s --no-cache --check --entry waits_twice 2>&1 | FileCheck %s --check-prefix=TWICE

!out = !pallas.ref<4xf32, vmem>
!sem = !pallas.ref<!pallas.semaphore, semaphore>
!sems = !pallas.ref<2x!pallas.semaphore, semaphore>
!dma = !pallas.ref<!pallas.dma_semaphore, semaphore>

func.func @not_zero() -> tensor<4xf32> {
  // ZERO: semaphores.mlir:[[@LINE+2]]:8: error: semaphore not zero: 'pallas.pallas_call' ends with scratch 0 at 3
  // ZERO-NEXT: semaphores.mlir:[[@LINE+1]]:8: note: wait for as much as is signalled
  %o = pallas.pallas_call grid(3) out(tensor<4xf32>) block<[4], vmem> kernel(%or: !out, %s: !sem) {
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    pallas.semaphore_signal %s, %c2 : !sem
    pallas.semaphore_wait %s, %c1 : !sem
    %v = arith.constant dense<1.0> : tensor<4xf32>
    pallas.swap %or[...], %v : !out, tensor<4xf32>
  }
  return %o : tensor<4xf32>
}

func.func @not_zero_repaired() -> tensor<4xf32> {
  %o = pallas.pallas_call grid(3) out(tensor<4xf32>) block<[4], vmem> kernel(%or: !out, %s: !sem) {
    %c2 = arith.constant 2 : i32
    pallas.semaphore_signal %s, %c2 : !sem
    pallas.semaphore_wait %s, %c2 : !sem
    %v = arith.constant dense<1.0> : tensor<4xf32>
    pallas.swap %or[...], %v : !out, tensor<4xf32>
  }
  return %o : tensor<4xf32>
}

func.func @one_of_many() -> tensor<4xf32> {
  // MANY: semaphores.mlir:[[@LINE+1]]:8: error: semaphore not zero: 'pallas.pallas_call' ends with element [1] of scratch 0 at 1
  %o = pallas.pallas_call grid(3) out(tensor<4xf32>) block<[4], vmem> kernel(%or: !out, %s: !sems) {
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %p = pallas.program_id 0
    %at = arith.remsi %p, %c2 : i32
    %mine = pallas.slice_ref %s[%at] : !sems
    pallas.semaphore_signal %mine, %c1 : !sem
    %first = pallas.slice_ref %s[0] : !sems
    %is_even = arith.cmpi ne, %at, %c1 : i32
    scf.if %is_even {
      pallas.semaphore_wait %first, %c1 : !sem
    }
    %v = arith.constant dense<1.0> : tensor<4xf32>
    pallas.swap %or[...], %v : !out, tensor<4xf32>
  }
  return %o : tensor<4xf32>
}

func.func @scoped() -> tensor<4xf32> {
  %o = pallas.pallas_call grid(2) out(tensor<4xf32>) block<[4], vmem> kernel(%or: !out) {
    %c1 = arith.constant 1 : i32
    %v = arith.constant dense<1.0> : tensor<4xf32>
    pallas.swap %or[...], %v : !out, tensor<4xf32>
    // SCOPED: semaphores.mlir:[[@LINE+1]]:5: error: semaphore not zero: 'pallas.run_scoped' ends with scoped ref 0 at 1
    pallas.run_scoped (%s: !sem) {
      pallas.semaphore_signal %s, %c1 : !sem
    }
  }
  return %o : tensor<4xf32>
}

func.func @pipeline() -> tensor<4xf32> {
  %o = pallas.pallas_call grid(1) out(tensor<4xf32>) block<[4], any> kernel(%or: !pallas.ref<4xf32, any>) {
    // PIPELINE: semaphores.mlir:[[@LINE+1]]:5: error: semaphore not zero: 'pallas.emit_pipeline' ends with scratch 0 at 2
    pallas.emit_pipeline grid(2)
        out(%or : !pallas.ref<4xf32, any>) block<[2], vmem> map(%i) -> (%i)
        kernel(%i: i32, %a: !pallas.ref<2xf32, vmem>, %s: !sem) {
      %c1 = arith.constant 1 : i32
      pallas.semaphore_signal %s, %c1 : !sem
      %v = arith.constant dense<1.0> : tensor<2xf32>
      pallas.swap %a[...], %v : !pallas.ref<2xf32, vmem>, tensor<2xf32>
    }
  }
  return %o : tensor<4xf32>
}

func.func @no_decrement() -> tensor<4xf32> {
  // KEPT: semaphores.mlir:[[@LINE+1]]:8: error: semaphore not zero: 'pallas.pallas_call' ends with scratch 0 at 1
  %o = pallas.pallas_call grid(1) out(tensor<4xf32>) block<[4], vmem> kernel(%or: !out, %s: !sem) {
    %c1 = arith.constant 1 : i32
    pallas.semaphore_signal %s, %c1 : !sem
    pallas.semaphore_wait %s, %c1 {decrement = false} : !sem
    %v = arith.constant dense<1.0> : tensor<4xf32>
    pallas.swap %or[...], %v : !out, tensor<4xf32>
  }
  return %o : tensor<4xf32>
}

func.func @too_much() -> tensor<4xf32> {
  %o = pallas.pallas_call grid(1) out(tensor<4xf32>) block<[4], vmem> kernel(%or: !out, %s: !sem) {
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    pallas.semaphore_signal %s, %c1 : !sem
    // MUCH-NOT: semaphore not zero
    // MUCH: semaphores.mlir":[[@LINE+1]]:5): deadlock: this waits for a semaphore that nothing is left to signal: it is 1, and the wait is for 2; signal as much as is waited for
    pallas.semaphore_wait %s, %c2 : !sem
    // MUCH-NOT: semaphore not zero
    %v = arith.constant dense<1.0> : tensor<4xf32>
    pallas.swap %or[...], %v : !out, tensor<4xf32>
  }
  return %o : tensor<4xf32>
}

// A copy ends once.
func.func @waits_twice() -> tensor<4xf32> {
  %x = arith.constant dense<1.0> : tensor<4xf32>
  %o = pallas.pallas_call grid(1)
      in(%x : tensor<4xf32>) block<[4], vmem> out(tensor<4xf32>) block<[4], vmem>
      kernel(%xr: !out, %or: !out, %done: !dma) {
    pallas.dma_start %xr to %or signals %done : !out, !out, !dma
    pallas.dma_wait %xr to %or signals %done : !out, !out, !dma
    // TWICE: semaphores.mlir":[[@LINE+1]]:5): deadlock: this waits for a semaphore that nothing is left to signal
    pallas.dma_wait %xr to %or signals %done : !out, !out, !dma
  }
  return %o : tensor<4xf32>
}

// Semaphores that have a name end with the function.
func.func @of_the_function() -> tensor<4xf32> {
  %o = pallas.pallas_call grid(3) out(tensor<4xf32>) block<[4], vmem> kernel(%or: !out) {
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    // FUNCTION: semaphores.mlir:[[@LINE+2]]:12: error: semaphore not zero: 'pallas.get_global' ends with element [1] of memory "done" at 3
    // FUNCTION-NEXT: semaphores.mlir:[[@LINE+1]]:12: note: wait for as much as is signalled
    %all = pallas.get_global "done" : !sems
    %s = pallas.slice_ref %all[1] : !sems
    pallas.semaphore_signal %s, %c2 : !sem
    %same = pallas.get_global "done" : !sems
    %t = pallas.slice_ref %same[1] : !sems
    pallas.semaphore_wait %t, %c1 : !sem
    %v = arith.constant dense<1.0> : tensor<4xf32>
    pallas.swap %or[...], %v : !out, tensor<4xf32>
  }
  return %o : tensor<4xf32>
}

func.func @of_the_function_repaired() -> tensor<4xf32> {
  %o = pallas.pallas_call grid(3) out(tensor<4xf32>) block<[4], vmem> kernel(%or: !out) {
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %all = pallas.get_global "done" : !sems
    %s = pallas.slice_ref %all[1] : !sems
    pallas.semaphore_signal %s, %c2 : !sem
    %same = pallas.get_global "done" : !sems
    %t = pallas.slice_ref %same[1] : !sems
    pallas.semaphore_wait %t, %c2 : !sem
    %v = arith.constant dense<1.0> : tensor<4xf32>
    pallas.swap %or[...], %v : !out, tensor<4xf32>
  }
  return %o : tensor<4xf32>
}

// A GPU has zeros here in each call, so that this count is left on purpose.
func.func @counts_on() -> tensor<4xf32> {
  %o = pallas.mpmd_map out(tensor<4xf32>) kernel @k on <gpu, [<grid "x" = 2>]>
      (%or: !pallas.ref<4xf32, gmem>, %s: !pallas.ref<2x!pallas.semaphore, gmem>) {
    %c1 = arith.constant 1 : i32
    %all = pallas.get_global "all" : !pallas.ref<!pallas.semaphore, gmem>
    pallas.semaphore_signal %all, %c1 : !pallas.ref<!pallas.semaphore, gmem>
    pallas.semaphore_wait %all, %c1 {decrement = false} : !pallas.ref<!pallas.semaphore, gmem>
    %own = pallas.slice_ref %s[1] : !pallas.ref<2x!pallas.semaphore, gmem>
    pallas.semaphore_signal %own, %c1 : !pallas.ref<!pallas.semaphore, gmem>
    pallas.semaphore_wait %own, %c1 {decrement = false} : !pallas.ref<!pallas.semaphore, gmem>
    %i = pallas.axis_index "x"
    %c0 = arith.constant 0 : i32
    %first = arith.cmpi eq, %i, %c0 : i32
    scf.if %first {
      %v = arith.constant dense<1.0> : tensor<4xf32>
      pallas.swap %or[...], %v : !pallas.ref<4xf32, gmem>, tensor<4xf32>
    }
  }
  return %o : tensor<4xf32>
}
