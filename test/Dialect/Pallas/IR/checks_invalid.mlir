// RUN: pallas-opt %s --verify-diagnostics --split-input-file

// Checks keep the rules of the accesses that they are about.

func.func @semaphore(%r: !pallas.ref<!pallas.semaphore, semaphore>) {
  // V15
  // expected-error @+1 {{cannot access a ref of type '!pallas.ref<!pallas.semaphore, semaphore>' as values; use the semaphore and barrier operations}}
  pallas.check_access read "scratch 0" %r[...] by "pallas.get" : !pallas.ref<!pallas.semaphore, semaphore>
  return
}

// -----

func.func @past_the_end(%r: !pallas.ref<8xf32, vmem>) {
  // N4
  // expected-error @+1 {{index 0 is a slice of 8 elements from 4 with stride 1, out of bounds for a dimension of size 8; at most 4 fit}}
  pallas.check_access read "input 0" %r[ds(4, 8)] by "pallas.get" : !pallas.ref<8xf32, vmem>
  return
}

// -----

func.func @mask(%r: !pallas.ref<8xf32, vmem>, %m: tensor<4xi1>) {
  // V12
  // expected-error @+1 {{mask has the shape [4], but the indexed part of the ref has [8]; the mask must broadcast to it}}
  pallas.check_access read "input 0" %r[...] mask %m outside dropped by "pallas.masked_load" : !pallas.ref<8xf32, vmem>, tensor<4xi1>
  return
}

// -----

func.func @indices_of_ref(%r: !pallas.ref<8xf32, vmem>, %i: !pallas.ref<4xi32, vmem>) {
  // N8
  // expected-error @+1 {{takes indices from a ref of type '!pallas.ref<4xi32, vmem>', which only async copies do; read them with pallas.get}}
  pallas.check_access read "input 0" %r[gather(%i : !pallas.ref<4xi32, vmem>)] by "pallas.get" : !pallas.ref<8xf32, vmem>
  return
}

// -----

func.func @view(%r: !pallas.ref<8xf32, vmem>) {
  // N4
  // expected-error @+1 {{index 0 is a slice of 8 elements from 4 with stride 1, out of bounds for a dimension of size 8; at most 4 fit}}
  pallas.check_bounds "input 0" %r[ds(4, 8)] : !pallas.ref<8xf32, vmem>
  return
}

// -----

func.func @value(%v: tensor<8xf32>) {
  // expected-error @+1 {{must be mutable memory that only pallas operations can touch or accumulator of warpgroup matmuls, in registers}}
  "pallas.check_contents"(%v) <{kind = 1 : i32, name = "a ref", accessor = "pallas.freeze"}> : (tensor<8xf32>) -> ()
  return
}

// -----

func.func @pending() {
  // expected-error @+1 {{attribute 'pending' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  pallas.check_wait copies pending -1
  return
}

// -----

func.func @signal_of_copies(%s: !pallas.ref<!pallas.dma_semaphore, semaphore>, %n: i32) {
  // V16
  // expected-error @+1 {{cannot signal a DMA semaphore; only async copies count on it}}
  pallas.check_semaphore_signal %s, %n : !pallas.ref<!pallas.dma_semaphore, semaphore>
  return
}

// -----

func.func @signal_axes(%s: !pallas.ref<!pallas.semaphore, semaphore>, %n: i32) {
  // V17
  // expected-error @+1 {{names 2 mesh axes, but 1 coordinates are given; give one per axis}}
  pallas.check_semaphore_signal %s, %n device mesh(%n) axes ["x", "y"] : !pallas.ref<!pallas.semaphore, semaphore>
  return
}

// -----

func.func @several_semaphores(%s: !pallas.ref<2x!pallas.semaphore, semaphore>, %n: i32) {
  // V15
  // expected-error @+1 {{semaphore must be a single one, but has type '!pallas.ref<2x!pallas.semaphore, semaphore>'; select one with pallas.slice_ref}}
  pallas.check_semaphore_wait %s, %n : !pallas.ref<2x!pallas.semaphore, semaphore>
  return
}

// -----

func.func @several_copies(%r: !pallas.ref<8xf32, vmem>, %s: !pallas.ref<2x!pallas.dma_semaphore, semaphore>) {
  // V15
  // expected-error @+1 {{semaphore must be a single one, but has type '!pallas.ref<2x!pallas.dma_semaphore, semaphore>'; select one with pallas.slice_ref}}
  pallas.check_dma_wait %r signals %s : !pallas.ref<8xf32, vmem>, !pallas.ref<2x!pallas.dma_semaphore, semaphore>
  return
}

// -----

func.func @core_barrier_number() {
  // expected-error @+1 {{attribute 'number' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  pallas.check_core_barrier arrive -1 "subcore"
  return
}

// -----

