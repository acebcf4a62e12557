// RUN: pallas-opt %s | FileCheck %s
// RUN: pallas-opt %s --mlir-print-op-generic | pallas-opt | FileCheck %s

// Scans of jaxlib 0.10.2 have no dimension, which is the last one, and kinds
// without a sign. jaxlib 0.12 reads neither.

// CHECK-LABEL: @scan
func.func @scan(%v: vector<16xf32>, %w: vector<4x16xi32>) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // CHECK: tpu.scan <maxf>, %{{.*}} {dimension = 0 : i64} : vector<16xf32>,  -> vector<16xf32>
  %0 = tpu.scan <max>, %v : vector<16xf32>,  -> vector<16xf32>
  // CHECK: tpu.scan <minui>, %{{.*}} {dimension = 1 : i64} : vector<4x16xi32>,  -> vector<4x16xi32>
  %1 = tpu.scan <min>, %w : vector<4x16xi32>,  -> vector<4x16xi32>
  return
}
