// RUN: pallas-opt %s --pallas-resolve-device-mesh | FileCheck %s

// Coordinates of devices become their numbers: the last axis is the fastest.
// Grid axes stay.
// CHECK-LABEL: func.func @send
// CHECK: %[[A_ID:.*]] = pallas.device_id
// CHECK: %[[A:.*]] = arith.divsi %[[A_ID]], %c4_i32
// CHECK: %[[PEER:.*]] = arith.remsi %{{.*}}, %c2_i32
// CHECK: pallas.axis_index "rows"
// CHECK: %[[ROW:.*]] = arith.muli %[[PEER]]
// CHECK: %[[B_ID:.*]] = pallas.device_id
// CHECK: %[[B:.*]] = arith.remsi %[[B_ID]]
// CHECK: %[[DEVICE:.*]] = arith.addi %[[ROW]], %[[B]]
// CHECK: pallas.dma_start {{.*}} device {{ *}}logical(%[[DEVICE]])

func.func @send(%x: tensor<8x128xf32>) -> tensor<8x128xf32> attributes {pallas.device_mesh = [["a", 2], ["b", 4]]} {
  %o = pallas.pallas_call grid(1)
      in(%x : tensor<8x128xf32>) block<[8, 128], any>
      out(tensor<8x128xf32>) block<[8, 128], any>
      names ["rows"]
      kernel(%xr: !pallas.ref<8x128xf32, any>, %or: !pallas.ref<8x128xf32, any>, %s: !pallas.ref<!pallas.dma_semaphore, semaphore>, %r: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
    %a = pallas.axis_index "a"
    %size = pallas.axis_size "a"
    %one = arith.constant 1 : i32
    %next = arith.addi %a, %one : i32
    %peer = arith.remsi %next, %size : i32
    %row = pallas.axis_index "rows"
    pallas.dma_start %xr to %or signals %r source_signals %s device mesh(%peer) axes ["a"] : !pallas.ref<8x128xf32, any>, !pallas.ref<8x128xf32, any>, !pallas.ref<!pallas.dma_semaphore, semaphore>, !pallas.ref<!pallas.dma_semaphore, semaphore>
  }
  return %o : tensor<8x128xf32>
}