func.func @core_barrier_axis() {
  // expected-note @+1 {{the kernel belongs to this}}
  pallas.core_map <tensorcore, [<core "x" = 2>]> () {
    // V25
    // expected-error @+1 {{waits along the axis "y", which the kernel around does not have; name an axis of its mesh or grid}}
    pallas.check_core_barrier arrive 0 "y"
  }
  return
}

// -----

func.func @arrival(%s: !pallas.ref<!pallas.semaphore, semaphore>) {
  // expected-error @+1 {{operand #0 must be ref to barriers, but got '!pallas.ref<!pallas.semaphore, semaphore>'}}
  pallas.check_arrival "scoped ref 0" %s by "pallas.barrier_arrive" : !pallas.ref<!pallas.semaphore, semaphore>
  return
}

// -----

func.func @phases(%b: !pallas.ref<2x!pallas.barrier<numArrivals = 1>, smem>) {
  // V15
  // expected-error @+1 {{barrier must be a single one, but has type '!pallas.ref<2x!pallas.barrier<numArrivals = 1>, smem>'; select one with pallas.slice_ref}}
  pallas.check_phase %b : !pallas.ref<2x!pallas.barrier<numArrivals = 1>, smem>
  return
}

// -----

func.func @copy_of_elements(%x: !pallas.ref<8xf32, hbm>, %t: !pallas.ref<8xi32, vmem>, %s: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
  // V18
  // expected-error @+1 {{copies between different element types, 'f32' and 'i32'; view one of them with pallas.bitcast_ref}}
  pallas.check_dma_start %x to %t signals %s from "input 0" to "scratch 0" : !pallas.ref<8xf32, hbm>, !pallas.ref<8xi32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
  return
}

// -----

func.func @copy_indices(%x: !pallas.ref<8xi32, hbm>, %s: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
  // expected-error @+1 {{has 2 names for 1 refs of indices; name each of them}}
  pallas.check_dma_start %x to %x signals %s from "input 0" to "input 0" indices(%x : !pallas.ref<8xi32, hbm>) ["a", "b"] : !pallas.ref<8xi32, hbm>, !pallas.ref<8xi32, hbm>, !pallas.ref<!pallas.dma_semaphore, semaphore>
  return
}

// -----

func.func @copy_spaces(%g: !pallas.ref<8xf16, gmem>, %b: !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>) {
  // V22
  // expected-error @+1 {{target must be in smem, but is in gmem}}
  pallas.check_copy_gmem_to_smem %g to %g signals %b from "input 0" to "input 0" : !pallas.ref<8xf16, gmem>, !pallas.ref<8xf16, gmem>, !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
  return
}

// -----

func.func @copy_shapes(%g: !pallas.ref<8xf16, gmem>, %s: !pallas.ref<4xf16, smem>) {
  // V22
  // expected-error @+1 {{copies between different shapes, [4] and [8]}}
  pallas.check_copy_smem_to_gmem %s to %g from "scoped ref 0" to "output 0" : !pallas.ref<4xf16, smem>, !pallas.ref<8xf16, gmem>
  return
}

// -----

func.func @product_names(%a: !pallas.ref<8x8xf16, smem>) {
  // expected-error @+1 {{has 2 names for 1 refs; name each matrix, then the accumulator}}
  pallas.check_product reads %a names ["a", "b"] by "pallas.wgmma" : !pallas.ref<8x8xf16, smem>
  return
}

// -----

func.func @product_number(%a: !pallas.ref<8x8xf16, smem>) {
  // expected-error @+1 {{attribute 'number' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  pallas.check_product reads %a number -1 names ["a"] by "pallas.wgmma" : !pallas.ref<8x8xf16, smem>
  return
}

// -----

func.func @accumulator() {
  // expected-error @+1 {{Invalid attribute `products` in property conversion: 1 : i64}}
  "pallas.check_accumulator"() <{products = 1 : i64}> : () -> ()
  return
}

// -----

func.func @follow_products(%s: !pallas.ref<!pallas.semaphore, semaphore>) {
  // expected-error @+1 {{operand #0 must be ref to barriers, but got '!pallas.ref<!pallas.semaphore, semaphore>'}}
  pallas.check_follow_products %s : !pallas.ref<!pallas.semaphore, semaphore>
  return
}

// -----

func.func @window_indices(%w: !pallas.ref<8xf32, vmem>, %x: !pallas.ref<500xf32, any>, %i: i32) {
  // D8
  // expected-error @+1 {{has 2 indices and a block of 1 dimensions for an array of 1; give one per dimension of the array}}
  pallas.check_window 0 "input 0" %w of %x[%i, %i : i32, i32] block<[8], vmem> by "pallas.emit_pipeline" : !pallas.ref<8xf32, vmem>, !pallas.ref<500xf32, any>
  return
}

// -----

func.func @window_number(%w: !pallas.ref<8xf32, vmem>, %x: !pallas.ref<500xf32, any>, %i: i32) {
  // expected-error @+1 {{attribute 'index' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  pallas.check_window -1 "input 0" %w of %x[%i : i32] block<[8], vmem> by "pallas.emit_pipeline" : !pallas.ref<8xf32, vmem>, !pallas.ref<500xf32, any>
  return
}

