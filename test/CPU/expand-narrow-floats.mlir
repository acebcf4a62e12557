// RUN: pallas-opt %s --pallas-cpu-expand-narrow-floats | FileCheck %s

// CHECK-LABEL: func.func @widen
func.func @widen(%a: vector<16xf8E4M3FN>) -> vector<16xbf16> {
  // CHECK-NOT: arith.extf
  // CHECK: arith.bitcast %{{.*}} : vector<16xf8E4M3FN> to vector<16xi8>
  // CHECK: arith.bitcast %{{.*}} : vector<16xi16> to vector<16xbf16>
  %0 = arith.extf %a : vector<16xf8E4M3FN> to vector<16xbf16>
  return %0 : vector<16xbf16>
}

// CHECK-LABEL: func.func @narrow
func.func @narrow(%a: f32) -> f8E5M2 {
  // CHECK-NOT: arith.truncf
  // CHECK: arith.bitcast %{{.*}} : i8 to f8E5M2
  %0 = arith.truncf %a : f32 to f8E5M2
  return %0 : f8E5M2
}

// The instruction of CPUs takes subnormal numbers as zero.
// CHECK-LABEL: func.func @halves
func.func @halves(%a: vector<16xf32>) -> vector<16xbf16> {
  // CHECK-NOT: arith.truncf
  // CHECK: arith.cmpf uno
  // CHECK: arith.bitcast %{{.*}} : vector<16xi16> to vector<16xbf16>
  %0 = arith.truncf %a : vector<16xf32> to vector<16xbf16>
  return %0 : vector<16xbf16>
}

// CHECK-LABEL: func.func @others
func.func @others(%a: f32) -> f16 {
  // CHECK-NEXT: arith.truncf
  %0 = arith.truncf %a : f32 to f16
  return %0 : f16
}

// CHECK-LABEL: func.func @powers
func.func @powers(%a: f32, %b: f8E8M0FNU) -> (f8E8M0FNU, f32) {
  // CHECK-NOT: arith.{{truncf|extf}}
  // CHECK: return
  %0 = arith.truncf %a : f32 to f8E8M0FNU
  %1 = arith.extf %b : f8E8M0FNU to f32
  return %0, %1 : f8E8M0FNU, f32
}

// CHECK-LABEL: func.func @four_bits
func.func @four_bits(%a: f32, %b: f4E2M1FN) -> (f4E2M1FN, f32) {
  // CHECK-NOT: arith.{{truncf|extf}}
  // CHECK: return
  %0 = arith.truncf %a : f32 to f4E2M1FN
  %1 = arith.extf %b : f4E2M1FN to f32
  return %0, %1 : f4E2M1FN, f32
}
