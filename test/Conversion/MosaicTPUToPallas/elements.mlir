// RUN: pallas-opt %s --convert-mosaic-tpu-to-pallas --split-input-file | FileCheck %s

// CHECK-LABEL: pallas.pallas_call @bitcast grid()
// CHECK: kernel(%[[ARG:.*]]: !pallas.ref<16x128xf32, vmem>, %[[ARG2:.*]]: !pallas.ref<16x128xi32, vmem>) {
// CHECK: %[[GET:.*]] = pallas.get %[[ARG]][:, :] : !pallas.ref<16x128xf32, vmem>
// CHECK: %[[BITCAST:.*]] = pallas.bitcast %[[GET]] : tensor<16x128xf32> -> tensor<16x128xi32>
// CHECK: pallas.swap %[[ARG2]][:, :], %[[BITCAST]] : !pallas.ref<16x128xi32, vmem>, tensor<16x128xi32>
module {
  func.func @bitcast(%x: memref<16x128xf32, #tpu.memory_space<vmem>>, %o: memref<16x128xi32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0, %c0] : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>
    %0 = tpu.bitcast %v : vector<16x128xf32> -> vector<16x128xi32>
    tpu.vector_store %o[%c0, %c0], %0 {strides = array<i32>} : memref<16x128xi32, #tpu.memory_space<vmem>>, vector<16x128xi32>,
    return
  }
}

// -----

// Mosaic packs narrower elements along sublanes: the second to last dimension.

// CHECK-LABEL: pallas.pallas_call @bitcast_to_narrower grid()
// CHECK: kernel(%[[ARG:.*]]: !pallas.ref<16x128xf32, vmem>, %[[ARG2:.*]]: !pallas.ref<32x128xbf16, vmem>) {
// CHECK: %[[GET:.*]] = pallas.get %[[ARG]][:, :] : !pallas.ref<16x128xf32, vmem>
// CHECK: %[[BITCAST:.*]] = pallas.bitcast %[[GET]] dim 0 : tensor<16x128xf32> -> tensor<32x128xbf16>
// CHECK: pallas.swap %[[ARG2]][:, :], %[[BITCAST]] : !pallas.ref<32x128xbf16, vmem>, tensor<32x128xbf16>
module {
  func.func @bitcast_to_narrower(%x: memref<16x128xf32, #tpu.memory_space<vmem>>, %o: memref<32x128xbf16, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0, %c0] : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>
    %0 = tpu.bitcast %v : vector<16x128xf32> -> vector<32x128xbf16>
    tpu.vector_store %o[%c0, %c0], %0 {strides = array<i32>} : memref<32x128xbf16, #tpu.memory_space<vmem>>, vector<32x128xbf16>,
    return
  }
}

// -----

