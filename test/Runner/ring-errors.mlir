// RUN: not pallas-run %s --no-cache --ring 2>&1 | FileCheck %s

func.func @asks_for_nan() -> tensor<4xi1> {
  %x = arith.constant dense<1.0> : tensor<4xf32>
  // CHECK: ring-errors.mlir{{.*}}:[[@LINE+1]]:8{{.*}}'arith.cmpf' op has no meaning in the ring of integers, which replaces floats; leave it out, or compare floats
  %n = arith.cmpf uno, %x, %x : tensor<4xf32>
  return %n : tensor<4xi1>
}
