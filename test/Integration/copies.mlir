// Copies, semaphores and random bits: natively, and after refs became values.
// `pallas-run --entry=NAME` runs one case.

// RUN: pallas-run %s --no-cache --entry=main | FileCheck %s
// RUN: pallas-opt %s --pallas-discharge-state | pallas-run - --no-cache --entry=main | FileCheck %s

!r = !pallas.ref<6xi32, vmem>
!t = tensor<6xi32>
!three = !pallas.ref<3xi32, vmem>
!done = !pallas.ref<!pallas.dma_semaphore, semaphore>
!count = !pallas.ref<!pallas.semaphore, semaphore>

// CHECK: halves_exchanged: [3 4 5 0 1 2]
func.func @halves_exchanged() {
  %x = pallas.iota 0 : !t
  %r = pallas.new_ref %x : !t -> !r
  pallas.run_scoped (%s: !three, %d: !done) {
    %front = pallas.slice_ref %r[ds(0, 3)] : !r
    %back = pallas.slice_ref %r[ds(3, 3)] : !r
    pallas.dma_start %front to %s signals %d : !three, !three, !done
    pallas.dma_wait %front to %s signals %d : !three, !three, !done
    pallas.dma_start %back to %front signals %d : !three, !three, !done
    pallas.dma_wait %back to %front signals %d : !three, !three, !done
    pallas.dma_start %s to %back signals %d : !three, !three, !done
    pallas.dma_wait %s to %back signals %d : !three, !three, !done
  }
  %o = pallas.freeze %r : !r
  pallas.debug_print "halves_exchanged: {}" %o : !t
  return
}

// What a copy reads is moved inside, what it writes is dropped where it lies outside, and of
// indices that repeat, all add.
// CHECK: by_number: [0 5 5] [10 1 2 3 4 55]
func.func @by_number() {
  %x = pallas.iota 0 : !t
  %at = arith.constant dense<[0, 5, -1]> : tensor<3xi32>
  %far = arith.constant dense<[0, 5, 9]> : tensor<3xi32>
  %y = arith.constant dense<[10, 20, 30]> : tensor<3xi32>
  %r = pallas.new_ref %x : !t -> !r
  %v = pallas.run_scoped (%s: !three, %indices: !three, %d: !done) -> tensor<3xi32> {
    pallas.swap %indices[...], %far : !three, tensor<3xi32>
    %from = pallas.slice_ref %r[gather(%indices : !three)] : !r
    pallas.dma_start %from to %s signals %d : !three, !three, !done
    pallas.dma_wait %from to %s signals %d : !three, !three, !done
    %read = pallas.get %s[...] : !three
    // The view selects what the indices are when it is used.
    pallas.swap %indices[...], %at : !three, tensor<3xi32>
    pallas.swap %s[...], %y : !three, tensor<3xi32>
    pallas.dma_start %s to %from signals %d {add} : !three, !three, !done
    pallas.dma_wait %s to %from signals %d : !three, !three, !done
    pallas.yield %read : tensor<3xi32>
  }
  %o = pallas.freeze %r : !r
  pallas.debug_print "by_number: {} {}" %v, %o : tensor<3xi32>, !t
  return
}

// A view of words over pairs of rows takes copies like any other.
// CHECK: pairs: {{\[}}[1 2] [0 0]]
func.func @pairs() {
  %x = arith.constant dense<[[1, 2]]> : tensor<1x2xi32>
  %r = pallas.new_ref %x : tensor<1x2xi32> -> !pallas.ref<1x2xi32, vmem>
  %o = pallas.run_scoped (%h: !pallas.ref<2x2xi16, vmem>, %d: !done) -> tensor<2x2xi16> {
    %words = pallas.bitcast_ref %h : !pallas.ref<2x2xi16, vmem> -> !pallas.ref<1x2xi32, vmem>
    pallas.dma_start %r to %words signals %d : !pallas.ref<1x2xi32, vmem>, !pallas.ref<1x2xi32, vmem>, !done
    pallas.dma_wait %r to %words signals %d : !pallas.ref<1x2xi32, vmem>, !pallas.ref<1x2xi32, vmem>, !done
    %v = pallas.get %h[...] : !pallas.ref<2x2xi16, vmem>
    pallas.yield %v : tensor<2x2xi16>
  }
  pallas.debug_print "pairs: {}" %o : tensor<2x2xi16>
  return
}

// CHECK: semaphores: 3 1
func.func @semaphores() {
  %a, %b = pallas.run_scoped (%s: !pallas.ref<2x!pallas.semaphore, semaphore>) -> (i32, i32) {
    %c3 = arith.constant 3 : i32
    %c2 = arith.constant 2 : i32
    %c1 = arith.constant 1 : i32
    %one = pallas.slice_ref %s[1] : !pallas.ref<2x!pallas.semaphore, semaphore>
    pallas.semaphore_signal %one, %c3 : !count
    %before = pallas.semaphore_read %one : !count
    pallas.semaphore_wait %one, %c2 : !count
    %after = pallas.semaphore_read %one : !count
    pallas.semaphore_wait %one, %c1 : !count
    pallas.yield %before, %after : i32, i32
  }
  pallas.debug_print "semaphores: {} {}" %a, %b : i32, i32
  return
}

func.func @main() {
  call @halves_exchanged() : () -> ()
  call @by_number() : () -> ()
  call @pairs() : () -> ()
  call @semaphores() : () -> ()
  return
}
