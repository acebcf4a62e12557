// RUN: pallas-translate --to-tpu-custom-call %s | FileCheck %s

// A single result is no tuple, and a pure call says nothing of effects.

// CHECK: func.func public @main(%arg0: tensor<8x128xf32>) -> tensor<8x128xf32> {
// CHECK-NOT: has_side_effect
// CHECK: output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]
// CHECK-SAME: : (tensor<8x128xf32>) -> tensor<8x128xf32>
// CHECK: return %0 : tensor<8x128xf32>
module attributes {tpu.custom_call = {operands = [tensor<8x128xf32>], results = [tensor<8x128xf32>], aliases = [array<i64: 0, 0>]}} {
  func.func @kernel(%x: memref<8x128xf32, #tpu.memory_space<any>>, %o: memref<8x128xf32, #tpu.memory_space<any>>) attributes {
      dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<tc>} {
    return
  }
}