// CHECK-LABEL: pallas.pallas_call @reciprocal grid()
// CHECK: kernel(%[[ARG:.*]]: !pallas.ref<16x128xf32, vmem>, %[[ARG2:.*]]: !pallas.ref<16x128xf32, vmem>) {
// CHECK: %[[GET:.*]] = pallas.get %[[ARG]][:, :] : !pallas.ref<16x128xf32, vmem>
// CHECK: %[[RECIPROCAL:.*]] = pallas.reciprocal %[[GET]] approx : tensor<16x128xf32>
// CHECK: pallas.swap %[[ARG2]][:, :], %[[RECIPROCAL]] : !pallas.ref<16x128xf32, vmem>, tensor<16x128xf32>
module {
  func.func @reciprocal(%x: memref<16x128xf32, #tpu.memory_space<vmem>>, %o: memref<16x128xf32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0, %c0] : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>
    %0 = tpu.reciprocal %v {approx = true, full_range = false} : vector<16x128xf32> -> vector<16x128xf32>
    tpu.vector_store %o[%c0, %c0], %0 {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>,
    return
  }
}

// -----

// Weird is what is infinite or not a number.

// CHECK-LABEL: pallas.pallas_call @weird grid()
// CHECK: kernel(%[[ARG:.*]]: !pallas.ref<16x128xf32, vmem>, %[[ARG2:.*]]: !pallas.ref<16x128xi32, vmem>) {
// CHECK: %[[GET:.*]] = pallas.get %[[ARG]][:, :] : !pallas.ref<16x128xf32, vmem>
// CHECK: %[[ABSF:.*]] = math.absf %[[GET]] : tensor<16x128xf32>
// CHECK: arith.cmpf ueq, %[[ABSF]], %{{.*}} : tensor<16x128xf32>
// CHECK: pallas.swap %[[ARG2]][:, :], %{{.*}} : !pallas.ref<16x128xi32, vmem>, tensor<16x128xi32>
module {
  func.func @weird(%x: memref<16x128xf32, #tpu.memory_space<vmem>>, %o: memref<16x128xi32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0, %c0] : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>
    %0 = tpu.weird %v : vector<16x128xf32> -> vector<16x128xi1>
    %1 = arith.extui %0 : vector<16x128xi1> to vector<16x128xi32>
    tpu.vector_store %o[%c0, %c0], %1 {strides = array<i32>} : memref<16x128xi32, #tpu.memory_space<vmem>>, vector<16x128xi32>,
    return
  }
}

// -----

// CHECK-LABEL: pallas.pallas_call @stochastic_convert grid()
// CHECK: kernel(%[[ARG:.*]]: !pallas.ref<16x128xf32, vmem>, %[[ARG2:.*]]: !pallas.ref<16x128xi32, vmem>, %[[ARG3:.*]]: !pallas.ref<16x128xbf16, vmem>) {
// CHECK: %[[GET:.*]] = pallas.get %[[ARG]][:, :] : !pallas.ref<16x128xf32, vmem>
// CHECK: %[[GET2:.*]] = pallas.get %[[ARG2]][:, :] : !pallas.ref<16x128xi32, vmem>
// CHECK: %[[STOCHASTIC_ROUND:.*]] = pallas.stochastic_round %[[GET]] bits %[[GET2]] : tensor<16x128xf32>, tensor<16x128xi32> -> tensor<16x128xbf16>
// CHECK: pallas.swap %[[ARG3]][:, :], %[[STOCHASTIC_ROUND]] : !pallas.ref<16x128xbf16, vmem>, tensor<16x128xbf16>
module {
  func.func @stochastic_convert(%x: memref<16x128xf32, #tpu.memory_space<vmem>>, %b: memref<16x128xi32, #tpu.memory_space<vmem>>, %o: memref<16x128xbf16, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0, %c0] : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>
    %r = vector.load %b[%c0, %c0] : memref<16x128xi32, #tpu.memory_space<vmem>>, vector<16x128xi32>
    %0 = tpu.stochastic_convert %v, %r : vector<16x128xf32>, vector<16x128xi32> -> vector<16x128xbf16>
    tpu.vector_store %o[%c0, %c0], %0 {strides = array<i32>} : memref<16x128xbf16, #tpu.memory_space<vmem>>, vector<16x128xbf16>,
    return
  }
}

// -----

// CHECK-LABEL: pallas.pallas_call @pack_elementwise grid()
// CHECK: kernel(%[[ARG:.*]]: !pallas.ref<16x128xf32, vmem>, %[[ARG2:.*]]: !pallas.ref<16x128xf32, vmem>) {
// CHECK: %[[GET:.*]] = pallas.get %[[ARG]][:, :] : !pallas.ref<16x128xf32, vmem>
// CHECK: %[[PACK_ELEMENTWISE:.*]] = pallas.pack_elementwise %[[GET]], %[[GET]] as bf16 : tensor<16x128xf32>, tensor<16x128xf32> -> tensor<16x128xi32>
// CHECK: %[[UNPACK_ELEMENTWISE:.*]] = pallas.unpack_elementwise %[[PACK_ELEMENTWISE]][1] as bf16 : tensor<16x128xi32> -> tensor<16x128xf32>
// CHECK: pallas.swap %[[ARG2]][:, :], %[[UNPACK_ELEMENTWISE]] : !pallas.ref<16x128xf32, vmem>, tensor<16x128xf32>
module {
  func.func @pack_elementwise(%x: memref<16x128xf32, #tpu.memory_space<vmem>>, %o: memref<16x128xf32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0, %c0] : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>
    %0 = tpu.pack_elementwise %v, %v {target_type = bf16} : vector<16x128xf32>, vector<16x128xf32> -> vector<16x128xi32>
    %1 = tpu.unpack_elementwise %0, 1 {source_type = bf16} : vector<16x128xi32> -> vector<16x128xf32>
    tpu.vector_store %o[%c0, %c0], %1 {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>,
    return
  }
}
