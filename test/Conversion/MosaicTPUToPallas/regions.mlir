// RUN: pallas-opt %s --convert-mosaic-tpu-to-pallas --split-input-file | FileCheck %s

// Memory of a region is an argument of a scope.

// CHECK-LABEL: pallas.pallas_call @region grid()
// CHECK: kernel(%[[ARG:.*]]: !pallas.ref<1xi32, smem>, %[[ARG2:.*]]: !pallas.ref<1xi32, smem>) {
// CHECK: %[[GET:.*]] = pallas.get %[[ARG]][0] : !pallas.ref<1xi32, smem>
// CHECK: %[[RUN_SCOPED:.*]] = pallas.run_scoped (%[[ARG3:.*]]: !pallas.ref<8xi32, smem>) -> i32 {
// CHECK: pallas.swap %[[ARG3]][0], %[[GET]] : !pallas.ref<8xi32, smem>, i32
// CHECK: pallas.get %[[ARG3]][0] : !pallas.ref<8xi32, smem>
// CHECK: pallas.swap %[[ARG2]][0], %[[RUN_SCOPED]] : !pallas.ref<1xi32, smem>, i32
module {
  func.func @region(%n: memref<1xi32, #tpu.memory_space<smem>>, %o: memref<1xi32, #tpu.memory_space<smem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %i = memref.load %n[%c0] : memref<1xi32, #tpu.memory_space<smem>>
    %0 = "tpu.region"() ({
      %s = memref.alloca() : memref<8xi32, #tpu.memory_space<smem>>
      memref.store %i, %s[%c0] : memref<8xi32, #tpu.memory_space<smem>>
      %r = memref.load %s[%c0] : memref<8xi32, #tpu.memory_space<smem>>
      tpu.yield %r : i32
    }) : () -> i32
    memref.store %0, %o[%c0] : memref<1xi32, #tpu.memory_space<smem>>
    return
  }
}

// -----

// A trace around a region becomes a mark before and one after it.

// CHECK-LABEL: pallas.pallas_call @trace grid()
// CHECK: kernel(%[[ARG:.*]]: !pallas.ref<1xi32, smem>, %[[ARG2:.*]]: !pallas.ref<1xi32, smem>) {
// CHECK: %[[GET:.*]] = pallas.get %[[ARG]][0] : !pallas.ref<1xi32, smem>
// CHECK: pallas.trace_start "inner" {level = 3 : i64}
// CHECK: pallas.trace_stop
// CHECK: pallas.swap %[[ARG2]][0], %[[GET]] : !pallas.ref<1xi32, smem>, i32
module {
  func.func @trace(%n: memref<1xi32, #tpu.memory_space<smem>>, %o: memref<1xi32, #tpu.memory_space<smem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %i = memref.load %n[%c0] : memref<1xi32, #tpu.memory_space<smem>>
    %0 = "tpu.trace"() <{level = 3 : i32, message = "inner"}> ({
      tpu.yield %i : i32
    }) : () -> i32
    memref.store %0, %o[%c0] : memref<1xi32, #tpu.memory_space<smem>>
    return
  }
}

// -----

// CHECK-LABEL: pallas.pallas_call @debug grid()
// CHECK: kernel(%[[ARG:.*]]: !pallas.ref<1xi32, smem>) {
// CHECK: %[[GET:.*]] = pallas.get %[[ARG]][0] : !pallas.ref<1xi32, smem>
// CHECK: pallas.trace_start "span"
// CHECK: pallas.trace_value "number", %[[GET]] : i32
// CHECK: pallas.trace_stop
// CHECK: pallas.delay %[[GET]]
// CHECK: pallas.debug_print "step {}" %[[GET]] : i32
module {
  func.func @debug(%n: memref<1xi32, #tpu.memory_space<smem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %i = memref.load %n[%c0] : memref<1xi32, #tpu.memory_space<smem>>
    "tpu.trace_start"() <{level = 10 : i32, message = "span"}> : () -> ()
    tpu.trace_value %i, "number" : i32
    "tpu.trace_stop"() : () -> ()
    tpu.delay %i
    tpu.log "step $s0" {formatted = true} : [%i] : i32
    return
  }
}

// -----

// CHECK-LABEL: pallas.pallas_call @log_buffer grid()
// CHECK: kernel(%[[ARG:.*]]: !pallas.ref<16x128xf32, vmem>) {
// CHECK: %[[GET:.*]] = pallas.get %[[ARG]][:, :] : !pallas.ref<16x128xf32, vmem>
// CHECK: pallas.debug_print "buffer{}" %[[GET]] : tensor<16x128xf32>
module {
  func.func @log_buffer(%x: memref<16x128xf32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    tpu.log_buffer "buffer" {shape = array<i64: 16, 128>} : %x : memref<16x128xf32, #tpu.memory_space<vmem>>
    return
  }
}

// -----

// CHECK-LABEL: pallas.pallas_call @random grid()
// CHECK: kernel(%[[ARG:.*]]: !pallas.ref<1xi32, smem>, %[[ARG2:.*]]: !pallas.ref<16x128xi32, vmem>) {
// CHECK: %[[GET:.*]] = pallas.get %[[ARG]][0] : !pallas.ref<1xi32, smem>
// CHECK: pallas.prng_seed %[[GET]], %[[GET]]
// CHECK: %[[PRNG_RANDOM_BITS:.*]] = pallas.prng_random_bits : tensor<16x128xi32>
// CHECK: pallas.swap %[[ARG2]][:, :], %[[PRNG_RANDOM_BITS]] : !pallas.ref<16x128xi32, vmem>, tensor<16x128xi32>
module {
  func.func @random(%n: memref<1xi32, #tpu.memory_space<smem>>, %o: memref<16x128xi32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %i = memref.load %n[%c0] : memref<1xi32, #tpu.memory_space<smem>>
    "tpu.prng_set_seed_32"(%i, %i) : (i32, i32) -> ()
    %0 = "tpu.prng_random_bits"() : () -> vector<16x128xi32>
    tpu.vector_store %o[%c0, %c0], %0 {strides = array<i32>} : memref<16x128xi32, #tpu.memory_space<vmem>>, vector<16x128xi32>,
    return
  }
}
