// RUN: pallas-opt %s --verify-diagnostics --split-input-file

!acc = !pallas.accumulator<64x128xf32>

func.func @rank(%acc: !acc, %a: !pallas.ref<2x64x64xf16, smem>, %b: !pallas.ref<64x128xf16, smem>) {
  // V19
  // expected-error @+1 {{multiplies matrices, but the operands have the ranks 2, 3 and 2}}
  pallas.wgmma_ref %acc, %a, %b : !acc, !pallas.ref<2x64x64xf16, smem>, !pallas.ref<64x128xf16, smem>
  return
}

// -----

!acc = !pallas.accumulator<64x128xf32>

func.func @shape(%acc: !acc, %a: !pallas.ref<64x32xf16, smem>, %b: !pallas.ref<64x128xf16, smem>) {
  // V19
  // expected-error @+1 {{accumulator of shape [64, 128] does not fit lhs [64, 32] and rhs [64, 128]; they must be m x n, m x k and k x n}}
  pallas.wgmma_ref %acc, %a, %b : !acc, !pallas.ref<64x32xf16, smem>, !pallas.ref<64x128xf16, smem>
  return
}

// -----

!acc = !pallas.accumulator<64x128xf32>

func.func @types(%acc: !acc, %a: !pallas.ref<64x64xf16, smem>, %b: !pallas.ref<64x128xbf16, smem>) {
  // V19
  // expected-error @+1 {{multiplies 'f16' by 'bf16'; both must be equal, except that f8E4M3FN and f8E5M2 may mix}}
  pallas.wgmma_ref %acc, %a, %b : !acc, !pallas.ref<64x64xf16, smem>, !pallas.ref<64x128xbf16, smem>
  return
}

// -----

!acc = !pallas.accumulator<64x128xf32>

func.func @integers(%acc: !acc, %a: !pallas.ref<64x64xi8, smem>, %b: !pallas.ref<64x128xi8, smem>) {
  // V19
  // expected-error @+1 {{products of integers accumulate in i32, but the accumulator has elements of type 'f32'}}
  pallas.wgmma_ref %acc, %a, %b : !acc, !pallas.ref<64x64xi8, smem>, !pallas.ref<64x128xi8, smem>
  return
}

// -----

func.func @accumulator_kind(%acc: !pallas.ref<64x128xf32, smem>, %a: !pallas.ref<64x64xf16, smem>, %b: !pallas.ref<64x128xf16, smem>) {
  // V19
  // expected-error @+1 {{operand #0 must be accumulator of warpgroup matmuls, in registers, but got '!pallas.ref<64x128xf32, smem>'}}
  pallas.wgmma_ref %acc, %a, %b : !pallas.ref<64x128xf32, smem>, !pallas.ref<64x64xf16, smem>, !pallas.ref<64x128xf16, smem>
  return
}

// -----

!acc = !pallas.accumulator<64x128xf32>

func.func @deref_wait(%acc: !acc) {
  // V20
  // expected-error @+1 {{can wait for at least 0 groups in flight, but waits for -1}}
  %0 = pallas.accumulator_deref %acc wait -1 : !acc -> tensor<64x128xf32>
  return
}

// -----

!acc = !pallas.accumulator<64x128xf32>

func.func @deref_type(%acc: !acc) {
  // V21
  // expected-error @+2 {{inferred type(s) 'tensor<64x128xf32>' are incompatible with return type(s) of operation 'tensor<64x64xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = pallas.accumulator_deref %acc wait 0 : !acc -> tensor<64x64xf32>
  return
}

// -----

!acc = !pallas.accumulator<64x128xf32>

func.func @store_type(%acc: !acc, %v: tensor<64x64xf32>) {
  // V21
  // expected-error @+1 {{accumulator holds 'tensor<64x128xf32>', but the value has type 'tensor<64x64xf32>'}}
  pallas.accumulator_store %acc, %v : !acc, tensor<64x64xf32>
  return
}

// -----

