// RUN: pallas-opt %s --split-input-file --verify-diagnostics --pallas-to-mosaic-tpu -o /dev/null

// The bug: a dimension whose size is known at run time only passed unchecked,
// its start as well, and the compiler for TPUs refused the copy later.

func.func @rows(%t: tensor<2xi32>, %x: tensor<24x256xf32>) -> tensor<24x256xf32> {
  %o = pallas.pallas_call @rows grid()
      in(%t : tensor<2xi32>) block<[2], smem>
      in(%x : tensor<24x256xf32>) block<[24, 256], any>
      out(tensor<24x256xf32>) block<[24, 256], any>
      kernel(%tr: !pallas.ref<2xi32, smem>, %xr: !pallas.ref<24x256xf32, any>, %or: !pallas.ref<24x256xf32, any>, %done: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
    %start = pallas.get %tr[0] : !pallas.ref<2xi32, smem>
    %count = pallas.get %tr[1] : !pallas.ref<2xi32, smem>
    %from = pallas.multiple_of %start, [8] : i32
    %size = pallas.multiple_of %count, [8] : i32
    %a = pallas.slice_ref %xr[ds(%from, %size), :] : !pallas.ref<24x256xf32, any>
    %b = pallas.slice_ref %or[ds(8, %size), :] : !pallas.ref<24x256xf32, any>
    pallas.dma_start %a to %b signals %done : !pallas.ref<?x256xf32, any>, !pallas.ref<?x256xf32, any>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    %c = pallas.slice_ref %xr[ds(%from, %count), :] : !pallas.ref<24x256xf32, any>
    %d = pallas.slice_ref %or[ds(0, %count), :] : !pallas.ref<24x256xf32, any>
    // expected-error @below {{copies a multiple of 1 of 24 elements along dimension 0 of 'memref<24x256xf32, #tpu.memory_space<any>>' from a start that is known to be a multiple of 8, but v5e copies tiles of 8; copy whole tiles, and state by pallas.multiple_of that start and size are multiples}}
    pallas.dma_start %c to %d signals %done : !pallas.ref<?x256xf32, any>, !pallas.ref<?x256xf32, any>, !pallas.ref<!pallas.dma_semaphore, semaphore>
  }
  return %o : tensor<24x256xf32>
}

// -----

func.func @start(%t: tensor<2xi32>, %x: tensor<24x256xf32>) -> tensor<24x256xf32> {
  %o = pallas.pallas_call @start grid()
      in(%t : tensor<2xi32>) block<[2], smem>
      in(%x : tensor<24x256xf32>) block<[24, 256], any>
      out(tensor<24x256xf32>) block<[24, 256], any>
      kernel(%tr: !pallas.ref<2xi32, smem>, %xr: !pallas.ref<24x256xf32, any>, %or: !pallas.ref<24x256xf32, any>, %done: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
    %count = pallas.get %tr[1] : !pallas.ref<2xi32, smem>
    %size = pallas.multiple_of %count, [8] : i32
    %a = pallas.slice_ref %xr[ds(2, %size), :] : !pallas.ref<24x256xf32, any>
    %b = pallas.slice_ref %or[ds(8, %size), :] : !pallas.ref<24x256xf32, any>
    // expected-error @below {{copies a multiple of 8 of 24 elements along dimension 0 of 'memref<24x256xf32, #tpu.memory_space<any>>' from a start of 2, but v5e copies tiles of 8}}
    pallas.dma_start %a to %b signals %done : !pallas.ref<?x256xf32, any>, !pallas.ref<?x256xf32, any>, !pallas.ref<!pallas.dma_semaphore, semaphore>
  }
  return %o : tensor<24x256xf32>
}

// -----

func.func @lanes(%t: tensor<1xi32>, %x: tensor<8x512xf32>) -> tensor<8x512xf32> {
  %o = pallas.pallas_call @lanes grid()
      in(%t : tensor<1xi32>) block<[1], smem>
      in(%x : tensor<8x512xf32>) block<[8, 512], any>
      out(tensor<8x512xf32>) block<[8, 512], any>
      kernel(%tr: !pallas.ref<1xi32, smem>, %xr: !pallas.ref<8x512xf32, any>, %or: !pallas.ref<8x512xf32, any>, %done: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
    %count = pallas.get %tr[0] : !pallas.ref<1xi32, smem>
    %size = pallas.multiple_of %count, [64] : i32
    %a = pallas.slice_ref %xr[:, ds(0, %size)] : !pallas.ref<8x512xf32, any>
    %b = pallas.slice_ref %or[:, ds(128, %size)] : !pallas.ref<8x512xf32, any>
    // expected-error @below {{copies a multiple of 64 of 512 elements along dimension 1 of 'memref<8x512xf32, #tpu.memory_space<any>>' from a start of 0, but v5e copies tiles of 128}}
    pallas.dma_start %a to %b signals %done : !pallas.ref<8x?xf32, any>, !pallas.ref<8x?xf32, any>, !pallas.ref<!pallas.dma_semaphore, semaphore>
  }
  return %o : tensor<8x512xf32>
}

// -----

// A core copies lanes of a number known at run time only in whole tiles; the
// compiler for TPUs aborted.

