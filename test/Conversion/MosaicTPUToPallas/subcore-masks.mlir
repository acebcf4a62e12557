// RUN: pallas-opt %s --convert-mosaic-tpu-to-pallas --split-input-file | FileCheck %s

// Vector subcores of a SparseCore: masks pack elements, and scans, sorts and
// reductions take masks.

// Elements that the mask leaves out take no room in memory: each lane reads at
// the number of lanes before it that are selected.

// CHECK-LABEL: kernel @packed_load on
// CHECK: pallas.run_scoped (%[[ARG0:.*]]: !pallas.ref<16xi32, vmem>, %[[ARG1:.*]]: !pallas.ref<16xi32, vmem>) {
// CHECK-NEXT: %[[V0:.*]] = pallas.get %[[ARG0]][:] : !pallas.ref<16xi32, vmem>
// CHECK-NEXT: %[[V1:.*]] = arith.constant dense<3> : tensor<16xi32>
// CHECK-NEXT: %[[V2:.*]] = arith.cmpi slt, %[[V0]], %[[V1]] : tensor<16xi32>
// CHECK-NEXT: %[[V3:.*]] = arith.index_cast %{{.*}} : index to i32
// CHECK-NEXT: %[[V4:.*]] = pallas.broadcast %[[V3]] : i32 -> tensor<16xi32>
// CHECK-NEXT: %[[V5:.*]] = arith.extui %[[V2]] : tensor<16xi1> to tensor<16xi32>
// CHECK-NEXT: %[[V6:.*]] = pallas.cumulative <sum> %[[V5]] dim 0 : tensor<16xi32>
// CHECK-NEXT: %[[V7:.*]] = arith.subi %[[V6]], %[[V5]] : tensor<16xi32>
// CHECK-NEXT: %[[V8:.*]] = arith.addi %[[V4]], %[[V7]] : tensor<16xi32>
// CHECK-NEXT: %[[V9:.*]] = pallas.masked_load %[[ARG0]][gather(%[[V8]] : tensor<16xi32>)] mask %[[V2]] : !pallas.ref<16xi32, vmem>, tensor<16xi1>
// CHECK-NEXT: %[[V10:.*]] = pallas.swap %[[ARG1]][:], %[[V9]] : !pallas.ref<16xi32, vmem>, tensor<16xi32>
module {
  func.func @packed_load(%c: i32, %s: i32, %x: memref<128xi32, #tpu.memory_space<hbm>>, %o: memref<128xi32, #tpu.memory_space<hbm>>) attributes {dimension_semantics = [#tpu.dimension_semantics<core_parallel>, #tpu.dimension_semantics<subcore_parallel>], iteration_bounds = array<i64: 2, 16>, scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
    %c0 = arith.constant 0 : index
    "tpu.region"() ({
      %a = memref.alloca() : memref<16xi32, #tpu.memory_space<vmem>>
      %b = memref.alloca() : memref<16xi32, #tpu.memory_space<vmem>>
      %v = tpu.vector_load %a[%c0] {strides = array<i32>} : memref<16xi32, #tpu.memory_space<vmem>>, vector<16xi32>,
      %n = arith.constant dense<3> : vector<16xi32>
      %k = arith.cmpi slt, %v, %n : vector<16xi32>
      %0 = tpu.vector_load %a[%c0] masked %k {strides = array<i32>} : memref<16xi32, #tpu.memory_space<vmem>>, vector<16xi32>, vector<16xi1>
      tpu.vector_store %b[%c0], %0 {strides = array<i32>} : memref<16xi32, #tpu.memory_space<vmem>>, vector<16xi32>,
      tpu.yield
    }) : () -> ()
    return
  }
}

// -----

// CHECK-LABEL: kernel @packed_store on
// CHECK: pallas.run_scoped (%[[ARG0:.*]]: !pallas.ref<16xi32, vmem>, %[[ARG1:.*]]: !pallas.ref<16xi32, vmem>) {
// CHECK-NEXT: %[[V0:.*]] = pallas.get %[[ARG0]][:] : !pallas.ref<16xi32, vmem>
// CHECK-NEXT: %[[V1:.*]] = arith.constant dense<3> : tensor<16xi32>
// CHECK-NEXT: %[[V2:.*]] = arith.cmpi slt, %[[V0]], %[[V1]] : tensor<16xi32>
// CHECK-NEXT: %[[V3:.*]] = arith.index_cast %{{.*}} : index to i32
// CHECK-NEXT: %[[V4:.*]] = pallas.broadcast %[[V3]] : i32 -> tensor<16xi32>
// CHECK-NEXT: %[[V5:.*]] = arith.extui %[[V2]] : tensor<16xi1> to tensor<16xi32>
// CHECK-NEXT: %[[V6:.*]] = pallas.cumulative <sum> %[[V5]] dim 0 : tensor<16xi32>
// CHECK-NEXT: %[[V7:.*]] = arith.subi %[[V6]], %[[V5]] : tensor<16xi32>
// CHECK-NEXT: %[[V8:.*]] = arith.addi %[[V4]], %[[V7]] : tensor<16xi32>
// CHECK-NEXT: %[[V9:.*]] = pallas.masked_swap %[[ARG1]][gather(%[[V8]] : tensor<16xi32>)], %[[V0]] mask %[[V2]] : !pallas.ref<16xi32, vmem>, tensor<16xi32>, tensor<16xi1>
module {
  func.func @packed_store(%c: i32, %s: i32, %x: memref<128xi32, #tpu.memory_space<hbm>>, %o: memref<128xi32, #tpu.memory_space<hbm>>) attributes {dimension_semantics = [#tpu.dimension_semantics<core_parallel>, #tpu.dimension_semantics<subcore_parallel>], iteration_bounds = array<i64: 2, 16>, scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
    %c0 = arith.constant 0 : index
    "tpu.region"() ({
      %a = memref.alloca() : memref<16xi32, #tpu.memory_space<vmem>>
      %b = memref.alloca() : memref<16xi32, #tpu.memory_space<vmem>>
      %v = tpu.vector_load %a[%c0] {strides = array<i32>} : memref<16xi32, #tpu.memory_space<vmem>>, vector<16xi32>,
      %n = arith.constant dense<3> : vector<16xi32>
      %k = arith.cmpi slt, %v, %n : vector<16xi32>
      tpu.vector_store %b[%c0], %v masked %k {strides = array<i32>} : memref<16xi32, #tpu.memory_space<vmem>>, vector<16xi32>, vector<16xi1>
      tpu.yield
    }) : () -> ()
    return
  }
}

