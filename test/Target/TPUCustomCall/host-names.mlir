// RUN: pallas-translate --to-tpu-custom-call %s | FileCheck %s

// Names that are no identifiers stay what they are.

// CHECK: func.func private @"two words"(
func.func @"two words"(%x: tensor<8xi32>) -> tensor<8xi32> {
  return %x : tensor<8xi32>
}

// CHECK: func.func public @main(
// CHECK-NEXT: call @"two words"(%arg0)
