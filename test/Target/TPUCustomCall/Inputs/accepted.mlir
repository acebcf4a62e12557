// A kernel with a dynamic grid, booleans, an alias and constrained memories.
module @masked_copy attributes {tpu.custom_call = {
    operands = [tensor<i32>, tensor<16x128xf32>, tensor<8x128xi1>],
    results = [tensor<16x128xf32>, tensor<8x128xi1>],
    aliases = [array<i64: 1, 0>],
    operand_spaces = [unit, #tpu.memory_space<hbm>, unit],
    result_spaces = [unit, #tpu.memory_space<vmem>],
    allow_input_fusion = array<i1: false, true, false>,
    side_effects = "dataflow_side_effecting",
    cost_estimate = {flops = 10, bytes_accessed = 20480},
    vmem_limit_bytes = 1048576, disable_bounds_checks = true,
    skip_device_barrier = true}} {
  func.func @kernel(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>, %k: memref<8x128xi32, #tpu.memory_space<vmem>>,
                    %o: memref<8x128xf32, #tpu.memory_space<vmem>>, %p: memref<8x128xi32, #tpu.memory_space<vmem>>) attributes {
      dimension_semantics = [#tpu.dimension_semantics<arbitrary>], iteration_bounds = array<i64: -9223372036854775808>,
      scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>,
      window_params = [{transform_indices = @rows, window_bounds = array<i64: 8, 128>}, {transform_indices = @whole, window_bounds = array<i64: 8, 128>},
                       {transform_indices = @rows, window_bounds = array<i64: 8, 128>}, {transform_indices = @whole, window_bounds = array<i64: 8, 128>}]} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0, %c0] : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
    %m = vector.load %k[%c0, %c0] : memref<8x128xi32, #tpu.memory_space<vmem>>, vector<8x128xi32>
    tpu.vector_store %o[%c0, %c0], %v {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>,
    tpu.vector_store %p[%c0, %c0], %m {strides = array<i32>} : memref<8x128xi32, #tpu.memory_space<vmem>>, vector<8x128xi32>,
    return
  }
  func.func @rows(%i: i32) -> (i32, i32) {
    %c0 = arith.constant 0 : i32
    return %i, %c0 : i32, i32
  }
  func.func @whole(%i: i32) -> (i32, i32) {
    %c0 = arith.constant 0 : i32
    return %c0, %c0 : i32, i32
  }
}