// -----

// No two lanes have the same place, so the old elements can be read first.

// CHECK-LABEL: kernel @packed_add on
// CHECK: pallas.run_scoped (%[[ARG0:.*]]: !pallas.ref<16xi32, vmem>, %[[ARG1:.*]]: !pallas.ref<16xi32, vmem>) {
// CHECK-NEXT: %[[V0:.*]] = pallas.get %[[ARG0]][:] : !pallas.ref<16xi32, vmem>
// CHECK-NEXT: %[[V1:.*]] = arith.constant dense<3> : tensor<16xi32>
// CHECK-NEXT: %[[V2:.*]] = arith.cmpi slt, %[[V0]], %[[V1]] : tensor<16xi32>
// CHECK-NEXT: %[[V3:.*]] = arith.index_cast %{{.*}} : index to i32
// CHECK-NEXT: %[[V4:.*]] = pallas.broadcast %[[V3]] : i32 -> tensor<16xi32>
// CHECK-NEXT: %[[V5:.*]] = arith.extui %[[V2]] : tensor<16xi1> to tensor<16xi32>
// CHECK-NEXT: %[[V6:.*]] = pallas.cumulative <sum> %[[V5]] dim 0 : tensor<16xi32>
// CHECK-NEXT: %[[V7:.*]] = arith.subi %[[V6]], %[[V5]] : tensor<16xi32>
// CHECK-NEXT: %[[V8:.*]] = arith.addi %[[V4]], %[[V7]] : tensor<16xi32>
// CHECK-NEXT: %[[V9:.*]] = pallas.masked_load %[[ARG1]][gather(%[[V8]] : tensor<16xi32>)] mask %[[V2]] : !pallas.ref<16xi32, vmem>, tensor<16xi1>
// CHECK-NEXT: %[[V10:.*]] = arith.addi %[[V9]], %[[V0]] : tensor<16xi32>
// CHECK-NEXT: %[[V11:.*]] = pallas.masked_swap %[[ARG1]][gather(%[[V8]] : tensor<16xi32>)], %[[V10]] mask %[[V2]] : !pallas.ref<16xi32, vmem>, tensor<16xi32>, tensor<16xi1>
module {
  func.func @packed_add(%c: i32, %s: i32, %x: memref<128xi32, #tpu.memory_space<hbm>>, %o: memref<128xi32, #tpu.memory_space<hbm>>) attributes {dimension_semantics = [#tpu.dimension_semantics<core_parallel>, #tpu.dimension_semantics<subcore_parallel>], iteration_bounds = array<i64: 2, 16>, scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
    %c0 = arith.constant 0 : index
    "tpu.region"() ({
      %a = memref.alloca() : memref<16xi32, #tpu.memory_space<vmem>>
      %b = memref.alloca() : memref<16xi32, #tpu.memory_space<vmem>>
      %v = tpu.vector_load %a[%c0] {strides = array<i32>} : memref<16xi32, #tpu.memory_space<vmem>>, vector<16xi32>,
      %n = arith.constant dense<3> : vector<16xi32>
      %k = arith.cmpi slt, %v, %n : vector<16xi32>
      tpu.vector_store %b[%c0], %v masked %k {add = true, strides = array<i32>} : memref<16xi32, #tpu.memory_space<vmem>>, vector<16xi32>, vector<16xi1>
      tpu.yield
    }) : () -> ()
    return
  }
}

// -----

// CHECK-LABEL: kernel @expand_load on
// CHECK: pallas.run_scoped (%[[ARG0:.*]]: !pallas.ref<16xi32, vmem>, %[[ARG1:.*]]: !pallas.ref<16xi32, vmem>) {
// CHECK-NEXT: %[[V0:.*]] = pallas.get %[[ARG0]][:] : !pallas.ref<16xi32, vmem>
// CHECK-NEXT: %[[V1:.*]] = arith.constant dense<3> : tensor<16xi32>
// CHECK-NEXT: %[[V2:.*]] = arith.cmpi slt, %[[V0]], %[[V1]] : tensor<16xi32>
// CHECK-NEXT: %[[V3:.*]] = arith.index_cast %{{.*}} : index to i32
// CHECK-NEXT: %[[V4:.*]] = pallas.broadcast %[[V3]] : i32 -> tensor<16xi32>
// CHECK-NEXT: %[[V5:.*]] = arith.extui %[[V2]] : tensor<16xi1> to tensor<16xi32>
// CHECK-NEXT: %[[V6:.*]] = pallas.cumulative <sum> %[[V5]] dim 0 : tensor<16xi32>
// CHECK-NEXT: %[[V7:.*]] = arith.subi %[[V6]], %[[V5]] : tensor<16xi32>
// CHECK-NEXT: %[[V8:.*]] = arith.addi %[[V4]], %[[V7]] : tensor<16xi32>
// CHECK-NEXT: %[[V9:.*]] = pallas.masked_load %[[ARG0]][gather(%[[V8]] : tensor<16xi32>)] mask %[[V2]] : !pallas.ref<16xi32, vmem>, tensor<16xi1>
// CHECK-NEXT: %[[V10:.*]] = pallas.swap %[[ARG1]][:], %[[V9]] : !pallas.ref<16xi32, vmem>, tensor<16xi32>
module {
  func.func @expand_load(%c: i32, %s: i32, %x: memref<128xi32, #tpu.memory_space<hbm>>, %o: memref<128xi32, #tpu.memory_space<hbm>>) attributes {dimension_semantics = [#tpu.dimension_semantics<core_parallel>, #tpu.dimension_semantics<subcore_parallel>], iteration_bounds = array<i64: 2, 16>, scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
    %c0 = arith.constant 0 : index
    "tpu.region"() ({
      %a = memref.alloca() : memref<16xi32, #tpu.memory_space<vmem>>
      %b = memref.alloca() : memref<16xi32, #tpu.memory_space<vmem>>
      %v = tpu.vector_load %a[%c0] {strides = array<i32>} : memref<16xi32, #tpu.memory_space<vmem>>, vector<16xi32>,
      %n = arith.constant dense<3> : vector<16xi32>
      %k = arith.cmpi slt, %v, %n : vector<16xi32>
      %0 = tpu.vector_expand_load %a[%c0], %k {expand_dim = 0 : i32} : memref<16xi32, #tpu.memory_space<vmem>>, vector<16xi32>, vector<16xi1>
      tpu.vector_store %b[%c0], %0 {strides = array<i32>} : memref<16xi32, #tpu.memory_space<vmem>>, vector<16xi32>,
      tpu.yield
    }) : () -> ()
    return
  }
}

