// RUN: pallas-opt %s --verify-diagnostics --split-input-file

!r = !pallas.ref<8x128xf32, vmem>

func.func @too_few_entries(%r: !r) {
  // N1
  // expected-error @+1 {{has 1 index entries, but the ref has rank 2; write one entry per dimension, ':' for a full one}}
  %0 = pallas.get %r[0] : !r
  return
}

// -----

!r = !pallas.ref<8x128xf32, vmem>

func.func @negative_stride(%r: !r) {
  // N3
  // expected-error @+1 {{index 0 has the stride -1; a stride must not be negative}}
  %0 = pallas.get %r[ds(0, 2, -1), :] : !r
  return
}

// -----

!r = !pallas.ref<8x128xf32, vmem>

func.func @negative_size(%r: !r) {
  // N3
  // expected-error @+1 {{index 0 has the size -2; a size must not be negative}}
  %0 = pallas.slice_ref %r[ds(0, -2), :] : !r
  return
}

// -----

!r = !pallas.ref<8x128xf32, vmem>

func.func @start(%r: !r) {
  // N4
  // expected-error @+1 {{index 0 starts at 8, out of bounds for a dimension of size 8; count from 0, and from the front}}
  %0 = pallas.slice_ref %r[ds(8, 1), :] : !r
  return
}

// -----

!r = !pallas.ref<?x128xf32, vmem>

func.func @negative_start(%r: !r) {
  // N4
  // expected-error @+1 {{index 0 starts at -1, out of bounds for a dimension of dynamic size}}
  %0 = pallas.get %r[ds(-1, 1), :] : !r
  return
}

// -----

!r = !pallas.ref<8x128xf32, vmem>

func.func @end(%r: !r) {
  // N5
  // expected-error @+1 {{index 0 is a slice of 5 elements from 0 with stride 2, out of bounds for a dimension of size 8; at most 4 fit}}
  %0 = pallas.slice_ref %r[ds(0, 5, 2), :] : !r
  return
}

// -----

!r = !pallas.ref<8x128xf32, vmem>

// Numbers of any size stay numbers.
func.func @huge(%r: !r) {
  // N5
  // expected-error @+1 {{index 0 is a slice of 9223372036854775807 elements from 1 with stride 9223372036854775807}}
  %0 = pallas.slice_ref %r[ds(1, 9223372036854775807, 9223372036854775807), :] : !r
  return
}

// -----

!r = !pallas.ref<8x128xf32, vmem>

func.func @hang_over(%r: !r) {
  %v = arith.constant dense<0.0> : tensor<16x128xf32>
  // N5; only masked accesses leave out what hangs over
  // expected-error @+1 {{index 0 is a slice of 16 elements from 0 with stride 1, out of bounds for a dimension of size 8; at most 8 fit}}
  %0 = pallas.atomic_rmw <add> %r[ds(0, 16), :], %v : !r, tensor<16x128xf32>
  return
}

// -----

!r = !pallas.ref<8x128xf32, vmem>

func.func @scalar(%r: !r) {
  // N6
  // expected-error @+1 {{index 1 is 128, out of bounds for a dimension of size 128; count from 0, and from the front}}
  %0 = pallas.slice_ref %r[:, 128] : !r
  return
}

// -----

!r = !pallas.ref<8x128xf32, vmem>

func.func @broadcast(%r: !r, %a: tensor<3xi32>, %b: tensor<4xi32>) {
  // N7
  // expected-error @+1 {{index arrays of shapes [3] and [4] do not broadcast together; reshape one of them}}
  %0 = pallas.get %r[gather(%a : tensor<3xi32>), gather(%b : tensor<4xi32>)] : !r
  return
}

// -----

!r = !pallas.ref<8x128xf32, vmem>

func.func @index_ref(%r: !r, %i: !pallas.ref<3xi32, vmem>) {
  // N8
  // expected-error @+1 {{takes indices from a ref of type '!pallas.ref<3xi32, vmem>', which only async copies do; read them with pallas.get}}
  %0 = pallas.get %r[gather(%i : !pallas.ref<3xi32, vmem>), :] : !r
  return
}

// -----

!r = !pallas.ref<8x128xf32, vmem>

func.func @index_refs(%r: !r, %i: !pallas.ref<3xi32, vmem>) {
  // N8
  // expected-error @+1 {{takes indices from 2 refs among 2 entries that are no slices; a ref of indices must be the only one of them}}
  %0 = pallas.slice_ref %r[gather(%i : !pallas.ref<3xi32, vmem>), gather(%i : !pallas.ref<3xi32, vmem>)] : !r
  return
}

