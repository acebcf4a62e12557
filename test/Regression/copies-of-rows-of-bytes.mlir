// RUN: pallas-opt %s --pallas-to-mosaic-tpu | FileCheck %s

// The bug: arrays outside of VMEM were taken to have tiles of 32 rows of bytes
// whatever their shape, so copies of 16 rows were refused. An array of 40 rows
// has tiles of 8 rows there, too.

// CHECK-LABEL: func.func @rows
// CHECK: tpu.memref_slice %{{.*}} : memref<40x128xi8, #tpu.memory_space<any>> -> memref<16x128xi8
// CHECK: tpu.enqueue_dma
func.func @rows(%t: tensor<1xi32>, %x: tensor<40x128xi8>) -> tensor<16x128xi8> {
  %o = pallas.pallas_call @rows grid()
      in(%t : tensor<1xi32>) block<[1], smem>
      in(%x : tensor<40x128xi8>) block<[40, 128], any>
      out(tensor<16x128xi8>) block<[16, 128], vmem>
      kernel(%tr: !pallas.ref<1xi32, smem>, %xr: !pallas.ref<40x128xi8, any>, %or: !pallas.ref<16x128xi8, vmem>, %done: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
    %eight = arith.constant 8 : i32
    %n = pallas.get %tr[0] : !pallas.ref<1xi32, smem>
    %from = arith.muli %n, %eight : i32
    %a = pallas.slice_ref %xr[ds(%from, 16), :] : !pallas.ref<40x128xi8, any>
    pallas.dma_start %a to %or signals %done : !pallas.ref<16x128xi8, any>, !pallas.ref<16x128xi8, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    pallas.dma_wait %a to %or signals %done : !pallas.ref<16x128xi8, any>, !pallas.ref<16x128xi8, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
  }
  return %o : tensor<16x128xi8>
}
