// RUN: pallas-opt %s --pallas-discharge-state=memory-spaces=acc | FileCheck %s

// Accumulators become values, while the memory that products read stays.
// CHECK-LABEL: func.func @product
func.func @product(%a: !pallas.ref<64x64xf16, smem>, %b: !pallas.ref<64x128xf16, smem>) -> tensor<64x128xf32> {
  // CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00>
  // CHECK: %[[ACC:.*]] = pallas.wgmma %[[ZERO]], %{{.*}}, %{{.*}}
  // CHECK: %[[R:.*]] = pallas.accumulator_deref %[[ACC]] wait 0
  // CHECK: return %[[R]]
  %r = pallas.run_scoped (%acc: !pallas.accumulator<64x128xf32>) -> tensor<64x128xf32> {
    pallas.wgmma_ref %acc, %a, %b : !pallas.accumulator<64x128xf32>, !pallas.ref<64x64xf16, smem>, !pallas.ref<64x128xf16, smem>
    %v = pallas.accumulator_deref %acc wait 0 : !pallas.accumulator<64x128xf32> -> tensor<64x128xf32>
    pallas.yield %v : tensor<64x128xf32>
  }
  return %r : tensor<64x128xf32>
}
