// RUN: pallas-opt %s --verify-diagnostics --split-input-file

func.func @many_semaphores(%s: !pallas.ref<2x!pallas.semaphore, semaphore>, %n: i32) {
  // V15
  // expected-error @+1 {{semaphore must be a single one, but has type '!pallas.ref<2x!pallas.semaphore, semaphore>'; select one with pallas.slice_ref}}
  pallas.semaphore_signal %s, %n : !pallas.ref<2x!pallas.semaphore, semaphore>
  return
}

// -----

func.func @signal_dma(%s: !pallas.ref<!pallas.dma_semaphore, semaphore>, %n: i32) {
  // V16
  // expected-error @+1 {{cannot signal a DMA semaphore; only async copies count on it}}
  pallas.semaphore_signal %s, %n : !pallas.ref<!pallas.dma_semaphore, semaphore>
  return
}

// -----

func.func @wait_dma(%s: !pallas.ref<!pallas.dma_semaphore, semaphore>, %n: i32) {
  // V16
  // expected-error @+1 {{cannot wait on a DMA semaphore; use pallas.dma_wait}}
  pallas.semaphore_wait %s, %n : !pallas.ref<!pallas.dma_semaphore, semaphore>
  return
}

// -----

func.func @wrong_ref(%s: !pallas.ref<i32, smem>, %n: i32) {
  // V16
  // expected-error @+1 {{operand #0 must be ref to semaphores, but got '!pallas.ref<i32, smem>'}}
  pallas.semaphore_wait %s, %n : !pallas.ref<i32, smem>
  return
}

// -----

!s = !pallas.ref<!pallas.semaphore, semaphore>

func.func @id_without_type(%s: !s, %n: i32) {
  // V17
  // expected-error @+1 {{names a device either by an id type and ids or not at all, but has 1 ids without an id type}}
  "pallas.semaphore_signal"(%s, %n, %n) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> : (!s, i32, i32) -> ()
  return
}

// -----

!s = !pallas.ref<!pallas.semaphore, semaphore>

func.func @logical_pair(%s: !s, %n: i32) {
  // V17
  // expected-error @+1 {{a logical device id is one number, but 2 are given}}
  pallas.semaphore_signal %s, %n device logical(%n, %n) : !s
  return
}

// -----

!s = !pallas.ref<!pallas.semaphore, semaphore>

func.func @logical_axes(%s: !s, %n: i32) {
  // V17
  // expected-error @+1 {{names mesh axes, which only a mesh device id has}}
  pallas.semaphore_signal %s, %n device logical(%n) axes ["x"] : !s
  return
}

// -----

!s = !pallas.ref<!pallas.semaphore, semaphore>

func.func @axis_count(%s: !s, %n: i32) {
  // V17
  // expected-error @+1 {{names 1 mesh axes, but 2 coordinates are given}}
  pallas.semaphore_signal %s, %n device mesh(%n, %n) axes ["x"] : !s
  return
}

// -----

!d = !pallas.ref<!pallas.dma_semaphore, semaphore>

func.func @copy_element(%a: !pallas.ref<8xf32, hbm>, %b: !pallas.ref<8xi32, vmem>, %s: !d) {
  // V18
  // expected-error @+1 {{copies between different element types, 'f32' and 'i32'; view one of them with pallas.bitcast_ref}}
  pallas.dma_start %a to %b signals %s : !pallas.ref<8xf32, hbm>, !pallas.ref<8xi32, vmem>, !d
  return
}

// -----

!d = !pallas.ref<!pallas.dma_semaphore, semaphore>

func.func @copy_shape(%a: !pallas.ref<8xf32, hbm>, %b: !pallas.ref<4xf32, vmem>, %s: !d) {
  // V18
  // expected-error @+1 {{copies between different shapes, [8] and [4]; slice the larger one with pallas.slice_ref}}
  pallas.dma_wait %a to %b signals %s : !pallas.ref<8xf32, hbm>, !pallas.ref<4xf32, vmem>, !d
  return
}

// -----

!d = !pallas.ref<!pallas.dma_semaphore, semaphore>
!r = !pallas.ref<8xf32, hbm>

func.func @remote_without_source(%a: !r, %s: !d, %n: i32) {
  // V18
  // expected-error @+1 {{a remote copy needs a source semaphore, but only the device is given; give the semaphore that counts what has left}}
  pallas.dma_start %a to %a signals %s device logical(%n) : !r, !r, !d
  return
}

