// RUN: pallas-opt %s --convert-mosaic-tpu-to-pallas --split-input-file | FileCheck %s

// CHECK-LABEL: pallas.pallas_call @reduce_index grid()
// CHECK: kernel(%[[ARG:.*]]: !pallas.ref<16x128xf32, vmem>, %[[ARG2:.*]]: !pallas.ref<16xi32, vmem>) {
// CHECK: %[[GET:.*]] = pallas.get %[[ARG]][:, :] : !pallas.ref<16x128xf32, vmem>
// CHECK: %[[ARG_REDUCE:.*]] = pallas.arg_reduce <max> %[[GET]] dim 1 to i32 : tensor<16x128xf32>
// CHECK: pallas.swap %[[ARG2]][:], %[[ARG_REDUCE]] : !pallas.ref<16xi32, vmem>, tensor<16xi32>
module {
  func.func @reduce_index(%x: memref<16x128xf32, #tpu.memory_space<vmem>>, %o: memref<16xi32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0, %c0] : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>
    %0 = tpu.reduce_index %v {axis = 1 : i32, kind = #tpu.reduction_kind<arg_max>} : vector<16x128xf32> -> vector<16xi32>
    tpu.vector_store %o[%c0], %0 {strides = array<i32>} : memref<16xi32, #tpu.memory_space<vmem>>, vector<16xi32>,
    return
  }
}

// -----

// A reduction whose result every element has.

// CHECK-LABEL: pallas.pallas_call @all_reduce grid()
// CHECK: kernel(%[[ARG:.*]]: !pallas.ref<16x128xf32, vmem>, %[[ARG2:.*]]: !pallas.ref<16x128xf32, vmem>) {
// CHECK: %[[GET:.*]] = pallas.get %[[ARG]][:, :] : !pallas.ref<16x128xf32, vmem>
// CHECK: %[[REDUCE:.*]] = pallas.reduce <add> %[[GET]] dims [1] : tensor<16x128xf32>
// CHECK: %[[BROADCAST:.*]] = pallas.broadcast %[[REDUCE]] dims [0] : tensor<16xf32> -> tensor<16x128xf32>
// CHECK: pallas.swap %[[ARG2]][:, :], %[[BROADCAST]] : !pallas.ref<16x128xf32, vmem>, tensor<16x128xf32>
module {
  func.func @all_reduce(%x: memref<16x128xf32, #tpu.memory_space<vmem>>, %o: memref<16x128xf32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0, %c0] : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>
    %0 = tpu.all_reduce %v {dim = 1 : i64, kind = #tpu.reduction_kind<sum>} : vector<16x128xf32> -> vector<16x128xf32>
    tpu.vector_store %o[%c0, %c0], %0 {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>,
    return
  }
}

// -----

// A product onto zeros has no accumulator.

// CHECK-LABEL: pallas.pallas_call @matmul grid()
// CHECK: kernel(%[[ARG:.*]]: !pallas.ref<16x128xbf16, vmem>, %[[ARG2:.*]]: !pallas.ref<128x256xbf16, vmem>, %[[ARG3:.*]]: !pallas.ref<16x256xf32, vmem>) {
// CHECK: %[[GET:.*]] = pallas.get %[[ARG]][:, :] : !pallas.ref<16x128xbf16, vmem>
// CHECK: %[[GET2:.*]] = pallas.get %[[ARG2]][:, :] : !pallas.ref<128x256xbf16, vmem>
// CHECK: %[[DOT_GENERAL:.*]] = pallas.dot_general %[[GET]], %[[GET2]] contract [1] x [0] : tensor<16x128xbf16>, tensor<128x256xbf16> -> tensor<16x256xf32>
// CHECK: pallas.swap %[[ARG3]][:, :], %[[DOT_GENERAL]] : !pallas.ref<16x256xf32, vmem>, tensor<16x256xf32>
module {
  func.func @matmul(%a: memref<16x128xbf16, #tpu.memory_space<vmem>>, %b: memref<128x256xbf16, #tpu.memory_space<vmem>>, %o: memref<16x256xf32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %l = vector.load %a[%c0, %c0] : memref<16x128xbf16, #tpu.memory_space<vmem>>, vector<16x128xbf16>
    %r = vector.load %b[%c0, %c0] : memref<128x256xbf16, #tpu.memory_space<vmem>>, vector<128x256xbf16>
    %z = arith.constant dense<0.0> : vector<16x256xf32>
    %0 = tpu.matmul %l, %r, %z {dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [0], [1], [0, 0, 1, 1], [], []>, transpose_lhs_hint = false} : vector<16x128xbf16>, vector<128x256xbf16>, vector<16x256xf32> -> vector<16x256xf32>
    tpu.vector_store %o[%c0, %c0], %0 {strides = array<i32>} : memref<16x256xf32, #tpu.memory_space<vmem>>, vector<16x256xf32>,
    return
  }
}

// -----

// An accumulator that changes nothing is left out, whatever the kind; another
// one is combined with the result.

// CHECK-LABEL: pallas.pallas_call @neutral_accumulators grid()
// CHECK: %[[GET:.*]] = pallas.get %{{.*}}[:, :] : !pallas.ref<16x128xi32, vmem>
// CHECK: %[[LEAST:.*]] = pallas.reduce <min> %[[GET]] dims [1] : tensor<16x128xi32>
// CHECK-NEXT: pallas.swap %{{.*}}[:], %[[LEAST]] : !pallas.ref<16xi32, vmem>, tensor<16xi32>
// CHECK: %[[GREATEST:.*]] = pallas.reduce <max> %[[GET]] dims [1] : tensor<16x128xi32>
// CHECK: %[[POSITIVE:.*]] = arith.maxsi %[[GREATEST]], %{{.*}} : tensor<16xi32>
// CHECK: pallas.swap %{{.*}}[:], %[[POSITIVE]] : !pallas.ref<16xi32, vmem>, tensor<16xi32>
module {
  func.func @neutral_accumulators(%x: memref<16x128xi32, #tpu.memory_space<vmem>>, %o: memref<16xi32, #tpu.memory_space<vmem>>, %p: memref<16xi32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0, %c0] : memref<16x128xi32, #tpu.memory_space<vmem>>, vector<16x128xi32>
    %most = arith.constant dense<2147483647> : vector<16xi32>
    %0 = vector.multi_reduction <minsi>, %v, %most [1] : vector<16x128xi32> to vector<16xi32>
    tpu.vector_store %o[%c0], %0 {strides = array<i32>} : memref<16xi32, #tpu.memory_space<vmem>>, vector<16xi32>,
    %zero = arith.constant dense<0> : vector<16xi32>
    %1 = vector.multi_reduction <maxsi>, %v, %zero [1] : vector<16x128xi32> to vector<16xi32>
    tpu.vector_store %p[%c0], %1 {strides = array<i32>} : memref<16xi32, #tpu.memory_space<vmem>>, vector<16xi32>,
    return
  }
}