// -----

// CHECK-LABEL: kernel @compress_store on
// CHECK: pallas.run_scoped (%[[ARG0:.*]]: !pallas.ref<16xi32, vmem>, %[[ARG1:.*]]: !pallas.ref<16xi32, vmem>) {
// CHECK-NEXT: %[[V0:.*]] = pallas.get %[[ARG0]][:] : !pallas.ref<16xi32, vmem>
// CHECK-NEXT: %[[V1:.*]] = arith.constant dense<3> : tensor<16xi32>
// CHECK-NEXT: %[[V2:.*]] = arith.cmpi slt, %[[V0]], %[[V1]] : tensor<16xi32>
// CHECK-NEXT: %[[V3:.*]] = arith.index_cast %{{.*}} : index to i32
// CHECK-NEXT: %[[V4:.*]] = pallas.broadcast %[[V3]] : i32 -> tensor<16xi32>
// CHECK-NEXT: %[[V5:.*]] = arith.extui %[[V2]] : tensor<16xi1> to tensor<16xi32>
// CHECK-NEXT: %[[V6:.*]] = pallas.cumulative <sum> %[[V5]] dim 0 : tensor<16xi32>
// CHECK-NEXT: %[[V7:.*]] = arith.subi %[[V6]], %[[V5]] : tensor<16xi32>
// CHECK-NEXT: %[[V8:.*]] = arith.addi %[[V4]], %[[V7]] : tensor<16xi32>
// CHECK-NEXT: %[[V9:.*]] = pallas.masked_swap %[[ARG1]][gather(%[[V8]] : tensor<16xi32>)], %[[V0]] mask %[[V2]] : !pallas.ref<16xi32, vmem>, tensor<16xi32>, tensor<16xi1>
module {
  func.func @compress_store(%c: i32, %s: i32, %x: memref<128xi32, #tpu.memory_space<hbm>>, %o: memref<128xi32, #tpu.memory_space<hbm>>) attributes {dimension_semantics = [#tpu.dimension_semantics<core_parallel>, #tpu.dimension_semantics<subcore_parallel>], iteration_bounds = array<i64: 2, 16>, scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
    %c0 = arith.constant 0 : index
    "tpu.region"() ({
      %a = memref.alloca() : memref<16xi32, #tpu.memory_space<vmem>>
      %b = memref.alloca() : memref<16xi32, #tpu.memory_space<vmem>>
      %v = tpu.vector_load %a[%c0] {strides = array<i32>} : memref<16xi32, #tpu.memory_space<vmem>>, vector<16xi32>,
      %n = arith.constant dense<3> : vector<16xi32>
      %k = arith.cmpi slt, %v, %n : vector<16xi32>
      tpu.vector_compress_store %b[%c0], %v, %k {compress_dim = 0 : i32} : memref<16xi32, #tpu.memory_space<vmem>>, vector<16xi32>, vector<16xi1>
      tpu.yield
    }) : () -> ()
    return
  }
}

// -----

// The mask of single elements is a mask.

// CHECK-LABEL: kernel @masked_gather on
// CHECK: pallas.run_scoped (%[[ARG0:.*]]: !pallas.ref<16xi32, vmem>, %[[ARG1:.*]]: !pallas.ref<16xi32, vmem>) {
// CHECK-NEXT: %[[V0:.*]] = pallas.get %[[ARG0]][:] : !pallas.ref<16xi32, vmem>
// CHECK-NEXT: %[[V1:.*]] = arith.constant dense<3> : tensor<16xi32>
// CHECK-NEXT: %[[V2:.*]] = arith.cmpi slt, %[[V0]], %[[V1]] : tensor<16xi32>
// CHECK-NEXT: %[[V3:.*]] = pallas.masked_load %[[ARG0]][gather(%[[V0]] : tensor<16xi32>)] mask %[[V2]] : !pallas.ref<16xi32, vmem>, tensor<16xi1>
// CHECK-NEXT: %[[V4:.*]] = pallas.swap %[[ARG1]][:], %[[V3]] : !pallas.ref<16xi32, vmem>, tensor<16xi32>
module {
  func.func @masked_gather(%c: i32, %s: i32, %x: memref<128xi32, #tpu.memory_space<hbm>>, %o: memref<128xi32, #tpu.memory_space<hbm>>) attributes {dimension_semantics = [#tpu.dimension_semantics<core_parallel>, #tpu.dimension_semantics<subcore_parallel>], iteration_bounds = array<i64: 2, 16>, scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
    %c0 = arith.constant 0 : index
    "tpu.region"() ({
      %a = memref.alloca() : memref<16xi32, #tpu.memory_space<vmem>>
      %b = memref.alloca() : memref<16xi32, #tpu.memory_space<vmem>>
      %v = tpu.vector_load %a[%c0] {strides = array<i32>} : memref<16xi32, #tpu.memory_space<vmem>>, vector<16xi32>,
      %n = arith.constant dense<3> : vector<16xi32>
      %k = arith.cmpi slt, %v, %n : vector<16xi32>
      %0 = tpu.vector_load_idx %a[%v] masked %k : memref<16xi32, #tpu.memory_space<vmem>>[vector<16xi32>], vector<16xi32>, vector<16xi1>
      tpu.vector_store %b[%c0], %0 {strides = array<i32>} : memref<16xi32, #tpu.memory_space<vmem>>, vector<16xi32>,
      tpu.yield
    }) : () -> ()
    return
  }
}

// -----

