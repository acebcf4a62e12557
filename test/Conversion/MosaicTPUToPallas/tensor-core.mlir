// RUN: pallas-opt %s --convert-mosaic-tpu-to-pallas --split-input-file | FileCheck %s

// Operations on a TensorCore: the operands and attributes that change what an
// operation becomes. One kernel per operation and case.

// A mask stays a mask: elements of a TensorCore keep their place.

// CHECK-LABEL: pallas.pallas_call @masked_load grid()
// CHECK: kernel(%[[ARG0:.*]]: !pallas.ref<16x128xf32, vmem>, %[[ARG1:.*]]: !pallas.ref<16x128xf32, vmem>) {
// CHECK-NEXT: %[[V0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V1:.*]] = arith.constant dense<true> : tensor<16x128xi1>
// CHECK-NEXT: %[[V2:.*]] = pallas.masked_load %[[ARG0]][:, :] mask %[[V1]] : !pallas.ref<16x128xf32, vmem>, tensor<16x128xi1>
// CHECK-NEXT: %[[V3:.*]] = pallas.swap %[[ARG1]][:, :], %[[V2]] : !pallas.ref<16x128xf32, vmem>, tensor<16x128xf32>
module {
  func.func @masked_load(%x: memref<16x128xf32, #tpu.memory_space<vmem>>, %o: memref<16x128xf32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %k = arith.constant dense<true> : vector<16x128xi1>
    %0 = tpu.vector_load %x[%c0, %c0] masked %k {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>, vector<16x128xi1>
    tpu.vector_store %o[%c0, %c0], %0 {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>,
    return
  }
}

// -----

// CHECK-LABEL: pallas.pallas_call @masked_store grid()
// CHECK: kernel(%[[ARG0:.*]]: !pallas.ref<16x128xf32, vmem>, %[[ARG1:.*]]: !pallas.ref<16x128xf32, vmem>) {
// CHECK-NEXT: %[[V0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V1:.*]] = pallas.get %[[ARG0]][:, :] : !pallas.ref<16x128xf32, vmem>
// CHECK-NEXT: %[[V2:.*]] = arith.constant dense<true> : tensor<16x128xi1>
// CHECK-NEXT: %[[V3:.*]] = pallas.masked_swap %[[ARG1]][:, :], %[[V1]] mask %[[V2]] : !pallas.ref<16x128xf32, vmem>, tensor<16x128xf32>, tensor<16x128xi1>
module {
  func.func @masked_store(%x: memref<16x128xf32, #tpu.memory_space<vmem>>, %o: memref<16x128xf32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %v = tpu.vector_load %x[%c0, %c0] {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>,
    %k = arith.constant dense<true> : vector<16x128xi1>
    tpu.vector_store %o[%c0, %c0], %v masked %k {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>, vector<16x128xi1>
    return
  }
}

// -----

// Without a mask, all elements are added.

// CHECK-LABEL: pallas.pallas_call @adding_store grid()
// CHECK: kernel(%[[ARG0:.*]]: !pallas.ref<16x128xf32, vmem>, %[[ARG1:.*]]: !pallas.ref<16x128xf32, vmem>) {
// CHECK-NEXT: %[[V0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V1:.*]] = pallas.get %[[ARG0]][:, :] : !pallas.ref<16x128xf32, vmem>
// CHECK-NEXT: pallas.addupdate %[[ARG1]][:, :], %[[V1]] : !pallas.ref<16x128xf32, vmem>, tensor<16x128xf32>
module {
  func.func @adding_store(%x: memref<16x128xf32, #tpu.memory_space<vmem>>, %o: memref<16x128xf32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %v = tpu.vector_load %x[%c0, %c0] {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>,
    tpu.vector_store %o[%c0, %c0], %v {add = true, strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>,
    return
  }
}

// -----

// A vector that is smaller than the buffer is a slice at the index.

// CHECK-LABEL: pallas.pallas_call @part_of_a_buffer grid()
// CHECK: kernel(%[[ARG0:.*]]: !pallas.ref<16x128xf32, vmem>, %[[ARG1:.*]]: !pallas.ref<8x128xf32, vmem>) {
// CHECK-NEXT: %[[V0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V1:.*]] = arith.constant 8 : index
// CHECK-NEXT: %[[V2:.*]] = pallas.get %[[ARG0]][ds(8, 8), :] : !pallas.ref<16x128xf32, vmem>
// CHECK-NEXT: %[[V3:.*]] = pallas.swap %[[ARG1]][:, :], %[[V2]] : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
module {
  func.func @part_of_a_buffer(%x: memref<16x128xf32, #tpu.memory_space<vmem>>, %o: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %0 = tpu.vector_load %x[%c8, %c0] {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>,
    tpu.vector_store %o[%c0, %c0], %0 {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>,
    return
  }
}

// -----

// The leading dimensions that a vector lacks are single indices.

// CHECK-LABEL: pallas.pallas_call @fewer_dimensions grid()
// CHECK: kernel(%[[ARG0:.*]]: !pallas.ref<4x8x128xf32, vmem>, %[[ARG1:.*]]: !pallas.ref<8x128xf32, vmem>) {
// CHECK-NEXT: %[[V0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V1:.*]] = arith.constant 2 : index
// CHECK-NEXT: %[[V2:.*]] = pallas.get %[[ARG0]][2, :, :] : !pallas.ref<4x8x128xf32, vmem>
// CHECK-NEXT: %[[V3:.*]] = pallas.swap %[[ARG1]][:, :], %[[V2]] : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
module {
  func.func @fewer_dimensions(%x: memref<4x8x128xf32, #tpu.memory_space<vmem>>, %o: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %0 = tpu.vector_load %x[%c2, %c0, %c0] {strides = array<i32>} : memref<4x8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>,
    tpu.vector_store %o[%c0, %c0], %0 {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>,
    return
  }
}

// -----

// A stride of zero reads one row for all.

// CHECK-LABEL: pallas.pallas_call @repeated_load grid()
// CHECK: kernel(%[[ARG0:.*]]: !pallas.ref<16x128xf32, vmem>, %[[ARG1:.*]]: !pallas.ref<8x128xf32, vmem>) {
// CHECK-NEXT: %[[V0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V1:.*]] = arith.constant 3 : index
// CHECK-NEXT: %[[V2:.*]] = pallas.get %[[ARG0]][ds(3, 1), :] : !pallas.ref<16x128xf32, vmem>
// CHECK-NEXT: %[[V3:.*]] = pallas.broadcast %[[V2]] dims [0, 1] : tensor<1x128xf32> -> tensor<8x128xf32>
// CHECK-NEXT: %[[V4:.*]] = pallas.swap %[[ARG1]][:, :], %[[V3]] : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
module {
  func.func @repeated_load(%x: memref<16x128xf32, #tpu.memory_space<vmem>>, %o: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %0 = tpu.strided_load %x[%c3, %c0] {strides = array<i32: 0, 1>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
    tpu.vector_store %o[%c0, %c0], %0 {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>,
    return
  }
}

// -----

// Narrow floats are computed in f32.

// CHECK-LABEL: pallas.pallas_call @narrow_logistic grid()
// CHECK: kernel(%[[ARG0:.*]]: !pallas.ref<16x128xbf16, vmem>, %[[ARG1:.*]]: !pallas.ref<16x128xbf16, vmem>) {
// CHECK-NEXT: %[[V0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V1:.*]] = pallas.get %[[ARG0]][:, :] : !pallas.ref<16x128xbf16, vmem>
// CHECK-NEXT: %[[V2:.*]] = arith.extf %[[V1]] : tensor<16x128xbf16> to tensor<16x128xf32>
// CHECK-NEXT: %[[V3:.*]] = arith.constant dense<1.000000e+00> : tensor<16x128xf32>
// CHECK-NEXT: %[[V4:.*]] = arith.negf %[[V2]] : tensor<16x128xf32>
// CHECK-NEXT: %[[V5:.*]] = math.exp %[[V4]] : tensor<16x128xf32>
// CHECK-NEXT: %[[V6:.*]] = arith.addf %[[V3]], %[[V5]] : tensor<16x128xf32>
// CHECK-NEXT: %[[V7:.*]] = arith.divf %[[V3]], %[[V6]] : tensor<16x128xf32>
// CHECK-NEXT: %[[V8:.*]] = arith.truncf %[[V7]] : tensor<16x128xf32> to tensor<16x128xbf16>
// CHECK-NEXT: %[[V9:.*]] = pallas.swap %[[ARG1]][:, :], %[[V8]] : !pallas.ref<16x128xbf16, vmem>, tensor<16x128xbf16>
module {
  func.func @narrow_logistic(%x: memref<16x128xbf16, #tpu.memory_space<vmem>>, %o: memref<16x128xbf16, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %v = tpu.vector_load %x[%c0, %c0] {strides = array<i32>} : memref<16x128xbf16, #tpu.memory_space<vmem>>, vector<16x128xbf16>,
    %0 = tpu.logistic %v : vector<16x128xbf16> -> vector<16x128xbf16>
    tpu.vector_store %o[%c0, %c0], %0 {strides = array<i32>} : memref<16x128xbf16, #tpu.memory_space<vmem>>, vector<16x128xbf16>,
    return
  }
}

// -----

// With all 8 bits of exponent, only the mantissa is rounded. Adding a half that
// depends on the last bit rounds to even.

// CHECK-LABEL: pallas.pallas_call @mantissa_only grid()
// CHECK: kernel(%[[ARG0:.*]]: !pallas.ref<16x128xf32, vmem>, %[[ARG1:.*]]: !pallas.ref<16x128xf32, vmem>) {
// CHECK-NEXT: %[[V0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V1:.*]] = pallas.get %[[ARG0]][:, :] : !pallas.ref<16x128xf32, vmem>
// CHECK-NEXT: %[[V2:.*]] = pallas.bitcast %[[V1]] : tensor<16x128xf32> -> tensor<16x128xi32>
// CHECK-NEXT: %[[V3:.*]] = arith.constant dense<16> : tensor<16x128xi32>
// CHECK-NEXT: %[[V4:.*]] = arith.shrui %[[V2]], %[[V3]] : tensor<16x128xi32>
// CHECK-NEXT: %[[V5:.*]] = arith.constant dense<1> : tensor<16x128xi32>
// CHECK-NEXT: %[[V6:.*]] = arith.andi %[[V4]], %[[V5]] : tensor<16x128xi32>
// CHECK-NEXT: %[[V7:.*]] = arith.constant dense<32767> : tensor<16x128xi32>
// CHECK-NEXT: %[[V8:.*]] = arith.addi %[[V6]], %[[V7]] : tensor<16x128xi32>
// CHECK-NEXT: %[[V9:.*]] = arith.addi %[[V2]], %[[V8]] : tensor<16x128xi32>
// CHECK-NEXT: %[[V10:.*]] = arith.constant dense<-65536> : tensor<16x128xi32>
// CHECK-NEXT: %[[V11:.*]] = arith.andi %[[V9]], %[[V10]] : tensor<16x128xi32>
// CHECK-NEXT: %[[V12:.*]] = pallas.bitcast %[[V11]] : tensor<16x128xi32> -> tensor<16x128xf32>
// CHECK-NEXT: %[[V13:.*]] = arith.cmpf uno, %[[V1]], %[[V1]] : tensor<16x128xf32>
// CHECK-NEXT: %[[V14:.*]] = arith.select %[[V13]], %[[V1]], %[[V12]] : tensor<16x128xi1>, tensor<16x128xf32>
// CHECK-NEXT: %[[V15:.*]] = pallas.swap %[[ARG1]][:, :], %[[V14]] : !pallas.ref<16x128xf32, vmem>, tensor<16x128xf32>
module {
  func.func @mantissa_only(%x: memref<16x128xf32, #tpu.memory_space<vmem>>, %o: memref<16x128xf32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %v = tpu.vector_load %x[%c0, %c0] {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>,
    %0 = tpu.reduce_precision %v {exponent_bits = 8 : i32, mantissa_bits = 7 : i32} : vector<16x128xf32> -> vector<16x128xf32>
    tpu.vector_store %o[%c0, %c0], %0 {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>,
    return
  }
}

// -----

// With all 23 bits of mantissa, numbers out of range become infinity or zero.

// CHECK-LABEL: pallas.pallas_call @exponent_only grid()
// CHECK: kernel(%[[ARG0:.*]]: !pallas.ref<16x128xf32, vmem>, %[[ARG1:.*]]: !pallas.ref<16x128xf32, vmem>) {
// CHECK-NEXT: %[[V0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V1:.*]] = pallas.get %[[ARG0]][:, :] : !pallas.ref<16x128xf32, vmem>
// CHECK-NEXT: %[[V2:.*]] = pallas.bitcast %[[V1]] : tensor<16x128xf32> -> tensor<16x128xi32>
// CHECK-NEXT: %[[V3:.*]] = arith.constant dense<-2147483648> : tensor<16x128xi32>
// CHECK-NEXT: %[[V4:.*]] = arith.andi %[[V2]], %[[V3]] : tensor<16x128xi32>
// CHECK-NEXT: %[[V5:.*]] = arith.constant dense<2139095040> : tensor<16x128xi32>
// CHECK-NEXT: %[[V6:.*]] = arith.andi %[[V2]], %[[V5]] : tensor<16x128xi32>
// CHECK-NEXT: %[[V7:.*]] = arith.constant dense<2139095040> : tensor<16x128xi32>
// CHECK-NEXT: %[[V8:.*]] = arith.ori %[[V4]], %[[V7]] : tensor<16x128xi32>
// CHECK-NEXT: %[[V9:.*]] = arith.constant dense<1191182336> : tensor<16x128xi32>
// CHECK-NEXT: %[[V10:.*]] = arith.cmpi ugt, %[[V6]], %[[V9]] : tensor<16x128xi32>
// CHECK-NEXT: %[[V11:.*]] = arith.constant dense<939524096> : tensor<16x128xi32>
// CHECK-NEXT: %[[V12:.*]] = arith.cmpi ule, %[[V6]], %[[V11]] : tensor<16x128xi32>
// CHECK-NEXT: %[[V13:.*]] = arith.select %[[V10]], %[[V8]], %[[V2]] : tensor<16x128xi1>, tensor<16x128xi32>
// CHECK-NEXT: %[[V14:.*]] = arith.select %[[V12]], %[[V4]], %[[V13]] : tensor<16x128xi1>, tensor<16x128xi32>
// CHECK-NEXT: %[[V15:.*]] = pallas.bitcast %[[V14]] : tensor<16x128xi32> -> tensor<16x128xf32>
// CHECK-NEXT: %[[V16:.*]] = arith.cmpf uno, %[[V1]], %[[V1]] : tensor<16x128xf32>
// CHECK-NEXT: %[[V17:.*]] = arith.select %[[V16]], %[[V1]], %[[V15]] : tensor<16x128xi1>, tensor<16x128xf32>
// CHECK-NEXT: %[[V18:.*]] = pallas.swap %[[ARG1]][:, :], %[[V17]] : !pallas.ref<16x128xf32, vmem>, tensor<16x128xf32>
module {
  func.func @exponent_only(%x: memref<16x128xf32, #tpu.memory_space<vmem>>, %o: memref<16x128xf32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %v = tpu.vector_load %x[%c0, %c0] {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>,
    %0 = tpu.reduce_precision %v {exponent_bits = 5 : i32, mantissa_bits = 23 : i32} : vector<16x128xf32> -> vector<16x128xf32>
    tpu.vector_store %o[%c0, %c0], %0 {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>,
    return
  }
}

// -----

// CHECK-LABEL: pallas.pallas_call @full_range_reciprocal grid()
// CHECK: kernel(%[[ARG0:.*]]: !pallas.ref<16x128xf32, vmem>, %[[ARG1:.*]]: !pallas.ref<16x128xf32, vmem>) {
// CHECK-NEXT: %[[V0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V1:.*]] = pallas.get %[[ARG0]][:, :] : !pallas.ref<16x128xf32, vmem>
// CHECK-NEXT: %[[V2:.*]] = pallas.reciprocal %[[V1]] full_range : tensor<16x128xf32>
// CHECK-NEXT: %[[V3:.*]] = pallas.swap %[[ARG1]][:, :], %[[V2]] : !pallas.ref<16x128xf32, vmem>, tensor<16x128xf32>
module {
  func.func @full_range_reciprocal(%x: memref<16x128xf32, #tpu.memory_space<vmem>>, %o: memref<16x128xf32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %v = tpu.vector_load %x[%c0, %c0] {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>,
    %0 = tpu.reciprocal %v {approx = false, full_range = true} : vector<16x128xf32> -> vector<16x128xf32>
    tpu.vector_store %o[%c0, %c0], %0 {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>,
    return
  }
}

// -----

// Two narrow rows make one wide row.

// CHECK-LABEL: pallas.pallas_call @bitcast_to_wider grid()
// CHECK: kernel(%[[ARG0:.*]]: !pallas.ref<32x128xbf16, vmem>, %[[ARG1:.*]]: !pallas.ref<16x128xi32, vmem>) {
// CHECK-NEXT: %[[V0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V1:.*]] = pallas.get %[[ARG0]][:, :] : !pallas.ref<32x128xbf16, vmem>
// CHECK-NEXT: %[[V2:.*]] = pallas.bitcast %[[V1]] dim 0 : tensor<32x128xbf16> -> tensor<16x128xi32>
// CHECK-NEXT: %[[V3:.*]] = pallas.swap %[[ARG1]][:, :], %[[V2]] : !pallas.ref<16x128xi32, vmem>, tensor<16x128xi32>
module {
  func.func @bitcast_to_wider(%x: memref<32x128xbf16, #tpu.memory_space<vmem>>, %o: memref<16x128xi32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %v = tpu.vector_load %x[%c0, %c0] {strides = array<i32>} : memref<32x128xbf16, #tpu.memory_space<vmem>>, vector<32x128xbf16>,
    %0 = tpu.bitcast %v : vector<32x128xbf16> -> vector<16x128xi32>
    tpu.vector_store %o[%c0, %c0], %0 {strides = array<i32>} : memref<16x128xi32, #tpu.memory_space<vmem>>, vector<16x128xi32>,
    return
  }
}

// -----

// The elements keep their width, so their order does not matter.

// CHECK-LABEL: pallas.pallas_call @vector_bitcast grid()
// CHECK: kernel(%[[ARG0:.*]]: !pallas.ref<16x128xf32, vmem>, %[[ARG1:.*]]: !pallas.ref<16x128xi32, vmem>) {
// CHECK-NEXT: %[[V0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V1:.*]] = pallas.get %[[ARG0]][:, :] : !pallas.ref<16x128xf32, vmem>
// CHECK-NEXT: %[[V2:.*]] = pallas.bitcast %[[V1]] : tensor<16x128xf32> -> tensor<16x128xi32>
// CHECK-NEXT: %[[V3:.*]] = pallas.swap %[[ARG1]][:, :], %[[V2]] : !pallas.ref<16x128xi32, vmem>, tensor<16x128xi32>
module {
  func.func @vector_bitcast(%x: memref<16x128xf32, #tpu.memory_space<vmem>>, %o: memref<16x128xi32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %v = tpu.vector_load %x[%c0, %c0] {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>,
    %0 = vector.bitcast %v : vector<16x128xf32> to vector<16x128xi32>
    tpu.vector_store %o[%c0, %c0], %0 {strides = array<i32>} : memref<16x128xi32, #tpu.memory_space<vmem>>, vector<16x128xi32>,
    return
  }
}

// -----

// Two dimensions count as one: 128 * row + column.

// CHECK-LABEL: pallas.pallas_call @flat_iota grid()
// CHECK: kernel(%[[ARG0:.*]]: !pallas.ref<16x128xi32, vmem>) {
// CHECK-NEXT: %[[V0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V1:.*]] = pallas.iota 1 : tensor<16x128xi32>
// CHECK-NEXT: %[[V2:.*]] = pallas.iota 0 : tensor<16x128xi32>
// CHECK-NEXT: %[[V3:.*]] = arith.constant dense<128> : tensor<16x128xi32>
// CHECK-NEXT: %[[V4:.*]] = arith.muli %[[V2]], %[[V3]] : tensor<16x128xi32>
// CHECK-NEXT: %[[V5:.*]] = arith.addi %[[V1]], %[[V4]] : tensor<16x128xi32>
// CHECK-NEXT: %[[V6:.*]] = pallas.swap %[[ARG0]][:, :], %[[V5]] : !pallas.ref<16x128xi32, vmem>, tensor<16x128xi32>
module {
  func.func @flat_iota(%o: memref<16x128xi32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %0 = tpu.iota {dimensions = array<i32: 0, 1>} : vector<16x128xi32>
    tpu.vector_store %o[%c0, %c0], %0 {strides = array<i32>} : memref<16x128xi32, #tpu.memory_space<vmem>>, vector<16x128xi32>,
    return
  }
}

// -----

// The last dimension of the list counts fastest: row + 16 * column.

// CHECK-LABEL: pallas.pallas_call @column_major_iota grid()
// CHECK: kernel(%[[ARG0:.*]]: !pallas.ref<16x128xi32, vmem>) {
// CHECK-NEXT: %[[V0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V1:.*]] = pallas.iota 0 : tensor<16x128xi32>
// CHECK-NEXT: %[[V2:.*]] = pallas.iota 1 : tensor<16x128xi32>
// CHECK-NEXT: %[[V3:.*]] = arith.constant dense<16> : tensor<16x128xi32>
// CHECK-NEXT: %[[V4:.*]] = arith.muli %[[V2]], %[[V3]] : tensor<16x128xi32>
// CHECK-NEXT: %[[V5:.*]] = arith.addi %[[V1]], %[[V4]] : tensor<16x128xi32>
// CHECK-NEXT: %[[V6:.*]] = pallas.swap %[[ARG0]][:, :], %[[V5]] : !pallas.ref<16x128xi32, vmem>, tensor<16x128xi32>
module {
  func.func @column_major_iota(%o: memref<16x128xi32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %0 = tpu.iota {dimensions = array<i32: 1, 0>} : vector<16x128xi32>
    tpu.vector_store %o[%c0, %c0], %0 {strides = array<i32>} : memref<16x128xi32, #tpu.memory_space<vmem>>, vector<16x128xi32>,
    return
  }
}

// -----

// Each row is rotated one element further than the row before.

// CHECK-LABEL: pallas.pallas_call @strided_rotate grid()
// CHECK: kernel(%[[ARG0:.*]]: !pallas.ref<16x128xf32, vmem>, %[[ARG1:.*]]: !pallas.ref<1xi32, smem>, %[[ARG2:.*]]: !pallas.ref<16x128xf32, vmem>) {
// CHECK-NEXT: %[[V0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V1:.*]] = pallas.get %[[ARG0]][:, :] : !pallas.ref<16x128xf32, vmem>
// CHECK-NEXT: %[[V2:.*]] = pallas.get %[[ARG1]][0] : !pallas.ref<1xi32, smem>
// CHECK-NEXT: %[[V3:.*]] = pallas.roll %[[V1]] by %[[V2]] dim 1 stride 1 along 0 : tensor<16x128xf32>
// CHECK-NEXT: %[[V4:.*]] = pallas.swap %[[ARG2]][:, :], %[[V3]] : !pallas.ref<16x128xf32, vmem>, tensor<16x128xf32>
module {
  func.func @strided_rotate(%x: memref<16x128xf32, #tpu.memory_space<vmem>>, %n: memref<1xi32, #tpu.memory_space<smem>>, %o: memref<16x128xf32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %v = tpu.vector_load %x[%c0, %c0] {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>,
    %s = memref.load %n[%c0] : memref<1xi32, #tpu.memory_space<smem>>
    %0 = tpu.dynamic_rotate %v by %s dim 1 {stride = 1 : si32, stride_dimension = 0 : si32} : vector<16x128xf32>, i32 -> vector<16x128xf32>
    tpu.vector_store %o[%c0, %c0], %0 {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>,
    return
  }
}

// -----

// CHECK-LABEL: pallas.pallas_call @gather_along_columns grid()
// CHECK: kernel(%[[ARG0:.*]]: !pallas.ref<16x128xf32, vmem>, %[[ARG1:.*]]: !pallas.ref<16x128xi32, vmem>, %[[ARG2:.*]]: !pallas.ref<16x128xf32, vmem>) {
// CHECK-NEXT: %[[V0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V1:.*]] = pallas.get %[[ARG0]][:, :] : !pallas.ref<16x128xf32, vmem>
// CHECK-NEXT: %[[V2:.*]] = pallas.get %[[ARG1]][:, :] : !pallas.ref<16x128xi32, vmem>
// CHECK-NEXT: %[[V3:.*]] = pallas.take_along %[[V1]] at %[[V2]] dim 1 : tensor<16x128xf32>, tensor<16x128xi32> -> tensor<16x128xf32>
// CHECK-NEXT: %[[V4:.*]] = pallas.swap %[[ARG2]][:, :], %[[V3]] : !pallas.ref<16x128xf32, vmem>, tensor<16x128xf32>
module {
  func.func @gather_along_columns(%x: memref<16x128xf32, #tpu.memory_space<vmem>>, %i: memref<16x128xi32, #tpu.memory_space<vmem>>, %o: memref<16x128xf32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %v = tpu.vector_load %x[%c0, %c0] {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>,
    %p = tpu.vector_load %i[%c0, %c0] {strides = array<i32>} : memref<16x128xi32, #tpu.memory_space<vmem>>, vector<16x128xi32>,
    %0 = tpu.dynamic_gather %v[%p] in [1] : vector<16x128xf32>, vector<16x128xi32> -> vector<16x128xf32>
    tpu.vector_store %o[%c0, %c0], %0 {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>,
    return
  }
}

// -----

// Two dimensions are indexed as one, so they are joined around the gather.

// CHECK-LABEL: pallas.pallas_call @gather_along_both grid()
// CHECK: kernel(%[[ARG0:.*]]: !pallas.ref<16x128xf32, vmem>, %[[ARG1:.*]]: !pallas.ref<16x128xi32, vmem>, %[[ARG2:.*]]: !pallas.ref<16x128xf32, vmem>) {
// CHECK-NEXT: %[[V0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V1:.*]] = pallas.get %[[ARG0]][:, :] : !pallas.ref<16x128xf32, vmem>
// CHECK-NEXT: %[[V2:.*]] = pallas.get %[[ARG1]][:, :] : !pallas.ref<16x128xi32, vmem>
// CHECK-NEXT: %[[V3:.*]] = pallas.reshape %[[V1]] : tensor<16x128xf32> -> tensor<2048xf32>
// CHECK-NEXT: %[[V4:.*]] = pallas.reshape %[[V2]] : tensor<16x128xi32> -> tensor<2048xi32>
// CHECK-NEXT: %[[V5:.*]] = pallas.take_along %[[V3]] at %[[V4]] dim 0 : tensor<2048xf32>, tensor<2048xi32> -> tensor<2048xf32>
// CHECK-NEXT: %[[V6:.*]] = pallas.reshape %[[V5]] : tensor<2048xf32> -> tensor<16x128xf32>
// CHECK-NEXT: %[[V7:.*]] = pallas.swap %[[ARG2]][:, :], %[[V6]] : !pallas.ref<16x128xf32, vmem>, tensor<16x128xf32>
module {
  func.func @gather_along_both(%x: memref<16x128xf32, #tpu.memory_space<vmem>>, %i: memref<16x128xi32, #tpu.memory_space<vmem>>, %o: memref<16x128xf32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %v = tpu.vector_load %x[%c0, %c0] {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>,
    %p = tpu.vector_load %i[%c0, %c0] {strides = array<i32>} : memref<16x128xi32, #tpu.memory_space<vmem>>, vector<16x128xi32>,
    %0 = tpu.dynamic_gather %v[%p] in [0, 1] : vector<16x128xf32>, vector<16x128xi32> -> vector<16x128xf32>
    tpu.vector_store %o[%c0, %c0], %0 {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>,
    return
  }
}

// -----

// An accumulator that is not zero is an operand.

// CHECK-LABEL: pallas.pallas_call @accumulated_matmul grid()
// CHECK: kernel(%[[ARG0:.*]]: !pallas.ref<16x128xf32, vmem>, %[[ARG1:.*]]: !pallas.ref<128x256xf32, vmem>, %[[ARG2:.*]]: !pallas.ref<16x256xf32, vmem>) {
// CHECK-NEXT: %[[V0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V1:.*]] = pallas.get %[[ARG0]][:, :] : !pallas.ref<16x128xf32, vmem>
// CHECK-NEXT: %[[V2:.*]] = pallas.get %[[ARG1]][:, :] : !pallas.ref<128x256xf32, vmem>
// CHECK-NEXT: %[[V3:.*]] = pallas.get %[[ARG2]][:, :] : !pallas.ref<16x256xf32, vmem>
// CHECK-NEXT: %[[V4:.*]] = pallas.dot_general %[[V1]], %[[V2]] acc %[[V3]] contract [1] x [0] : tensor<16x128xf32>, tensor<128x256xf32>, tensor<16x256xf32> -> tensor<16x256xf32>
// CHECK-NEXT: %[[V5:.*]] = pallas.swap %[[ARG2]][:, :], %[[V4]] : !pallas.ref<16x256xf32, vmem>, tensor<16x256xf32>
module {
  func.func @accumulated_matmul(%a: memref<16x128xf32, #tpu.memory_space<vmem>>, %b: memref<128x256xf32, #tpu.memory_space<vmem>>, %o: memref<16x256xf32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %l = tpu.vector_load %a[%c0, %c0] {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>,
    %r = tpu.vector_load %b[%c0, %c0] {strides = array<i32>} : memref<128x256xf32, #tpu.memory_space<vmem>>, vector<128x256xf32>,
    %z = tpu.vector_load %o[%c0, %c0] {strides = array<i32>} : memref<16x256xf32, #tpu.memory_space<vmem>>, vector<16x256xf32>,
    %0 = tpu.matmul %l, %r, %z {transpose_lhs_hint = false, dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [0], [1], [0, 0, 1, 1], [], []>} : vector<16x128xf32>, vector<128x256xf32>, vector<16x256xf32> -> vector<16x256xf32>
    tpu.vector_store %o[%c0, %c0], %0 {strides = array<i32>} : memref<16x256xf32, #tpu.memory_space<vmem>>, vector<16x256xf32>,
    return
  }
}

// -----

// CHECK-LABEL: pallas.pallas_call @exact_matmul grid()
// CHECK: kernel(%[[ARG0:.*]]: !pallas.ref<16x128xf32, vmem>, %[[ARG1:.*]]: !pallas.ref<128x256xf32, vmem>, %[[ARG2:.*]]: !pallas.ref<16x256xf32, vmem>) {
// CHECK-NEXT: %[[V0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V1:.*]] = pallas.get %[[ARG0]][:, :] : !pallas.ref<16x128xf32, vmem>
// CHECK-NEXT: %[[V2:.*]] = pallas.get %[[ARG1]][:, :] : !pallas.ref<128x256xf32, vmem>
// CHECK-NEXT: %[[V3:.*]] = arith.constant dense<0.000000e+00> : tensor<16x256xf32>
// CHECK-NEXT: %[[V4:.*]] = pallas.dot_general %[[V1]], %[[V2]] contract [1] x [0] precision  highest : tensor<16x128xf32>, tensor<128x256xf32> -> tensor<16x256xf32>
// CHECK-NEXT: %[[V5:.*]] = pallas.swap %[[ARG2]][:, :], %[[V4]] : !pallas.ref<16x256xf32, vmem>, tensor<16x256xf32>
module {
  func.func @exact_matmul(%a: memref<16x128xf32, #tpu.memory_space<vmem>>, %b: memref<128x256xf32, #tpu.memory_space<vmem>>, %o: memref<16x256xf32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %l = tpu.vector_load %a[%c0, %c0] {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>,
    %r = tpu.vector_load %b[%c0, %c0] {strides = array<i32>} : memref<128x256xf32, #tpu.memory_space<vmem>>, vector<128x256xf32>,
    %z = arith.constant dense<0.0> : vector<16x256xf32>
    %0 = tpu.matmul %l, %r, %z {transpose_lhs_hint = false, dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [0], [1], [0, 0, 1, 1], [], []>, precision = #tpu.contract_precision<fp32>} : vector<16x128xf32>, vector<128x256xf32>, vector<16x256xf32> -> vector<16x256xf32>
    tpu.vector_store %o[%c0, %c0], %0 {strides = array<i32>} : memref<16x256xf32, #tpu.memory_space<vmem>>, vector<16x256xf32>,
    return
  }
}

// -----

// CHECK-LABEL: pallas.pallas_call @three_pass_matmul grid()
// CHECK: kernel(%[[ARG0:.*]]: !pallas.ref<16x128xf32, vmem>, %[[ARG1:.*]]: !pallas.ref<128x256xf32, vmem>, %[[ARG2:.*]]: !pallas.ref<16x256xf32, vmem>) {
// CHECK-NEXT: %[[V0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V1:.*]] = pallas.get %[[ARG0]][:, :] : !pallas.ref<16x128xf32, vmem>
// CHECK-NEXT: %[[V2:.*]] = pallas.get %[[ARG1]][:, :] : !pallas.ref<128x256xf32, vmem>
// CHECK-NEXT: %[[V3:.*]] = arith.constant dense<0.000000e+00> : tensor<16x256xf32>
// CHECK-NEXT: %[[V4:.*]] = pallas.dot_general %[[V1]], %[[V2]] contract [1] x [0] precision  high : tensor<16x128xf32>, tensor<128x256xf32> -> tensor<16x256xf32>
// CHECK-NEXT: %[[V5:.*]] = pallas.swap %[[ARG2]][:, :], %[[V4]] : !pallas.ref<16x256xf32, vmem>, tensor<16x256xf32>
module {
  func.func @three_pass_matmul(%a: memref<16x128xf32, #tpu.memory_space<vmem>>, %b: memref<128x256xf32, #tpu.memory_space<vmem>>, %o: memref<16x256xf32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %l = tpu.vector_load %a[%c0, %c0] {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>,
    %r = tpu.vector_load %b[%c0, %c0] {strides = array<i32>} : memref<128x256xf32, #tpu.memory_space<vmem>>, vector<128x256xf32>,
    %z = arith.constant dense<0.0> : vector<16x256xf32>
    %0 = tpu.matmul %l, %r, %z {transpose_lhs_hint = false, dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [0], [1], [0, 0, 1, 1], [], []>, precision = #tpu.contract_precision<bf16x3>} : vector<16x128xf32>, vector<128x256xf32>, vector<16x256xf32> -> vector<16x256xf32>
    tpu.vector_store %o[%c0, %c0], %0 {strides = array<i32>} : memref<16x256xf32, #tpu.memory_space<vmem>>, vector<16x256xf32>,
    return
  }
}

// -----

// The default of pallas is one pass on bf16.

// CHECK-LABEL: pallas.pallas_call @one_pass_matmul grid()
// CHECK: kernel(%[[ARG0:.*]]: !pallas.ref<16x128xf32, vmem>, %[[ARG1:.*]]: !pallas.ref<128x256xf32, vmem>, %[[ARG2:.*]]: !pallas.ref<16x256xf32, vmem>) {
// CHECK-NEXT: %[[V0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V1:.*]] = pallas.get %[[ARG0]][:, :] : !pallas.ref<16x128xf32, vmem>
// CHECK-NEXT: %[[V2:.*]] = pallas.get %[[ARG1]][:, :] : !pallas.ref<128x256xf32, vmem>
// CHECK-NEXT: %[[V3:.*]] = arith.constant dense<0.000000e+00> : tensor<16x256xf32>
// CHECK-NEXT: %[[V4:.*]] = pallas.dot_general %[[V1]], %[[V2]] contract [1] x [0] : tensor<16x128xf32>, tensor<128x256xf32> -> tensor<16x256xf32>
// CHECK-NEXT: %[[V5:.*]] = pallas.swap %[[ARG2]][:, :], %[[V4]] : !pallas.ref<16x256xf32, vmem>, tensor<16x256xf32>
module {
  func.func @one_pass_matmul(%a: memref<16x128xf32, #tpu.memory_space<vmem>>, %b: memref<128x256xf32, #tpu.memory_space<vmem>>, %o: memref<16x256xf32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %l = tpu.vector_load %a[%c0, %c0] {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>,
    %r = tpu.vector_load %b[%c0, %c0] {strides = array<i32>} : memref<128x256xf32, #tpu.memory_space<vmem>>, vector<128x256xf32>,
    %z = arith.constant dense<0.0> : vector<16x256xf32>
    %0 = tpu.matmul %l, %r, %z {transpose_lhs_hint = false, dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [0], [1], [0, 0, 1, 1], [], []>, precision = #tpu.contract_precision<bf16>} : vector<16x128xf32>, vector<128x256xf32>, vector<16x256xf32> -> vector<16x256xf32>
    tpu.vector_store %o[%c0, %c0], %0 {strides = array<i32>} : memref<16x256xf32, #tpu.memory_space<vmem>>, vector<16x256xf32>,
    return
  }
}

// -----

// Without dimension numbers, a flag says that the second operand is transposed.

// CHECK-LABEL: pallas.pallas_call @transposed_matmul grid()
// CHECK: kernel(%[[ARG0:.*]]: !pallas.ref<16x128xf32, vmem>, %[[ARG1:.*]]: !pallas.ref<256x128xf32, vmem>, %[[ARG2:.*]]: !pallas.ref<16x256xf32, vmem>) {
// CHECK-NEXT: %[[V0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V1:.*]] = pallas.get %[[ARG0]][:, :] : !pallas.ref<16x128xf32, vmem>
// CHECK-NEXT: %[[V2:.*]] = pallas.get %[[ARG1]][:, :] : !pallas.ref<256x128xf32, vmem>
// CHECK-NEXT: %[[V3:.*]] = arith.constant dense<0.000000e+00> : tensor<16x256xf32>
// CHECK-NEXT: %[[V4:.*]] = pallas.dot_general %[[V1]], %[[V2]] contract [1] x [1] : tensor<16x128xf32>, tensor<256x128xf32> -> tensor<16x256xf32>
// CHECK-NEXT: %[[V5:.*]] = pallas.swap %[[ARG2]][:, :], %[[V4]] : !pallas.ref<16x256xf32, vmem>, tensor<16x256xf32>
module {
  func.func @transposed_matmul(%a: memref<16x128xf32, #tpu.memory_space<vmem>>, %b: memref<256x128xf32, #tpu.memory_space<vmem>>, %o: memref<16x256xf32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %l = tpu.vector_load %a[%c0, %c0] {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>,
    %r = tpu.vector_load %b[%c0, %c0] {strides = array<i32>} : memref<256x128xf32, #tpu.memory_space<vmem>>, vector<256x128xf32>,
    %z = arith.constant dense<0.0> : vector<16x256xf32>
    %0 = tpu.matmul %l, %r, %z {transpose_lhs_hint = false, transpose_rhs = true} : vector<16x128xf32>, vector<256x128xf32>, vector<16x256xf32> -> vector<16x256xf32>
    tpu.vector_store %o[%c0, %c0], %0 {strides = array<i32>} : memref<16x256xf32, #tpu.memory_space<vmem>>, vector<16x256xf32>,
    return
  }
}

// -----

// CHECK-LABEL: pallas.pallas_call @plain_matmul grid()
// CHECK: kernel(%[[ARG0:.*]]: !pallas.ref<16x128xf32, vmem>, %[[ARG1:.*]]: !pallas.ref<128x256xf32, vmem>, %[[ARG2:.*]]: !pallas.ref<16x256xf32, vmem>) {
// CHECK-NEXT: %[[V0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V1:.*]] = pallas.get %[[ARG0]][:, :] : !pallas.ref<16x128xf32, vmem>
// CHECK-NEXT: %[[V2:.*]] = pallas.get %[[ARG1]][:, :] : !pallas.ref<128x256xf32, vmem>
// CHECK-NEXT: %[[V3:.*]] = arith.constant dense<0.000000e+00> : tensor<16x256xf32>
// CHECK-NEXT: %[[V4:.*]] = pallas.dot_general %[[V1]], %[[V2]] contract [1] x [0] : tensor<16x128xf32>, tensor<128x256xf32> -> tensor<16x256xf32>
// CHECK-NEXT: %[[V5:.*]] = pallas.swap %[[ARG2]][:, :], %[[V4]] : !pallas.ref<16x256xf32, vmem>, tensor<16x256xf32>
module {
  func.func @plain_matmul(%a: memref<16x128xf32, #tpu.memory_space<vmem>>, %b: memref<128x256xf32, #tpu.memory_space<vmem>>, %o: memref<16x256xf32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %l = tpu.vector_load %a[%c0, %c0] {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>,
    %r = tpu.vector_load %b[%c0, %c0] {strides = array<i32>} : memref<128x256xf32, #tpu.memory_space<vmem>>, vector<128x256xf32>,
    %z = arith.constant dense<0.0> : vector<16x256xf32>
    %0 = tpu.matmul %l, %r, %z {transpose_lhs_hint = false} : vector<16x128xf32>, vector<128x256xf32>, vector<16x256xf32> -> vector<16x256xf32>
    tpu.vector_store %o[%c0, %c0], %0 {strides = array<i32>} : memref<16x256xf32, #tpu.memory_space<vmem>>, vector<16x256xf32>,
    return
  }
}

// -----

// CHECK-LABEL: pallas.pallas_call @batched_matmul grid()
// CHECK: kernel(%[[ARG0:.*]]: !pallas.ref<4x16x128xf32, vmem>, %[[ARG1:.*]]: !pallas.ref<4x128x256xf32, vmem>, %[[ARG2:.*]]: !pallas.ref<4x16x256xf32, vmem>) {
// CHECK-NEXT: %[[V0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V1:.*]] = pallas.get %[[ARG0]][:, :, :] : !pallas.ref<4x16x128xf32, vmem>
// CHECK-NEXT: %[[V2:.*]] = pallas.get %[[ARG1]][:, :, :] : !pallas.ref<4x128x256xf32, vmem>
// CHECK-NEXT: %[[V3:.*]] = arith.constant dense<0.000000e+00> : tensor<4x16x256xf32>
// CHECK-NEXT: %[[V4:.*]] = pallas.dot_general %[[V1]], %[[V2]] contract [2] x [1] batch [0] x [0] : tensor<4x16x128xf32>, tensor<4x128x256xf32> -> tensor<4x16x256xf32>
// CHECK-NEXT: %[[V5:.*]] = pallas.swap %[[ARG2]][:, :, :], %[[V4]] : !pallas.ref<4x16x256xf32, vmem>, tensor<4x16x256xf32>
module {
  func.func @batched_matmul(%a: memref<4x16x128xf32, #tpu.memory_space<vmem>>, %b: memref<4x128x256xf32, #tpu.memory_space<vmem>>, %o: memref<4x16x256xf32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %l = tpu.vector_load %a[%c0, %c0, %c0] {strides = array<i32>} : memref<4x16x128xf32, #tpu.memory_space<vmem>>, vector<4x16x128xf32>,
    %r = tpu.vector_load %b[%c0, %c0, %c0] {strides = array<i32>} : memref<4x128x256xf32, #tpu.memory_space<vmem>>, vector<4x128x256xf32>,
    %z = arith.constant dense<0.0> : vector<4x16x256xf32>
    %0 = tpu.matmul %l, %r, %z {transpose_lhs_hint = false, dimension_numbers = #tpu.dot_dimension_numbers<[2], [1], [1], [2], [0, 0, 0, 1, 1, 2], [0], [0]>} : vector<4x16x128xf32>, vector<4x128x256xf32>, vector<4x16x256xf32> -> vector<4x16x256xf32>
    tpu.vector_store %o[%c0, %c0, %c0], %0 {strides = array<i32>} : memref<4x16x256xf32, #tpu.memory_space<vmem>>, vector<4x16x256xf32>,
    return
  }
}

// -----

// CHECK-LABEL: pallas.pallas_call @all_reduce_max grid()
// CHECK: kernel(%[[ARG0:.*]]: !pallas.ref<16x128xf32, vmem>, %[[ARG1:.*]]: !pallas.ref<16x128xf32, vmem>) {
// CHECK-NEXT: %[[V0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V1:.*]] = pallas.get %[[ARG0]][:, :] : !pallas.ref<16x128xf32, vmem>
// CHECK-NEXT: %[[V2:.*]] = pallas.reduce <max> %[[V1]] dims [1] : tensor<16x128xf32>
// CHECK-NEXT: %[[V3:.*]] = pallas.broadcast %[[V2]] dims [0] : tensor<16xf32> -> tensor<16x128xf32>
// CHECK-NEXT: %[[V4:.*]] = pallas.swap %[[ARG1]][:, :], %[[V3]] : !pallas.ref<16x128xf32, vmem>, tensor<16x128xf32>
module {
  func.func @all_reduce_max(%x: memref<16x128xf32, #tpu.memory_space<vmem>>, %o: memref<16x128xf32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %v = tpu.vector_load %x[%c0, %c0] {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>,
    %0 = tpu.all_reduce %v {dim = 1 : i64, kind = #tpu.reduction_kind<maxf>} : vector<16x128xf32> -> vector<16x128xf32>
    tpu.vector_store %o[%c0, %c0], %0 {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>,
    return
  }
}

// -----

// Signs matter to the smallest element.

// CHECK-LABEL: pallas.pallas_call @all_reduce_unsigned grid()
// CHECK: kernel(%[[ARG0:.*]]: !pallas.ref<16x128xi32, vmem>, %[[ARG1:.*]]: !pallas.ref<16x128xi32, vmem>) {
// CHECK-NEXT: %[[V0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V1:.*]] = pallas.get %[[ARG0]][:, :] : !pallas.ref<16x128xi32, vmem>
// CHECK-NEXT: %[[V2:.*]] = pallas.reduce <umin> %[[V1]] dims [1] : tensor<16x128xi32>
// CHECK-NEXT: %[[V3:.*]] = pallas.broadcast %[[V2]] dims [0] : tensor<16xi32> -> tensor<16x128xi32>
// CHECK-NEXT: %[[V4:.*]] = pallas.swap %[[ARG1]][:, :], %[[V3]] : !pallas.ref<16x128xi32, vmem>, tensor<16x128xi32>
module {
  func.func @all_reduce_unsigned(%x: memref<16x128xi32, #tpu.memory_space<vmem>>, %o: memref<16x128xi32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %v = tpu.vector_load %x[%c0, %c0] {strides = array<i32>} : memref<16x128xi32, #tpu.memory_space<vmem>>, vector<16x128xi32>,
    %0 = tpu.all_reduce %v {dim = 1 : i64, kind = #tpu.reduction_kind<minui>} : vector<16x128xi32> -> vector<16x128xi32>
    tpu.vector_store %o[%c0, %c0], %0 {strides = array<i32>} : memref<16x128xi32, #tpu.memory_space<vmem>>, vector<16x128xi32>,
    return
  }
}

// -----

// Every element gets the place of the largest one of its row.

// CHECK-LABEL: pallas.pallas_call @all_reduce_arg_max grid()
// CHECK: kernel(%[[ARG0:.*]]: !pallas.ref<16x128xf32, vmem>, %[[ARG1:.*]]: !pallas.ref<16x128xi32, vmem>) {
// CHECK-NEXT: %[[V0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V1:.*]] = pallas.get %[[ARG0]][:, :] : !pallas.ref<16x128xf32, vmem>
// CHECK-NEXT: %[[V2:.*]] = pallas.arg_reduce <max> %[[V1]] dim 1 to i32 : tensor<16x128xf32>
// CHECK-NEXT: %[[V3:.*]] = pallas.broadcast %[[V2]] dims [0] : tensor<16xi32> -> tensor<16x128xi32>
// CHECK-NEXT: %[[V4:.*]] = pallas.swap %[[ARG1]][:, :], %[[V3]] : !pallas.ref<16x128xi32, vmem>, tensor<16x128xi32>
module {
  func.func @all_reduce_arg_max(%x: memref<16x128xf32, #tpu.memory_space<vmem>>, %o: memref<16x128xi32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %v = tpu.vector_load %x[%c0, %c0] {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>,
    %0 = tpu.all_reduce %v {dim = 1 : i64, kind = #tpu.reduction_kind<arg_max>} : vector<16x128xf32> -> vector<16x128xi32>
    tpu.vector_store %o[%c0, %c0], %0 {strides = array<i32>} : memref<16x128xi32, #tpu.memory_space<vmem>>, vector<16x128xi32>,
    return
  }
}

// -----

// The trues of a mask are counted.

// CHECK-LABEL: pallas.pallas_call @all_reduce_of_mask grid()
// CHECK: kernel(%[[ARG0:.*]]: !pallas.ref<16x128xi32, vmem>) {
// CHECK-NEXT: %[[V0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V1:.*]] = arith.constant dense<true> : tensor<16x128xi1>
// CHECK-NEXT: %[[V2:.*]] = arith.extui %[[V1]] : tensor<16x128xi1> to tensor<16x128xi32>
// CHECK-NEXT: %[[V3:.*]] = pallas.reduce <add> %[[V2]] dims [1] : tensor<16x128xi32>
// CHECK-NEXT: %[[V4:.*]] = pallas.broadcast %[[V3]] dims [0] : tensor<16xi32> -> tensor<16x128xi32>
// CHECK-NEXT: %[[V5:.*]] = pallas.swap %[[ARG0]][:, :], %[[V4]] : !pallas.ref<16x128xi32, vmem>, tensor<16x128xi32>
module {
  func.func @all_reduce_of_mask(%o: memref<16x128xi32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %k = arith.constant dense<true> : vector<16x128xi1>
    %0 = tpu.all_reduce %k {dim = 1 : i64, kind = #tpu.reduction_kind<sum>} : vector<16x128xi1> -> vector<16x128xi32>
    tpu.vector_store %o[%c0, %c0], %0 {strides = array<i32>} : memref<16x128xi32, #tpu.memory_space<vmem>>, vector<16x128xi32>,
    return
  }
}

// -----

// CHECK-LABEL: pallas.pallas_call @arg_min grid()
// CHECK: kernel(%[[ARG0:.*]]: !pallas.ref<16x128xf32, vmem>, %[[ARG1:.*]]: !pallas.ref<16xi32, vmem>) {
// CHECK-NEXT: %[[V0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V1:.*]] = pallas.get %[[ARG0]][:, :] : !pallas.ref<16x128xf32, vmem>
// CHECK-NEXT: %[[V2:.*]] = pallas.arg_reduce <min> %[[V1]] dim 1 to i32 : tensor<16x128xf32>
// CHECK-NEXT: %[[V3:.*]] = pallas.swap %[[ARG1]][:], %[[V2]] : !pallas.ref<16xi32, vmem>, tensor<16xi32>
module {
  func.func @arg_min(%x: memref<16x128xf32, #tpu.memory_space<vmem>>, %o: memref<16xi32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %v = tpu.vector_load %x[%c0, %c0] {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>,
    %0 = tpu.reduce_index %v {axis = 1 : i32, kind = #tpu.reduction_kind<arg_min>} : vector<16x128xf32> -> vector<16xi32>
    tpu.vector_store %o[%c0], %0 {strides = array<i32>} : memref<16xi32, #tpu.memory_space<vmem>>, vector<16xi32>,
    return
  }
}

// -----

// Operands without places are printed at the end.

// CHECK-LABEL: pallas.pallas_call @plain_log grid()
// CHECK: kernel(%[[ARG0:.*]]: !pallas.ref<2xi32, smem>) {
// CHECK-NEXT: %[[V0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V1:.*]] = arith.constant 1 : index
// CHECK-NEXT: %[[V2:.*]] = pallas.get %[[ARG0]][0] : !pallas.ref<2xi32, smem>
// CHECK-NEXT: %[[V3:.*]] = pallas.get %[[ARG0]][1] : !pallas.ref<2xi32, smem>
// CHECK-NEXT: pallas.debug_print "values {} {}" %[[V2]], %[[V3]] : i32, i32
module {
  func.func @plain_log(%n: memref<2xi32, #tpu.memory_space<smem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a = memref.load %n[%c0] : memref<2xi32, #tpu.memory_space<smem>>
    %b = memref.load %n[%c1] : memref<2xi32, #tpu.memory_space<smem>>
    tpu.log "values" : [%a, %b] : i32, i32
    return
  }
}

// -----

// A place names its operand, and u is unsigned. A place without an operand is text.

// CHECK-LABEL: pallas.pallas_call @placed_log grid()
// CHECK: kernel(%[[ARG0:.*]]: !pallas.ref<2xi32, smem>) {
// CHECK-NEXT: %[[V0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V1:.*]] = arith.constant 1 : index
// CHECK-NEXT: %[[V2:.*]] = pallas.get %[[ARG0]][0] : !pallas.ref<2xi32, smem>
// CHECK-NEXT: %[[V3:.*]] = pallas.get %[[ARG0]][1] : !pallas.ref<2xi32, smem>
// CHECK-NEXT: pallas.debug_print "{} before {}, not $s7" %[[V3]], %[[V2]] : i32, i32 {unsignedValues = array<i1: true, false>}
module {
  func.func @placed_log(%n: memref<2xi32, #tpu.memory_space<smem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a = memref.load %n[%c0] : memref<2xi32, #tpu.memory_space<smem>>
    %b = memref.load %n[%c1] : memref<2xi32, #tpu.memory_space<smem>>
    tpu.log "$u1 before $s0, not $s7" {formatted = true} : [%a, %b] : i32, i32
    return
  }
}

// -----

// CHECK-LABEL: pallas.pallas_call @part_of_a_log_buffer grid()
// CHECK: kernel(%[[ARG0:.*]]: !pallas.ref<16x128xf32, vmem>) {
// CHECK-NEXT: %[[V0:.*]] = arith.constant 0 : i32
// CHECK-NEXT: %[[V1:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V2:.*]] = pallas.get %[[ARG0]][ds(0, 8), :] : !pallas.ref<16x128xf32, vmem>
// CHECK-NEXT: pallas.debug_print "part{}" %[[V2]] : tensor<8x128xf32>
module {
  func.func @part_of_a_log_buffer(%x: memref<16x128xf32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %k0 = arith.constant 0 : i32
    tpu.log_buffer "part" {shape = array<i64: 8, 128>} : %x : memref<16x128xf32, #tpu.memory_space<vmem>>
    return
  }
}

// -----

// A cast between equal sizes changes the layout only.

// CHECK-LABEL: pallas.pallas_call @same_view grid()
// CHECK: kernel(%[[ARG0:.*]]: !pallas.ref<16x128xf32, vmem>, %[[ARG1:.*]]: !pallas.ref<16x128xf32, vmem>) {
// CHECK-NEXT: %[[V0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V1:.*]] = pallas.get %[[ARG0]][:, :] : !pallas.ref<16x128xf32, vmem>
// CHECK-NEXT: %[[V2:.*]] = pallas.swap %[[ARG1]][:, :], %[[V1]] : !pallas.ref<16x128xf32, vmem>, tensor<16x128xf32>
module {
  func.func @same_view(%x: memref<16x128xf32, #tpu.memory_space<vmem>>, %o: memref<16x128xf32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %y = tpu.reinterpret_cast %x : memref<16x128xf32, #tpu.memory_space<vmem>> -> memref<16x128xf32, #tpu.memory_space<vmem>>
    %v = tpu.vector_load %y[%c0, %c0] {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>,
    tpu.vector_store %o[%c0, %c0], %v {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>,
    return
  }
}

// -----

// Memory of a kernel belongs to its core, here to the TensorCore.

// CHECK-LABEL: pallas.pallas_call @other_core grid()
// CHECK: kernel(%[[ARG0:.*]]: !pallas.ref<16x128xf32, vmem>, %[[ARG1:.*]]: !pallas.ref<2xi32, smem>) {
// CHECK-NEXT: %[[V0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V1:.*]] = arith.constant 1 : index
// CHECK-NEXT: %[[V2:.*]] = arith.constant false
// CHECK-NEXT: %[[V3:.*]] = arith.extui %[[V2]] : i1 to i32
// CHECK-NEXT: %[[V4:.*]] = pallas.swap %[[ARG1]][0], %[[V3]] : !pallas.ref<2xi32, smem>, i32
// CHECK-NEXT: %[[V5:.*]] = arith.constant false
// CHECK-NEXT: %[[V6:.*]] = arith.extui %[[V5]] : i1 to i32
// CHECK-NEXT: %[[V7:.*]] = pallas.swap %[[ARG1]][1], %[[V6]] : !pallas.ref<2xi32, smem>, i32
module {
  func.func @other_core(%x: memref<16x128xf32, #tpu.memory_space<vmem>>, %o: memref<2xi32, #tpu.memory_space<smem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = tpu.memref_memory_space_is %x, <vmem, sc_vector_subcore> : memref<16x128xf32, #tpu.memory_space<vmem>>
    %a = arith.extui %t : i1 to i32
    memref.store %a, %o[%c0] : memref<2xi32, #tpu.memory_space<smem>>
    %f = tpu.memref_memory_space_is %x, <smem> : memref<16x128xf32, #tpu.memory_space<vmem>>
    %b = arith.extui %f : i1 to i32
    memref.store %b, %o[%c1] : memref<2xi32, #tpu.memory_space<smem>>
    return
  }
}

// -----

// A dimension of size one that is removed is an index.

// CHECK-LABEL: pallas.pallas_call @middle_squeeze grid()
// CHECK: kernel(%[[ARG0:.*]]: !pallas.ref<16x1x128xf32, vmem>, %[[ARG1:.*]]: !pallas.ref<16x128xf32, vmem>) {
// CHECK-NEXT: %[[V0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V1:.*]] = pallas.slice_ref %[[ARG0]][:, 0, :] : !pallas.ref<16x1x128xf32, vmem>
// CHECK-NEXT: %[[V2:.*]] = pallas.get %[[V1]][:, :] : !pallas.ref<16x128xf32, vmem>
// CHECK-NEXT: %[[V3:.*]] = pallas.swap %[[ARG1]][:, :], %[[V2]] : !pallas.ref<16x128xf32, vmem>, tensor<16x128xf32>
module {
  func.func @middle_squeeze(%x: memref<16x1x128xf32, #tpu.memory_space<vmem>>, %o: memref<16x128xf32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %y = tpu.memref_squeeze %x : memref<16x1x128xf32, #tpu.memory_space<vmem>> -> memref<16x128xf32, #tpu.memory_space<vmem>>
    %v = tpu.vector_load %y[%c0, %c0] {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>,
    tpu.vector_store %o[%c0, %c0], %v {strides = array<i32>} : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>,
    return
  }
}
