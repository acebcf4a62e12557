// RUN: pallas-opt %s --convert-pallas-to-linalg=ops=pallas.rev,pallas.transpose | FileCheck %s
// RUN: pallas-opt %s '--convert-pallas-to-linalg=ops=pallas.rev,pallas.transpose generic' | FileCheck %s --check-prefix=GENERIC

// Only operations that are named become loops.

// CHECK-LABEL: func.func @chosen
// CHECK: linalg.generic
// CHECK: linalg.transpose
// CHECK: pallas.reduce <add>
// GENERIC-LABEL: func.func @chosen
// GENERIC-COUNT-2: linalg.generic
// GENERIC-NOT: linalg.transpose
// GENERIC: pallas.reduce <add>
func.func @chosen(%x: tensor<4x8xf32>) -> tensor<8xf32> {
  %0 = pallas.rev %x dims [1] : tensor<4x8xf32>
  %1 = pallas.transpose %0, [1, 0] : tensor<4x8xf32>
  %2 = pallas.reduce <add> %1 dims [1] : tensor<8x4xf32>
  return %2 : tensor<8xf32>
}

// Others may have dynamic shapes.
// CHECK-LABEL: func.func @dynamic
// CHECK: pallas.reduce <max>
func.func @dynamic(%x: tensor<?x8xf32>) -> tensor<?xf32> {
  %0 = pallas.reduce <max> %x dims [1] : tensor<?x8xf32>
  return %0 : tensor<?xf32>
}