// CHECK-LABEL: kernel @masked_scatter on
// CHECK: pallas.run_scoped (%[[ARG0:.*]]: !pallas.ref<16xi32, vmem>, %[[ARG1:.*]]: !pallas.ref<16xi32, vmem>) {
// CHECK-NEXT: %[[V0:.*]] = pallas.get %[[ARG0]][:] : !pallas.ref<16xi32, vmem>
// CHECK-NEXT: %[[V1:.*]] = arith.constant dense<3> : tensor<16xi32>
// CHECK-NEXT: %[[V2:.*]] = arith.cmpi slt, %[[V0]], %[[V1]] : tensor<16xi32>
// CHECK-NEXT: %[[V3:.*]] = pallas.masked_swap %[[ARG1]][gather(%[[V0]] : tensor<16xi32>)], %[[V0]] mask %[[V2]] : !pallas.ref<16xi32, vmem>, tensor<16xi32>, tensor<16xi1>
module {
  func.func @masked_scatter(%c: i32, %s: i32, %x: memref<128xi32, #tpu.memory_space<hbm>>, %o: memref<128xi32, #tpu.memory_space<hbm>>) attributes {dimension_semantics = [#tpu.dimension_semantics<core_parallel>, #tpu.dimension_semantics<subcore_parallel>], iteration_bounds = array<i64: 2, 16>, scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
    %c0 = arith.constant 0 : index
    "tpu.region"() ({
      %a = memref.alloca() : memref<16xi32, #tpu.memory_space<vmem>>
      %b = memref.alloca() : memref<16xi32, #tpu.memory_space<vmem>>
      %v = tpu.vector_load %a[%c0] {strides = array<i32>} : memref<16xi32, #tpu.memory_space<vmem>>, vector<16xi32>,
      %n = arith.constant dense<3> : vector<16xi32>
      %k = arith.cmpi slt, %v, %n : vector<16xi32>
      tpu.vector_store_idx %b[%v], %v masked %k : memref<16xi32, #tpu.memory_space<vmem>>[vector<16xi32>], vector<16xi32>, vector<16xi1>
      tpu.yield
    }) : () -> ()
    return
  }
}

// -----

// An element that is not selected adds zero.

// CHECK-LABEL: kernel @masked_scatter_add on
// CHECK: pallas.run_scoped (%[[ARG0:.*]]: !pallas.ref<16xi32, vmem>, %[[ARG1:.*]]: !pallas.ref<16xi32, vmem>) {
// CHECK-NEXT: %[[V0:.*]] = pallas.get %[[ARG0]][:] : !pallas.ref<16xi32, vmem>
// CHECK-NEXT: %[[V1:.*]] = arith.constant dense<3> : tensor<16xi32>
// CHECK-NEXT: %[[V2:.*]] = arith.cmpi slt, %[[V0]], %[[V1]] : tensor<16xi32>
// CHECK-NEXT: %[[V3:.*]] = arith.constant dense<0> : tensor<16xi32>
// CHECK-NEXT: %[[V4:.*]] = arith.select %[[V2]], %[[V0]], %[[V3]] : tensor<16xi1>, tensor<16xi32>
// CHECK-NEXT: pallas.addupdate %[[ARG1]][gather(%[[V0]] : tensor<16xi32>)], %[[V4]] : !pallas.ref<16xi32, vmem>, tensor<16xi32>
module {
  func.func @masked_scatter_add(%c: i32, %s: i32, %x: memref<128xi32, #tpu.memory_space<hbm>>, %o: memref<128xi32, #tpu.memory_space<hbm>>) attributes {dimension_semantics = [#tpu.dimension_semantics<core_parallel>, #tpu.dimension_semantics<subcore_parallel>], iteration_bounds = array<i64: 2, 16>, scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
    %c0 = arith.constant 0 : index
    "tpu.region"() ({
      %a = memref.alloca() : memref<16xi32, #tpu.memory_space<vmem>>
      %b = memref.alloca() : memref<16xi32, #tpu.memory_space<vmem>>
      %v = tpu.vector_load %a[%c0] {strides = array<i32>} : memref<16xi32, #tpu.memory_space<vmem>>, vector<16xi32>,
      %n = arith.constant dense<3> : vector<16xi32>
      %k = arith.cmpi slt, %v, %n : vector<16xi32>
      tpu.vector_store_idx %b[%v], %v masked %k {add = true} : memref<16xi32, #tpu.memory_space<vmem>>[vector<16xi32>], vector<16xi32>, vector<16xi1>
      tpu.yield
    }) : () -> ()
    return
  }
}

// -----

// CHECK-LABEL: kernel @plain_scan on
// CHECK: pallas.run_scoped (%[[ARG0:.*]]: !pallas.ref<16xi32, vmem>, %[[ARG1:.*]]: !pallas.ref<16xi32, vmem>) {
// CHECK-NEXT: %[[V0:.*]] = pallas.get %[[ARG0]][:] : !pallas.ref<16xi32, vmem>
// CHECK-NEXT: %[[V1:.*]] = pallas.cumulative <sum> %[[V0]] dim 0 : tensor<16xi32>
// CHECK-NEXT: %[[V2:.*]] = pallas.swap %[[ARG1]][:], %[[V1]] : !pallas.ref<16xi32, vmem>, tensor<16xi32>
module {
  func.func @plain_scan(%c: i32, %s: i32, %x: memref<128xi32, #tpu.memory_space<hbm>>, %o: memref<128xi32, #tpu.memory_space<hbm>>) attributes {dimension_semantics = [#tpu.dimension_semantics<core_parallel>, #tpu.dimension_semantics<subcore_parallel>], iteration_bounds = array<i64: 2, 16>, scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
    %c0 = arith.constant 0 : index
    "tpu.region"() ({
      %a = memref.alloca() : memref<16xi32, #tpu.memory_space<vmem>>
      %b = memref.alloca() : memref<16xi32, #tpu.memory_space<vmem>>
      %v = tpu.vector_load %a[%c0] {strides = array<i32>} : memref<16xi32, #tpu.memory_space<vmem>>, vector<16xi32>,
      %0 = tpu.scan <sum>, %v {dimension = 0 : i64} : vector<16xi32>,  -> vector<16xi32>
      tpu.vector_store %b[%c0], %0 {strides = array<i32>} : memref<16xi32, #tpu.memory_space<vmem>>, vector<16xi32>,
      tpu.yield
    }) : () -> ()
    return
  }
}

// -----

// The trues of a mask are counted.