func.func @wait() {
  // V20
  // expected-error @+1 {{number of pending groups must not be negative, but is -1; use 0 to wait for all}}
  pallas.wgmma_wait -1
  return
}

// -----

func.func @registers() {
  // V20
  // expected-error @+1 {{register count must be a multiple of 8 from 24 to 256, but is 25}}
  pallas.set_max_registers 25
  return
}

// -----

!bar = !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>

func.func @source_space(%a: !pallas.ref<8xf32, smem>, %b: !pallas.ref<8xf32, smem>, %bar: !bar) {
  // V22
  // expected-error @+1 {{source must be in gmem, but is in smem}}
  pallas.copy_gmem_to_smem %a to %b signals %bar : !pallas.ref<8xf32, smem>, !pallas.ref<8xf32, smem>, !bar
  return
}

// -----

func.func @target_shape(%a: !pallas.ref<8xf32, smem>, %b: !pallas.ref<4xf32, gmem>) {
  // V22
  // expected-error @+1 {{copies between different shapes, [8] and [4]; slice the larger one with pallas.slice_ref}}
  pallas.copy_smem_to_gmem %a to %b : !pallas.ref<8xf32, smem>, !pallas.ref<4xf32, gmem>
  return
}

// -----

func.func @tmem(%a: !pallas.ref<128x128xf32, smem>, %b: !pallas.ref<128x64xf16, smem>, %c: !pallas.ref<64x128xf16, smem>, %p: i1) {
  // V22
  // expected-error @+1 {{accumulator must be in tmem, but is in smem}}
  pallas.tcgen05_mma %a, %b, %c accumulate %p : !pallas.ref<128x128xf32, smem>, !pallas.ref<128x64xf16, smem>, !pallas.ref<64x128xf16, smem>
  return
}

// -----

func.func @tmem_value(%a: !pallas.ref<128x128xf32, tmem>) {
  // V22
  // expected-error @+2 {{inferred type(s) 'tensor<128x128xf32>' are incompatible with return type(s) of operation 'tensor<128x64xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = pallas.async_load_tmem %a : !pallas.ref<128x128xf32, tmem> -> tensor<128x64xf32>
  return
}

// -----

func.func @remote_ids(%r: !pallas.ref<8xf32, gmem>) {
  // V17
  // expected-error @+1 {{names a device by 0 ids; a logical device id is one number, a mesh id one per axis}}
  %0 = pallas.remote_ref %r device mesh() : !pallas.ref<8xf32, gmem>
  return
}

// -----

func.func @remote_axes(%r: !pallas.ref<8xf32, gmem>, %i: i32) {
  // V17
  // expected-error @+1 {{names 2 mesh axes, but 1 ids of type mesh; give one mesh coordinate per axis}}
  %0 = pallas.remote_ref %r device mesh(%i) axes ["x", "y"] : !pallas.ref<8xf32, gmem>
  return
}

// -----

func.func @multimem(%r: !pallas.ref<8xf32, gmem>) {
  // V11
  // expected-error @+2 {{inferred type(s) 'tensor<8xf32>' are incompatible with return type(s) of operation 'f32'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = pallas.multimem_load_reduce <add> %r axes ["x"] : !pallas.ref<8xf32, gmem> -> f32
  return
}

// -----

func.func @multimem_of_semaphores(%r: !pallas.ref<8x!pallas.semaphore, semaphore>) {
  // V11
  // expected-error @+2 {{reads '!pallas.ref<8x!pallas.semaphore, semaphore>', but only a ref to integers or floats holds a value}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = pallas.multimem_load_reduce <add> %r axes ["x"] : !pallas.ref<8x!pallas.semaphore, semaphore> -> tensor<8xi32>
  return
}

// -----

func.func @tmem_store(%v: tensor<128x64xf32>, %a: !pallas.ref<128x128xf32, tmem>) {
  // V22
  // expected-error @+1 {{stores 'tensor<128x64xf32>' to '!pallas.ref<128x128xf32, tmem>'; both must have the same shape and elements}}
  pallas.async_store_tmem %v to %a : tensor<128x64xf32>, !pallas.ref<128x128xf32, tmem>
  return
}

