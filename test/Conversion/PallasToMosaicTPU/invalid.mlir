// RUN: pallas-opt %s --pallas-to-mosaic-tpu=coarsen=off --split-input-file --verify-diagnostics

func.func @window_in_any(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  // expected-error @below {{block 0 is in any but is a window of the array; there only whole arrays are possible: use vmem, or copy the parts yourself}}
  %o = pallas.pallas_call @k grid(8)
      in(%x : tensor<64x128xf32>) block<[8, 128], any> map(%i) -> (%i, 0)
      out(tensor<64x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      kernel(%xr: !pallas.ref<8x128xf32, any>, %or: !pallas.ref<8x128xf32, vmem>) {
  }
  return %o : tensor<64x128xf32>
}

// -----

func.func @read_of_any(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %o = pallas.pallas_call @k grid()
      in(%x : tensor<64x128xf32>) block<[64, 128], any>
      out(tensor<64x128xf32>) block<[64, 128], vmem>
      kernel(%xr: !pallas.ref<64x128xf32, any>, %or: !pallas.ref<64x128xf32, vmem>) {
    // expected-error @below {{a ref in any can't be read or written directly; copy the part to vmem or smem with pallas.dma_start and pallas.dma_wait}}
    %a = pallas.get %xr[...] : !pallas.ref<64x128xf32, any>
    pallas.swap %or[...], %a : !pallas.ref<64x128xf32, vmem>, tensor<64x128xf32>
  }
  return %o : tensor<64x128xf32>
}

// -----

func.func @wide_integers(%x: tensor<8x128xi32>) -> tensor<8x128xi32> {
  %o = pallas.pallas_call @k grid()
      in(%x : tensor<8x128xi32>) block<[8, 128], vmem>
      out(tensor<8x128xi32>) block<[8, 128], vmem>
      kernel(%xr: !pallas.ref<8x128xi32, vmem>, %or: !pallas.ref<8x128xi32, vmem>) {
    %a = pallas.get %xr[...] : !pallas.ref<8x128xi32, vmem>
    %w = arith.extsi %a : tensor<8x128xi32> to tensor<8x128xi64>
    // expected-error @below {{on elements of type 'i64' has no equivalent on TPUs; they compute on i8, i16, i32, f16, bf16, f32 and 8-bit floats}}
    %s = arith.addi %w, %w : tensor<8x128xi64>
    %n = arith.trunci %s : tensor<8x128xi64> to tensor<8x128xi32>
    pallas.swap %or[...], %n : !pallas.ref<8x128xi32, vmem>, tensor<8x128xi32>
  }
  return %o : tensor<8x128xi32>
}

// -----

func.func @other_dialect(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %o = pallas.pallas_call @k grid()
      in(%x : tensor<8x128xf32>) block<[8, 128], vmem>
      out(tensor<8x128xf32>) block<[8, 128], vmem>
      kernel(%xr: !pallas.ref<8x128xf32, vmem>, %or: !pallas.ref<8x128xf32, vmem>) {
    %a = pallas.get %xr[...] : !pallas.ref<8x128xf32, vmem>
    // expected-error @below {{'linalg.exp' op has no form on TPUs; use operations of arith, math, pallas, scf and tensor on arrays of a static shape}}
    %t = linalg.exp ins(%a : tensor<8x128xf32>) outs(%a : tensor<8x128xf32>) -> tensor<8x128xf32>
    pallas.swap %or[...], %t : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
  }
  return %o : tensor<8x128xf32>
}

// -----

func.func @one_element_again(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %o = pallas.pallas_call @k grid()
      in(%x : tensor<8x128xf32>) block<[8, 128], vmem>
      out(tensor<8x128xf32>) block<[8, 128], vmem>
      kernel(%xr: !pallas.ref<8x128xf32, vmem>, %or: !pallas.ref<8x128xf32, vmem>) {
    // expected-error @below {{dimension 0 of the accessed part holds one element 8 times, as its stride is 0; access it once, and broadcast}}
    %a = pallas.get %xr[ds(3, 8, 0), :] : !pallas.ref<8x128xf32, vmem>
    pallas.swap %or[...], %a : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
  }
  return %o : tensor<8x128xf32>
}

// -----

// Rows of narrow elements share words.
func.func @copied_row(%x: tensor<64x256xbf16>) -> tensor<64x256xbf16> {
  %o = pallas.pallas_call @k grid(8)
      in(%x : tensor<64x256xbf16>) block<[64, 256], any>
      out(tensor<64x256xbf16>) block<[64, 256], any>
      kernel(%xr: !pallas.ref<64x256xbf16, any>, %or: !pallas.ref<64x256xbf16, any>, %done: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
    %two = arith.constant 2 : i32
    %i = pallas.program_id 0
    %pair = arith.muli %i, %two : i32
    %a = pallas.slice_ref %xr[ds(%pair, 2), :] : !pallas.ref<64x256xbf16, any>
    %b = pallas.slice_ref %or[ds(8, 6), :] : !pallas.ref<64x256xbf16, any>
    %c = pallas.slice_ref %or[ds(%pair, 2), :] : !pallas.ref<64x256xbf16, any>
    %d = pallas.slice_ref %xr[ds(2, 6), :] : !pallas.ref<64x256xbf16, any>
    %row = pallas.slice_ref %xr[ds(%i, 1), :] : !pallas.ref<64x256xbf16, any>
    %place = pallas.slice_ref %or[ds(%i, 1), :] : !pallas.ref<64x256xbf16, any>
    pallas.dma_start %a to %c signals %done : !pallas.ref<2x256xbf16, any>, !pallas.ref<2x256xbf16, any>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    pallas.dma_start %d to %b signals %done : !pallas.ref<6x256xbf16, any>, !pallas.ref<6x256xbf16, any>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    // expected-error @below {{copies 1 of 64 elements along dimension 0 of 'memref<64x256xbf16, #tpu.memory_space<any>>' from a start that is known to be a multiple of 1, but v5e copies tiles of 8, or rows of one tile in whole words; copy whole tiles, or load and store the elements}}
    pallas.dma_start %row to %place signals %done : !pallas.ref<1x256xbf16, any>, !pallas.ref<1x256xbf16, any>, !pallas.ref<!pallas.dma_semaphore, semaphore>
  }
  return %o : tensor<64x256xbf16>
}

// -----

func.func @copied_column(%x: tensor<1x7x1xbf16>) {
  pallas.pallas_call @k grid()
      in(%x : tensor<1x7x1xbf16>) block<[1, 7, 1], any>
      kernel(%xr: !pallas.ref<1x7x1xbf16, any>, %b: !pallas.ref<1x7xbf16, vmem>, %done: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
    %zero = arith.constant 0 : i32
    %a = pallas.slice_ref %xr[:, :, %zero] : !pallas.ref<1x7x1xbf16, any>
    // expected-error @below {{copies a part without dimension 2 of 'memref<1x7x1xbf16, #tpu.memory_space<any>>', but v5e keeps that dimension of tiles of elements of 16 bits; index it with a slice of size 1}}
    pallas.dma_start %a to %b signals %done : !pallas.ref<1x7xbf16, any>, !pallas.ref<1x7xbf16, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
  }
  return
}

// -----

func.func @copied_lanes(%x: tensor<64x256xf32>) -> tensor<64x256xf32> {
  %o = pallas.pallas_call @k grid()
      in(%x : tensor<64x256xf32>) block<[64, 256], any>
      out(tensor<64x256xf32>) block<[64, 256], any>
      kernel(%xr: !pallas.ref<64x256xf32, any>, %or: !pallas.ref<64x256xf32, any>, %done: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
    %a = pallas.slice_ref %xr[:, ds(64, 128)] : !pallas.ref<64x256xf32, any>
    %b = pallas.slice_ref %or[:, ds(128, 128)] : !pallas.ref<64x256xf32, any>
    // expected-error @below {{copies 128 of 256 elements along dimension 1 of 'memref<64x256xf32, #tpu.memory_space<any>>' from a start of 64, but v5e copies tiles of 128; copy whole tiles, or load and store the elements}}
    pallas.dma_start %a to %b signals %done : !pallas.ref<64x128xf32, any>, !pallas.ref<64x128xf32, any>, !pallas.ref<!pallas.dma_semaphore, semaphore>
  }
  return %o : tensor<64x256xf32>
}

// -----

func.func @f(%x: tensor<64xi32>) {
  pallas.mpmd_map
      in(%x : tensor<64xi32>)
      kernel on <sc_vector, [<core "core" = 1>, <subcore "subcore" = 16>]>
          (%xr: !pallas.ref<64xi32, hbm>, %k: !pallas.ref<8xi32, vmem>, %sem: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
    %sub = pallas.axis_index "subcore"
    %id = pallas.slice_ref %xr[ds(%sub, 8)] : !pallas.ref<64xi32, hbm>
    // expected-error @below {{copies a part of 'memref<64xi32, #tpu.memory_space<hbm>>' whose first element along the last dimension is not known to be a multiple of 8, as SparseCores need it; copy from the multiple before, or state by pallas.multiple_of that it is one}}
    pallas.dma_start %id to %k signals %sem : !pallas.ref<8xi32, hbm>, !pallas.ref<8xi32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
  }
  return
}

// -----

// The tiles of narrow elements have as many bits.
func.func @f(%x: tensor<64xbf16>) {
  pallas.mpmd_map
      in(%x : tensor<64xbf16>)
      kernel on <sc_vector, [<core "core" = 1>, <subcore "subcore" = 16>]>
          (%xr: !pallas.ref<64xbf16, hbm>, %k: !pallas.ref<16xbf16, vmem>, %sem: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
    %c8 = arith.constant 8 : i32
    %id = pallas.slice_ref %xr[ds(%c8, 16)] : !pallas.ref<64xbf16, hbm>
    // expected-error @below {{is not known to be a multiple of 16, as SparseCores need it}}
    pallas.dma_start %id to %k signals %sem : !pallas.ref<16xbf16, hbm>, !pallas.ref<16xbf16, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
  }
  return
}

// -----

func.func @f(%x: tensor<8x8192xf32>, %i: tensor<8x8192xi32>) -> tensor<8x8192xf32> {
  %o = pallas.pallas_call grid()
      in(%x : tensor<8x8192xf32>)
      in(%i : tensor<8x8192xi32>)
      out(tensor<8x8192xf32>)
      kernel(%xr: !pallas.ref<8x8192xf32, default>, %ir: !pallas.ref<8x8192xi32, default>, %or: !pallas.ref<8x8192xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x8192xf32, default>
    %at = pallas.get %ir[...] : !pallas.ref<8x8192xi32, default>
    // expected-error @below {{takes 8192 elements out of 8192 along dimension 1; that is 4096 searches of registers, and at most 2048 are made on TPUs; take fewer at a time in a loop}}
    %found = pallas.take_along %v at %at dim 1 : tensor<8x8192xf32>, tensor<8x8192xi32> -> tensor<8x8192xf32>
    pallas.swap %or[...], %found : !pallas.ref<8x8192xf32, default>, tensor<8x8192xf32>
  }
  return %o : tensor<8x8192xf32>
}

// -----

func.func @f(%x: tensor<1030xi8>) -> tensor<1030xi4> {
  %o = pallas.pallas_call grid()
      in(%x : tensor<1030xi8>)
      out(tensor<1030xi4>)
      kernel(%xr: !pallas.ref<1030xi8, default>, %or: !pallas.ref<1030xi4, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<1030xi8, default>
    %narrow = arith.trunci %v : tensor<1030xi8> to tensor<1030xi4>
    // expected-error @below {{stores 1030 elements of type 'i4' in one dimension, but v5e stores multiples of 1024; let the ref have a leading dimension of size 1}}
    pallas.swap %or[...], %narrow : !pallas.ref<1030xi4, default>, tensor<1030xi4>
  }
  return %o : tensor<1030xi4>
}

// -----

func.func @f(%n: tensor<1xi32>, %x: tensor<8x128xf32>) -> tensor<4x128xf32> {
  %o = pallas.pallas_call grid() prefetch(%n : tensor<1xi32>)
      in(%x : tensor<8x128xf32>) block<[8, 128], vmem>
      out(tensor<4x128xf32>) block<[4, 128], vmem>
      kernel(%nr: !pallas.ref<1xi32, smem>, %xr: !pallas.ref<8x128xf32, vmem>, %or: !pallas.ref<4x128xf32, vmem>) {
    %start = pallas.get %nr[0] : !pallas.ref<1xi32, smem>
    // expected-error @+1 {{may reach over the edge of dimension 0 of '!pallas.ref<8x128xf32, vmem>' with a slice of 4 elements and stride 2, but on this target only slices with stride 1 of a dimension of constant size can; load a slice that stays inside}}
    %v = pallas.masked_load %xr[ds(%start, 4, 2), :] : !pallas.ref<8x128xf32, vmem>
    pallas.swap %or[...], %v : !pallas.ref<4x128xf32, vmem>, tensor<4x128xf32>
  }
  return %o : tensor<4x128xf32>
}

// -----

func.func @f(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  // expected-error @+1 {{writes input 0 in place of output 0, which is the same array in gmem, but windows of a TPU share nothing; write the output, or keep both blocks in hbm and copy}}
  %o = pallas.pallas_call grid()
      in(%x : tensor<8x128xf32>) block<[8, 128], gmem>
      out(tensor<8x128xf32>) block<[8, 128], gmem>
      aliases [0 -> 0]
      kernel(%xr: !pallas.ref<8x128xf32, gmem>, %or: !pallas.ref<8x128xf32, gmem>) {
    %v = arith.constant dense<0.0> : tensor<8x128xf32>
    pallas.swap %xr[...], %v : !pallas.ref<8x128xf32, gmem>, tensor<8x128xf32>
  }
  return %o : tensor<8x128xf32>
}

// -----

func.func @source_of_a_local_copy(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %o = pallas.pallas_call @k grid()
      in(%x : tensor<8x128xf32>) block<[8, 128], any>
      out(tensor<8x128xf32>) block<[8, 128], any>
      kernel(%xr: !pallas.ref<8x128xf32, any>, %or: !pallas.ref<8x128xf32, any>, %done: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
    // expected-error @below {{signals its source, which TPUs do for copies to another device or core only; wait for the target}}
    pallas.dma_start %xr to %or signals %done source_signals %done : !pallas.ref<8x128xf32, any>, !pallas.ref<8x128xf32, any>, !pallas.ref<!pallas.dma_semaphore, semaphore>, !pallas.ref<!pallas.dma_semaphore, semaphore>
  }
  return %o : tensor<8x128xf32>
}

// -----

!sem = !pallas.ref<!pallas.semaphore, semaphore>

func.func @wait_without_decrement() {
  pallas.pallas_call @k grid() kernel(%s: !sem) {
    %n = arith.constant 1 : i32
    // expected-error @below {{doesn't decrement, but a wait always takes the count away on TPUs; signal the semaphore again}}
    pallas.semaphore_wait %s, %n {decrement = false} : !sem
  }
  return
}

// -----

!rows = !pallas.ref<8x128xf32, vmem>
!done = !pallas.ref<!pallas.dma_semaphore, semaphore>

func.func @copy_that_adds() {
  pallas.pallas_call @k grid() kernel(%a: !rows, %b: !rows, %d: !done) {
    // expected-error @below {{adds to its target, which TensorCores can't; copy to a buffer and add from there}}
    pallas.dma_start %a to %b signals %d {add} : !rows, !rows, !done
    pallas.dma_wait %a to %b signals %d : !rows, !rows, !done
  }
  return
}

// -----

!rows = !pallas.ref<64x128xf32, hbm>
!buffer = !pallas.ref<64x128xf32, vmem>
!done = !pallas.ref<!pallas.dma_semaphore, semaphore>

func.func @copy_that_adds_on_sparse_cores(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %o = pallas.mpmd_map in(%x : tensor<64x128xf32>) out(tensor<64x128xf32>)
      kernel @k on <sc_vector, [<core "core" = 1>, <subcore "subcore" = 16>]>
          (%xr: !rows, %or: !rows, %a: !buffer, %d: !done) {
    // expected-error @below {{adds to its target, which SparseCores do for rows that an index array selects; select the rows by a list of their numbers in vmem}}
    pallas.dma_start %a to %or signals %d {add} : !buffer, !rows, !done
    pallas.dma_wait %a to %or signals %d : !buffer, !rows, !done
  }
  return %o : tensor<64x128xf32>
}

// -----

!rows = !pallas.ref<64x128xf32, hbm>
!buffer = !pallas.ref<16x128xf32, vmem>
!done = !pallas.ref<!pallas.dma_semaphore, semaphore>

func.func @rows_of_hbm_added_to(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %o = pallas.mpmd_map in(%x : tensor<64x128xf32>) out(tensor<64x128xf32>)
      kernel @k on <sc_vector, [<core "core" = 1>, <subcore "subcore" = 16>]>
          (%xr: !rows, %or: !rows, %a: !buffer, %at: !pallas.ref<16xi32, vmem>, %d: !done) {
    %to = pallas.slice_ref %or[gather(%at : !pallas.ref<16xi32, vmem>), :] : !rows
    // expected-error @below {{adds to selected rows of hbm, but SparseCores add to those of vmem_shared; add there, and copy the sum to hbm}}
    pallas.dma_start %a to %to signals %d {add} : !buffer, !pallas.ref<16x128xf32, hbm>, !done
    pallas.dma_wait %a to %to signals %d : !buffer, !pallas.ref<16x128xf32, hbm>, !done
  }
  return %o : tensor<64x128xf32>
}

// -----

!rows = !pallas.ref<64x128xf32, hbm>
!list = !pallas.ref<32xi32, vmem>
!buffer = !pallas.ref<8x128xf32, vmem>
!done = !pallas.ref<!pallas.dma_semaphore, semaphore>

func.func @list_from_odd_start(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %o = pallas.mpmd_map in(%x : tensor<64x128xf32>) out(tensor<64x128xf32>)
      kernel @k on <sc_vector, [<core "core" = 1>, <subcore "subcore" = 16>]>
          (%xr: !rows, %or: !rows, %list: !list, %a: !buffer, %d: !done) {
    %part = pallas.slice_ref %list[ds(3, 8)] : !list
    // expected-error @below {{selects by a part of a list of indices whose start of 3 is no multiple of 8, as SparseCores need it; start at the multiple before, or copy the part to a buffer of its own}}
    %from = pallas.slice_ref %xr[gather(%part : !pallas.ref<8xi32, vmem>), :] : !rows
    pallas.dma_start %from to %a signals %d : !pallas.ref<8x128xf32, hbm>, !buffer, !done
    pallas.dma_wait %from to %a signals %d : !pallas.ref<8x128xf32, hbm>, !buffer, !done
  }
  return %o : tensor<64x128xf32>
}

// -----

!rows = !pallas.ref<64x128xf32, hbm>
!list = !pallas.ref<32xi32, vmem>
!buffer = !pallas.ref<8x128xf32, vmem>
!done = !pallas.ref<!pallas.dma_semaphore, semaphore>

func.func @list_from_some_start(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %o = pallas.mpmd_map in(%x : tensor<64x128xf32>) out(tensor<64x128xf32>)
      kernel @k on <sc_vector, [<core "core" = 1>, <subcore "subcore" = 16>]>
          (%xr: !rows, %or: !rows, %list: !list, %a: !buffer, %d: !done) {
    %start = pallas.axis_index "subcore"
    %part = pallas.slice_ref %list[ds(%start, 8)] : !list
    // expected-error @below {{selects by a part of a list of indices whose start is not known to be a multiple of 8}}
    %from = pallas.slice_ref %xr[gather(%part : !pallas.ref<8xi32, vmem>), :] : !rows
    pallas.dma_start %from to %a signals %d : !pallas.ref<8x128xf32, hbm>, !buffer, !done
    pallas.dma_wait %from to %a signals %d : !pallas.ref<8x128xf32, hbm>, !buffer, !done
  }
  return %o : tensor<64x128xf32>
}

// -----

!words = !pallas.ref<64xf32, hbm>
!list = !pallas.ref<8xi32, vmem>
!buffer = !pallas.ref<64xf32, vmem>
!done = !pallas.ref<!pallas.dma_semaphore, semaphore>

func.func @words_to_odd_start(%x: tensor<64xf32>) -> tensor<64xf32> {
  %o = pallas.mpmd_map in(%x : tensor<64xf32>) out(tensor<64xf32>)
      kernel @k on <sc_vector, [<core "core" = 1>, <subcore "subcore" = 16>]>
          (%xr: !words, %or: !words, %list: !list, %a: !buffer, %d: !done) {
    %from = pallas.slice_ref %xr[gather(%list : !list)] : !words
    %to = pallas.slice_ref %a[ds(3, 8)] : !buffer
    // expected-error @below {{copies a part of 'memref<64xf32, #tpu.memory_space<vmem>>' whose first element along the last dimension is not known to be a multiple of 8}}
    pallas.dma_start %from to %to signals %d : !pallas.ref<8xf32, hbm>, !pallas.ref<8xf32, vmem>, !done
    pallas.dma_wait %from to %to signals %d : !pallas.ref<8xf32, hbm>, !pallas.ref<8xf32, vmem>, !done
  }
  return %o : tensor<64xf32>
}

// -----

!rows = !pallas.ref<64x128xf32, hbm>
!buffer = !pallas.ref<16x128xf32, vmem>
!done = !pallas.ref<!pallas.dma_semaphore, semaphore>

func.func @added_by_a_vector(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %o = pallas.mpmd_map in(%x : tensor<64x128xf32>) out(tensor<64x128xf32>)
      kernel @k on <sc_vector, [<core "core" = 1>, <subcore "subcore" = 16>]>
          (%xr: !rows, %or: !rows, %a: !buffer, %list: !pallas.ref<16xi32, vmem>, %d: !done) {
    %at = pallas.get %list[:] : !pallas.ref<16xi32, vmem>
    %from = pallas.slice_ref %xr[gather(%at : tensor<16xi32>), :] : !rows
    // expected-error @below {{adds rows that a vector of indices selects, but SparseCores take a list in vmem for that; store the indices there}}
    pallas.dma_start %from to %a signals %d {add} : !pallas.ref<16x128xf32, hbm>, !buffer, !done
    pallas.dma_wait %from to %a signals %d : !pallas.ref<16x128xf32, hbm>, !buffer, !done
  }
  return %o : tensor<64x128xf32>
}

// -----

!rows = !pallas.ref<64x128xi8, hbm>
!buffer = !pallas.ref<16x128xi8, vmem>
!done = !pallas.ref<!pallas.dma_semaphore, semaphore>

func.func @narrow_rows_added(%x: tensor<64x128xi8>) -> tensor<64x128xi8> {
  %o = pallas.mpmd_map in(%x : tensor<64x128xi8>) out(tensor<64x128xi8>)
      kernel @k on <sc_vector, [<core "core" = 1>, <subcore "subcore" = 16>]>
          (%xr: !rows, %or: !rows, %a: !buffer, %list: !pallas.ref<16xi32, vmem>, %d: !done) {
    %from = pallas.slice_ref %xr[gather(%list : !pallas.ref<16xi32, vmem>), :] : !rows
    // expected-error @below {{adds elements of type 'i8', but SparseCores add those of 16 and 32 bits; load, add and store them}}
    pallas.dma_start %from to %a signals %d {add} : !pallas.ref<16x128xi8, hbm>, !buffer, !done
    pallas.dma_wait %from to %a signals %d : !pallas.ref<16x128xi8, hbm>, !buffer, !done
  }
  return %o : tensor<64x128xi8>
}

// -----

!rows = !pallas.ref<64x128xf32, hbm>
!buffer = !pallas.ref<64x128xf32, vmem>
!done = !pallas.ref<!pallas.dma_semaphore, semaphore>

func.func @scope_of_several_cores(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %o = pallas.mpmd_map in(%x : tensor<64x128xf32>) out(tensor<64x128xf32>)
      kernel @k on <sc_vector, [<core "core" = 1>, <subcore "subcore" = 16>]>
          (%xr: !rows, %or: !rows, %d: !done) {
    // expected-error @below {{shares memory along ["subcore"], but the scopes of cores of TPUs are their own; share scratch of the call, in vmem_shared on SparseCores}}
    pallas.run_scoped(%b: !buffer) collective ["subcore"] {
      pallas.dma_start %xr to %b signals %d : !rows, !buffer, !done
      pallas.dma_wait %xr to %b signals %d : !rows, !buffer, !done
      pallas.yield
    }
  }
  return %o : tensor<64x128xf32>
}

// -----

func.func @barrier_of_sparse_cores() {
  pallas.mpmd_map kernel @k on <sc_vector, [<core "core" = 2>, <subcore "subcore" = 16>]> () {
    // expected-error @below {{waits for the cores along "core", but the hardware has a barrier of the subcores of one core only; use semaphores between cores}}
    pallas.core_barrier "core"
  }
  return
}

// -----

func.func @long_table_read() {
  pallas.pallas_call @k grid() kernel(%a: !pallas.ref<512xi32, smem>, %b: !pallas.ref<512xi32, vmem>) {
    // expected-error @below {{reads 512 elements of scalar memory, but at most 256 are read at once; keep the array in vmem, or read it in a loop}}
    %v = pallas.get %a[...] : !pallas.ref<512xi32, smem>
    pallas.swap %b[...], %v : !pallas.ref<512xi32, vmem>, tensor<512xi32>
  }
  return
}

// -----

func.func @long_table_written() {
  pallas.pallas_call @k grid() kernel(%a: !pallas.ref<512xi32, smem>) {
    %v = arith.constant dense<0> : tensor<512xi32>
    // expected-error @below {{stores 512 elements to scalar memory, but at most 256 without a mask are stored at once; keep the array in vmem}}
    pallas.swap %a[...], %v : !pallas.ref<512xi32, smem>, tensor<512xi32>
  }
  return
}

// -----

func.func @masked_table() {
  pallas.pallas_call @k grid() kernel(%a: !pallas.ref<2xi32, smem>) {
    %v = arith.constant dense<0> : tensor<2xi32>
    %m = arith.constant dense<[true, false]> : tensor<2xi1>
    // expected-error @below {{stores 2 masked elements to scalar memory, but at most 256 without a mask are stored at once; keep the array in vmem}}
    pallas.masked_swap %a[...], %v mask %m : !pallas.ref<2xi32, smem>, tensor<2xi32>, tensor<2xi1>
  }
  return
}

// -----

func.func @many_constants() {
  pallas.pallas_call @k grid() kernel(%a: !pallas.ref<8x128xi8, vmem>) {
    // expected-error @below {{has 1024 different elements, but at most 512 are selected one by one; pass the array as an operand}}
    %v = arith.constant dense<"0x00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001"> : tensor<8x128xi8>
    pallas.swap %a[...], %v : !pallas.ref<8x128xi8, vmem>, tensor<8x128xi8>
  }
  return
}

// -----

func.func @resource_constant() {
  pallas.pallas_call @k grid() kernel(%a: !pallas.ref<8x128xf32, vmem>) {
    // expected-error @below {{has a value that isn't given element by element}}
    %v = arith.constant dense_resource<somewhere> : tensor<8x128xf32>
    pallas.swap %a[...], %v : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
  }
  return
}

// -----

func.func @gpu_mesh() {
  // expected-error @below {{runs on a mesh of kind gpu, but TPUs have tensorcore, sc_scalar and sc_vector only}}
  pallas.mpmd_map kernel on <gpu, [<grid "x" = 2>]> () {
  }
  return
}

// -----

func.func @two_kinds_of_cores() {
  // expected-error @below {{mixes TensorCores and SparseCores, which one TPU program can't; split it into two calls}}
  pallas.mpmd_map
      kernel on <tensorcore, [<core "x" = 2>]> () {
  }
      kernel on <sc_scalar, [<core "c" = 2>]> () {
  }
  return
}

// -----

func.func @many_gathered_rows() {
  pallas.pallas_call @k grid() kernel(%a: !pallas.ref<512x128xf32, vmem>, %i: !pallas.ref<512xi32, vmem>) {
    %at = pallas.get %i[...] : !pallas.ref<512xi32, vmem>
    // expected-error @below {{an index array selects 512 parts of a ref, but at most 256 are accessed one by one; walk over the indices in a loop}}
    %v = pallas.get %a[gather(%at : tensor<512xi32>), :] : !pallas.ref<512x128xf32, vmem>
    pallas.swap %a[...], %v : !pallas.ref<512x128xf32, vmem>, tensor<512x128xf32>
  }
  return
}

// -----

func.func @old_values_of_gathered_rows() {
  pallas.pallas_call @k grid() kernel(%a: !pallas.ref<8x128xf32, vmem>) {
    %at = arith.constant dense<[3, 1]> : tensor<2xi32>
    %m = arith.constant dense<true> : tensor<2x128xi1>
    %v = arith.constant dense<1.0> : tensor<2x128xf32>
    // expected-error @below {{with index arrays can't yield the old value on this target; load it first}}
    %old = pallas.masked_swap %a[gather(%at : tensor<2xi32>), :], %v mask %m : !pallas.ref<8x128xf32, vmem>, tensor<2x128xf32>, tensor<2x128xi1>
    pallas.swap %a[ds(0, 2), :], %old : !pallas.ref<8x128xf32, vmem>, tensor<2x128xf32>
  }
  return
}

// -----

func.func @view_of_gathered_rows() {
  pallas.pallas_call @k grid() kernel(%a: !pallas.ref<8x128xf32, vmem>, %b: !pallas.ref<2x128xf32, vmem>, %d: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
    %at = arith.constant dense<[3, 1]> : tensor<2xi32>
    // expected-error @below {{can't view rows that an index array selects; copy them one by one}}
    %s = pallas.slice_ref %a[gather(%at : tensor<2xi32>), :] : !pallas.ref<8x128xf32, vmem>
    pallas.dma_start %s to %b signals %d : !pallas.ref<2x128xf32, vmem>, !pallas.ref<2x128xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    pallas.dma_wait %s to %b signals %d : !pallas.ref<2x128xf32, vmem>, !pallas.ref<2x128xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
  }
  return
}

// -----

func.func @view_with_stride() {
  pallas.pallas_call @k grid() kernel(%a: !pallas.ref<8x128xf32, vmem>, %d: !pallas.ref<!pallas.dma_semaphore, semaphore>, %b: !pallas.ref<4x128xf32, vmem>) {
    // expected-error @below {{has a stride, but views are contiguous on this target; give the stride to the access itself}}
    %s = pallas.slice_ref %a[ds(0, 4, 2), :] : !pallas.ref<8x128xf32, vmem>
    pallas.dma_start %s to %b signals %d : !pallas.ref<4x128xf32, vmem>, !pallas.ref<4x128xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    pallas.dma_wait %s to %b signals %d : !pallas.ref<4x128xf32, vmem>, !pallas.ref<4x128xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
  }
  return
}

// -----

func.func @reshape_to_rank_1() {
  pallas.pallas_call @k grid() kernel(%a: !pallas.ref<8x128xf32, vmem>, %b: !pallas.ref<1024xf32, vmem>) {
    // expected-error @below {{goes from rank 2 to rank 1, but only refs of rank 2 and more can be reshaped on this target; reshape the loaded value instead}}
    %s = pallas.reshape_ref %a : !pallas.ref<8x128xf32, vmem> -> !pallas.ref<1024xf32, vmem>
    %v = pallas.get %s[...] : !pallas.ref<1024xf32, vmem>
    pallas.swap %b[...], %v : !pallas.ref<1024xf32, vmem>, tensor<1024xf32>
  }
  return
}

// -----

func.func @reshape_rows() {
  pallas.pallas_call @k grid() kernel(%a: !pallas.ref<16x256xf32, vmem>, %b: !pallas.ref<32x128xf32, vmem>) {
    // expected-error @below {{turns rows of 256 elements into rows of 128, but on v5e a view of 'memref<16x256xf32, #tpu.memory_space<vmem>>' keeps the last dimension; reshape the loaded value instead}}
    %s = pallas.reshape_ref %a : !pallas.ref<16x256xf32, vmem> -> !pallas.ref<32x128xf32, vmem>
    %v = pallas.get %s[...] : !pallas.ref<32x128xf32, vmem>
    pallas.swap %b[...], %v : !pallas.ref<32x128xf32, vmem>, tensor<32x128xf32>
  }
  return
}

// -----

func.func @reshape_within_tiles() {
  pallas.pallas_call @k grid() kernel(%a: !pallas.ref<16x256xf32, vmem>, %b: !pallas.ref<8x2x256xf32, vmem>) {
    // expected-error @below {{turns groups of 16 rows into groups of 2, but on v5e tiles of 'memref<16x256xf32, #tpu.memory_space<vmem>>' have 8 rows; keep whole tiles, or reshape the loaded value instead}}
    %s = pallas.reshape_ref %a : !pallas.ref<16x256xf32, vmem> -> !pallas.ref<8x2x256xf32, vmem>
    %v = pallas.get %s[...] : !pallas.ref<8x2x256xf32, vmem>
    pallas.swap %b[...], %v : !pallas.ref<8x2x256xf32, vmem>, tensor<8x2x256xf32>
  }
  return
}

// -----

func.func @reshape_part() {
  pallas.pallas_call @k grid() kernel(%a: !pallas.ref<2x16x128xf32, vmem>, %b: !pallas.ref<16x128xf32, vmem>) {
    %p = pallas.slice_ref %a[:, ds(0, 8), :] : !pallas.ref<2x16x128xf32, vmem>
    // expected-error @below {{reshapes a part of 'memref<2x16x128xf32, #tpu.memory_space<vmem>>' that on v5e does not lie in one piece; reshape the whole ref and take the part of that, or reshape the loaded value}}
    %s = pallas.reshape_ref %p : !pallas.ref<2x8x128xf32, vmem> -> !pallas.ref<16x128xf32, vmem>
    %v = pallas.get %s[...] : !pallas.ref<16x128xf32, vmem>
    pallas.swap %b[...], %v : !pallas.ref<16x128xf32, vmem>, tensor<16x128xf32>
  }
  return
}

// -----

// Rows of bytes are tiles of 4 where there are as few.
func.func @reshape_few_rows() {
  pallas.pallas_call @k grid() kernel(%a: !pallas.ref<6x4x128xi8, vmem>, %b: !pallas.ref<3x4x2x128xi8, vmem>) {
    // expected-error @below {{turns groups of 4 rows into groups of 2, but on v5e tiles of 'memref<6x4x128xi8, #tpu.memory_space<vmem>>' have 4 rows; keep whole tiles, or reshape the loaded value instead}}
    %s = pallas.reshape_ref %a : !pallas.ref<6x4x128xi8, vmem> -> !pallas.ref<3x4x2x128xi8, vmem>
    %v = pallas.get %s[...] : !pallas.ref<3x4x2x128xi8, vmem>
    pallas.swap %b[...], %v : !pallas.ref<3x4x2x128xi8, vmem>, tensor<3x4x2x128xi8>
  }
  return
}

// -----

// Tiles stay those of the buffer behind all views.
func.func @reshape_twice() {
  pallas.pallas_call @k grid() kernel(%a: !pallas.ref<16x256xf32, vmem>, %b: !pallas.ref<4x4x256xf32, vmem>) {
    %r = pallas.reshape_ref %a : !pallas.ref<16x256xf32, vmem> -> !pallas.ref<2x8x256xf32, vmem>
    // expected-error @below {{turns groups of 8 rows into groups of 4, but on v5e tiles of 'memref<2x8x256xf32, #tpu.memory_space<vmem>>' have 8 rows}}
    %s = pallas.reshape_ref %r : !pallas.ref<2x8x256xf32, vmem> -> !pallas.ref<4x4x256xf32, vmem>
    %v = pallas.get %s[...] : !pallas.ref<4x4x256xf32, vmem>
    pallas.swap %b[...], %v : !pallas.ref<4x4x256xf32, vmem>, tensor<4x4x256xf32>
  }
  return
}

// -----

// Halves have tiles of twice as many rows as the words that they were.
func.func @reshape_bitcast() {
  pallas.pallas_call @k grid() kernel(%a: !pallas.ref<16x256xf32, vmem>, %b: !pallas.ref<4x8x256xbf16, vmem>) {
    %r = pallas.bitcast_ref %a : !pallas.ref<16x256xf32, vmem> -> !pallas.ref<32x256xbf16, vmem>
    // expected-error @below {{turns groups of 32 rows into groups of 8, but on v5e tiles of 'memref<32x256xbf16, #tpu.memory_space<vmem>>' have 16 rows}}
    %s = pallas.reshape_ref %r : !pallas.ref<32x256xbf16, vmem> -> !pallas.ref<4x8x256xbf16, vmem>
    %v = pallas.get %s[...] : !pallas.ref<4x8x256xbf16, vmem>
    pallas.swap %b[...], %v : !pallas.ref<4x8x256xbf16, vmem>, tensor<4x8x256xbf16>
  }
  return
}

// -----

func.func @reshape_one_row_of_tiles() {
  pallas.pallas_call @k grid() kernel(%a: !pallas.ref<4x16x256xf32, vmem>, %b: !pallas.ref<2x2x256xf32, vmem>) {
    %p = pallas.slice_ref %a[:, 3, :] : !pallas.ref<4x16x256xf32, vmem>
    // expected-error @below {{reshapes a part of 'memref<4x16x256xf32, #tpu.memory_space<vmem>>' that on v5e does not lie in one piece}}
    %s = pallas.reshape_ref %p : !pallas.ref<4x256xf32, vmem> -> !pallas.ref<2x2x256xf32, vmem>
    %v = pallas.get %s[...] : !pallas.ref<2x2x256xf32, vmem>
    pallas.swap %b[...], %v : !pallas.ref<2x2x256xf32, vmem>, tensor<2x2x256xf32>
  }
  return
}

// -----

// The two parts of such a row lie in two tiles.
func.func @reshape_one_wide_row() {
  pallas.pallas_call @k grid() kernel(%a: !pallas.ref<1x16x256xf32, vmem>, %b: !pallas.ref<1x1x256xf32, vmem>) {
    %p = pallas.slice_ref %a[:, 3, :] : !pallas.ref<1x16x256xf32, vmem>
    // expected-error @below {{reshapes a part of 'memref<1x16x256xf32, #tpu.memory_space<vmem>>' that on v5e does not lie in one piece}}
    %s = pallas.reshape_ref %p : !pallas.ref<1x256xf32, vmem> -> !pallas.ref<1x1x256xf32, vmem>
    %v = pallas.get %s[...] : !pallas.ref<1x1x256xf32, vmem>
    pallas.swap %b[...], %v : !pallas.ref<1x1x256xf32, vmem>, tensor<1x1x256xf32>
  }
  return
}

// -----

func.func @bitcast_of_rank_1() {
  pallas.pallas_call @k grid() kernel(%a: !pallas.ref<128xf32, vmem>, %b: !pallas.ref<128xi32, vmem>) {
    // expected-error @below {{has rank 1, but only refs of rank 2 and more can be seen as other elements on this target; cast the loaded value instead}}
    %s = pallas.bitcast_ref %a : !pallas.ref<128xf32, vmem> -> !pallas.ref<128xi32, vmem>
    %v = pallas.get %s[...] : !pallas.ref<128xi32, vmem>
    pallas.swap %b[...], %v : !pallas.ref<128xi32, vmem>, tensor<128xi32>
  }
  return
}

// -----

func.func @atomic_max_by_indices() {
  pallas.pallas_call @k grid() kernel(%a: !pallas.ref<8x128xf32, vmem>) {
    %at = arith.constant dense<[3, 1]> : tensor<2xi32>
    %v = arith.constant dense<1.0> : tensor<2x128xf32>
    // expected-error @below {{with index arrays can only add, without a mask and without using the old value}}
    %old = pallas.atomic_rmw <max> %a[gather(%at : tensor<2xi32>), :], %v : !pallas.ref<8x128xf32, vmem>, tensor<2x128xf32>
  }
  return
}

// -----

func.func @scatter_xor() {
  pallas.pallas_call @k grid() kernel(%a: !pallas.ref<8x128xi32, vmem>) {
    %x = pallas.get %a[...] : !pallas.ref<8x128xi32, vmem>
    %i = arith.constant dense<[[3], [1]]> : tensor<2x1xi32>
    %u = arith.constant dense<1> : tensor<2x128xi32>
    // expected-error @below {{combines by xor, but on TPUs scatters add, mul, max or min}}
    %0 = pallas.scatter combining <xor> %x at %i, %u window [1] inserted [0] batching [] x [] map [0]
      : tensor<8x128xi32>, tensor<2x1xi32>, tensor<2x128xi32>
    pallas.swap %a[...], %0 : !pallas.ref<8x128xi32, vmem>, tensor<8x128xi32>
  }
  return
}

// -----

func.func @long_sort() {
  pallas.pallas_call @k grid() kernel(%a: !pallas.ref<8x16384xf32, vmem>) {
    %x = pallas.get %a[...] : !pallas.ref<8x16384xf32, vmem>
    // expected-error @below {{sorts 16384 elements, but at most 1024 are sorted within a kernel; sort parts and merge them}}
    %0 = pallas.sort %x dim 1 : tensor<8x16384xf32> -> tensor<8x16384xf32>
    pallas.swap %a[...], %0 : !pallas.ref<8x16384xf32, vmem>, tensor<8x16384xf32>
  }
  return
}

// -----

func.func @split_columns() {
  pallas.pallas_call @k grid() kernel(%a: !pallas.ref<8x128xi32, vmem>, %b: !pallas.ref<8x256xi16, vmem>) {
    %x = pallas.get %a[...] : !pallas.ref<8x128xi32, vmem>
    // expected-error @below {{joins or splits elements along a dimension other than the second to last one; only that is possible on TPUs}}
    %0 = pallas.bitcast %x dim 1 : tensor<8x128xi32> -> tensor<8x256xi16>
    pallas.swap %b[...], %0 : !pallas.ref<8x256xi16, vmem>, tensor<8x256xi16>
  }
  return
}

// -----

func.func @pad_by_numbers() {
  pallas.pallas_call @k grid() kernel(%a: !pallas.ref<8x128xf32, vmem>, %b: !pallas.ref<16x128xf32, vmem>) {
    %x = pallas.get %a[...] : !pallas.ref<8x128xf32, vmem>
    // expected-error @below {{needs one padding value and constant amounts on TPUs}}
    %0 = tensor.pad %x low[0, 0] high[8, 0] {
    ^bb0(%i: index, %j: index):
      %n = arith.index_cast %i : index to i32
      %f = arith.sitofp %n : i32 to f32
      tensor.yield %f : f32
    } : tensor<8x128xf32> to tensor<16x128xf32>
    pallas.swap %b[...], %0 : !pallas.ref<16x128xf32, vmem>, tensor<16x128xf32>
  }
  return
}

// -----

func.func @several_values_printed() {
  pallas.pallas_call @k grid() kernel(%a: !pallas.ref<8x128xf32, vmem>) {
    %x = pallas.get %a[...] : !pallas.ref<8x128xf32, vmem>
    %n = arith.constant 1 : i32
    // expected-error @below {{prints several values of which one is an array; print each array by itself}}
    pallas.debug_print "{} {}" %x, %n : tensor<8x128xf32>, i32
  }
  return
}

// -----

func.func @core_barrier() {
  pallas.mpmd_map kernel on <tensorcore, [<core "x" = 2>]> () {
    // expected-error @below {{exists on SparseCore vector subcores only; use semaphores between other cores}}
    pallas.core_barrier "x"
  }
  return
}

// -----

func.func @captured_value(%n: i32) {
  // expected-error @below {{captures 1 values, but kernels on TPUs take operands only; run pallas-discharge-state for refs and pallas-hoist-scalar-prefetch for values before}}
  pallas.pallas_call @k grid() captures(%n : i32) kernel(%m: i32, %a: !pallas.ref<1xi32, smem>) {
    pallas.swap %a[0], %m : !pallas.ref<1xi32, smem>, i32
  }
  return
}

// -----

func.func @layouts_of_one_array(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  // expected-error @below {{but their blocks need different layouts of the array}}
  %o = pallas.pallas_call @k grid(8)
      in(%x : tensor<64x128xf32>) block<[squeezed, 128], vmem> map(%i) -> (%i, 0)
      out(tensor<64x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      aliases [0 -> 0]
      kernel(%a: !pallas.ref<128xf32, vmem>, %b: !pallas.ref<8x128xf32, vmem>) {
  }
  return %o : tensor<64x128xf32>
}
