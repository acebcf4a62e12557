// RUN: pallas-opt %s --convert-mosaic-tpu-to-pallas --split-input-file | FileCheck %s

// CHECK-LABEL: pallas.pallas_call @iota grid()
// CHECK: kernel(%[[ARG:.*]]: !pallas.ref<16x128xi32, vmem>) {
// CHECK: %[[IOTA:.*]] = pallas.iota 1 : tensor<16x128xi32>
// CHECK: pallas.swap %[[ARG]][:, :], %[[IOTA]] : !pallas.ref<16x128xi32, vmem>, tensor<16x128xi32>
module {
  func.func @iota(%o: memref<16x128xi32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %0 = tpu.iota {dimensions = array<i32: 1>} : vector<16x128xi32>
    tpu.vector_store %o[%c0, %c0], %0 {strides = array<i32>} : memref<16x128xi32, #tpu.memory_space<vmem>>, vector<16x128xi32>,
    return
  }
}

// -----

// CHECK-LABEL: pallas.pallas_call @transpose grid()
// CHECK: kernel(%[[ARG:.*]]: !pallas.ref<16x128xf32, vmem>, %[[ARG2:.*]]: !pallas.ref<128x16xf32, vmem>) {
// CHECK: %[[GET:.*]] = pallas.get %[[ARG]][:, :] : !pallas.ref<16x128xf32, vmem>
// CHECK: %[[TRANSPOSE:.*]] = pallas.transpose %[[GET]], [1, 0] : tensor<16x128xf32>
// CHECK: pallas.swap %[[ARG2]][:, :], %[[TRANSPOSE]] : !pallas.ref<128x16xf32, vmem>, tensor<128x16xf32>
module {
  func.func @transpose(%x: memref<16x128xf32, #tpu.memory_space<vmem>>, %o: memref<128x16xf32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0, %c0] : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>
    %0 = tpu.transpose %v, [1, 0] : vector<16x128xf32> -> vector<128x16xf32>
    tpu.vector_store %o[%c0, %c0], %0 {strides = array<i32>} : memref<128x16xf32, #tpu.memory_space<vmem>>, vector<128x16xf32>,
    return
  }
}

// -----

// CHECK-LABEL: pallas.pallas_call @reshape grid()
// CHECK: kernel(%[[ARG:.*]]: !pallas.ref<16x128xf32, vmem>, %[[ARG2:.*]]: !pallas.ref<2x8x128xf32, vmem>) {
// CHECK: %[[GET:.*]] = pallas.get %[[ARG]][:, :] : !pallas.ref<16x128xf32, vmem>
// CHECK: %[[RESHAPE:.*]] = pallas.reshape %[[GET]] : tensor<16x128xf32> -> tensor<2x8x128xf32>
// CHECK: pallas.swap %[[ARG2]][:, :, :], %[[RESHAPE]] : !pallas.ref<2x8x128xf32, vmem>, tensor<2x8x128xf32>
module {
  func.func @reshape(%x: memref<16x128xf32, #tpu.memory_space<vmem>>, %o: memref<2x8x128xf32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0, %c0] : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>
    %0 = tpu.reshape %v : vector<16x128xf32> -> vector<2x8x128xf32>
    tpu.vector_store %o[%c0, %c0, %c0], %0 {strides = array<i32>} : memref<2x8x128xf32, #tpu.memory_space<vmem>>, vector<2x8x128xf32>,
    return
  }
}

// -----

// CHECK-LABEL: pallas.pallas_call @concatenate grid()
// CHECK: kernel(%[[ARG:.*]]: !pallas.ref<16x128xf32, vmem>, %[[ARG2:.*]]: !pallas.ref<32x128xf32, vmem>) {
// CHECK: %[[GET:.*]] = pallas.get %[[ARG]][:, :] : !pallas.ref<16x128xf32, vmem>
// CHECK: %[[CONCAT:.*]] = tensor.concat dim(0) %[[GET]], %[[GET]] : (tensor<16x128xf32>, tensor<16x128xf32>) -> tensor<32x128xf32>
// CHECK: pallas.swap %[[ARG2]][:, :], %[[CONCAT]] : !pallas.ref<32x128xf32, vmem>, tensor<32x128xf32>
module {
  func.func @concatenate(%x: memref<16x128xf32, #tpu.memory_space<vmem>>, %o: memref<32x128xf32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0, %c0] : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>
    %0 = tpu.concatenate %v, %v in 0 : vector<16x128xf32>, vector<16x128xf32> -> vector<32x128xf32>
    tpu.vector_store %o[%c0, %c0], %0 {strides = array<i32>} : memref<32x128xf32, #tpu.memory_space<vmem>>, vector<32x128xf32>,
    return
  }
}

