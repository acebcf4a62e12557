// RUN: pallas-opt %s --split-input-file --convert-mosaic-tpu-to-pallas | FileCheck %s

// A call that the module describes: dynamic bounds come first, then what is
// prefetched.

// CHECK-LABEL: func.func @halo(
// CHECK-SAME: tensor<i32>, %[[IDX:.*]]: tensor<4xi32>, %[[X:.*]]: tensor<40x128xf32>) -> tensor<8x128xf32>
// CHECK: pallas.pallas_call @halo grid(%{{.*}})
// CHECK: prefetch(%[[IDX]] : tensor<4xi32>)
// CHECK: in(%[[X]] : tensor<40x128xf32>) block<[element<16, 0, 8>, element<128>], vmem, pipeline = <1>>
// CHECK: out(tensor<8x128xf32>) block<[8, 128], vmem>
module attributes {tpu.custom_call = {operands = [tensor<i32>, tensor<4xi32>, tensor<40x128xf32>], results = [tensor<8x128xf32>]}} {
  func.func @halo(%i: i32, %idx: memref<4xi32, #tpu.memory_space<smem>>, %x: memref<16x128xf32, #tpu.memory_space<vmem>>, %o: memref<8x128xf32, #tpu.memory_space<vmem>>)
      attributes {dimension_semantics = [#tpu.dimension_semantics<arbitrary>], iteration_bounds = array<i64: -9223372036854775808>, scalar_prefetch = 1 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>,
                  window_params = [{transform_indices = @transform_0, window_bounds = array<i64: 16, 128>, window_kind = #tpu.element_window<[0, 0], [8, 0]>, pipeline_mode = #tpu.pipeline_mode<synchronous>},
                                   {transform_indices = @transform_1, window_bounds = array<i64: 8, 128>}]} {
    %c0 = arith.constant 0 : index
    // CHECK: %[[N:.*]] = pallas.num_programs 0
    %n = tpu.iteration_bound 0 : i32
    // CHECK: %[[V:.*]] = pallas.get %{{.*}}[ds(8, 8), :]
    %c8 = arith.constant 8 : index
    %v = vector.load %x[%c8, %c0] : memref<16x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
    %f = arith.sitofp %n : i32 to f32
    // CHECK: pallas.broadcast
    %b = vector.broadcast %f : f32 to vector<8x128xf32>
    %s = arith.mulf %v, %b : vector<8x128xf32>
    // CHECK: pallas.swap
    tpu.vector_store %o[%c0, %c0], %s {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>,
    return
  }
  func.func @transform_0(%i: i32, %idx: memref<4xi32, #tpu.memory_space<smem>>) -> (i32, i32) {
    %p = arith.index_cast %i : i32 to index
    %row = memref.load %idx[%p] : memref<4xi32, #tpu.memory_space<smem>>
    %c0 = arith.constant 0 : i32
    return %row, %c0 : i32, i32
  }
  func.func @transform_1(%i: i32, %idx: memref<4xi32, #tpu.memory_space<smem>>) -> (i32, i32) {
    %c0 = arith.constant 0 : i32
    return %c0, %c0 : i32, i32
  }
}

// -----

// A module that doesn't say how its kernel is called: what it writes are
// results, and arrays are as large as their windows reach.

// CHECK-LABEL: func.func @reversed(%{{.*}}: tensor<32x128xf32>) -> tensor<32x128xf32>
// CHECK: in(%{{.*}} : tensor<32x128xf32>) block<[8, 128], vmem>
module {
  func.func @reversed(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>, %o: memref<8x128xf32, #tpu.memory_space<vmem>>)
      attributes {dimension_semantics = [#tpu.dimension_semantics<parallel>], iteration_bounds = array<i64: 4>, scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>,
                  window_params = [{transform_indices = @from, window_bounds = array<i64: 8, 128>}, {transform_indices = @to, window_bounds = array<i64: 8, 128>}]} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0, %c0] : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
    tpu.vector_store %o[%c0, %c0], %v {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>,
    return
  }
  func.func @from(%i: i32) -> (i32, i32) {
    %c0 = arith.constant 0 : i32
    %c3 = arith.constant 3 : i32
    %k = arith.subi %c3, %i : i32
    return %k, %c0 : i32, i32
  }
  func.func @to(%i: i32) -> (i32, i32) {
    %c0 = arith.constant 0 : i32
    return %i, %c0 : i32, i32
  }
}
