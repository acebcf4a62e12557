// RUN: pallas-opt %s --convert-mosaic-tpu-to-pallas --split-input-file | FileCheck %s

// Masked elements count as zero.

// CHECK-LABEL: kernel @scan on
// CHECK: pallas.run_scoped (%[[ARG:.*]]: !pallas.ref<16xi32, vmem>) {
// CHECK: %[[GET:.*]] = pallas.get %[[ARG]][:] : !pallas.ref<16xi32, vmem>
// CHECK: %[[SELECT:.*]] = arith.select %{{.*}}, %[[GET]], %{{.*}} : tensor<16xi1>, tensor<16xi32>
// CHECK: %[[CUMULATIVE:.*]] = pallas.cumulative <sum> %[[SELECT]] dim 0 : tensor<16xi32>
// CHECK: pallas.swap %[[ARG]][:], %[[CUMULATIVE]] : !pallas.ref<16xi32, vmem>, tensor<16xi32>
module {
  func.func @scan(%c: i32, %s: i32, %x: memref<128xi32, #tpu.memory_space<hbm>>, %o: memref<128xi32, #tpu.memory_space<hbm>>) attributes {dimension_semantics = [#tpu.dimension_semantics<core_parallel>, #tpu.dimension_semantics<subcore_parallel>], iteration_bounds = array<i64: 2, 16>, scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
    %c0 = arith.constant 0 : index
    "tpu.region"() ({
      %a = memref.alloca() : memref<16xi32, #tpu.memory_space<vmem>>
      %v = tpu.vector_load %a[%c0] {strides = array<i32>} : memref<16xi32, #tpu.memory_space<vmem>>, vector<16xi32>,
      %k = arith.constant dense<true> : vector<16xi1>
      %0 = tpu.scan <sum>, %v masked %k : vector<16xi32>, vector<16xi1> -> vector<16xi32>
      tpu.vector_store %a[%c0], %0 {strides = array<i32>} : memref<16xi32, #tpu.memory_space<vmem>>, vector<16xi32>,
      tpu.yield
    }) : () -> ()
    return
  }
}

// -----

// CHECK-LABEL: kernel @scan_count on
// CHECK: pallas.run_scoped (%[[ARG:.*]]: !pallas.ref<16xi32, vmem>) {
// CHECK: %[[GET:.*]] = pallas.get %[[ARG]][:] : !pallas.ref<16xi32, vmem>
// CHECK: %[[SCAN_COUNT:.*]], %{{.*}} = pallas.scan_count %[[GET]] mask %{{.*}} : tensor<16xi32>, tensor<16xi1> -> tensor<16xi32>, tensor<16xi1>
// CHECK: pallas.swap %[[ARG]][:], %[[SCAN_COUNT]] : !pallas.ref<16xi32, vmem>, tensor<16xi32>
module {
  func.func @scan_count(%c: i32, %s: i32, %x: memref<128xi32, #tpu.memory_space<hbm>>, %o: memref<128xi32, #tpu.memory_space<hbm>>) attributes {dimension_semantics = [#tpu.dimension_semantics<core_parallel>, #tpu.dimension_semantics<subcore_parallel>], iteration_bounds = array<i64: 2, 16>, scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
    %c0 = arith.constant 0 : index
    "tpu.region"() ({
      %a = memref.alloca() : memref<16xi32, #tpu.memory_space<vmem>>
      %v = tpu.vector_load %a[%c0] {strides = array<i32>} : memref<16xi32, #tpu.memory_space<vmem>>, vector<16xi32>,
      %k = arith.constant dense<true> : vector<16xi1>
      %0:2 = tpu.scan_count mask(%k : vector<16xi1>) value(%v : vector<16xi32>) : vector<16xi1>, vector<16xi32>
      tpu.vector_store %a[%c0], %0#1 {strides = array<i32>} : memref<16xi32, #tpu.memory_space<vmem>>, vector<16xi32>,
      tpu.yield
    }) : () -> ()
    return
  }
}

// -----

// What the mask excludes sorts behind the rest; the first result says which elements count.

