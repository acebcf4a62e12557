// A crash names the pass and what it runs on.
// RUN: not --crash pallas-crash-opt %s --pass-pipeline="builtin.module(func.func(test-crash))" 2>&1 | FileCheck %s

// CHECK: pallas-crash-opt crashed, which must not happen whatever it is given. Please report it with the
// CHECK-NEXT: module, this command and all that follows:
// CHECK-NEXT: {{ .*}}pallas-crash-opt {{.*}}crash-report.mlir --pass-pipeline=builtin.module(func.func(test-crash))
// CHECK-NEXT: while it was running --test-crash on func.func @main
func.func @main() -> tensor<f32> {
  %0 = arith.constant dense<1.0> : tensor<f32>
  return %0 : tensor<f32>
}