// -----

// CHECK-LABEL: pallas.pallas_call @repeat grid()
// CHECK: kernel(%[[ARG:.*]]: !pallas.ref<16x128xf32, vmem>, %[[ARG2:.*]]: !pallas.ref<16x256xf32, vmem>) {
// CHECK: %[[GET:.*]] = pallas.get %[[ARG]][:, :] : !pallas.ref<16x128xf32, vmem>
// CHECK: %[[CONCAT:.*]] = tensor.concat dim(1) %[[GET]], %[[GET]] : (tensor<16x128xf32>, tensor<16x128xf32>) -> tensor<16x256xf32>
// CHECK: pallas.swap %[[ARG2]][:, :], %[[CONCAT]] : !pallas.ref<16x256xf32, vmem>, tensor<16x256xf32>
module {
  func.func @repeat(%x: memref<16x128xf32, #tpu.memory_space<vmem>>, %o: memref<16x256xf32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0, %c0] : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>
    %0 = tpu.repeat %v, 1 x 2 : vector<16x128xf32> -> vector<16x256xf32>
    tpu.vector_store %o[%c0, %c0], %0 {strides = array<i32>} : memref<16x256xf32, #tpu.memory_space<vmem>>, vector<16x256xf32>,
    return
  }
}

// -----

// CHECK-LABEL: pallas.pallas_call @dynamic_rotate grid()
// CHECK: kernel(%[[ARG:.*]]: !pallas.ref<16x128xf32, vmem>, %[[ARG2:.*]]: !pallas.ref<1xi32, smem>, %[[ARG3:.*]]: !pallas.ref<16x128xf32, vmem>) {
// CHECK: %[[GET:.*]] = pallas.get %[[ARG]][:, :] : !pallas.ref<16x128xf32, vmem>
// CHECK: %[[GET2:.*]] = pallas.get %[[ARG2]][0] : !pallas.ref<1xi32, smem>
// CHECK: %[[ROLL:.*]] = pallas.roll %[[GET]] by %[[GET2]] dim 1 : tensor<16x128xf32>
// CHECK: pallas.swap %[[ARG3]][:, :], %[[ROLL]] : !pallas.ref<16x128xf32, vmem>, tensor<16x128xf32>
module {
  func.func @dynamic_rotate(%x: memref<16x128xf32, #tpu.memory_space<vmem>>, %n: memref<1xi32, #tpu.memory_space<smem>>, %o: memref<16x128xf32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0, %c0] : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>
    %s = memref.load %n[%c0] : memref<1xi32, #tpu.memory_space<smem>>
    %0 = tpu.dynamic_rotate %v by %s dim 1 : vector<16x128xf32>, i32 -> vector<16x128xf32>
    tpu.vector_store %o[%c0, %c0], %0 {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>,
    return
  }
}

// -----

// CHECK-LABEL: pallas.pallas_call @dynamic_gather grid()
// CHECK: kernel(%[[ARG:.*]]: !pallas.ref<16x128xf32, vmem>, %[[ARG2:.*]]: !pallas.ref<16x128xi32, vmem>, %[[ARG3:.*]]: !pallas.ref<16x128xf32, vmem>) {
// CHECK: %[[GET:.*]] = pallas.get %[[ARG]][:, :] : !pallas.ref<16x128xf32, vmem>
// CHECK: %[[GET2:.*]] = pallas.get %[[ARG2]][:, :] : !pallas.ref<16x128xi32, vmem>
// CHECK: %[[TAKE_ALONG:.*]] = pallas.take_along %[[GET]] at %[[GET2]] dim 0 : tensor<16x128xf32>, tensor<16x128xi32> -> tensor<16x128xf32>
// CHECK: pallas.swap %[[ARG3]][:, :], %[[TAKE_ALONG]] : !pallas.ref<16x128xf32, vmem>, tensor<16x128xf32>
module {
  func.func @dynamic_gather(%x: memref<16x128xf32, #tpu.memory_space<vmem>>, %i: memref<16x128xi32, #tpu.memory_space<vmem>>, %o: memref<16x128xf32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0, %c0] : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>
    %i0 = vector.load %i[%c0, %c0] : memref<16x128xi32, #tpu.memory_space<vmem>>, vector<16x128xi32>
    %0 = tpu.dynamic_gather %v[%i0] in [0] : vector<16x128xf32>, vector<16x128xi32> -> vector<16x128xf32>
    tpu.vector_store %o[%c0, %c0], %0 {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>,
    return
  }
}