// -----

!d = !pallas.ref<!pallas.dma_semaphore, semaphore>
!r = !pallas.ref<8xf32, hbm>

func.func @priority(%a: !r, %s: !d) {
  // V18
  // expected-error @+1 {{priority must not be negative, but is -1}}
  pallas.dma_start %a to %a signals %s {priority = -1 : i32} : !r, !r, !d
  return
}

// -----

!d = !pallas.ref<2x!pallas.dma_semaphore, semaphore>
!r = !pallas.ref<8xf32, hbm>

func.func @many_dma_semaphores(%a: !r, %s: !d) {
  // V15
  // expected-error @+1 {{semaphore must be a single one}}
  pallas.dma_start %a to %a signals %s : !r, !r, !d
  return
}

// -----

!b = !pallas.ref<2x!pallas.barrier<numArrivals = 1>, smem>

func.func @many_barriers(%b: !b) {
  // V15
  // expected-error @+1 {{barrier must be a single one}}
  pallas.barrier_arrive %b : !b
  return
}

// -----

func.func @several_parities(%b: !pallas.ref<2x!pallas.barrier<numArrivals = 1>, smem>, %parity: i1) {
  // expected-error@+1 {{barrier must be a single one, but has type '!pallas.ref<2x!pallas.barrier<numArrivals = 1>, smem>'; select one with pallas.slice_ref}}
  pallas.barrier_wait_parity %b, %parity : !pallas.ref<2x!pallas.barrier<numArrivals = 1>, smem>
  return
}

// -----

func.func @several_tests(%b: !pallas.ref<2x!pallas.barrier<numArrivals = 1>, smem>, %parity: i1) {
  // expected-error@+1 {{barrier must be a single one, but has type '!pallas.ref<2x!pallas.barrier<numArrivals = 1>, smem>'; select one with pallas.slice_ref}}
  %done = pallas.barrier_test %b parity %parity : !pallas.ref<2x!pallas.barrier<numArrivals = 1>, smem>
  return
}

// -----

func.func @answer_of_words(%answer: !pallas.ref<4xi32, smem>, %b: !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>) {
  // V22
  // expected-error@+1 {{has an answer of type '!pallas.ref<4xi32, smem>'; it takes 16 bytes of shared memory, !pallas.ref<16xi8, smem>}}
  pallas.try_cluster_cancel %answer signals %b : !pallas.ref<4xi32, smem>, !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
  return
}

// -----

func.func @answer_to_all(%answer: !pallas.ref<16xi8, smem>, %b: !pallas.ref<2x!pallas.barrier<numArrivals = 1>, smem>) {
  // V15
  // expected-error@+1 {{barrier must be a single one}}
  pallas.try_cluster_cancel %answer signals %b : !pallas.ref<16xi8, smem>, !pallas.ref<2x!pallas.barrier<numArrivals = 1>, smem>
  return
}

// -----

func.func @answer_in_global_memory(%answer: !pallas.ref<16xi8, gmem>) {
  // V22
  // expected-error@+1 {{has an answer of type '!pallas.ref<16xi8, gmem>'; it takes 16 bytes of shared memory}}
  %found = pallas.query_cluster_cancel %answer along [] : !pallas.ref<16xi8, gmem>
  return
}

// -----

func.func @work_along_no_axis() {
  // expected-note@below {{the kernel belongs to this}}
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 2>]> () {
    pallas.run_scoped (%answer: !pallas.ref<16xi8, smem>) {
      // V25
      // expected-error@+1 {{asks for work along the axis "j", which the kernel around does not have; name an axis of its mesh or grid}}
      %j, %found = pallas.query_cluster_cancel %answer along ["j"] : !pallas.ref<16xi8, smem>
    }
  }
  return
}

// -----

func.func @question_along_no_axis() {
  // expected-note@below {{the kernel belongs to this}}
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 2>]> () {
    pallas.run_scoped (%answer: !pallas.ref<16xi8, smem>, %b: !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>) {
      // V25
      // expected-error@+1 {{asks along the axis "wg", which the kernel around does not have; name an axis of its mesh or grid}}
      pallas.try_cluster_cancel %answer signals %b collective ["wg"] : !pallas.ref<16xi8, smem>, !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
    }
  }
  return
}