// CHECK-LABEL: kernel @scan_of_mask on
// CHECK: pallas.run_scoped (%[[ARG0:.*]]: !pallas.ref<16xi32, vmem>, %[[ARG1:.*]]: !pallas.ref<16xi32, vmem>) {
// CHECK-NEXT: %[[V0:.*]] = pallas.get %[[ARG0]][:] : !pallas.ref<16xi32, vmem>
// CHECK-NEXT: %[[V1:.*]] = arith.constant dense<3> : tensor<16xi32>
// CHECK-NEXT: %[[V2:.*]] = arith.cmpi slt, %[[V0]], %[[V1]] : tensor<16xi32>
// CHECK-NEXT: %[[V3:.*]] = arith.extui %[[V2]] : tensor<16xi1> to tensor<16xi32>
// CHECK-NEXT: %[[V4:.*]] = pallas.cumulative <sum> %[[V3]] dim 0 : tensor<16xi32>
// CHECK-NEXT: %[[V5:.*]] = pallas.swap %[[ARG1]][:], %[[V4]] : !pallas.ref<16xi32, vmem>, tensor<16xi32>
module {
  func.func @scan_of_mask(%c: i32, %s: i32, %x: memref<128xi32, #tpu.memory_space<hbm>>, %o: memref<128xi32, #tpu.memory_space<hbm>>) attributes {dimension_semantics = [#tpu.dimension_semantics<core_parallel>, #tpu.dimension_semantics<subcore_parallel>], iteration_bounds = array<i64: 2, 16>, scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
    %c0 = arith.constant 0 : index
    "tpu.region"() ({
      %a = memref.alloca() : memref<16xi32, #tpu.memory_space<vmem>>
      %b = memref.alloca() : memref<16xi32, #tpu.memory_space<vmem>>
      %v = tpu.vector_load %a[%c0] {strides = array<i32>} : memref<16xi32, #tpu.memory_space<vmem>>, vector<16xi32>,
      %n = arith.constant dense<3> : vector<16xi32>
      %k = arith.cmpi slt, %v, %n : vector<16xi32>
      %0 = tpu.scan <sum>, %k {dimension = 0 : i64} : vector<16xi1>,  -> vector<16xi32>
      tpu.vector_store %b[%c0], %0 {strides = array<i32>} : memref<16xi32, #tpu.memory_space<vmem>>, vector<16xi32>,
      tpu.yield
    }) : () -> ()
    return
  }
}

// -----

// The neutral element of a signed maximum is the smallest number.

// CHECK-LABEL: kernel @masked_max_scan on
// CHECK: pallas.run_scoped (%[[ARG0:.*]]: !pallas.ref<16xi32, vmem>, %[[ARG1:.*]]: !pallas.ref<16xi32, vmem>) {
// CHECK-NEXT: %[[V0:.*]] = pallas.get %[[ARG0]][:] : !pallas.ref<16xi32, vmem>
// CHECK-NEXT: %[[V1:.*]] = arith.constant dense<3> : tensor<16xi32>
// CHECK-NEXT: %[[V2:.*]] = arith.cmpi slt, %[[V0]], %[[V1]] : tensor<16xi32>
// CHECK-NEXT: %[[V3:.*]] = arith.constant dense<-2147483648> : tensor<16xi32>
// CHECK-NEXT: %[[V4:.*]] = arith.select %[[V2]], %[[V0]], %[[V3]] : tensor<16xi1>, tensor<16xi32>
// CHECK-NEXT: %[[V5:.*]] = pallas.cumulative <max> %[[V4]] dim 0 : tensor<16xi32>
// CHECK-NEXT: %[[V6:.*]] = pallas.swap %[[ARG1]][:], %[[V5]] : !pallas.ref<16xi32, vmem>, tensor<16xi32>
module {
  func.func @masked_max_scan(%c: i32, %s: i32, %x: memref<128xi32, #tpu.memory_space<hbm>>, %o: memref<128xi32, #tpu.memory_space<hbm>>) attributes {dimension_semantics = [#tpu.dimension_semantics<core_parallel>, #tpu.dimension_semantics<subcore_parallel>], iteration_bounds = array<i64: 2, 16>, scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
    %c0 = arith.constant 0 : index
    "tpu.region"() ({
      %a = memref.alloca() : memref<16xi32, #tpu.memory_space<vmem>>
      %b = memref.alloca() : memref<16xi32, #tpu.memory_space<vmem>>
      %v = tpu.vector_load %a[%c0] {strides = array<i32>} : memref<16xi32, #tpu.memory_space<vmem>>, vector<16xi32>,
      %n = arith.constant dense<3> : vector<16xi32>
      %k = arith.cmpi slt, %v, %n : vector<16xi32>
      %0 = tpu.scan <maxsi>, %v masked %k : vector<16xi32>, vector<16xi1> -> vector<16xi32>
      tpu.vector_store %b[%c0], %0 {strides = array<i32>} : memref<16xi32, #tpu.memory_space<vmem>>, vector<16xi32>,
      tpu.yield
    }) : () -> ()
    return
  }
}

// -----

// Old releases have one name, which means unsigned integers in a scan.

// CHECK-LABEL: kernel @old_max_scan on
// CHECK: pallas.run_scoped (%[[ARG0:.*]]: !pallas.ref<16xi32, vmem>, %[[ARG1:.*]]: !pallas.ref<16xi32, vmem>) {
// CHECK-NEXT: %[[V0:.*]] = pallas.get %[[ARG0]][:] : !pallas.ref<16xi32, vmem>
// CHECK-NEXT: %[[V1:.*]] = arith.constant dense<3> : tensor<16xi32>
// CHECK-NEXT: %[[V2:.*]] = arith.cmpi slt, %[[V0]], %[[V1]] : tensor<16xi32>
// CHECK-NEXT: %[[V3:.*]] = arith.constant dense<0> : tensor<16xi32>
// CHECK-NEXT: %[[V4:.*]] = arith.select %[[V2]], %[[V0]], %[[V3]] : tensor<16xi1>, tensor<16xi32>
// CHECK-NEXT: %[[V5:.*]] = pallas.cumulative <umax> %[[V4]] dim 0 : tensor<16xi32>
// CHECK-NEXT: %[[V6:.*]] = pallas.swap %[[ARG1]][:], %[[V5]] : !pallas.ref<16xi32, vmem>, tensor<16xi32>
module {
  func.func @old_max_scan(%c: i32, %s: i32, %x: memref<128xi32, #tpu.memory_space<hbm>>, %o: memref<128xi32, #tpu.memory_space<hbm>>) attributes {dimension_semantics = [#tpu.dimension_semantics<core_parallel>, #tpu.dimension_semantics<subcore_parallel>], iteration_bounds = array<i64: 2, 16>, scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
    %c0 = arith.constant 0 : index
    "tpu.region"() ({
      %a = memref.alloca() : memref<16xi32, #tpu.memory_space<vmem>>
      %b = memref.alloca() : memref<16xi32, #tpu.memory_space<vmem>>
      %v = tpu.vector_load %a[%c0] {strides = array<i32>} : memref<16xi32, #tpu.memory_space<vmem>>, vector<16xi32>,
      %n = arith.constant dense<3> : vector<16xi32>
      %k = arith.cmpi slt, %v, %n : vector<16xi32>
      %0 = tpu.scan <max>, %v masked %k : vector<16xi32>, vector<16xi1> -> vector<16xi32>
      tpu.vector_store %b[%c0], %0 {strides = array<i32>} : memref<16xi32, #tpu.memory_space<vmem>>, vector<16xi32>,
      tpu.yield
    }) : () -> ()
    return
  }
}

