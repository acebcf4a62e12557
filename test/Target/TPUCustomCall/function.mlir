// RUN: pallas-translate --to-tpu-custom-call %s | FileCheck %s

// The call states only what differs from the defaults; an array of booleans is
// one of i32 to the kernel, and a result lies where its aliased operand lies.

// CHECK: module {
// CHECK: func.func public @main(%arg0: tensor<i32>, %arg1: tensor<16x128xf32>, %arg2: tensor<8x128xi1>) -> (tensor<16x128xf32>, tensor<8x128xi1>) {
// CHECK: %[[IN:.*]] = "stablehlo.convert"(%arg2) : (tensor<8x128xi1>) -> tensor<8x128xi32>
// CHECK: %[[OUT:.*]]:2 = "stablehlo.custom_call"(%arg0, %arg1, %[[IN]]) {backend_config = "{\22custom_call_config\22:{\22body\22:\22{{[A-Za-z0-9+/=]+}}\22,
// CHECK-SAME: \22cost_estimate\22:{\22flops\22:10,\22transcendentals\22:0,\22bytes_accessed\22:20480,\22remote_bytes_transferred\22:0},
// CHECK-SAME: \22serialization_format\22:1,\22needs_layout_passes\22:true,
// CHECK-SAME: \22allow_input_fusion\22:[false,true,false],
// CHECK-SAME: \22output_memory_space_colors\22:[{\22color\22:0,\22shape_index\22:[0]},{\22color\22:1,\22shape_index\22:[1]}],
// CHECK-SAME: \22input_memory_space_colors\22:[{\22operand_index\22:1,\22color\22:0}],
// CHECK-SAME: \22disable_bounds_checks\22:true},
// CHECK-SAME: \22scoped_memory_configs\22:[{\22memory_space\22:1,\22offset\22:0,\22size\22:1048576}],
// CHECK-SAME: \22flag_configs\22:[{\22flag_type\22:\22xla_a\22,\22value\22:{\22boolean_value\22:true}},{\22flag_type\22:\22xla_b\22,\22value\22:{\22integer_value\22:3}}]}",
// CHECK-SAME: call_target_name = "tpu_custom_call", has_side_effect = true, kernel_name = "masked_copy",
// CHECK-SAME: mhlo.frontend_attributes = {kernel_metadata = "{}", xla_allow_dce_side_effecting_op = "true"},
// CHECK-SAME: operand_layouts = [dense<> : tensor<0xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>],
// CHECK-SAME: output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 1, operand_tuple_indices = []>],
// CHECK-SAME: result_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>]}
// CHECK-SAME: : (tensor<i32>, tensor<16x128xf32>, tensor<8x128xi32>) -> (tensor<16x128xf32>, tensor<8x128xi32>)
// CHECK: %[[BOOL:.*]] = "stablehlo.convert"(%[[OUT]]#1) : (tensor<8x128xi32>) -> tensor<8x128xi1>
// CHECK: return %[[OUT]]#0, %[[BOOL]] : tensor<16x128xf32>, tensor<8x128xi1>
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
    flags = {xla_a = true, xla_b = 3}}} {
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
