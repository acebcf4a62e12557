// RUN: pallas-opt %s --split-input-file --verify-diagnostics --pallas-to-mosaic-tpu | FileCheck %s

// Coordinates of devices become their numbers: the last axis is the fastest.

// CHECK-LABEL: func.func @send
// CHECK: %[[A_ID:.*]] = tpu.device_id
// CHECK: %[[B_SIZE:.*]] = arith.constant 4 : i32
// CHECK: %[[A:.*]] = arith.divsi %[[A_ID]], %[[B_SIZE]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[A]]
// CHECK: %[[PEER:.*]] = arith.remsi %[[NEXT]]
// CHECK: %[[ROW:.*]] = arith.muli %[[PEER]], %[[B_SIZE]]
// CHECK: %[[B_ID:.*]] = tpu.device_id
// CHECK: %[[B:.*]] = arith.remsi %[[B_ID]], %[[B_SIZE]]
// CHECK: %[[DEVICE:.*]] = arith.addi %[[ROW]], %[[B]]
// CHECK: tpu.enqueue_dma {{.*}} device_id(%[[DEVICE]])
func.func @f(%x: tensor<8x128xf32>) -> tensor<8x128xf32> attributes {pallas.device_mesh = [["a", 2], ["b", 4]]} {
  %o = pallas.pallas_call @send grid()
      in(%x : tensor<8x128xf32>) block<[8, 128], any>
      out(tensor<8x128xf32>) block<[8, 128], any>
      kernel(%xr: !pallas.ref<8x128xf32, any>, %or: !pallas.ref<8x128xf32, any>, %s: !pallas.ref<!pallas.dma_semaphore, semaphore>, %r: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
    %a = pallas.axis_index "a"
    %size = pallas.axis_size "a"
    %one = arith.constant 1 : i32
    %next = arith.addi %a, %one : i32
    %peer = arith.remsi %next, %size : i32
    pallas.dma_start %xr to %or signals %r source_signals %s device mesh(%peer) axes ["a"] : !pallas.ref<8x128xf32, any>, !pallas.ref<8x128xf32, any>, !pallas.ref<!pallas.dma_semaphore, semaphore>, !pallas.ref<!pallas.dma_semaphore, semaphore>
  }
  return %o : tensor<8x128xf32>
}

// -----

// expected-error @below {{has a 'pallas.device_mesh' with the entry "a", but each must be the name of an axis and its size, as in ["x", 2]}}
func.func @f(%x: tensor<8x128xf32>) -> tensor<8x128xf32> attributes {pallas.device_mesh = ["a"]} {
  %o = pallas.pallas_call grid()
      in(%x : tensor<8x128xf32>) block<[8, 128], vmem>
      out(tensor<8x128xf32>) block<[8, 128], vmem>
      kernel(%xr: !pallas.ref<8x128xf32, vmem>, %or: !pallas.ref<8x128xf32, vmem>) {
  }
  return %o : tensor<8x128xf32>
}

// -----

func.func @f(%x: tensor<8x128xf32>) -> tensor<8x128xf32> attributes {pallas.device_mesh = [["a", 2], ["b", 4]]} {
  %o = pallas.pallas_call grid()
      in(%x : tensor<8x128xf32>) block<[8, 128], vmem>
      out(tensor<8x128xf32>) block<[8, 128], vmem>
      kernel(%xr: !pallas.ref<8x128xf32, vmem>, %or: !pallas.ref<8x128xf32, vmem>, %s: !pallas.ref<!pallas.semaphore, semaphore>) {
    %one = arith.constant 1 : i32
    // expected-error @below {{names a device by 3 coordinates, but the mesh of devices has 2 axes; give one for each}}
    pallas.semaphore_signal %s, %one device mesh(%one, %one, %one) : !pallas.ref<!pallas.semaphore, semaphore>
  }
  return %o : tensor<8x128xf32>
}
