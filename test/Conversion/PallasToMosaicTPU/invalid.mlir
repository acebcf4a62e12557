// RUN: pallas-opt %s --pallas-to-mosaic-tpu --split-input-file --verify-diagnostics

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
    // expected-error @below {{copies a part of 'memref<64xi32, #tpu.memory_space<hbm>>' whose first element along the last dimension is not known to be a multiple of 8, as SparseCores need it; copy from the multiple before, or say by pallas.multiple_of that it is one}}
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
