// RUN: pallas-opt %s --convert-mosaic-tpu-to-pallas --split-input-file | FileCheck %s

// An allocation is an argument of the scope around it.

// CHECK-LABEL: pallas.pallas_call @semaphores grid()
// CHECK: kernel(%[[ARG:.*]]: !pallas.ref<1xi32, smem>) {
// CHECK: pallas.run_scoped (%[[ARG2:.*]]: !pallas.ref<!pallas.semaphore, semaphore>) {
// CHECK: %[[DEVICE_ID:.*]] = pallas.device_id
// CHECK: pallas.semaphore_signal %[[ARG2]], %[[C:.*]] device  logical(%[[DEVICE_ID]]) : !pallas.ref<!pallas.semaphore, semaphore>
// CHECK: %[[SEMAPHORE_READ:.*]] = pallas.semaphore_read %[[ARG2]] : !pallas.ref<!pallas.semaphore, semaphore>
// CHECK: pallas.semaphore_wait %[[ARG2]], %[[C]] : !pallas.ref<!pallas.semaphore, semaphore>
// CHECK: pallas.swap %[[ARG]][0], %[[SEMAPHORE_READ]] : !pallas.ref<1xi32, smem>, i32
module {
  func.func @semaphores(%o: memref<1xi32, #tpu.memory_space<smem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %n = arith.constant 2 : i32
    "tpu.region"() ({
      %s = tpu.sem_alloc : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
      %d = tpu.device_id : i32
      tpu.sem_signal %s, %n device_id %d : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
      %r = tpu.sem_read %s : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>> -> i32
      tpu.sem_wait %s, %n : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
      memref.store %r, %o[%c0] : memref<1xi32, #tpu.memory_space<smem>>
      tpu.yield
    }) : () -> ()
    return
  }
}

// -----

// CHECK-LABEL: pallas.pallas_call @barrier_semaphore grid()
// CHECK: %[[GET_BARRIER_SEMAPHORE:.*]] = pallas.get_barrier_semaphore : !pallas.ref<!pallas.semaphore, semaphore>
// CHECK: pallas.semaphore_signal %[[GET_BARRIER_SEMAPHORE]], %[[C:.*]] : !pallas.ref<!pallas.semaphore, semaphore>
// CHECK: pallas.semaphore_wait %[[GET_BARRIER_SEMAPHORE]], %[[C]] : !pallas.ref<!pallas.semaphore, semaphore>
module {
  func.func @barrier_semaphore() attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %n = arith.constant 1 : i32
    %b = tpu.sem_barrier : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
    tpu.sem_signal %b, %n : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
    tpu.sem_wait %b, %n : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
    return
  }
}

// -----

// CHECK-LABEL: pallas.pallas_call @dma grid()
// CHECK: kernel(%[[ARG:.*]]: !pallas.ref<16x128xf32, any>, %[[ARG2:.*]]: !pallas.ref<16x128xf32, vmem>, %[[ARG3:.*]]: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
// CHECK: pallas.dma_start %[[ARG]] to %[[ARG2]] signals %[[ARG3]] : !pallas.ref<16x128xf32, any>, !pallas.ref<16x128xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
// CHECK: pallas.dma_wait %[[ARG]] to %[[ARG2]] signals %[[ARG3]] : !pallas.ref<16x128xf32, any>, !pallas.ref<16x128xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
module {
  func.func @dma(%x: memref<16x128xf32, #tpu.memory_space<any>>, %o: memref<16x128xf32, #tpu.memory_space<vmem>>, %d: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 1 : i64, tpu.core_type = #tpu.core_type<tc>} {
    tpu.enqueue_dma source(%x : memref<16x128xf32, #tpu.memory_space<any>>) target(%o : memref<16x128xf32, #tpu.memory_space<vmem>>) target_semaphore(%d : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
    tpu.wait_dma2 semaphore(%d : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) src(%x : memref<16x128xf32, #tpu.memory_space<any>>) dst(%o : memref<16x128xf32, #tpu.memory_space<vmem>>)
    return
  }
}

// -----

// Both forms of waiting are one.

// CHECK-LABEL: pallas.pallas_call @wait_dma grid()
// CHECK: kernel(%[[ARG:.*]]: !pallas.ref<16x128xf32, any>, %[[ARG2:.*]]: !pallas.ref<16x128xf32, vmem>, %[[ARG3:.*]]: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
// CHECK: pallas.dma_start %[[ARG]] to %[[ARG2]] signals %[[ARG3]] : !pallas.ref<16x128xf32, any>, !pallas.ref<16x128xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
// CHECK: pallas.dma_wait %[[ARG]] to %[[ARG2]] signals %[[ARG3]] : !pallas.ref<16x128xf32, any>, !pallas.ref<16x128xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
module {
  func.func @wait_dma(%x: memref<16x128xf32, #tpu.memory_space<any>>, %o: memref<16x128xf32, #tpu.memory_space<vmem>>, %d: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 1 : i64, tpu.core_type = #tpu.core_type<tc>} {
    tpu.enqueue_dma source(%x : memref<16x128xf32, #tpu.memory_space<any>>) target(%o : memref<16x128xf32, #tpu.memory_space<vmem>>) target_semaphore(%d : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
    tpu.wait_dma source(%x : memref<16x128xf32, #tpu.memory_space<any>>) target(%o : memref<16x128xf32, #tpu.memory_space<vmem>>) target_semaphore(%d : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) {wait_target = true}
    return
  }
}
