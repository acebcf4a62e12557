// RUN: pallas-run %s --no-cache --check

// The bug: with integers of 64 bits, as JAX has them on request, the length of a copy is narrowed behind
// the promise that it counts tiles, and the padding of the last tile of 21 rows was reported as outside.

func.func @tiles() -> tensor<21x128xf32> {
  %x = arith.constant dense<1.0> : tensor<21x128xf32>
  %n = arith.constant dense<[16, 8]> : tensor<2xi64>
  %o = pallas.pallas_call @tiles grid()
      in(%n : tensor<2xi64>) block<[2], smem>
      in(%x : tensor<21x128xf32>) block<[21, 128], any>
      out(tensor<21x128xf32>) block<[21, 128], any>
      kernel(%nr: !pallas.ref<2xi64, smem>, %xr: !pallas.ref<21x128xf32, any>, %or: !pallas.ref<21x128xf32, any>, %done: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
    %first = pallas.slice_ref %xr[ds(0, 16), :] : !pallas.ref<21x128xf32, any>
    %to = pallas.slice_ref %or[ds(0, 16), :] : !pallas.ref<21x128xf32, any>
    pallas.dma_start %first to %to signals %done : !pallas.ref<16x128xf32, any>, !pallas.ref<16x128xf32, any>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    pallas.dma_wait %first to %to signals %done : !pallas.ref<16x128xf32, any>, !pallas.ref<16x128xf32, any>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    %start = pallas.get %nr[0] : !pallas.ref<2xi64, smem>
    %from = arith.trunci %start : i64 to i32
    %count = pallas.get %nr[1] : !pallas.ref<2xi64, smem>
    %whole = pallas.multiple_of %count, [8] : i64
    %size = arith.trunci %whole : i64 to i32
    %last = pallas.slice_ref %xr[ds(%from, %size), :] : !pallas.ref<21x128xf32, any>
    %end = pallas.slice_ref %or[ds(%from, %size), :] : !pallas.ref<21x128xf32, any>
    pallas.dma_start %last to %end signals %done : !pallas.ref<?x128xf32, any>, !pallas.ref<?x128xf32, any>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    pallas.dma_wait %last to %end signals %done : !pallas.ref<?x128xf32, any>, !pallas.ref<?x128xf32, any>, !pallas.ref<!pallas.dma_semaphore, semaphore>
  }
  return %o : tensor<21x128xf32>
}