// -----

// As unsigned numbers, -1 is the largest.

// CHECK-LABEL: kernel @unsigned_min_scan on
// CHECK: pallas.run_scoped (%[[ARG0:.*]]: !pallas.ref<16xi32, vmem>, %[[ARG1:.*]]: !pallas.ref<16xi32, vmem>) {
// CHECK-NEXT: %[[V0:.*]] = pallas.get %[[ARG0]][:] : !pallas.ref<16xi32, vmem>
// CHECK-NEXT: %[[V1:.*]] = arith.constant dense<3> : tensor<16xi32>
// CHECK-NEXT: %[[V2:.*]] = arith.cmpi slt, %[[V0]], %[[V1]] : tensor<16xi32>
// CHECK-NEXT: %[[V3:.*]] = arith.constant dense<-1> : tensor<16xi32>
// CHECK-NEXT: %[[V4:.*]] = arith.select %[[V2]], %[[V0]], %[[V3]] : tensor<16xi1>, tensor<16xi32>
// CHECK-NEXT: %[[V5:.*]] = pallas.cumulative <umin> %[[V4]] dim 0 : tensor<16xi32>
// CHECK-NEXT: %[[V6:.*]] = pallas.swap %[[ARG1]][:], %[[V5]] : !pallas.ref<16xi32, vmem>, tensor<16xi32>
module {
  func.func @unsigned_min_scan(%c: i32, %s: i32, %x: memref<128xi32, #tpu.memory_space<hbm>>, %o: memref<128xi32, #tpu.memory_space<hbm>>) attributes {dimension_semantics = [#tpu.dimension_semantics<core_parallel>, #tpu.dimension_semantics<subcore_parallel>], iteration_bounds = array<i64: 2, 16>, scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
    %c0 = arith.constant 0 : index
    "tpu.region"() ({
      %a = memref.alloca() : memref<16xi32, #tpu.memory_space<vmem>>
      %b = memref.alloca() : memref<16xi32, #tpu.memory_space<vmem>>
      %v = tpu.vector_load %a[%c0] {strides = array<i32>} : memref<16xi32, #tpu.memory_space<vmem>>, vector<16xi32>,
      %n = arith.constant dense<3> : vector<16xi32>
      %k = arith.cmpi slt, %v, %n : vector<16xi32>
      %0 = tpu.scan <minui>, %v masked %k : vector<16xi32>, vector<16xi1> -> vector<16xi32>
      tpu.vector_store %b[%c0], %0 {strides = array<i32>} : memref<16xi32, #tpu.memory_space<vmem>>, vector<16xi32>,
      tpu.yield
    }) : () -> ()
    return
  }
}

// -----

// Selected elements come first: they have the smaller first key.

// CHECK-LABEL: kernel @masked_sort on
// CHECK: pallas.run_scoped (%[[ARG0:.*]]: !pallas.ref<16xi32, vmem>, %[[ARG1:.*]]: !pallas.ref<16xi32, vmem>) {
// CHECK-NEXT: %[[V0:.*]] = pallas.get %[[ARG0]][:] : !pallas.ref<16xi32, vmem>
// CHECK-NEXT: %[[V1:.*]] = arith.constant dense<3> : tensor<16xi32>
// CHECK-NEXT: %[[V2:.*]] = arith.cmpi slt, %[[V0]], %[[V1]] : tensor<16xi32>
// CHECK-NEXT: %[[V3:.*]] = arith.extui %[[V2]] : tensor<16xi1> to tensor<16xi32>
// CHECK-NEXT: %[[V4:.*]] = arith.constant dense<1> : tensor<16xi32>
// CHECK-NEXT: %[[V5:.*]] = arith.xori %[[V3]], %[[V4]] : tensor<16xi32>
// CHECK-NEXT: %[[V6:.*]]:3 = pallas.sort %[[V5]], %[[V0]], %[[V0]] dim 0 keys 2 stable : tensor<16xi32>, tensor<16xi32>, tensor<16xi32> -> tensor<16xi32>, tensor<16xi32>, tensor<16xi32>
// CHECK-NEXT: %[[V7:.*]] = arith.constant dense<0> : tensor<16xi32>
// CHECK-NEXT: %[[V8:.*]] = arith.cmpi eq, %[[V6]]#0, %[[V7]] : tensor<16xi32>
// CHECK-NEXT: %[[V9:.*]] = pallas.swap %[[ARG1]][:], %[[V6]]#2 : !pallas.ref<16xi32, vmem>, tensor<16xi32>
module {
  func.func @masked_sort(%c: i32, %s: i32, %x: memref<128xi32, #tpu.memory_space<hbm>>, %o: memref<128xi32, #tpu.memory_space<hbm>>) attributes {dimension_semantics = [#tpu.dimension_semantics<core_parallel>, #tpu.dimension_semantics<subcore_parallel>], iteration_bounds = array<i64: 2, 16>, scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
    %c0 = arith.constant 0 : index
    "tpu.region"() ({
      %a = memref.alloca() : memref<16xi32, #tpu.memory_space<vmem>>
      %b = memref.alloca() : memref<16xi32, #tpu.memory_space<vmem>>
      %v = tpu.vector_load %a[%c0] {strides = array<i32>} : memref<16xi32, #tpu.memory_space<vmem>>, vector<16xi32>,
      %n = arith.constant dense<3> : vector<16xi32>
      %k = arith.cmpi slt, %v, %n : vector<16xi32>
      %0:3 = tpu.sort %v, %v masked %k : (vector<16xi32>, vector<16xi32>, vector<16xi1>) -> (vector<16xi1>, vector<16xi32>, vector<16xi32>)
      tpu.vector_store %b[%c0], %0#2 {strides = array<i32>} : memref<16xi32, #tpu.memory_space<vmem>>, vector<16xi32>,
      tpu.yield
    }) : () -> ()
    return
  }
}

