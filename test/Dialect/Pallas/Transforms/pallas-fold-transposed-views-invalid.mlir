// RUN: pallas-opt %s --pallas-fold-transposed-views --verify-diagnostics

func.func @f(%x: tensor<32x16xf32>) {
  pallas.pallas_call grid()
      in(%x : tensor<32x16xf32>) block<[32, 16], any>
      kernel(%xr: !pallas.ref<32x16xf32, any>, %b: !pallas.ref<16x32xf32, vmem>, %sem: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
    // expected-note @below {{transposed here}}
    %t = pallas.transpose_ref %xr, [1, 0] : !pallas.ref<32x16xf32, any> -> !pallas.ref<16x32xf32, any>
    // expected-error @below {{takes a transposed view, but where memory is seen in one order only what reads, writes and slices refs can, and copies where the last dimension stays the last; copy the ref and transpose the value}}
    pallas.dma_start %t to %b signals %sem : !pallas.ref<16x32xf32, any>, !pallas.ref<16x32xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
  }
  return
}
