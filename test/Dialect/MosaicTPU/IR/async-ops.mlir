// RUN: pallas-opt %s | pallas-opt | FileCheck %s
// RUN: pallas-opt %s --mlir-print-op-generic | pallas-opt | FileCheck %s
// RUN: pallas-opt %s --emit-bytecode | pallas-opt | FileCheck %s

// Semaphores, DMAs, cores and devices.

// CHECK-LABEL: @semaphores
func.func @semaphores(%n: i32) {
  // CHECK: tpu.sem_alloc : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
  %s = tpu.sem_alloc : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
  // CHECK: tpu.sem_alloc : memref<2x!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>
  %d = tpu.sem_alloc : memref<2x!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>
  // CHECK: tpu.sem_barrier : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
  %b = tpu.sem_barrier : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
  // CHECK: tpu.sem_read %{{.*}} : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>> -> i32
  %r = tpu.sem_read %b : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>> -> i32
  // CHECK: tpu.sem_wait %{{.*}}, %{{.*}} : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
  tpu.sem_wait %s, %n : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
  // CHECK: tpu.sem_signal %{{.*}}, %{{.*}} : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
  tpu.sem_signal %s, %n : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
  // CHECK: tpu.sem_signal %{{.*}}, %{{.*}} device_id %{{.*}} : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
  tpu.sem_signal %s, %n device_id %n : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
  // CHECK: tpu.sem_signal %{{.*}}, %{{.*}} device_id %{{.*}} core_id %{{.*}} : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
  tpu.sem_signal %s, %n device_id %n core_id %n : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
  return
}

// CHECK-LABEL: @signal_subcore
func.func @signal_subcore(%s: memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem, sc_vector_subcore>>, %n: i32) attributes {tpu.core_type = #tpu.core_type<sc_scalar_subcore>} {
  // CHECK: tpu.sem_signal %{{.*}}, %{{.*}} core_id %{{.*}} subcore_id %{{.*}} : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem, sc_vector_subcore>>
  tpu.sem_signal %s, %n core_id %n subcore_id %n : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem, sc_vector_subcore>>
  return
}