// CHECK-LABEL: kernel @sort on
// CHECK: pallas.run_scoped (%[[ARG:.*]]: !pallas.ref<16xi32, vmem>) {
// CHECK: %[[GET:.*]] = pallas.get %[[ARG]][:] : !pallas.ref<16xi32, vmem>
// CHECK: %[[XORI:.*]] = arith.xori %{{.*}}, %{{.*}} : tensor<16xi32>
// CHECK: %[[SORT:.*]]:3 = pallas.sort %[[XORI]], %[[GET]], %[[GET]] dim 0 keys 2 stable : tensor<16xi32>, tensor<16xi32>, tensor<16xi32> -> tensor<16xi32>, tensor<16xi32>, tensor<16xi32>
// CHECK: arith.cmpi eq, %[[SORT]]#0, %{{.*}} : tensor<16xi32>
// CHECK: pallas.swap %[[ARG]][:], %[[SORT]]#1 : !pallas.ref<16xi32, vmem>, tensor<16xi32>
module {
  func.func @sort(%c: i32, %s: i32, %x: memref<128xi32, #tpu.memory_space<hbm>>, %o: memref<128xi32, #tpu.memory_space<hbm>>) attributes {dimension_semantics = [#tpu.dimension_semantics<core_parallel>, #tpu.dimension_semantics<subcore_parallel>], iteration_bounds = array<i64: 2, 16>, scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
    %c0 = arith.constant 0 : index
    "tpu.region"() ({
      %a = memref.alloca() : memref<16xi32, #tpu.memory_space<vmem>>
      %v = tpu.vector_load %a[%c0] {strides = array<i32>} : memref<16xi32, #tpu.memory_space<vmem>>, vector<16xi32>,
      %0:3 = tpu.sort %v, %v : (vector<16xi32>, vector<16xi32>) -> (vector<16xi1>, vector<16xi32>, vector<16xi32>)
      tpu.vector_store %a[%c0], %0#1 {strides = array<i32>} : memref<16xi32, #tpu.memory_space<vmem>>, vector<16xi32>,
      tpu.yield
    }) : () -> ()
    return
  }
}

// -----

// Indices of vectors are gathers; a store that adds, an update.

// CHECK-LABEL: kernel @indexed on
// CHECK: pallas.run_scoped (%[[ARG:.*]]: !pallas.ref<16xi32, vmem>) {
// CHECK: %[[GET:.*]] = pallas.get %[[ARG]][:] : !pallas.ref<16xi32, vmem>
// CHECK: %[[GET2:.*]] = pallas.get %[[ARG]][gather(%[[GET]] : tensor<16xi32>)] : !pallas.ref<16xi32, vmem>
// CHECK: pallas.addupdate %[[ARG]][gather(%[[GET]] : tensor<16xi32>)], %[[GET2]] : !pallas.ref<16xi32, vmem>, tensor<16xi32>
module {
  func.func @indexed(%c: i32, %s: i32, %x: memref<128xi32, #tpu.memory_space<hbm>>, %o: memref<128xi32, #tpu.memory_space<hbm>>) attributes {dimension_semantics = [#tpu.dimension_semantics<core_parallel>, #tpu.dimension_semantics<subcore_parallel>], iteration_bounds = array<i64: 2, 16>, scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
    %c0 = arith.constant 0 : index
    "tpu.region"() ({
      %a = memref.alloca() : memref<16xi32, #tpu.memory_space<vmem>>
      %v = tpu.vector_load %a[%c0] {strides = array<i32>} : memref<16xi32, #tpu.memory_space<vmem>>, vector<16xi32>,
      %0 = tpu.vector_load_idx %a[%v] : memref<16xi32, #tpu.memory_space<vmem>>[vector<16xi32>], vector<16xi32>,
      tpu.vector_store_idx %a[%v], %0 {add = true} : memref<16xi32, #tpu.memory_space<vmem>>[vector<16xi32>], vector<16xi32>,
      tpu.yield
    }) : () -> ()
    return
  }
}

// -----

