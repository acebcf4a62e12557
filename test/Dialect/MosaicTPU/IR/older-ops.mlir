// RUN: pallas-opt %s | pallas-opt | FileCheck %s
// RUN: pallas-opt %s --mlir-print-op-generic | pallas-opt | FileCheck %s
// RUN: pallas-opt %s --emit-bytecode | pallas-opt | FileCheck %s

// Forms of the dialect that jaxlib 0.12 no longer knows.

// CHECK-LABEL: @repeat
func.func @repeat(%v: vector<16x128xf32>) {
  // CHECK: tpu.repeat %{{.*}}, 1 x 2 : vector<16x128xf32> -> vector<16x256xf32>
  %0 = tpu.repeat %v, 1 x 2 : vector<16x128xf32> -> vector<16x256xf32>
  return
}
