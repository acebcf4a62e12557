// RUN: pallas-opt %s --pallas-to-mosaic-tpu | FileCheck %s

// The bug: rows of an array that is one tile wide were refused unless they were
// known to stay within one tile. Rows of 32-bit elements follow one another
// there, so a core copies any of them.

// CHECK-LABEL: func.func @rows
// CHECK: tpu.memref_slice %{{.*}} : memref<20x128xf32, #tpu.memory_space<any>> -> memref<3x128xf32
// CHECK: tpu.enqueue_dma
func.func @rows(%t: tensor<2xi32>, %x: tensor<20x128xf32>) -> tensor<20x128xf32> {
  %o = pallas.pallas_call @rows grid()
      in(%t : tensor<2xi32>) block<[2], smem>
      in(%x : tensor<20x128xf32>) block<[20, 128], any>
      out(tensor<20x128xf32>) block<[20, 128], any>
      kernel(%tr: !pallas.ref<2xi32, smem>, %xr: !pallas.ref<20x128xf32, any>, %or: !pallas.ref<20x128xf32, any>, %rows: !pallas.ref<5x128xf32, vmem>, %done: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
    %from = pallas.get %tr[0] : !pallas.ref<2xi32, smem>
    %size = pallas.get %tr[1] : !pallas.ref<2xi32, smem>
    %a = pallas.slice_ref %xr[ds(%from, 3), :] : !pallas.ref<20x128xf32, any>
    %b = pallas.slice_ref %rows[ds(2, 3), :] : !pallas.ref<5x128xf32, vmem>
    pallas.dma_start %a to %b signals %done : !pallas.ref<3x128xf32, any>, !pallas.ref<3x128xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    pallas.dma_wait %a to %b signals %done : !pallas.ref<3x128xf32, any>, !pallas.ref<3x128xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    %c = pallas.slice_ref %rows[ds(0, %size), :] : !pallas.ref<5x128xf32, vmem>
    %d = pallas.slice_ref %or[ds(%from, %size), :] : !pallas.ref<20x128xf32, any>
    pallas.dma_start %c to %d signals %done : !pallas.ref<?x128xf32, vmem>, !pallas.ref<?x128xf32, any>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    pallas.dma_wait %c to %d signals %done : !pallas.ref<?x128xf32, vmem>, !pallas.ref<?x128xf32, any>, !pallas.ref<!pallas.dma_semaphore, semaphore>
  }
  return %o : tensor<20x128xf32>
}