// CHECK-LABEL: kernel @find_first_set on
// CHECK: pallas.run_scoped (%[[ARG:.*]]: !pallas.ref<16xi32, vmem>) {
// CHECK: %[[MASK_REDUCE:.*]] = pallas.mask_reduce <first> %{{.*}} : tensor<16xi1>
// CHECK: %[[BROADCAST:.*]] = pallas.broadcast %[[MASK_REDUCE]] : i32 -> tensor<16xi32>
// CHECK: pallas.swap %[[ARG]][:], %[[BROADCAST]] : !pallas.ref<16xi32, vmem>, tensor<16xi32>
module {
  func.func @find_first_set(%c: i32, %s: i32, %x: memref<128xi32, #tpu.memory_space<hbm>>, %o: memref<128xi32, #tpu.memory_space<hbm>>) attributes {dimension_semantics = [#tpu.dimension_semantics<core_parallel>, #tpu.dimension_semantics<subcore_parallel>], iteration_bounds = array<i64: 2, 16>, scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
    %c0 = arith.constant 0 : index
    "tpu.region"() ({
      %a = memref.alloca() : memref<16xi32, #tpu.memory_space<vmem>>
      %k = arith.constant dense<true> : vector<16xi1>
      %0 = tpu.all_reduce %k {dim = 0 : i64, kind = #tpu.reduction_kind<find_first_set>} : vector<16xi1> -> vector<16xi32>
      tpu.vector_store %a[%c0], %0 {strides = array<i32>} : memref<16xi32, #tpu.memory_space<vmem>>, vector<16xi32>,
      tpu.yield
    }) : () -> ()
    return
  }
}

// -----

// A list of offsets is a view of the rows that it names.

// CHECK-LABEL: kernel @indirect_dma on
// CHECK: pallas.run_scoped (%[[ARG:.*]]: !pallas.ref<16xi32, vmem>, %[[ARG2:.*]]: !pallas.ref<16xi32, vmem>, %[[ARG3:.*]]: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
// CHECK: %[[SLICE_REF:.*]] = pallas.slice_ref %{{.*}}[gather(%[[ARG2]] : !pallas.ref<16xi32, vmem>)] : !pallas.ref<128xi32, hbm>
// CHECK: pallas.dma_start %[[SLICE_REF]] to %[[ARG]] signals %[[ARG3]] : !pallas.ref<16xi32, hbm>, !pallas.ref<16xi32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
// CHECK: pallas.dma_wait %[[ARG]] to %[[ARG]] signals %[[ARG3]] : !pallas.ref<16xi32, vmem>, !pallas.ref<16xi32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
module {
  func.func @indirect_dma(%c: i32, %s: i32, %x: memref<128xi32, #tpu.memory_space<hbm>>, %o: memref<128xi32, #tpu.memory_space<hbm>>) attributes {dimension_semantics = [#tpu.dimension_semantics<core_parallel>, #tpu.dimension_semantics<subcore_parallel>], iteration_bounds = array<i64: 2, 16>, scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
    "tpu.region"() ({
      %a = memref.alloca() : memref<16xi32, #tpu.memory_space<vmem>>
      %i = memref.alloca() : memref<16xi32, #tpu.memory_space<vmem>>
      %d = tpu.sem_alloc : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>
      tpu.enqueue_indirect_dma source(%x : memref<128xi32, #tpu.memory_space<hbm>>) target(%a : memref<16xi32, #tpu.memory_space<vmem>>) offsets(%i : memref<16xi32, #tpu.memory_space<vmem>>) semaphore(%d : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
      tpu.wait_indirect_dma semaphore(%d : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) src(%x : memref<128xi32, #tpu.memory_space<hbm>>) dst(%a : memref<16xi32, #tpu.memory_space<vmem>>)
      tpu.yield
    }) : () -> ()
    return
  }
}

// -----

// CHECK-LABEL: kernel @barrier on
// CHECK: pallas.core_barrier "subcore"
module {
  func.func @barrier(%c: i32, %s: i32, %x: memref<128xi32, #tpu.memory_space<hbm>>, %o: memref<128xi32, #tpu.memory_space<hbm>>) attributes {dimension_semantics = [#tpu.dimension_semantics<core_parallel>, #tpu.dimension_semantics<subcore_parallel>], iteration_bounds = array<i64: 2, 16>, scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
    %i = arith.constant 0 : index
    tpu.barrier barrier_id(%i)
    return
  }
}

// -----

// CHECK-LABEL: kernel @fetch_and_add on
// CHECK: pallas.run_scoped (%[[ARG:.*]]: !pallas.ref<8xi32, smem>) {
// CHECK: pallas.atomic_rmw <add> %[[ARG]][0], %{{.*}} : !pallas.ref<8xi32, smem>, i32
module {
  func.func @fetch_and_add(%c: i32, %s: i32, %x: memref<128xi32, #tpu.memory_space<hbm>>, %o: memref<128xi32, #tpu.memory_space<hbm>>) attributes {dimension_semantics = [#tpu.dimension_semantics<core_parallel>, #tpu.dimension_semantics<subcore_parallel>], iteration_bounds = array<i64: 2, 16>, scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
    %n = arith.constant 0 : i32
    "tpu.region"() ({
      %a = memref.alloca() : memref<8xi32, #tpu.memory_space<smem>>
      %0 = tpu.fetch_and_add_sync %a[%n], %n, %n : memref<8xi32, #tpu.memory_space<smem>>, i32 -> i32
      tpu.yield
    }) : () -> ()
    return
  }
}
