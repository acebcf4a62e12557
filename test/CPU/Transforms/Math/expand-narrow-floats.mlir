// RUN: pallas-opt %s --pallas-cpu-expand-narrow-floats=cpu=x86-64-v3 | FileCheck %s --check-prefixes=CHECK,F16C
// RUN: pallas-opt %s --pallas-cpu-expand-narrow-floats=cpu=x86-64-v2 | FileCheck %s --check-prefixes=CHECK,PLAIN

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

// f16 has instructions from F16C on.
// CHECK-LABEL: func.func @others
func.func @others(%a: f32, %b: vector<8xf16>) -> (f16, vector<8xf32>) {
  // F16C-NEXT: arith.truncf
  // F16C-NEXT: arith.extf
  // PLAIN-NOT: arith.{{truncf|extf}}
  // PLAIN: return
  %0 = arith.truncf %a : f32 to f16
  %1 = arith.extf %b : vector<8xf16> to vector<8xf32>
  return %0, %1 : f16, vector<8xf32>
}

// One rounding to f32 and one more would be two.
// CHECK-LABEL: func.func @from_double
func.func @from_double(%a: f64) -> (f16, bf16) {
  // CHECK: %[[NEAR:.*]] = arith.truncf %{{.*}} : f64 to f32
  // CHECK: arith.extf %[[NEAR]] : f32 to f64
  // CHECK: arith.cmpf ogt
  // F16C: arith.truncf %{{.*}} : f32 to f16
  // PLAIN-NOT: arith.truncf {{.*}} : f32 to f16
  // CHECK: arith.bitcast %{{.*}} : i16 to bf16
  %0 = arith.truncf %a : f64 to f16
  %1 = arith.truncf %a : f64 to bf16
  return %0, %1 : f16, bf16
}

// CHECK-LABEL: func.func @signs
func.func @signs(%a: vector<4xbf16>, %b: vector<4xbf16>) -> vector<4xbf16> {
  // CHECK-NOT: math.
  // CHECK: arith.andi
  // CHECK: arith.ori
  // CHECK-NOT: math.
  // CHECK: return
  %0 = math.absf %a : vector<4xbf16>
  %1 = math.copysign %0, %b : vector<4xbf16>
  return %1 : vector<4xbf16>
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

// CHECK-LABEL: func.func @four_bits_and_others
func.func @four_bits_and_others(%a: f64, %b: f4E2M1FN) -> (f4E2M1FN, f64, bf16) {
  // CHECK-NOT: arith.{{truncf|extf}} {{.*}}f4E2M1FN
  // CHECK: return
  %0 = arith.truncf %a : f64 to f4E2M1FN
  %1 = arith.extf %b : f4E2M1FN to f64
  %2 = arith.extf %b : f4E2M1FN to bf16
  return %0, %1, %2 : f4E2M1FN, f64, bf16
}
