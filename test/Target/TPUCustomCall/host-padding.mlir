// RUN: pallas-translate --to-tpu-custom-call %s | FileCheck %s

// The value to pad with is written in front, also where it stands in the
// operation.

// CHECK: %[[ZERO:.*]] = "stablehlo.constant"() {value = dense<0.000000e+00> : tensor<f32>}
// CHECK-NEXT: "stablehlo.pad"(%{{.*}}, %[[ZERO]]) {edge_padding_high = array<i64: 2>, edge_padding_low = array<i64: 1>, interior_padding = array<i64: 0>} : (tensor<8xf32>, tensor<f32>) -> tensor<11xf32>
func.func @main(%x: tensor<8xf32>) -> tensor<11xf32> {
  %0 = tensor.pad %x low[1] high[2] {
  ^bb0(%i: index):
    %zero = arith.constant 0.0 : f32
    tensor.yield %zero : f32
  } : tensor<8xf32> to tensor<11xf32>
  return %0 : tensor<11xf32>
}