// -----

func.func @dynamic_product(%acc: !pallas.accumulator<64x128xf32>, %a: !pallas.ref<64x?xf16, smem>, %b: !pallas.ref<?x128xf16, smem>) {
  // V19
  // expected-error @+1 {{multiplies matrices of known sizes only, but has the operands '!pallas.ref<64x?xf16, smem>' and '!pallas.ref<?x128xf16, smem>'; slice a static part first}}
  pallas.wgmma_ref %acc, %a, %b : !pallas.accumulator<64x128xf32>, !pallas.ref<64x?xf16, smem>, !pallas.ref<?x128xf16, smem>
  return
}

// -----

!g = !pallas.ref<128x64xf16, gmem>
!s = !pallas.ref<64x64xf16, smem>
!bar = !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>

func.func @leader(%g: !g, %s: !s, %bar: !bar) {
  // V22
  // expected-error @+1 {{has a leader among the blocks along 0 axes of the cluster; name one collective axis}}
  pallas.copy_gmem_to_smem %g to %s signals %bar leader_tracked partitioned 0 : !g, !s, !bar
  return
}

// -----

!g = !pallas.ref<128x64xf16, gmem>
!s = !pallas.ref<64x64xf16, smem>
!bar = !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>

func.func @partitioned(%g: !g, %s: !s, %bar: !bar) {
  // V22
  // expected-error @+1 {{copies between different shapes, [128, 32] and [64, 64]; slice the larger one}}
  pallas.copy_gmem_to_smem %g to %s signals %bar collective ["c"] leader_tracked partitioned 1 : !g, !s, !bar
  return
}

// -----

!g = !pallas.ref<128x64xf16, gmem>
!s = !pallas.ref<64x64xf16, smem>
!bar = !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>

func.func @partitioned_dim(%g: !g, %s: !s, %bar: !bar) {
  // V22
  // expected-error @+1 {{partitions dimension 2 of '!pallas.ref<128x64xf16, gmem>'; give one from 0 to 1}}
  pallas.copy_gmem_to_smem %g to %s signals %bar collective ["c"] leader_tracked partitioned 2 : !g, !s, !bar
  return
}

// -----

!g = !pallas.ref<127x64xf16, gmem>
!s = !pallas.ref<64x64xf16, smem>
!bar = !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>

func.func @partitioned_odd(%g: !g, %s: !s, %bar: !bar) {
  // V22
  // expected-error @+1 {{partitions dimension 0 of size 127 among two blocks; use an even size}}
  pallas.copy_gmem_to_smem %g to %s signals %bar collective ["c"] leader_tracked partitioned 0 : !g, !s, !bar
  return
}

// -----

func.func @two_blocks(%a: !pallas.ref<128x128xf32, tmem>, %b: !pallas.ref<128x64xf16, smem>, %c: !pallas.ref<64x128xf16, smem>, %p: i1) {
  // V19
  // expected-error @+1 {{accumulator of shape [128, 128] does not fit lhs [128, 64] and rhs [64, 128]; they must be m x n, m x k and k x n / 2}}
  pallas.tcgen05_mma %a, %b, %c accumulate %p collective "c" : !pallas.ref<128x128xf32, tmem>, !pallas.ref<128x64xf16, smem>, !pallas.ref<64x128xf16, smem>
  return
}

// -----

func.func @two_of_four() {
  // expected-note @+1 {{the kernel belongs to this}}
  pallas.core_map <gpu, [<cluster "c" = 4>]> (%acc: !pallas.ref<128x128xf32, tmem>, %a: !pallas.ref<128x64xf16, smem>, %b: !pallas.ref<64x64xf16, smem>) {
    %false = arith.constant false
    // V22
    // expected-error @+1 {{multiplies along the axis "c" of size 4, but two blocks act as one; use an axis of size 2}}
    pallas.tcgen05_mma %acc, %a, %b accumulate %false collective "c" : !pallas.ref<128x128xf32, tmem>, !pallas.ref<128x64xf16, smem>, !pallas.ref<64x64xf16, smem>
  }
  return
}

