// RUN: pallas-opt %s --split-input-file --verify-diagnostics

func.func @sem_barrier() {
  // expected-error @below {{has a semaphore of rank 1, but rank 0 is needed; take one with tpu.memref_slice and tpu.memref_squeeze}}
  %0 = tpu.sem_barrier : memref<1x!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
  return
}

// -----

func.func @sem_wait(%s: memref<2x!tpu.semaphore, #tpu.memory_space<semaphore_mem>>, %n: i32) {
  // expected-error @below {{has a semaphore of rank 1, but rank 0 is needed; take one with tpu.memref_slice and tpu.memref_squeeze}}
  tpu.sem_wait %s, %n : memref<2x!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
  return
}

// -----

func.func @sem_signal(%s: memref<2x!tpu.semaphore, #tpu.memory_space<semaphore_mem>>, %n: i32) {
  // expected-error @below {{has a semaphore of rank 1, but rank 0 is needed; take one with tpu.memref_slice and tpu.memref_squeeze}}
  tpu.sem_signal %s, %n : memref<2x!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
  return
}

// -----

func.func @sem_signal(%s: memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem, sc_vector_subcore>>, %n: i32) {
  // expected-error @below {{runs on tc and signals a semaphore of sc_vector_subcore; name the core by core_id}}
  tpu.sem_signal %s, %n : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem, sc_vector_subcore>>
  return
}

// -----

func.func @sem_signal(%s: memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>, %n: i32) {
  // expected-error @below {{has a subcore_id, but the target is tc; only sc_vector_subcore has subcores}}
  tpu.sem_signal %s, %n subcore_id %n : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
  return
}

// -----

func.func @sem_signal(%s: memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem, tc>>, %n: i32) attributes {tpu.core_type = #tpu.core_type<sc_scalar_subcore>} {
  // expected-error @below {{runs on sc_scalar_subcore and signals a semaphore of tc; name the core by core_id}}
  tpu.sem_signal %s, %n : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem, tc>>
  return
}

// -----

