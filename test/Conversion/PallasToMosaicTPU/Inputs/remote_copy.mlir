// Copies to another device, which the compiler takes where it knows all of them.

func.func @f(%x: tensor<8x128xf32>) -> tensor<8x128xf32> attributes {pallas.device_mesh = [["a", 2], ["b", 2]]} {
  %o = pallas.pallas_call @next grid()
      in(%x : tensor<8x128xf32>) block<[8, 128], any>
      out(tensor<8x128xf32>) block<[8, 128], any>
      kernel(%xr: !pallas.ref<8x128xf32, any>, %or: !pallas.ref<8x128xf32, any>, %s: !pallas.ref<!pallas.dma_semaphore, semaphore>, %r: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
    %me = pallas.axis_index "a"
    %one = arith.constant 1 : i32
    %peer = arith.subi %one, %me : i32
    pallas.dma_start %xr to %or signals %r source_signals %s device mesh(%peer) axes ["a"] : !pallas.ref<8x128xf32, any>, !pallas.ref<8x128xf32, any>, !pallas.ref<!pallas.dma_semaphore, semaphore>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    pallas.dma_wait %xr to %or signals %r : !pallas.ref<8x128xf32, any>, !pallas.ref<8x128xf32, any>, !pallas.ref<!pallas.dma_semaphore, semaphore>
  }
  return %o : tensor<8x128xf32>
}