// -----

// In descending order they have the larger one.

// CHECK-LABEL: kernel @descending_sort on
// CHECK: pallas.run_scoped (%[[ARG0:.*]]: !pallas.ref<16xi32, vmem>, %[[ARG1:.*]]: !pallas.ref<16xi32, vmem>) {
// CHECK-NEXT: %[[V0:.*]] = pallas.get %[[ARG0]][:] : !pallas.ref<16xi32, vmem>
// CHECK-NEXT: %[[V1:.*]] = arith.constant dense<3> : tensor<16xi32>
// CHECK-NEXT: %[[V2:.*]] = arith.cmpi slt, %[[V0]], %[[V1]] : tensor<16xi32>
// CHECK-NEXT: %[[V3:.*]] = arith.extui %[[V2]] : tensor<16xi1> to tensor<16xi32>
// CHECK-NEXT: %[[V4:.*]] = arith.constant dense<1> : tensor<16xi32>
// CHECK-NEXT: %[[V5:.*]]:3 = pallas.sort %[[V3]], %[[V0]], %[[V0]] dim 0 keys 2 stable descending : tensor<16xi32>, tensor<16xi32>, tensor<16xi32> -> tensor<16xi32>, tensor<16xi32>, tensor<16xi32>
// CHECK-NEXT: %[[V6:.*]] = arith.constant dense<1> : tensor<16xi32>
// CHECK-NEXT: %[[V7:.*]] = arith.cmpi eq, %[[V5]]#0, %[[V6]] : tensor<16xi32>
// CHECK-NEXT: %[[V8:.*]] = pallas.swap %[[ARG1]][:], %[[V5]]#2 : !pallas.ref<16xi32, vmem>, tensor<16xi32>
module {
  func.func @descending_sort(%c: i32, %s: i32, %x: memref<128xi32, #tpu.memory_space<hbm>>, %o: memref<128xi32, #tpu.memory_space<hbm>>) attributes {dimension_semantics = [#tpu.dimension_semantics<core_parallel>, #tpu.dimension_semantics<subcore_parallel>], iteration_bounds = array<i64: 2, 16>, scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
    %c0 = arith.constant 0 : index
    "tpu.region"() ({
      %a = memref.alloca() : memref<16xi32, #tpu.memory_space<vmem>>
      %b = memref.alloca() : memref<16xi32, #tpu.memory_space<vmem>>
      %v = tpu.vector_load %a[%c0] {strides = array<i32>} : memref<16xi32, #tpu.memory_space<vmem>>, vector<16xi32>,
      %n = arith.constant dense<3> : vector<16xi32>
      %k = arith.cmpi slt, %v, %n : vector<16xi32>
      %0:3 = tpu.sort %v, %v masked %k {descending = true} : (vector<16xi32>, vector<16xi32>, vector<16xi1>) -> (vector<16xi1>, vector<16xi32>, vector<16xi32>)
      tpu.vector_store %b[%c0], %0#2 {strides = array<i32>} : memref<16xi32, #tpu.memory_space<vmem>>, vector<16xi32>,
      tpu.yield
    }) : () -> ()
    return
  }
}

// -----