// -----

!r = !pallas.ref<8x128xf32, vmem>

func.func @gather_view(%r: !r, %i: tensor<3xi32>) {
  // V14
  // expected-error @+1 {{views a ref through an index array, so only async copies can use it; index with the array in pallas.get or pallas.swap instead}}
  %v = pallas.slice_ref %r[gather(%i : tensor<3xi32>), :] : !r
  // expected-note @+1 {{used here}}
  %0 = pallas.get %v[...] : !pallas.ref<3x128xf32, vmem>
  return
}

// -----

!r = !pallas.ref<8x128xf32, vmem>

func.func @dynamic_size(%r: !r, %n: i32) {
  // N9
  // expected-error @+1 {{but only async copies accept a dynamic size; use a static size and a mask}}
  %0 = pallas.get %r[ds(0, %n), :] : !r
  return
}

// -----

!r = !pallas.ref<?x128xf32, vmem>

func.func @dynamic_whole(%r: !r) {
  // N9
  // expected-error @+1 {{but only async copies accept a dynamic size; use a static size and a mask}}
  %0 = pallas.get %r[...] : !r
  return
}

// -----

!r = !pallas.ref<?x128xf32, vmem>

func.func @dynamic_full_entry(%r: !r) {
  // N9
  // expected-error @+1 {{but only async copies accept a dynamic size; use a static size and a mask}}
  %0 = pallas.get %r[:, 0] : !r
  return
}

// -----

!r = !pallas.ref<8x128xf32, vmem>

func.func @operand_count(%r: !r) {
  // V11
  // expected-error @+2 {{indexer takes 1 operands, but 0 are given; give one for each '?' and each array}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "pallas.slice_ref"(%r) <{indexer = #pallas.indexer<[?, :]>}> : (!r) -> !pallas.ref<128xf32, vmem>
  return
}

// -----

!r = !pallas.ref<8x128xf32, vmem>

func.func @array_as_scalar(%r: !r, %i: tensor<3xi32>) {
  // V11
  // expected-error @+2 {{index 0 takes a scalar, but its operand has type 'tensor<3xi32>'; write gather(...) around arrays only}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "pallas.slice_ref"(%r, %i) <{indexer = #pallas.indexer<[?, :]>}> : (!r, tensor<3xi32>) -> !pallas.ref<128xf32, vmem>
  return
}

// -----

!r = !pallas.ref<8x128xf32, vmem>

func.func @stored_type(%r: !r, %v: tensor<8xf32>) {
  // V11
  // expected-error @+1 {{stored value has type 'tensor<8xf32>', but the indexed part of the ref has type 'tensor<8x128xf32>'; convert or reshape the value first}}
  pallas.swap %r[...], %v : !r, tensor<8xf32>
  return
}

// -----

!r = !pallas.ref<8x128xf32, vmem>

func.func @addend_type(%r: !r, %v: tensor<8x128xi32>) {
  // V11
  // expected-error @+1 {{addend has type 'tensor<8x128xi32>', but the indexed part of the ref has type 'tensor<8x128xf32>'}}
  pallas.addupdate %r[...], %v : !r, tensor<8x128xi32>
  return
}

// -----

!r = !pallas.ref<8x128xf32, vmem>

func.func @mask_element(%r: !r, %m: tensor<8x128xi32>) {
  // V12
  // expected-error @+1 {{mask must have i1 elements, but has type 'tensor<8x128xi32>'; compare to get a mask}}
  %0 = pallas.masked_load %r[...] mask %m : !r, tensor<8x128xi32>
  return
}

// -----

!r = !pallas.ref<8x128xf32, vmem>

func.func @mask_shape(%r: !r, %m: tensor<4x128xi1>) {
  // V12
  // expected-error @+1 {{mask has the shape [4, 128], but the indexed part of the ref has [8, 128]; the mask must broadcast to it}}
  %0 = pallas.masked_load %r[...] mask %m : !r, tensor<4x128xi1>
  return
}

// -----

!r = !pallas.ref<8x128xf32, vmem>

func.func @store_mask_shape(%r: !r, %v: tensor<8x128xf32>, %m: tensor<1x128xi1>) {
  // V12
  // expected-error @+1 {{mask has the shape [1, 128], but the indexed part of the ref has [8, 128]; both must be equal}}
  %0 = pallas.masked_swap %r[...], %v mask %m : !r, tensor<8x128xf32>, tensor<1x128xi1>
  return
}

// -----

!r = !pallas.ref<8x128xf32, vmem>

