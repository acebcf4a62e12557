// RUN: pallas-opt %s -o %t.mlir && pallas-opt %t.mlir | FileCheck %s
// RUN: pallas-opt %s --emit-bytecode | pallas-opt --mlir-print-op-generic | pallas-opt | diff %t.mlir -

// CHECK-LABEL: func.func @scopes
func.func @scopes(%v: tensor<64x128xf32>) -> f32 {
  // CHECK: pallas.run_scoped (%{{.*}}: !pallas.ref<f32, smem>) collective ["wg"] -> f32 {
  %0 = pallas.run_scoped (%s: !pallas.ref<f32, smem>) collective ["wg"] -> f32 {
    %a = pallas.get %s[...] : !pallas.ref<f32, smem>
    pallas.yield %a : f32
  }
  // CHECK: pallas.run_state (%{{.*}}: !pallas.accumulator<64x128xf32> = %{{.*}} : tensor<64x128xf32>)
  %1 = pallas.run_state (%acc: !pallas.accumulator<64x128xf32> = %v : tensor<64x128xf32>) {}
  return %0 : f32
}