// -----

func.func @leader_of_one() {
  // expected-note @+1 {{the kernel belongs to this}}
  pallas.core_map <gpu, [<cluster "c" = 1>]> (%g: !pallas.ref<128x64xf16, gmem>, %s: !pallas.ref<128x64xf16, smem>, %bar: !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>) {
    // V22
    // expected-error @+1 {{has a leader among the blocks along the axis "c" of size 1, but two blocks act as one; use an axis of size 2}}
    pallas.copy_gmem_to_smem %g to %s signals %bar collective ["c"] leader_tracked : !pallas.ref<128x64xf16, gmem>, !pallas.ref<128x64xf16, smem>, !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
  }
  return
}

// -----

func.func @copy_combination(%s: !pallas.ref<8x8xf32, smem>, %g: !pallas.ref<8x8xf32, gmem>) {
  // V13
  // expected-error @+1 {{atomic and needs integers, but the element type is 'f32'; bitcast the ref first}}
  pallas.copy_smem_to_gmem %s to %g {reduction = #pallas.atomic<and>} : !pallas.ref<8x8xf32, smem>, !pallas.ref<8x8xf32, gmem>
  return
}

// -----

func.func @copy_spaces(%s: !pallas.ref<8x8xf32, gmem>, %g: !pallas.ref<8x8xf32, gmem>) {
  // V22
  // expected-error @+1 {{source must be in smem, but is in gmem}}
  pallas.copy_smem_to_gmem %s to %g : !pallas.ref<8x8xf32, gmem>, !pallas.ref<8x8xf32, gmem>
  return
}

// -----

!acc = !pallas.ref<128x128xf32, tmem>
!a = !pallas.ref<128x64xf8E4M3FN, smem>
!b = !pallas.ref<64x128xf8E4M3FN, smem>

func.func @one_scale(%acc: !acc, %a: !a, %b: !b, %p: i1, %s: !pallas.ref<128x2xf8E8M0FNU, tmem>, %bar: !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>) {
  // V19
  // expected-error @+1 {{has scales of one operand; give both or none}}
  "pallas.tcgen05_mma"(%acc, %a, %b, %p, %s) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 1, 0, 0>}> : (!acc, !a, !b, i1, !pallas.ref<128x2xf8E8M0FNU, tmem>) -> ()
  return
}

// -----

!acc = !pallas.ref<128x128xf32, tmem>
!a = !pallas.ref<128x64xf8E4M3FN, smem>
!b = !pallas.ref<64x128xf8E4M3FN, smem>
!s = !pallas.ref<64x2xf8E8M0FNU, tmem>

func.func @few_scales(%acc: !acc, %a: !a, %b: !b, %p: i1, %s: !s) {
  // V19
  // expected-error @+1 {{has scales of type '!pallas.ref<64x2xf8E8M0FNU, tmem>' for the 128 rows of 64 elements of lhs; there are floats for at least as many rows, and their columns divide the elements}}
  pallas.tcgen05_mma %acc, %a, %b accumulate %p scales(%s : !s, %s : !s) : !acc, !a, !b
  return
}

// -----

!acc = !pallas.ref<128x128xf32, tmem>
!a = !pallas.ref<128x64xf16, smem>
!b = !pallas.ref<128x128xf16, smem>

func.func @metadata(%acc: !acc, %a: !a, %b: !b, %p: i1, %s: !pallas.ref<128x64xi8, tmem>) {
  // V19
  // expected-error @+1 {{has metadata of type '!pallas.ref<128x64xi8, tmem>' for a sparse lhs of type '!pallas.ref<128x64xf16, smem>'; it has an i2 for each element}}
  pallas.tcgen05_mma %acc, %a, %b accumulate %p sparse(%s : !pallas.ref<128x64xi8, tmem>) : !acc, !a, !b
  return
}