func.func @other_alone(%r: !r, %v: tensor<8x128xf32>) {
  // V12
  // expected-error @+1 {{has `other` without a mask; add the mask that selects between both}}
  %0 = "pallas.masked_load"(%r, %v) <{indexer = #pallas.indexer<[...]>, operandSegmentSizes = array<i32: 1, 0, 0, 1>}>
      : (!r, tensor<8x128xf32>) -> tensor<8x128xf32>
  return
}

// -----

!r = !pallas.ref<8x128xf32, vmem>

func.func @other_type(%r: !r, %m: tensor<8x128xi1>, %v: tensor<8x128xi32>) {
  // V11
  // expected-error @+1 {{`other` has type 'tensor<8x128xi32>', but the indexed part of the ref has type 'tensor<8x128xf32>'}}
  %0 = pallas.masked_load %r[...] mask %m other %v : !r, tensor<8x128xi1>, other tensor<8x128xi32>
  return
}

// -----

!r = !pallas.ref<8xf32, gmem>

func.func @atomic_kind(%r: !r, %v: tensor<8xf32>) {
  // V13
  // expected-error @+1 {{atomic xor needs integers, but the element type is 'f32'; bitcast the ref first}}
  %0 = pallas.atomic_rmw <xor> %r[...], %v : !r, tensor<8xf32>
  return
}

// -----

!s = !pallas.ref<2x!pallas.semaphore, semaphore>

func.func @semaphore_value(%s: !s) {
  // V15
  // expected-error @+1 {{cannot access a ref of type '!pallas.ref<2x!pallas.semaphore, semaphore>' as values; use the semaphore and barrier operations}}
  %0 = "pallas.get"(%s) <{indexer = #pallas.indexer<[0]>}> : (!s) -> i32
  return
}

// -----

!r = !pallas.ref<8xf32, smem>

func.func @write_in_condition(%r: !r, %v: f32, %c: i1) {
  // expected-note @+1 {{this is the loop}}
  scf.while : () -> () {
    // W3
    // expected-error @+1 {{writes to a ref in the condition of a loop; write in the body, or carry the value}}
    pallas.swap %r[0], %v : !r, f32
    scf.condition(%c)
  } do {
    scf.yield
  }
  return
}

// -----

// Memory of the condition itself may be written there.
func.func @own_memory_in_condition(%v: f32, %c: i1) {
  scf.while : () -> () {
    pallas.run_scoped (%r: !pallas.ref<8xf32, smem>) {
      pallas.swap %r[0], %v : !pallas.ref<8xf32, smem>, f32
    }
    scf.condition(%c)
  } do {
    scf.yield
  }
  return
}

// -----

func.func @view_space(%r: !pallas.ref<8xf32, smem>) {
  // V14
  // expected-error @+1 {{a view stays in the memory of its ref, but '!pallas.ref<8xf32, smem>' becomes '!pallas.ref<8xf32, vmem>'; name the same memory space}}
  %0 = pallas.reshape_ref %r : !pallas.ref<8xf32, smem> -> !pallas.ref<8xf32, vmem>
  return
}

// -----

func.func @reshape_element(%r: !pallas.ref<8xf32, smem>) {
  // V14
  // expected-error @+1 {{keeps the elements, but 'f32' becomes 'i32'; use pallas.bitcast_ref}}
  %0 = pallas.reshape_ref %r : !pallas.ref<8xf32, smem> -> !pallas.ref<8xi32, smem>
  return
}

// -----

func.func @reshape_dynamic(%r: !pallas.ref<?xf32, smem>) {
  // V14
  // expected-error @+1 {{needs static shapes, but views '!pallas.ref<?xf32, smem>' as '!pallas.ref<8xf32, smem>'; slice a static part first}}
  %0 = pallas.reshape_ref %r : !pallas.ref<?xf32, smem> -> !pallas.ref<8xf32, smem>
  return
}

// -----

func.func @reshape_count(%r: !pallas.ref<8xf32, smem>) {
  // V14
  // expected-error @+1 {{both shapes must hold the same number of elements}}
  %0 = pallas.reshape_ref %r : !pallas.ref<8xf32, smem> -> !pallas.ref<2x2xf32, smem>
  return
}

// -----

// Products of sizes do not overflow.
func.func @reshape_overflow(%r: !pallas.ref<4294967296x4294967296xf32, hbm>) {
  // V14
  // expected-error @+1 {{both shapes must hold the same number of elements}}
  %0 = pallas.reshape_ref %r : !pallas.ref<4294967296x4294967296xf32, hbm> -> !pallas.ref<0xf32, hbm>
  return
}

// -----

func.func @bitcast_rank(%r: !pallas.ref<8xf32, smem>) {
  // V14
  // expected-error @+1 {{changes the width from 32 to 16 bits, which needs a rank of at least 2, but the ref has rank 1}}
  %0 = pallas.bitcast_ref %r : !pallas.ref<8xf32, smem> -> !pallas.ref<16xf16, smem>
  return
}

// -----

func.func @bitcast_divides(%r: !pallas.ref<3x8xf16, vmem>) {
  // V14
  // expected-error @+1 {{second-minor dimension of size 3 holds 16-bit elements, which 32-bit elements do not divide; slice or pad it}}
  %0 = pallas.bitcast_ref %r : !pallas.ref<3x8xf16, vmem> -> !pallas.ref<1x8xf32, vmem>
  return
}

// -----

func.func @bitcast_shape(%r: !pallas.ref<4x8xf16, vmem>) {
  // V14
  // expected-error @+1 {{view must have the shape [2, 8], but has [4, 4]: the second-minor dimension scales by 16/32}}
  %0 = pallas.bitcast_ref %r : !pallas.ref<4x8xf16, vmem> -> !pallas.ref<4x4xf32, vmem>
  return
}

// -----

func.func @bitcast_index(%r: !pallas.ref<4xindex, vmem>) {
  // V14
  // expected-error @+1 {{casts integers and floats only, but views}}
  %0 = pallas.bitcast_ref %r : !pallas.ref<4xindex, vmem> -> !pallas.ref<4xi64, vmem>
  return
}

// -----

func.func @transpose_permutation(%r: !pallas.ref<4x8xf16, vmem>) {
  // V14
  // expected-error @+1 {{[0, 0] is not a permutation of the 2 dimensions of the ref}}
  %0 = pallas.transpose_ref %r, [0, 0] : !pallas.ref<4x8xf16, vmem> -> !pallas.ref<4x8xf16, vmem>
  return
}

// -----

func.func @transpose_type(%r: !pallas.ref<4x8xf16, vmem>) {
  // V14
  // expected-error @+1 {{view must have the type '!pallas.ref<8x4xf16, vmem>', but has '!pallas.ref<4x8xf16, vmem>'}}
  %0 = pallas.transpose_ref %r, [1, 0] : !pallas.ref<4x8xf16, vmem> -> !pallas.ref<4x8xf16, vmem>
  return
}

// -----

func.func @new_ref_type(%v: f32) {
  // V10
  // expected-error @+1 {{initial value has type 'f32', but the ref holds 'tensor<4xf32>'}}
  %0 = pallas.new_ref %v : f32 -> !pallas.ref<4xf32, vmem>
  return
}

// -----

func.func @new_semaphore(%v: f32) {
  // V10
  // expected-error @+1 {{which holds no value; use pallas.empty_ref}}
  %0 = pallas.new_ref %v : f32 -> !pallas.ref<!pallas.semaphore, semaphore>
  return
}

// -----

func.func @freeze_semaphore(%s: !pallas.ref<!pallas.semaphore, semaphore>) {
  // V10
  // expected-error @+2 {{only a ref that holds values can be frozen}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "pallas.freeze"(%s) : (!pallas.ref<!pallas.semaphore, semaphore>) -> i32
  return
}

// -----

func.func @get_semaphore(%s: !pallas.ref<4x!pallas.semaphore, semaphore>) {
  // V15
  // expected-error @+1 {{'pallas.get' op cannot access a ref of type '!pallas.ref<4x!pallas.semaphore, semaphore>' as values; use the semaphore and barrier operations}}
  %0 = pallas.get %s[0] : !pallas.ref<4x!pallas.semaphore, semaphore>
  return
}

// -----

func.func @too_many_indices(%r: !pallas.ref<8x128xf32, vmem>) {
  // N1
  // expected-error @+1 {{'pallas.get' op has 3 index entries, but the ref has rank 2; write one entry per dimension, ':' for a full one}}
  %0 = pallas.get %r[0, 0, 0] : !pallas.ref<8x128xf32, vmem>
  return
}

// -----

func.func @empty_of_unknown_size() {
  // J8
  // expected-error @+1 {{makes a ref of type '!pallas.ref<?xf32, vmem>', but memory of unknown size cannot be reserved; use a static shape}}
  %0 = pallas.empty_ref : !pallas.ref<?xf32, vmem>
  return
}

// -----

func.func @global_of_unknown_size() {
  // J8
  // expected-error @+1 {{makes a ref of type '!pallas.ref<?xf32, gmem>', but memory of unknown size cannot be reserved; use a static shape}}
  %0 = pallas.get_global "x" : !pallas.ref<?xf32, gmem>
  return
}
