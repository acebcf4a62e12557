// RUN: pallas-opt %s --convert-mosaic-tpu-to-pallas --split-input-file | FileCheck %s

// CHECK-LABEL: pallas.pallas_call @vector_load grid()
// CHECK: kernel(%[[ARG:.*]]: !pallas.ref<16x128xf32, vmem>, %[[ARG2:.*]]: !pallas.ref<16x128xf32, vmem>) {
// CHECK: %[[GET:.*]] = pallas.get %[[ARG]][:, :] : !pallas.ref<16x128xf32, vmem>
// CHECK: pallas.swap %[[ARG2]][:, :], %[[GET]] : !pallas.ref<16x128xf32, vmem>, tensor<16x128xf32>
module {
  func.func @vector_load(%x: memref<16x128xf32, #tpu.memory_space<vmem>>, %o: memref<16x128xf32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %0 = tpu.vector_load %x[%c0, %c0] {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>,
    tpu.vector_store %o[%c0, %c0], %0 {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>,
    return
  }
}

// -----

// CHECK-LABEL: pallas.pallas_call @masked grid()
// CHECK: kernel(%[[ARG:.*]]: !pallas.ref<16x128xf32, vmem>, %[[ARG2:.*]]: !pallas.ref<16x128xf32, vmem>) {
// CHECK: %[[GET:.*]] = pallas.get %[[ARG]][:, :] : !pallas.ref<16x128xf32, vmem>
// CHECK: %[[SELECT:.*]] = arith.select %{{.*}}, %[[GET]], %{{.*}} : tensor<16x128xi1>, tensor<16x128xf32>
// CHECK: pallas.addupdate %[[ARG2]][:, :], %[[SELECT]] : !pallas.ref<16x128xf32, vmem>, tensor<16x128xf32>
module {
  func.func @masked(%x: memref<16x128xf32, #tpu.memory_space<vmem>>, %o: memref<16x128xf32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0, %c0] : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>
    %k = arith.constant dense<true> : vector<16x128xi1>
    tpu.vector_store %o[%c0, %c0], %v masked %k {add = true, strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>, vector<16x128xi1>
    return
  }
}

// -----

// Strides are those of slices.

// CHECK-LABEL: pallas.pallas_call @strided grid()
// CHECK: kernel(%[[ARG:.*]]: !pallas.ref<16x128xf32, vmem>, %[[ARG2:.*]]: !pallas.ref<16x128xf32, vmem>) {
// CHECK: %[[GET:.*]] = pallas.get %[[ARG]][ds(0, 8, 2), :] : !pallas.ref<16x128xf32, vmem>
// CHECK: pallas.swap %[[ARG2]][ds(0, 8, 2), :], %[[GET]] : !pallas.ref<16x128xf32, vmem>, tensor<8x128xf32>
module {
  func.func @strided(%x: memref<16x128xf32, #tpu.memory_space<vmem>>, %o: memref<16x128xf32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %0 = tpu.strided_load %x[%c0, %c0] {strides = array<i32: 2, 1>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
    tpu.strided_store %o[%c0, %c0], %0 {strides = array<i32: 2, 1>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
    return
  }
}

// -----

// CHECK-LABEL: pallas.pallas_call @slice grid()
// CHECK: kernel(%[[ARG:.*]]: !pallas.ref<64x8x128xf32, vmem>, %[[ARG2:.*]]: !pallas.ref<1xi32, smem>, %[[ARG3:.*]]: !pallas.ref<8x128xf32, vmem>) {
// CHECK: %[[GET:.*]] = pallas.get %[[ARG2]][0] : !pallas.ref<1xi32, smem>
// CHECK: %[[MULTIPLE_OF:.*]] = pallas.multiple_of %[[GET]], [8] : i32
// CHECK: %[[SLICE_REF:.*]] = pallas.slice_ref %[[ARG]][ds(%[[MULTIPLE_OF]], 1), :, :] : !pallas.ref<64x8x128xf32, vmem>
// CHECK: %[[SLICE_REF2:.*]] = pallas.slice_ref %[[SLICE_REF]][0, :, :] : !pallas.ref<1x8x128xf32, vmem>
// CHECK: %[[GET2:.*]] = pallas.get %[[SLICE_REF2]][:, :] : !pallas.ref<8x128xf32, vmem>
// CHECK: pallas.swap %[[ARG3]][:, :], %[[GET2]] : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
module {
  func.func @slice(%x: memref<64x8x128xf32, #tpu.memory_space<vmem>>, %n: memref<1xi32, #tpu.memory_space<smem>>, %o: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %c0i = arith.constant 0 : i32
    %i = memref.load %n[%c0] : memref<1xi32, #tpu.memory_space<smem>>
    %m = tpu.assume_multiple %i, 8 : i32
    %0 = tpu.memref_slice %x[%m, %c0i, %c0i] : memref<64x8x128xf32, #tpu.memory_space<vmem>> -> memref<1x8x128xf32, #tpu.memory_space<vmem>>
    %1 = tpu.memref_squeeze %0 : memref<1x8x128xf32, #tpu.memory_space<vmem>> -> memref<8x128xf32, #tpu.memory_space<vmem>>
    %v = vector.load %1[%c0, %c0] : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
    tpu.vector_store %o[%c0, %c0], %v {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>,
    return
  }
}

// -----

// CHECK-LABEL: pallas.pallas_call @reshape grid()
// CHECK: kernel(%[[ARG:.*]]: !pallas.ref<16x128xf32, vmem>, %[[ARG2:.*]]: !pallas.ref<2x8x128xf32, vmem>) {
// CHECK: %[[RESHAPE_REF:.*]] = pallas.reshape_ref %[[ARG]] : !pallas.ref<16x128xf32, vmem> -> !pallas.ref<2x8x128xf32, vmem>
// CHECK: %[[GET:.*]] = pallas.get %[[RESHAPE_REF]][:, :, :] : !pallas.ref<2x8x128xf32, vmem>
// CHECK: pallas.swap %[[ARG2]][:, :, :], %[[GET]] : !pallas.ref<2x8x128xf32, vmem>, tensor<2x8x128xf32>
module {
  func.func @reshape(%x: memref<16x128xf32, #tpu.memory_space<vmem>>, %o: memref<2x8x128xf32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %0 = tpu.memref_reshape %x : memref<16x128xf32, #tpu.memory_space<vmem>> -> memref<2x8x128xf32, #tpu.memory_space<vmem>>
    %v = vector.load %0[%c0, %c0, %c0] : memref<2x8x128xf32, #tpu.memory_space<vmem>>, vector<2x8x128xf32>
    tpu.vector_store %o[%c0, %c0, %c0], %v {strides = array<i32>} : memref<2x8x128xf32, #tpu.memory_space<vmem>>, vector<2x8x128xf32>,
    return
  }
}

// -----

// CHECK-LABEL: pallas.pallas_call @bitcast grid()
// CHECK: kernel(%[[ARG:.*]]: !pallas.ref<16x128xf32, vmem>, %[[ARG2:.*]]: !pallas.ref<32x128xbf16, vmem>) {
// CHECK: %[[BITCAST_REF:.*]] = pallas.bitcast_ref %[[ARG]] : !pallas.ref<16x128xf32, vmem> -> !pallas.ref<32x128xbf16, vmem>
// CHECK: %[[GET:.*]] = pallas.get %[[BITCAST_REF]][:, :] : !pallas.ref<32x128xbf16, vmem>
// CHECK: pallas.swap %[[ARG2]][:, :], %[[GET]] : !pallas.ref<32x128xbf16, vmem>, tensor<32x128xbf16>
module {
  func.func @bitcast(%x: memref<16x128xf32, #tpu.memory_space<vmem>>, %o: memref<32x128xbf16, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %0 = tpu.memref_bitcast %x : memref<16x128xf32, #tpu.memory_space<vmem>> -> memref<32x128xbf16, #tpu.memory_space<vmem>>
    %v = vector.load %0[%c0, %c0] : memref<32x128xbf16, #tpu.memory_space<vmem>>, vector<32x128xbf16>
    tpu.vector_store %o[%c0, %c0], %v {strides = array<i32>} : memref<32x128xbf16, #tpu.memory_space<vmem>>, vector<32x128xbf16>,
    return
  }
}