func.func @enqueue_dma(%x: memref<8x128xf32, #tpu.memory_space<hbm>>, %y: memref<8x128xf32, #tpu.memory_space<vmem>>, %n: i32) {
  // expected-error @below {{has no target_semaphore; give the one that counts what has arrived}}
  tpu.enqueue_dma source(%x : memref<8x128xf32, #tpu.memory_space<hbm>>) target(%y : memref<8x128xf32, #tpu.memory_space<vmem>>)
  return
}

// -----

func.func @enqueue_dma(%x: memref<8x128xf32, #tpu.memory_space<hbm>>, %y: memref<8x128xf32, #tpu.memory_space<vmem>>, %n: i32, %ts: memref<1x!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) {
  // expected-error @below {{has a target_semaphore of rank 1, but rank 0 is needed; take one with tpu.memref_slice and tpu.memref_squeeze}}
  tpu.enqueue_dma source(%x : memref<8x128xf32, #tpu.memory_space<hbm>>) target(%y : memref<8x128xf32, #tpu.memory_space<vmem>>) target_semaphore(%ts : memref<1x!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
  return
}

// -----

func.func @enqueue_dma(%x: memref<8x128xf32, #tpu.memory_space<hbm>>, %y: memref<8x128xf32, #tpu.memory_space<vmem>>, %n: i32, %ss: memref<1x!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %ts: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) {
  // expected-error @below {{has a source_semaphore of rank 1, but rank 0 is needed; take one with tpu.memref_slice and tpu.memref_squeeze}}
  tpu.enqueue_dma source(%x : memref<8x128xf32, #tpu.memory_space<hbm>>) target(%y : memref<8x128xf32, #tpu.memory_space<vmem>>) source_semaphore(%ss : memref<1x!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) target_semaphore(%ts : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) device_id(%n)
  return
}

// -----

func.func @enqueue_dma(%x: memref<8x128xf32, #tpu.memory_space<hbm>>, %y: memref<8x128xi32, #tpu.memory_space<vmem>>, %n: i32, %ts: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) {
  // expected-error @below {{copies 'f32' elements to 'i32' ones; a DMA converts nothing}}
  tpu.enqueue_dma source(%x : memref<8x128xf32, #tpu.memory_space<hbm>>) target(%y : memref<8x128xi32, #tpu.memory_space<vmem>>) target_semaphore(%ts : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
  return
}

// -----

func.func @enqueue_dma(%x: memref<8x128xf32, #tpu.memory_space<hbm>>, %y: memref<16x128xf32, #tpu.memory_space<vmem>>, %n: i32, %ts: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) {
  // expected-error @below {{copies 'memref<8x128xf32, #tpu.memory_space<hbm>>' to 'memref<16x128xf32, #tpu.memory_space<vmem>>'; both need the same shape, tpu.memref_slice takes a part}}
  tpu.enqueue_dma source(%x : memref<8x128xf32, #tpu.memory_space<hbm>>) target(%y : memref<16x128xf32, #tpu.memory_space<vmem>>) target_semaphore(%ts : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
  return
}

// -----

func.func @enqueue_dma(%x: memref<8x128xf32, #tpu.memory_space<hbm>>, %y: memref<1x8x128xf32, #tpu.memory_space<vmem>>, %n: i32, %ts: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) {
  // expected-error @below {{copies 'memref<8x128xf32, #tpu.memory_space<hbm>>' to 'memref<1x8x128xf32, #tpu.memory_space<vmem>>'; both need the same shape, tpu.memref_slice takes a part}}
  tpu.enqueue_dma source(%x : memref<8x128xf32, #tpu.memory_space<hbm>>) target(%y : memref<1x8x128xf32, #tpu.memory_space<vmem>>) target_semaphore(%ts : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
  return
}

// -----

func.func @enqueue_dma(%x: memref<?x128xf32, #tpu.memory_space<hbm>>, %y: memref<8x128xf32, #tpu.memory_space<vmem>>, %n: i32, %ts: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) {
  // expected-error @below {{copies 'memref<?x128xf32, #tpu.memory_space<hbm>>' to 'memref<8x128xf32, #tpu.memory_space<vmem>>'; both need the same shape, tpu.memref_slice takes a part}}
  tpu.enqueue_dma source(%x : memref<?x128xf32, #tpu.memory_space<hbm>>) target(%y : memref<8x128xf32, #tpu.memory_space<vmem>>) target_semaphore(%ts : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
  return
}

// -----

func.func @enqueue_dma(%x: memref<8x128xf32, #tpu.memory_space<hbm>>, %y: memref<8x128xf32, #tpu.memory_space<vmem>>, %n: i32, %ts: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) {
  // expected-error @below {{goes to another device or core and has no source_semaphore; give the one that counts what has left}}
  tpu.enqueue_dma source(%x : memref<8x128xf32, #tpu.memory_space<hbm>>) target(%y : memref<8x128xf32, #tpu.memory_space<vmem>>) target_semaphore(%ts : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) device_id(%n)
  return
}

// -----

func.func @enqueue_dma(%x: memref<8x128xf32, #tpu.memory_space<hbm>>, %y: memref<8x128xf32, #tpu.memory_space<vmem>>, %n: i32, %ss: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %ts: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) {
  // expected-error @below {{has a source_semaphore but stays on this core; give device_id or core_id, or drop it}}
  tpu.enqueue_dma source(%x : memref<8x128xf32, #tpu.memory_space<hbm>>) target(%y : memref<8x128xf32, #tpu.memory_space<vmem>>) source_semaphore(%ss : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) target_semaphore(%ts : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
  return
}

// -----

func.func @enqueue_dma(%x: memref<8x128xf32, #tpu.memory_space<hbm>>, %y: memref<8x128xf32, #tpu.memory_space<vmem>>, %n: i32, %ts: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) {
  // expected-error @below {{has priority 2; 0 and 1 are supported}}
  tpu.enqueue_dma source(%x : memref<8x128xf32, #tpu.memory_space<hbm>>) target(%y : memref<8x128xf32, #tpu.memory_space<vmem>>) target_semaphore(%ts : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) {priority = 2 : i32}
  return
}

// -----

func.func @enqueue_dma(%x: memref<8x128xf32, #tpu.memory_space<hbm>>, %y: memref<8x128xf32, #tpu.memory_space<vmem>>, %n: i32, %ss: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %ts: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) {
  // expected-error @below {{has priority 1 and goes to another device or core; only local DMAs have one}}
  tpu.enqueue_dma source(%x : memref<8x128xf32, #tpu.memory_space<hbm>>) target(%y : memref<8x128xf32, #tpu.memory_space<vmem>>) source_semaphore(%ss : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) target_semaphore(%ts : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) device_id(%n) {priority = 1 : i32}
  return
}

// -----

func.func @enqueue_dma(%x: memref<8x128xf32, #tpu.memory_space<hbm>>, %y: memref<8x128xf32, #tpu.memory_space<vmem>>, %n: i32, %ts: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) {
  // expected-error @below {{has strict_ordering set on tc; only the SparseCore subcores order DMAs}}
  tpu.enqueue_dma source(%x : memref<8x128xf32, #tpu.memory_space<hbm>>) target(%y : memref<8x128xf32, #tpu.memory_space<vmem>>) target_semaphore(%ts : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) {strict_ordering = true}
  return
}

// -----

func.func @enqueue_dma(%x: memref<8x128xf32, #tpu.memory_space<hbm>>, %y: memref<8x128xf32, #tpu.memory_space<vmem>>, %n: i32, %ss: memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>, %ts: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) {
  // expected-error @below {{has semaphores of types '!tpu.semaphore' and '!tpu.dma_semaphore'; both are equal}}
  tpu.enqueue_dma source(%x : memref<8x128xf32, #tpu.memory_space<hbm>>) target(%y : memref<8x128xf32, #tpu.memory_space<vmem>>) source_semaphore(%ss : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>) target_semaphore(%ts : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) device_id(%n)
  return
}

// -----

func.func @enqueue_dma(%x: memref<8x128xf32, #tpu.memory_space<hbm>>, %y: memref<8x128xf32, #tpu.memory_space<vmem>>, %n: i32, %ss: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem, sc_vector_subcore>>, %ts: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) {
  // expected-error @below {{has a source_semaphore of sc_vector_subcore, but runs on tc; use a semaphore of this core}}
  tpu.enqueue_dma source(%x : memref<8x128xf32, #tpu.memory_space<hbm>>) target(%y : memref<8x128xf32, #tpu.memory_space<vmem>>) source_semaphore(%ss : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem, sc_vector_subcore>>) target_semaphore(%ts : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) device_id(%n)
  return
}

// -----

func.func @enqueue_dma(%x: memref<8x128xf32, #tpu.memory_space<hbm>>, %y: memref<8x128xf32, #tpu.memory_space<vmem>>, %n: i32, %ts: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem, sc_vector_subcore>>) {
  // expected-error @below {{runs on tc and copies to sc_vector_subcore; name the core by core_id}}
  tpu.enqueue_dma source(%x : memref<8x128xf32, #tpu.memory_space<hbm>>) target(%y : memref<8x128xf32, #tpu.memory_space<vmem>>) target_semaphore(%ts : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem, sc_vector_subcore>>)
  return
}

// -----

func.func @enqueue_dma(%x: memref<8x128xf32, #tpu.memory_space<hbm>>, %y: memref<8x128xf32, #tpu.memory_space<vmem>>, %n: i32, %ss: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %ts: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem, sc_vector_subcore>>) attributes {tpu.core_type = #tpu.core_type<sc_scalar_subcore>} {
  // expected-error @below {{runs on sc_scalar_subcore and copies to sc_vector_subcore; name the core by core_id}}
  tpu.enqueue_dma source(%x : memref<8x128xf32, #tpu.memory_space<hbm>>) target(%y : memref<8x128xf32, #tpu.memory_space<vmem>>) source_semaphore(%ss : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) target_semaphore(%ts : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem, sc_vector_subcore>>) device_id(%n)
  return
}

// -----

func.func @enqueue_dma(%x: memref<8x128xf32, #tpu.memory_space<hbm>>, %y: memref<8x128xf32, #tpu.memory_space<vmem>>, %n: i32, %ss: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %ts: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) {
  // expected-error @below {{has a subcore_id, but the target is tc; only sc_vector_subcore has subcores}}
  tpu.enqueue_dma source(%x : memref<8x128xf32, #tpu.memory_space<hbm>>) target(%y : memref<8x128xf32, #tpu.memory_space<vmem>>) source_semaphore(%ss : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) target_semaphore(%ts : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) core_id(%n) subcore_id(%n)
  return
}

// -----

func.func @enqueue_dma(%x: memref<8x128xf32, #tpu.memory_space<hbm>>, %y: memref<8x128xf32, #tpu.memory_space<vmem>>, %n: i32, %ss: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %ts: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error @below {{has a source_semaphore but stays on this core; give device_id or core_id, or drop it}}
  tpu.enqueue_dma source(%x : memref<8x128xf32, #tpu.memory_space<hbm>>) target(%y : memref<8x128xf32, #tpu.memory_space<vmem>>) source_semaphore(%ss : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) target_semaphore(%ts : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) subcore_id(%n)
  return
}

// -----

func.func @enqueue_dma(%x: memref<8x128xf32, #tpu.memory_space<hbm>>, %y: memref<8x128xf32, #tpu.memory_space<smem>>, %n: i32, %ts: memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>) {
  // expected-error @below {{counts a copy to or from smem on a !tpu.semaphore; use a !tpu.dma_semaphore}}
  tpu.enqueue_dma source(%x : memref<8x128xf32, #tpu.memory_space<hbm>>) target(%y : memref<8x128xf32, #tpu.memory_space<smem>>) target_semaphore(%ts : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>)
  return
}

// -----

func.func @wait_dma2(%x: memref<8x128xf32, #tpu.memory_space<hbm>>, %y: memref<8x128xf32, #tpu.memory_space<vmem>>, %s: memref<1x!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %n: i32) {
  // expected-error @below {{has a semaphore of rank 1, but rank 0 is needed; take one with tpu.memref_slice and tpu.memref_squeeze}}
  tpu.wait_dma2 semaphore(%s : memref<1x!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) src(%x : memref<8x128xf32, #tpu.memory_space<hbm>>) dst(%y : memref<8x128xf32, #tpu.memory_space<vmem>>)
  return
}

// -----

func.func @wait_dma2(%x: memref<8x128xf32, #tpu.memory_space<hbm>>, %y: memref<8x128xf32, #tpu.memory_space<vmem>>, %s: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem, sc_vector_subcore>>, %n: i32) {
  // expected-error @below {{has a semaphore of sc_vector_subcore, but runs on tc; use a semaphore of this core}}
  tpu.wait_dma2 semaphore(%s : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem, sc_vector_subcore>>) src(%x : memref<8x128xf32, #tpu.memory_space<hbm>>) dst(%y : memref<8x128xf32, #tpu.memory_space<vmem>>)
  return
}

// -----

func.func @wait_dma(%x: memref<8x128xf32, #tpu.memory_space<hbm>>, %y: memref<8x128xf32, #tpu.memory_space<vmem>>, %n: i32) {
  // expected-error @below {{waits on its target_semaphore but has none}}
  tpu.wait_dma source(%x : memref<8x128xf32, #tpu.memory_space<hbm>>) target(%y : memref<8x128xf32, #tpu.memory_space<vmem>>) {wait_target = true}
  return
}

// -----

func.func @wait_dma(%x: memref<8x128xf32, #tpu.memory_space<hbm>>, %y: memref<8x128xf32, #tpu.memory_space<vmem>>, %n: i32, %ts: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) {
  // expected-error @below {{waits on its source_semaphore but has none}}
  tpu.wait_dma source(%x : memref<8x128xf32, #tpu.memory_space<hbm>>) target(%y : memref<8x128xf32, #tpu.memory_space<vmem>>) target_semaphore(%ts : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) {wait_target = false}
  return
}

// -----

func.func @wait_dma(%x: memref<8x128xf32, #tpu.memory_space<hbm>>, %y: memref<8x128xf32, #tpu.memory_space<vmem>>, %n: i32, %ts: memref<1x!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) {
  // expected-error @below {{has a target_semaphore of rank 1, but rank 0 is needed; take one with tpu.memref_slice and tpu.memref_squeeze}}
  tpu.wait_dma source(%x : memref<8x128xf32, #tpu.memory_space<hbm>>) target(%y : memref<8x128xf32, #tpu.memory_space<vmem>>) target_semaphore(%ts : memref<1x!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) {wait_target = true}
  return
}

// -----

func.func @wait_dma(%x: memref<8x128xf32, #tpu.memory_space<hbm>>, %y: memref<8x128xf32, #tpu.memory_space<vmem>>, %n: i32, %ts: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem, sc_vector_subcore>>) {
  // expected-error @below {{has a target_semaphore of sc_vector_subcore, but runs on tc; use a semaphore of this core}}
  tpu.wait_dma source(%x : memref<8x128xf32, #tpu.memory_space<hbm>>) target(%y : memref<8x128xf32, #tpu.memory_space<vmem>>) target_semaphore(%ts : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem, sc_vector_subcore>>) {wait_target = true}
  return
}

// -----

func.func @enqueue_indirect_dma(%x: memref<128x16xf32, #tpu.memory_space<hbm>>, %y: memref<8x16xf32, #tpu.memory_space<vmem>>, %o: memref<8xi32, #tpu.memory_space<vmem>>, %s: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %n: i32) attributes {tpu.core_type = #tpu.core_type<tc>} {
  // expected-error @below {{runs on tc, but only sc_vector_subcore has indirect DMAs}}
  tpu.enqueue_indirect_dma source(%x : memref<128x16xf32, #tpu.memory_space<hbm>>) target(%y : memref<8x16xf32, #tpu.memory_space<vmem>>) offsets(%o : memref<8xi32, #tpu.memory_space<vmem>>) semaphore(%s : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
  return
}

// -----

func.func @enqueue_indirect_dma(%x: memref<128x16xf32, #tpu.memory_space<hbm>>, %y: memref<8x16xf32, #tpu.memory_space<hbm>>, %o: memref<8xi32, #tpu.memory_space<vmem>>, %s: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %n: i32) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error @below {{moves data from 'memref<128x16xf32, #tpu.memory_space<hbm>>' to 'memref<8x16xf32, #tpu.memory_space<hbm>>'; one end is in the vmem of this core, the other in hbm, vmem_shared or the vmem of tc}}
  tpu.enqueue_indirect_dma source(%x : memref<128x16xf32, #tpu.memory_space<hbm>>) target(%y : memref<8x16xf32, #tpu.memory_space<hbm>>) offsets(%o : memref<8xi32, #tpu.memory_space<vmem>>) semaphore(%s : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
  return
}

// -----

func.func @enqueue_indirect_dma(%x: memref<128x16xf32, #tpu.memory_space<hbm>>, %y: memref<8x16xf32, #tpu.memory_space<vmem>>, %o: memref<2x4xi32, #tpu.memory_space<vmem>>, %s: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %n: i32) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error @below {{has offsets of type 'memref<2x4xi32, #tpu.memory_space<vmem>>'; give n or 1 x n of them}}
  tpu.enqueue_indirect_dma source(%x : memref<128x16xf32, #tpu.memory_space<hbm>>) target(%y : memref<8x16xf32, #tpu.memory_space<vmem>>) offsets(%o : memref<2x4xi32, #tpu.memory_space<vmem>>) semaphore(%s : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
  return
}

// -----

func.func @enqueue_indirect_dma(%x: memref<128x16xf32, #tpu.memory_space<hbm>>, %y: memref<8x16xf32, #tpu.memory_space<vmem>>, %o: memref<1x8xi32, #tpu.memory_space<vmem>>, %s: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %n: i32) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error @below {{has offsets of shape 1 x n beside 'memref<128x16xf32, #tpu.memory_space<hbm>>', whose first dimension is not 1}}
  tpu.enqueue_indirect_dma source(%x : memref<128x16xf32, #tpu.memory_space<hbm>>) target(%y : memref<8x16xf32, #tpu.memory_space<vmem>>) offsets(%o : memref<1x8xi32, #tpu.memory_space<vmem>>) semaphore(%s : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
  return
}

// -----

func.func @enqueue_indirect_dma(%x: memref<128x16xf32, #tpu.memory_space<hbm>>, %y: memref<8x16xf32, #tpu.memory_space<vmem>>, %o: memref<4xi32, #tpu.memory_space<vmem>>, %s: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %n: i32) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error @below {{has 4 offsets for the 8 rows of 'memref<8x16xf32, #tpu.memory_space<vmem>>'}}
  tpu.enqueue_indirect_dma source(%x : memref<128x16xf32, #tpu.memory_space<hbm>>) target(%y : memref<8x16xf32, #tpu.memory_space<vmem>>) offsets(%o : memref<4xi32, #tpu.memory_space<vmem>>) semaphore(%s : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
  return
}

// -----

func.func @enqueue_indirect_dma(%x: memref<128x16xf32, #tpu.memory_space<hbm>>, %y: memref<8x32xf32, #tpu.memory_space<vmem>>, %o: memref<8xi32, #tpu.memory_space<vmem>>, %s: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %n: i32) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error @below {{moves rows between 'memref<128x16xf32, #tpu.memory_space<hbm>>' and 'memref<8x32xf32, #tpu.memory_space<vmem>>', whose rows differ in shape}}
  tpu.enqueue_indirect_dma source(%x : memref<128x16xf32, #tpu.memory_space<hbm>>) target(%y : memref<8x32xf32, #tpu.memory_space<vmem>>) offsets(%o : memref<8xi32, #tpu.memory_space<vmem>>) semaphore(%s : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
  return
}

// -----

func.func @enqueue_indirect_dma(%x: memref<128x16xf32, #tpu.memory_space<hbm>>, %y: memref<8x16xi32, #tpu.memory_space<vmem>>, %o: memref<8xi32, #tpu.memory_space<vmem>>, %s: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %n: i32) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error @below {{moves 'f32' elements to 'i32' ones; a DMA converts nothing}}
  tpu.enqueue_indirect_dma source(%x : memref<128x16xf32, #tpu.memory_space<hbm>>) target(%y : memref<8x16xi32, #tpu.memory_space<vmem>>) offsets(%o : memref<8xi32, #tpu.memory_space<vmem>>) semaphore(%s : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
  return
}

// -----

func.func @enqueue_indirect_dma(%x: memref<128x16xf32, #tpu.memory_space<hbm>>, %y: memref<8x16xf32, #tpu.memory_space<vmem>>, %o: memref<8xi32, #tpu.memory_space<vmem>>, %s: memref<1x!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %n: i32) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error @below {{has a semaphore of rank 1, but rank 0 is needed; take one with tpu.memref_slice and tpu.memref_squeeze}}
  tpu.enqueue_indirect_dma source(%x : memref<128x16xf32, #tpu.memory_space<hbm>>) target(%y : memref<8x16xf32, #tpu.memory_space<vmem>>) offsets(%o : memref<8xi32, #tpu.memory_space<vmem>>) semaphore(%s : memref<1x!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
  return
}

// -----

func.func @enqueue_indirect_dma(%x: memref<128x16xf32, #tpu.memory_space<hbm>>, %y: memref<8x16xf32, #tpu.memory_space<vmem>>, %o: vector<2x4xi32>, %s: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %n: i32) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error @below {{has offsets of type 'vector<2x4xi32>'; give n or 1 x n of them}}
  tpu.enqueue_indirect_dma source(%x : memref<128x16xf32, #tpu.memory_space<hbm>>) target(%y : memref<8x16xf32, #tpu.memory_space<vmem>>) offsets(%o : vector<2x4xi32>) semaphore(%s : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
  return
}

// -----

func.func @enqueue_indirect_dma(%x: memref<128x16xf32, #tpu.memory_space<hbm>>, %y: memref<8x16xf32, #tpu.memory_space<vmem>>, %o: memref<8xi32, #tpu.memory_space<hbm>>, %s: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %n: i32) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error @below {{has offsets of type 'memref<8xi32, #tpu.memory_space<hbm>>'; copy them to vmem, or load them into a vector}}
  tpu.enqueue_indirect_dma source(%x : memref<128x16xf32, #tpu.memory_space<hbm>>) target(%y : memref<8x16xf32, #tpu.memory_space<vmem>>) offsets(%o : memref<8xi32, #tpu.memory_space<hbm>>) semaphore(%s : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
  return
}

// -----

func.func @enqueue_indirect_dma(%x: memref<128x16xf32, #tpu.memory_space<hbm>>, %y: memref<8x16xf32, #tpu.memory_space<vmem>>, %o: memref<8xi32, #tpu.memory_space<smem>>, %s: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %n: i32) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error @below {{has offsets of type 'memref<8xi32, #tpu.memory_space<smem>>'; copy them to vmem, or load them into a vector}}
  tpu.enqueue_indirect_dma source(%x : memref<128x16xf32, #tpu.memory_space<hbm>>) target(%y : memref<8x16xf32, #tpu.memory_space<vmem>>) offsets(%o : memref<8xi32, #tpu.memory_space<smem>>) semaphore(%s : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
  return
}

// -----

func.func @enqueue_indirect_dma(%x: memref<128x4x16xf32, #tpu.memory_space<hbm>>, %y: memref<8x16xf32, #tpu.memory_space<vmem>>, %o: memref<8xi32, #tpu.memory_space<vmem>>, %s: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %n: i32) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error @below {{moves rows between 'memref<128x4x16xf32, #tpu.memory_space<hbm>>' and 'memref<8x16xf32, #tpu.memory_space<vmem>>', whose rows differ in shape}}
  tpu.enqueue_indirect_dma source(%x : memref<128x4x16xf32, #tpu.memory_space<hbm>>) target(%y : memref<8x16xf32, #tpu.memory_space<vmem>>) offsets(%o : memref<8xi32, #tpu.memory_space<vmem>>) semaphore(%s : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
  return
}

// -----

func.func @enqueue_indirect_dma(%x: memref<128x16xf32, #tpu.memory_space<hbm>>, %y: memref<2x4x16xf32, #tpu.memory_space<vmem>>, %o: memref<2x4xi32, #tpu.memory_space<vmem>>, %s: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %n: i32) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error @below {{has offsets of type 'memref<2x4xi32, #tpu.memory_space<vmem>>'; give n or 1 x n of them}}
  tpu.enqueue_indirect_dma source(%x : memref<128x16xf32, #tpu.memory_space<hbm>>) target(%y : memref<2x4x16xf32, #tpu.memory_space<vmem>>) offsets(%o : memref<2x4xi32, #tpu.memory_space<vmem>>) semaphore(%s : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
  return
}

// -----

func.func @wait_indirect_dma(%x: memref<128x16xf32, #tpu.memory_space<hbm>>, %y: memref<8x16xf32, #tpu.memory_space<vmem>>, %s: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) attributes {tpu.core_type = #tpu.core_type<tc>} {
  // expected-error @below {{runs on tc, but only sc_vector_subcore has indirect DMAs}}
  tpu.wait_indirect_dma semaphore(%s : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) src(%x : memref<128x16xf32, #tpu.memory_space<hbm>>) dst(%y : memref<8x16xf32, #tpu.memory_space<vmem>>)
  return
}

// -----

func.func @wait_indirect_dma(%x: memref<128x16xf32, #tpu.memory_space<hbm>>, %y: memref<8x16xf32, #tpu.memory_space<vmem>>, %s: memref<1x!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error @below {{has a semaphore of rank 1, but rank 0 is needed; take one with tpu.memref_slice and tpu.memref_squeeze}}
  tpu.wait_indirect_dma semaphore(%s : memref<1x!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) src(%x : memref<128x16xf32, #tpu.memory_space<hbm>>) dst(%y : memref<8x16xf32, #tpu.memory_space<vmem>>)
  return
}

// -----

func.func @fetch_and_add_sync(%m: memref<8xi32, #tpu.memory_space<smem>>, %n: i32) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error @below {{has 2 indices for a base of rank 1; give one per dimension}}
  %0 = tpu.fetch_and_add_sync %m[%n, %n], %n, %n : memref<8xi32, #tpu.memory_space<smem>>, i32 -> i32
  return
}

// -----

func.func @fetch_and_add_sync(%m: memref<8xi32, #tpu.memory_space<smem>>, %n: i32) attributes {tpu.core_type = #tpu.core_type<tc>} {
  // expected-error @below {{adds in the memory of tc; only that of sc_vector_subcore is supported}}
  %0 = tpu.fetch_and_add_sync %m[%n], %n, %n : memref<8xi32, #tpu.memory_space<smem>>, i32 -> i32
  return
}

// -----

func.func @fetch_and_add_sync(%m: memref<8xi32, #tpu.memory_space<smem, sc_scalar_subcore>>, %n: i32) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error @below {{adds in the memory of sc_scalar_subcore; only that of sc_vector_subcore is supported}}
  %0 = tpu.fetch_and_add_sync %m[%n], %n, %n : memref<8xi32, #tpu.memory_space<smem, sc_scalar_subcore>>, i32 -> i32
  return
}

// -----

func.func @core_id() attributes {tpu.core_type = #tpu.core_type<tc>} {
  // expected-error @below {{runs on tc, but only SparseCores are numbered}}
  %0 = tpu.core_id : i32
  return
}

// -----

// expected-note @below {{the function has dimension_semantics}}
func.func @core_id() attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>, dimension_semantics = []} {
  // expected-error @below {{is in a function over a mesh, where the argument of the function gives this number}}
  %0 = tpu.core_id : i32
  return
}

// -----

func.func @subcore_id() attributes {tpu.core_type = #tpu.core_type<tc>} {
  // expected-error @below {{runs on tc, but only subcores of a SparseCore are numbered}}
  %0 = tpu.subcore_id : i32
  return
}

// -----

// expected-note @below {{the function has dimension_semantics}}
func.func @subcore_id() attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>, dimension_semantics = []} {
  // expected-error @below {{is in a function over a mesh, where the argument of the function gives this number}}
  %0 = tpu.subcore_id : i32
  return
}