// CHECK-LABEL: @dma
func.func @dma(%x: memref<8x128xf32, #tpu.memory_space<any>>, %y: memref<8x128xf32, #tpu.memory_space<vmem>>, %d: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %n: i32) {
  // CHECK: tpu.enqueue_dma source(%{{.*}} : memref<8x128xf32, #tpu.memory_space<any>>) target(%{{.*}} : memref<8x128xf32, #tpu.memory_space<vmem>>) target_semaphore(%{{.*}} : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
  tpu.enqueue_dma source(%x : memref<8x128xf32, #tpu.memory_space<any>>) target(%y : memref<8x128xf32, #tpu.memory_space<vmem>>) target_semaphore(%d : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
  // CHECK: tpu.enqueue_dma source(%{{.*}} : memref<8x128xf32, #tpu.memory_space<any>>) target(%{{.*}} : memref<8x128xf32, #tpu.memory_space<vmem>>) target_semaphore(%{{.*}} : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) {priority = 1 : i32}
  tpu.enqueue_dma source(%x : memref<8x128xf32, #tpu.memory_space<any>>) target(%y : memref<8x128xf32, #tpu.memory_space<vmem>>) target_semaphore(%d : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) {priority = 1 : i32}
  // CHECK: tpu.enqueue_dma source(%{{.*}} : memref<8x128xf32, #tpu.memory_space<any>>) target(%{{.*}} : memref<8x128xf32, #tpu.memory_space<vmem>>) source_semaphore(%{{.*}} : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) target_semaphore(%{{.*}} : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) device_id(%{{.*}}) core_id(%{{.*}})
  tpu.enqueue_dma source(%x : memref<8x128xf32, #tpu.memory_space<any>>) target(%y : memref<8x128xf32, #tpu.memory_space<vmem>>) source_semaphore(%d : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) target_semaphore(%d : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) device_id(%n) core_id(%n)
  // CHECK: tpu.wait_dma2 semaphore(%{{.*}} : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) src(%{{.*}} : memref<8x128xf32, #tpu.memory_space<any>>) dst(%{{.*}} : memref<8x128xf32, #tpu.memory_space<vmem>>)
  tpu.wait_dma2 semaphore(%d : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) src(%x : memref<8x128xf32, #tpu.memory_space<any>>) dst(%y : memref<8x128xf32, #tpu.memory_space<vmem>>)
  // CHECK: tpu.wait_dma2 semaphore(%{{.*}} : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) src(%{{.*}} : memref<8x128xf32, #tpu.memory_space<any>>) dst(%{{.*}} : memref<8x128xf32, #tpu.memory_space<vmem>>) device_id(%{{.*}}) core_id(%{{.*}})
  tpu.wait_dma2 semaphore(%d : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) src(%x : memref<8x128xf32, #tpu.memory_space<any>>) dst(%y : memref<8x128xf32, #tpu.memory_space<vmem>>) device_id(%n) core_id(%n)
  // CHECK: tpu.wait_dma source(%{{.*}} : memref<8x128xf32, #tpu.memory_space<any>>) target(%{{.*}} : memref<8x128xf32, #tpu.memory_space<vmem>>) target_semaphore(%{{.*}} : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) {wait_target = true}
  tpu.wait_dma source(%x : memref<8x128xf32, #tpu.memory_space<any>>) target(%y : memref<8x128xf32, #tpu.memory_space<vmem>>) target_semaphore(%d : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) {wait_target = true}
  return
}

// CHECK-LABEL: @indirect_dma
func.func @indirect_dma(%x: memref<128x16xf32, #tpu.memory_space<hbm>>, %y: memref<8x16xf32, #tpu.memory_space<vmem>>, %o: memref<8xi32, #tpu.memory_space<vmem>>, %v: vector<8xi32>, %n: i32, %d: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // CHECK: tpu.enqueue_indirect_dma source(%{{.*}} : memref<128x16xf32, #tpu.memory_space<hbm>>) target(%{{.*}} : memref<8x16xf32, #tpu.memory_space<vmem>>) offsets(%{{.*}} : memref<8xi32, #tpu.memory_space<vmem>>) semaphore(%{{.*}} : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) {add = true}
  tpu.enqueue_indirect_dma source(%x : memref<128x16xf32, #tpu.memory_space<hbm>>) target(%y : memref<8x16xf32, #tpu.memory_space<vmem>>) offsets(%o : memref<8xi32, #tpu.memory_space<vmem>>) semaphore(%d : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) {add = true}
  // CHECK: tpu.enqueue_indirect_dma source(%{{.*}} : memref<8x16xf32, #tpu.memory_space<vmem>>) target(%{{.*}} : memref<128x16xf32, #tpu.memory_space<hbm>>) offsets(%{{.*}} : vector<8xi32>) offset_filter(%{{.*}}) semaphore(%{{.*}} : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
  tpu.enqueue_indirect_dma source(%y : memref<8x16xf32, #tpu.memory_space<vmem>>) target(%x : memref<128x16xf32, #tpu.memory_space<hbm>>) offsets(%v : vector<8xi32>) offset_filter(%n) semaphore(%d : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
  // CHECK: tpu.wait_indirect_dma semaphore(%{{.*}} : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) src(%{{.*}} : memref<128x16xf32, #tpu.memory_space<hbm>>) dst(%{{.*}} : memref<8x16xf32, #tpu.memory_space<vmem>>)
  tpu.wait_indirect_dma semaphore(%d : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) src(%x : memref<128x16xf32, #tpu.memory_space<hbm>>) dst(%y : memref<8x16xf32, #tpu.memory_space<vmem>>)
  return
}

// CHECK-LABEL: @cores
func.func @cores(%m: memref<8x16xi32, #tpu.memory_space<smem>>, %n: i32, %i: index) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // CHECK: tpu.fetch_and_add_sync %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}}, %{{.*}} : memref<8x16xi32, #tpu.memory_space<smem>>, i32 -> i32
  %0 = tpu.fetch_and_add_sync %m[%n, %n], %n, %n : memref<8x16xi32, #tpu.memory_space<smem>>, i32 -> i32
  // CHECK: tpu.barrier barrier_id(%{{.*}})
  tpu.barrier barrier_id(%i)
  // CHECK: tpu.device_id : i32
  %1 = tpu.device_id : i32
  // CHECK: tpu.core_id : i32
  %2 = tpu.core_id : i32
  // CHECK: tpu.subcore_id : i32
  %3 = tpu.subcore_id : i32
  return
}