// -----

func.func @program_ids(%i: i32) {
  // expected-error @+1 {{operand #0 must be variadic of index, but got 'i32'}}
  "pallas.check_program"(%i) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (i32) -> ()
  return
}

// -----

func.func @window_types() {
  // expected-error @+1 {{attribute 'windows' failed to satisfy constraint: type array attribute}}
  "pallas.check_grid_begin"() <{kernel = "k", windows = [1], accessor = "pallas.emit_pipeline"}> : () -> ()
  return
}

// -----

func.func @window_types_at_end() {
  // expected-error @+1 {{attribute 'windows' failed to satisfy constraint: type array attribute}}
  "pallas.check_grid_end"() <{windows = ["x"]}> : () -> ()
  return
}

// -----

func.func @left_out_type(%r: !pallas.ref<16xf32, gmem>, %i: i32) {
  // expected-error @+1 {{makes a value of type 'tensor<4xf32>', but the load behind it yields 'tensor<8xf32>'; both must be equal}}
  %0 = pallas.check_left_out "a slice" %r[ds(%i, 8)] by "pallas.masked_load" : !pallas.ref<16xf32, gmem> -> tensor<4xf32>
  return
}

// -----

func.func @left_out_mask(%r: !pallas.ref<16xf32, gmem>, %i: i32, %m: tensor<4xi1>) {
  // V12
  // expected-error @+1 {{mask has the shape [4], but the indexed part of the ref has [8]; the mask must broadcast to it}}
  %0 = pallas.check_left_out "a slice" %r[ds(%i, 8)] mask %m by "pallas.masked_load" : !pallas.ref<16xf32, gmem>, tensor<4xi1> -> tensor<8xf32>
  return
}

// -----

func.func @unwritten_type() {
  // expected-error @+1 {{result #0 must be signless integer, but got 'f32'}}
  %0 = "pallas.check_unwritten"() <{name = "no work", accessor = "pallas.query_cluster_cancel"}> : () -> f32
  return
}

// -----

func.func @same_contents_rank(%x: !pallas.ref<10xf32, any>, %p: !pallas.ref<12xf32, any>) {
  // expected-error @+1 {{is a copy of '!pallas.ref<10xf32, any>' to '!pallas.ref<12xf32, any>' with 2 starts; both refs must have the same elements, and a start per dimension}}
  pallas.check_same_contents %x to %p low [1, 0] : !pallas.ref<10xf32, any>, !pallas.ref<12xf32, any>
  return
}

// -----

func.func @packed_width(%x: !pallas.ref<10xf32, vmem>, %v: !pallas.ref<10xi32, vmem>) {
  // expected-error @+1 {{is about a view of '!pallas.ref<10xf32, vmem>' as '!pallas.ref<10xi32, vmem>', whose elements have the same width; only others are packed}}
  pallas.check_packed_view %v of %x : !pallas.ref<10xi32, vmem>, !pallas.ref<10xf32, vmem>
  return
}

// -----

func.func @semaphores_of_accumulator(%acc: !pallas.accumulator<64x64xf32>) {
  // expected-error @+1 {{operand #0 must be mutable memory that only pallas operations can touch, but got '!pallas.accumulator<64x64xf32>'}}
  "pallas.check_semaphores_end"(%acc) <{name = "a", accessor = "pallas.run_scoped"}> : (!pallas.accumulator<64x64xf32>) -> ()
  return
}

// -----

func.func @memory_of_value(%x: tensor<8xf32>) {
  // expected-error @+1 {{operand #0 must be mutable memory that only pallas operations can touch or accumulator of warpgroup matmuls, in registers, but got 'tensor<8xf32>'}}
  "pallas.check_memory"(%x) <{state = 0 : i32, name = "a"}> : (tensor<8xf32>) -> ()
  return
}

// -----

func.func @memory_end_of_value(%x: tensor<8xf32>) {
  // expected-error @+1 {{operand #0 must be mutable memory that only pallas operations can touch or accumulator of warpgroup matmuls, in registers, but got 'tensor<8xf32>'}}
  "pallas.check_memory_end"(%x) : (tensor<8xf32>) -> ()
  return
}

// -----

func.func @buffer_types() {
  // expected-error @+1 {{attribute 'buffers' failed to satisfy constraint: type array attribute}}
  "pallas.check_buffers_begin"() <{buffers = [1]}> : () -> ()
  return
}

// -----

func.func @buffer_types_at_end() {
  // expected-error @+1 {{attribute 'buffers' failed to satisfy constraint: type array attribute}}
  "pallas.check_buffers_end"() <{buffers = [1]}> : () -> ()
  return
}

// -----

func.func @sync_number() {
  // expected-error @+1 {{attribute 'number' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  pallas.check_cluster_sync arrive -1
  return
}
