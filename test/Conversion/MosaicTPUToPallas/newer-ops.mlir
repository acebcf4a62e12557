// RUN: pallas-opt %s --split-input-file --convert-mosaic-tpu-to-pallas --canonicalize | FileCheck %s
// RUN: %python %S/Inputs/newer-ops.py %s

// Operations of later releases. The script runs the first module.

// CHECK-LABEL: func.func @elements(
// CHECK: %[[X:.*]] = pallas.get %{{.*}}[...] : !pallas.ref<8x128xf32, vmem>
// CHECK: %[[I:.*]] = pallas.get %{{.*}}[...] : !pallas.ref<8x128xi32, vmem>
// CHECK: %[[M:.*]] = pallas.reduce <max> %[[X]] dims [1]
// CHECK: pallas.reshape %[[M]]
// CHECK: pallas.reduce <max> %[[I]] dims [0]
// CHECK: pallas.reduce <umin> %[[I]] dims [0]
// CHECK: math.exp
// CHECK: arith.divf
module attributes {tpu.custom_call = {operands = [tensor<8x128xf32>, tensor<8x128xi32>], results = [tensor<8x1xf32>, tensor<1x128xi32>, tensor<1x128xi32>, tensor<8x128xf32>, tensor<8x128xf32>, tensor<8x128xf32>]}} {
  func.func @elements(%x: memref<8x128xf32, #tpu.memory_space<vmem>>, %i: memref<8x128xi32, #tpu.memory_space<vmem>>,
      %a: memref<8x1xf32, #tpu.memory_space<vmem>>, %b: memref<1x128xi32, #tpu.memory_space<vmem>>, %c: memref<1x128xi32, #tpu.memory_space<vmem>>,
      %d: memref<8x128xf32, #tpu.memory_space<vmem>>, %e: memref<8x128xf32, #tpu.memory_space<vmem>>, %f: memref<8x128xf32, #tpu.memory_space<vmem>>)
      attributes {dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %r = tpu.annotate %x {no_store = true} : memref<8x128xf32, #tpu.memory_space<vmem>>
    %v = tpu.vector_load %r[%c0, %c0] {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>,
    %w = tpu.vector_load %i[%c0, %c0] {strides = array<i32>} : memref<8x128xi32, #tpu.memory_space<vmem>>, vector<8x128xi32>,
    %0 = tpu.reduce <maxf>, %v [1] : vector<8x128xf32> -> vector<8x1xf32>
    tpu.vector_store %a[%c0, %c0], %0 {strides = array<i32>} : memref<8x1xf32, #tpu.memory_space<vmem>>, vector<8x1xf32>,
    %1 = tpu.reduce <maxsi>, %w [0] : vector<8x128xi32> -> vector<1x128xi32>
    tpu.vector_store %b[%c0, %c0], %1 {strides = array<i32>} : memref<1x128xi32, #tpu.memory_space<vmem>>, vector<1x128xi32>,
    %2 = tpu.reduce <minui>, %w [0] : vector<8x128xi32> -> vector<1x128xi32>
    tpu.vector_store %c[%c0, %c0], %2 {strides = array<i32>} : memref<1x128xi32, #tpu.memory_space<vmem>>, vector<1x128xi32>,
    %3 = tpu.logistic %v : vector<8x128xf32> -> vector<8x128xf32>
    tpu.vector_store %d[%c0, %c0], %3 {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>,
    %4 = tpu.reduce_precision %v {exponent_bits = 5 : i32, mantissa_bits = 10 : i32} : vector<8x128xf32> -> vector<8x128xf32>
    tpu.vector_store %e[%c0, %c0], %4 {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>,
    %yes = tpu.memref_memory_space_is %x, <vmem, tc> : memref<8x128xf32, #tpu.memory_space<vmem>>
    %no = tpu.memref_memory_space_is %x, <hbm> : memref<8x128xf32, #tpu.memory_space<vmem>>
    %both = arith.andi %yes, %no : i1
    %zero = arith.constant dense<0.0> : vector<8x128xf32>
    %5 = arith.select %both, %zero, %v : vector<8x128xf32>
    %6 = tpu.reduce_precision %5 {exponent_bits = 8 : i32, mantissa_bits = 3 : i32} : vector<8x128xf32> -> vector<8x128xf32>
    tpu.vector_store %f[%c0, %c0], %6 {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>,
    return
  }
}

// -----

// Elements that a mask leaves out take no room: places count those before.

// CHECK-LABEL: func.func @packed(
// CHECK: %[[ONE:.*]] = arith.extui %[[MASK:.*]] : tensor<2x16xi1> to tensor<2x16xi32>
// CHECK: %[[UP:.*]] = pallas.cumulative <sum> %[[ONE]] dim 1
// CHECK: arith.subi %[[UP]], %[[ONE]]
// CHECK: pallas.masked_load
// CHECK: pallas.masked_swap
module attributes {tpu.custom_call = {operands = [tensor<2x16xf32>], results = [tensor<2x16xf32>]}} {
  func.func @packed(%core: i32, %subcore: i32, %x: memref<2x16xf32, #tpu.memory_space<vmem>>, %o: memref<2x16xf32, #tpu.memory_space<vmem>>)
      attributes {dimension_semantics = [#tpu.dimension_semantics<core_parallel>, #tpu.dimension_semantics<subcore_parallel>], iteration_bounds = array<i64: 1, 1>, scalar_prefetch = 0 : i64, scratch_operands = 0 : i64,
                  tpu.core_type = #tpu.core_type<sc_vector_subcore>, window_params = [{transform_indices = affine_map<(d0, d1) -> (0, 0)>}, {transform_indices = affine_map<(d0, d1) -> (0, 0)>}]} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0.0> : vector<2x16xf32>
    %v = tpu.vector_load %x[%c0, %c0] {strides = array<i32>} : memref<2x16xf32, #tpu.memory_space<vmem>>, vector<2x16xf32>,
    %k = arith.cmpf ogt, %v, %zero : vector<2x16xf32>
    %0 = tpu.vector_expand_load %x[%c0, %c0], %k {expand_dim = 1 : i32} : memref<2x16xf32, #tpu.memory_space<vmem>>, vector<2x16xf32>, vector<2x16xi1>
    tpu.vector_compress_store %o[%c0, %c0], %0, %k {compress_dim = 1 : i32} : memref<2x16xf32, #tpu.memory_space<vmem>>, vector<2x16xf32>, vector<2x16xi1>
    return
  }
}