func.func @rows_of_lanes(%t: tensor<1xi32>, %x: tensor<16x512xf32>) -> tensor<16x512xf32> {
  %o = pallas.pallas_call @rows_of_lanes grid()
      in(%t : tensor<1xi32>) block<[1], smem>
      in(%x : tensor<16x512xf32>) block<[16, 512], any>
      out(tensor<16x512xf32>) block<[16, 512], any>
      kernel(%tr: !pallas.ref<1xi32, smem>, %xr: !pallas.ref<16x512xf32, any>, %or: !pallas.ref<16x512xf32, any>, %done: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
    %count = pallas.get %tr[0] : !pallas.ref<1xi32, smem>
    %size = pallas.multiple_of %count, [128] : i32
    %a = pallas.slice_ref %xr[ds(8, 8), ds(0, %size)] : !pallas.ref<16x512xf32, any>
    %b = pallas.slice_ref %or[ds(0, 8), ds(0, %size)] : !pallas.ref<16x512xf32, any>
    pallas.dma_start %a to %b signals %done : !pallas.ref<8x?xf32, any>, !pallas.ref<8x?xf32, any>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    %c = pallas.slice_ref %xr[ds(8, 4), ds(0, %size)] : !pallas.ref<16x512xf32, any>
    %d = pallas.slice_ref %or[ds(0, 4), ds(0, %size)] : !pallas.ref<16x512xf32, any>
    // expected-error @below {{copies 4 of 16 elements along dimension 0 of 'memref<16x512xf32, #tpu.memory_space<any>>' from a start of 8, but v5e copies tiles of 8}}
    pallas.dma_start %c to %d signals %done : !pallas.ref<4x?xf32, any>, !pallas.ref<4x?xf32, any>, !pallas.ref<!pallas.dma_semaphore, semaphore>
  }
  return %o : tensor<16x512xf32>
}

// -----

// Rows at a start of run time are known to be of one tile, and of the array,
// only if their number divides the array.

func.func @rows_of_seven(%t: tensor<1xi32>, %x: tensor<7x256xf32>) -> tensor<7x256xf32> {
  %o = pallas.pallas_call @rows_of_seven grid()
      in(%t : tensor<1xi32>) block<[1], smem>
      in(%x : tensor<7x256xf32>) block<[7, 256], any>
      out(tensor<7x256xf32>) block<[7, 256], any>
      kernel(%tr: !pallas.ref<1xi32, smem>, %xr: !pallas.ref<7x256xf32, any>, %or: !pallas.ref<7x256xf32, any>, %done: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
    %start = pallas.get %tr[0] : !pallas.ref<1xi32, smem>
    %a = pallas.slice_ref %xr[ds(%start, 1), :] : !pallas.ref<7x256xf32, any>
    %b = pallas.slice_ref %or[ds(%start, 1), :] : !pallas.ref<7x256xf32, any>
    pallas.dma_start %a to %b signals %done : !pallas.ref<1x256xf32, any>, !pallas.ref<1x256xf32, any>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    %even = pallas.multiple_of %start, [2] : i32
    %c = pallas.slice_ref %xr[ds(%even, 2), :] : !pallas.ref<7x256xf32, any>
    %d = pallas.slice_ref %or[ds(%even, 2), :] : !pallas.ref<7x256xf32, any>
    // expected-error @below {{copies 2 of 7 elements along dimension 0 of 'memref<7x256xf32, #tpu.memory_space<any>>' from a start that is known to be a multiple of 2, but v5e copies tiles of 8}}
    pallas.dma_start %c to %d signals %done : !pallas.ref<2x256xf32, any>, !pallas.ref<2x256xf32, any>, !pallas.ref<!pallas.dma_semaphore, semaphore>
  }
  return %o : tensor<7x256xf32>
}

// -----

// Arrays of bytes that have no whole number of tiles of 32 rows have tiles of 8.

func.func @bytes(%x: tensor<24x256xi8>) -> tensor<24x256xi8> {
  %o = pallas.pallas_call @bytes grid()
      in(%x : tensor<24x256xi8>) block<[24, 256], any>
      out(tensor<24x256xi8>) block<[24, 256], any>
      kernel(%xr: !pallas.ref<24x256xi8, any>, %or: !pallas.ref<24x256xi8, any>, %done: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
    %a = pallas.slice_ref %xr[ds(8, 16), :] : !pallas.ref<24x256xi8, any>
    %b = pallas.slice_ref %or[ds(0, 16), :] : !pallas.ref<24x256xi8, any>
    pallas.dma_start %a to %b signals %done : !pallas.ref<16x256xi8, any>, !pallas.ref<16x256xi8, any>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    %c = pallas.slice_ref %xr[ds(4, 16), :] : !pallas.ref<24x256xi8, any>
    %d = pallas.slice_ref %or[ds(4, 16), :] : !pallas.ref<24x256xi8, any>
    // expected-error @below {{copies 16 of 24 elements along dimension 0 of 'memref<24x256xi8, #tpu.memory_space<any>>' from a start of 4, but v5e copies tiles of 8}}
    pallas.dma_start %c to %d signals %done : !pallas.ref<16x256xi8, any>, !pallas.ref<16x256xi8, any>, !pallas.ref<!pallas.dma_semaphore, semaphore>
  }
  return %o : tensor<24x256xi8>
}
