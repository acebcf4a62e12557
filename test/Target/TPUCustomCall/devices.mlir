// RUN: pallas-translate --to-tpu-custom-call %s | FileCheck %s
// RUN: sed 's/"b", 4/"b", 1/' %s | pallas-translate --to-tpu-custom-call - | FileCheck %s --check-prefix=TWO
// RUN: not sh -c "(cat %s; sed 's/@f/@g/; s/\"b\", 4/\"b\", 3/' %s) | pallas-translate --to-tpu-custom-call -" 2>&1 | FileCheck %s --check-prefix=TWICE

// One program on several devices is a partition for each of them.

// CHECK: module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
// TWO: module attributes {mhlo.num_partitions = 2 : i32
// TWICE: 'func.func' op runs on 6 devices, but @f on 8; one program has one set of devices
// TWICE: note: the other function
func.func @f(%x: tensor<8x128xf32>) -> tensor<8x128xf32> attributes {pallas.device_mesh = [["a", 2], ["b", 4]]} {
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