// -----

!acc = !pallas.ref<128x128xf32, tmem>
!a = !pallas.ref<128x16xf16, smem>
!b = !pallas.ref<32x128xf16, smem>

func.func @short_sparse_rows(%acc: !acc, %a: !a, %b: !b, %p: i1, %s: !pallas.ref<128x16xi2, tmem>) {
  // V19
  // expected-error @+1 {{has a sparse lhs of type '!pallas.ref<128x16xf16, smem>'; it needs a multiple of 128 rows and of 64 columns}}
  pallas.tcgen05_mma %acc, %a, %b accumulate %p sparse(%s : !pallas.ref<128x16xi2, tmem>) : !acc, !a, !b
  return
}

// -----

!acc = !pallas.ref<128x128xf32, tmem>
!a = !pallas.ref<128x3xf8E5M2, smem>
!b = !pallas.ref<6x128xf8E5M2, smem>

func.func @odd_sparse_rows(%acc: !acc, %a: !a, %b: !b, %p: i1, %s: !pallas.ref<128x3xi2, tmem>) {
  // V19
  // expected-error @+1 {{has a sparse lhs of type '!pallas.ref<128x3xf8E5M2, smem>'; it needs an even number of columns}}
  pallas.tcgen05_mma %acc, %a, %b accumulate %p sparse(%s : !pallas.ref<128x3xi2, tmem>) : !acc, !a, !b
  return
}

// -----

!acc = !pallas.ref<128x128xi32, tmem>
!a = !pallas.ref<128x64xi8, smem>
!b = !pallas.ref<64x128xi8, smem>
!s = !pallas.ref<128x2xf8E8M0FNU, tmem>

func.func @scaled_integers(%acc: !acc, %a: !a, %b: !b, %p: i1, %s: !s) {
  // V19
  // expected-error @+1 {{scales a product of elements of type 'i8'; operands, scales and accumulator are floats of at most 32 bits}}
  pallas.tcgen05_mma %acc, %a, %b accumulate %p scales(%s : !s, %s : !s) : !acc, !a, !b
  return
}

// -----

!acc = !pallas.ref<128x128xf32, tmem>
!a = !pallas.ref<128x64xf16, smem>
!b = !pallas.ref<64x128xf16, smem>

func.func @dense(%acc: !acc, %a: !a, %b: !b, %p: i1, %s: !pallas.ref<128x64xi2, tmem>) {
  // V19
  // expected-error @+1 {{accumulator of shape [128, 128] does not fit lhs [128, 64] and rhs [64, 128]; they must be m x n, m x k / 2 and k x n}}
  pallas.tcgen05_mma %acc, %a, %b accumulate %p sparse(%s : !pallas.ref<128x64xi2, tmem>) : !acc, !a, !b
  return
}

// -----

func.func @tiles_of_scales(%s: !pallas.ref<1x1x128x4xf8E8M0FNU, smem>, %t: !pallas.ref<128x4xf8E8M0FNU, tmem>) {
  // V11
  // expected-error @+1 {{as scales; a matrix keeps its shape, scales for 128 rows by 4 are a tile of 32 x 16, and metadata for 128 rows by 64 a tile of 128 x 64, of the same elements}}
  pallas.async_copy_to_tmem scales %s to %t : !pallas.ref<1x1x128x4xf8E8M0FNU, smem>, !pallas.ref<128x4xf8E8M0FNU, tmem>
  return
}

// -----

func.func @copy_from_registers(%s: !pallas.ref<128x64xf32, gmem>, %t: !pallas.ref<128x64xf32, tmem>) {
  // V22
  // expected-error @+1 {{source must be in smem, but is in gmem}}
  pallas.async_copy_to_tmem matrix %s to %t : !pallas.ref<128x64xf32, gmem>, !pallas.ref<128x64xf32, tmem>
  return
}