// CHECK-LABEL: kernel @all_reduce_count on
// CHECK: pallas.run_scoped (%[[ARG0:.*]]: !pallas.ref<16xi32, vmem>, %[[ARG1:.*]]: !pallas.ref<16xi32, vmem>) {
// CHECK-NEXT: %[[V0:.*]] = pallas.get %[[ARG0]][:] : !pallas.ref<16xi32, vmem>
// CHECK-NEXT: %[[V1:.*]] = arith.constant dense<3> : tensor<16xi32>
// CHECK-NEXT: %[[V2:.*]] = arith.cmpi slt, %[[V0]], %[[V1]] : tensor<16xi32>
// CHECK-NEXT: %[[V3:.*]] = arith.extui %[[V2]] : tensor<16xi1> to tensor<16xi32>
// CHECK-NEXT: %[[V4:.*]] = pallas.reduce <add> %[[V3]] dims [0] : tensor<16xi32>
// CHECK-NEXT: %[[V5:.*]] = pallas.broadcast %[[V4]] : i32 -> tensor<16xi32>
// CHECK-NEXT: %[[V6:.*]] = pallas.swap %[[ARG1]][:], %[[V5]] : !pallas.ref<16xi32, vmem>, tensor<16xi32>
module {
  func.func @all_reduce_count(%c: i32, %s: i32, %x: memref<128xi32, #tpu.memory_space<hbm>>, %o: memref<128xi32, #tpu.memory_space<hbm>>) attributes {dimension_semantics = [#tpu.dimension_semantics<core_parallel>, #tpu.dimension_semantics<subcore_parallel>], iteration_bounds = array<i64: 2, 16>, scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
    %c0 = arith.constant 0 : index
    "tpu.region"() ({
      %a = memref.alloca() : memref<16xi32, #tpu.memory_space<vmem>>
      %b = memref.alloca() : memref<16xi32, #tpu.memory_space<vmem>>
      %v = tpu.vector_load %a[%c0] {strides = array<i32>} : memref<16xi32, #tpu.memory_space<vmem>>, vector<16xi32>,
      %n = arith.constant dense<3> : vector<16xi32>
      %k = arith.cmpi slt, %v, %n : vector<16xi32>
      %0 = tpu.all_reduce %k {dim = 0 : i64, kind = #tpu.reduction_kind<sum>} : vector<16xi1> -> vector<16xi32>
      tpu.vector_store %b[%c0], %0 {strides = array<i32>} : memref<16xi32, #tpu.memory_space<vmem>>, vector<16xi32>,
      tpu.yield
    }) : () -> ()
    return
  }
}

// -----

// CHECK-LABEL: kernel @all_reduce_min on
// CHECK: pallas.run_scoped (%[[ARG0:.*]]: !pallas.ref<16xi32, vmem>, %[[ARG1:.*]]: !pallas.ref<16xi32, vmem>) {
// CHECK-NEXT: %[[V0:.*]] = pallas.get %[[ARG0]][:] : !pallas.ref<16xi32, vmem>
// CHECK-NEXT: %[[V1:.*]] = pallas.reduce <min> %[[V0]] dims [0] : tensor<16xi32>
// CHECK-NEXT: %[[V2:.*]] = pallas.broadcast %[[V1]] : i32 -> tensor<16xi32>
// CHECK-NEXT: %[[V3:.*]] = pallas.swap %[[ARG1]][:], %[[V2]] : !pallas.ref<16xi32, vmem>, tensor<16xi32>
module {
  func.func @all_reduce_min(%c: i32, %s: i32, %x: memref<128xi32, #tpu.memory_space<hbm>>, %o: memref<128xi32, #tpu.memory_space<hbm>>) attributes {dimension_semantics = [#tpu.dimension_semantics<core_parallel>, #tpu.dimension_semantics<subcore_parallel>], iteration_bounds = array<i64: 2, 16>, scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
    %c0 = arith.constant 0 : index
    "tpu.region"() ({
      %a = memref.alloca() : memref<16xi32, #tpu.memory_space<vmem>>
      %b = memref.alloca() : memref<16xi32, #tpu.memory_space<vmem>>
      %v = tpu.vector_load %a[%c0] {strides = array<i32>} : memref<16xi32, #tpu.memory_space<vmem>>, vector<16xi32>,
      %0 = tpu.all_reduce %v {dim = 0 : i64, kind = #tpu.reduction_kind<minsi>} : vector<16xi32> -> vector<16xi32>
      tpu.vector_store %b[%c0], %0 {strides = array<i32>} : memref<16xi32, #tpu.memory_space<vmem>>, vector<16xi32>,
      tpu.yield
    }) : () -> ()
    return
  }
}

// -----

// If the source is the memory of the subcore, the offsets select the rows of the target.

// CHECK-LABEL: kernel @indirect_scatter on
// CHECK: pallas.run_scoped (%[[ARG0:.*]]: !pallas.ref<16xi32, vmem>, %[[ARG1:.*]]: !pallas.ref<16xi32, vmem>, %[[ARG2:.*]]: !pallas.ref<16xi32, vmem>, %[[ARG3:.*]]: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
// CHECK-NEXT: %[[V0:.*]] = pallas.slice_ref %{{.*}}[gather(%[[ARG1]] : !pallas.ref<16xi32, vmem>)] : !pallas.ref<128xi32, hbm>
// CHECK-NEXT: pallas.dma_start %[[ARG0]] to %[[V0]] signals %[[ARG3]] : !pallas.ref<16xi32, vmem>, !pallas.ref<16xi32, hbm>, !pallas.ref<!pallas.dma_semaphore, semaphore>
// CHECK-NEXT: pallas.dma_wait %[[ARG0]] to %[[ARG0]] signals %[[ARG3]] : !pallas.ref<16xi32, vmem>, !pallas.ref<16xi32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
module {
  func.func @indirect_scatter(%c: i32, %s: i32, %x: memref<128xi32, #tpu.memory_space<hbm>>, %o: memref<128xi32, #tpu.memory_space<hbm>>) attributes {dimension_semantics = [#tpu.dimension_semantics<core_parallel>, #tpu.dimension_semantics<subcore_parallel>], iteration_bounds = array<i64: 2, 16>, scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
    %c0 = arith.constant 0 : index
    "tpu.region"() ({
      %a = memref.alloca() : memref<16xi32, #tpu.memory_space<vmem>>
      %b = memref.alloca() : memref<16xi32, #tpu.memory_space<vmem>>
      %d0 = memref.alloca() : memref<16xi32, #tpu.memory_space<vmem>>
      %d = tpu.sem_alloc : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>
      tpu.enqueue_indirect_dma source(%a : memref<16xi32, #tpu.memory_space<vmem>>) target(%x : memref<128xi32, #tpu.memory_space<hbm>>) offsets(%b : memref<16xi32, #tpu.memory_space<vmem>>) semaphore(%d : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
      tpu.wait_indirect_dma semaphore(%d : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) src(%a : memref<16xi32, #tpu.memory_space<vmem>>) dst(%x : memref<128xi32, #tpu.memory_space<hbm>>)
      tpu.yield
    }) : () -> ()
    return
  }
}

// -----

// CHECK-LABEL: kernel @indirect_add on
// CHECK: pallas.run_scoped (%[[ARG0:.*]]: !pallas.ref<16xi32, vmem>, %[[ARG1:.*]]: !pallas.ref<16xi32, vmem>, %[[ARG2:.*]]: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
// CHECK-NEXT: %[[V0:.*]] = pallas.slice_ref %{{.*}}[gather(%[[ARG1]] : !pallas.ref<16xi32, vmem>)] : !pallas.ref<128xi32, hbm>
// CHECK-NEXT: pallas.dma_start %[[ARG0]] to %[[V0]] signals %[[ARG2]] {add} : !pallas.ref<16xi32, vmem>, !pallas.ref<16xi32, hbm>, !pallas.ref<!pallas.dma_semaphore, semaphore>
module {
  func.func @indirect_add(%c: i32, %s: i32, %x: memref<128xi32, #tpu.memory_space<hbm>>, %o: memref<128xi32, #tpu.memory_space<hbm>>) attributes {dimension_semantics = [#tpu.dimension_semantics<core_parallel>, #tpu.dimension_semantics<subcore_parallel>], iteration_bounds = array<i64: 2, 16>, scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
    %c0 = arith.constant 0 : index
    "tpu.region"() ({
      %a = memref.alloca() : memref<16xi32, #tpu.memory_space<vmem>>
      %b = memref.alloca() : memref<16xi32, #tpu.memory_space<vmem>>
      %d = tpu.sem_alloc : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>
      tpu.enqueue_indirect_dma source(%a : memref<16xi32, #tpu.memory_space<vmem>>) target(%x : memref<128xi32, #tpu.memory_space<hbm>>) offsets(%b : memref<16xi32, #tpu.memory_space<vmem>>) semaphore(%d : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) {add = true}
      tpu.yield
    }) : () -> ()
    return
  }
}
