// RUN: pallas-opt %s --mosaic-gpu-expand-math | FileCheck %s

// Functions that neither the compiler nor upstream has on vectors. Integration/gpu-functions.py compares them with NumPy.

// CHECK-LABEL: func.func @cosh
// CHECK: %[[M:.*]] = math.absf %{{.*}} : vector<128xf32>
// CHECK: %[[X:.*]] = arith.mulf %[[M]], %{{.*}}
// CHECK: %[[HALF:.*]] = math.exp %[[X]] : vector<128xf32>
// CHECK: %[[Q:.*]] = arith.divf %{{.*}}, %[[HALF]]
// CHECK: %[[DOWN:.*]] = arith.divf %[[Q]], %[[HALF]]
// CHECK: %[[H:.*]] = arith.mulf %[[HALF]], %{{.*}}
// CHECK: %[[UP:.*]] = arith.mulf %[[H]], %[[HALF]]
// CHECK: arith.addf %[[UP]], %[[DOWN]]
func.func @cosh(%x: vector<128xf32>) -> vector<128xf32> {
  %0 = math.cosh %x : vector<128xf32>
  return %0 : vector<128xf32>
}

// CHECK-LABEL: func.func @tan
// CHECK-DAG: %[[S:.*]] = math.sin %[[X:.*]] : vector<128xf32>
// CHECK-DAG: %[[C:.*]] = math.cos %[[X]] : vector<128xf32>
// CHECK: arith.divf %[[S]], %[[C]]
func.func @tan(%x: vector<128xf32>) -> vector<128xf32> {
  %0 = math.tan %x : vector<128xf32>
  return %0 : vector<128xf32>
}

// The logarithm has two parts, and the first of each product 12 bits.
// CHECK-LABEL: func.func @pow
// CHECK-DAG: arith.constant dense<-4096> : vector<128xi32>
// CHECK: math.exp2
// CHECK: math.copysign
// CHECK-NOT: math.powf
func.func @pow(%x: vector<128xf32>, %y: vector<128xf32>) -> vector<128xf32> {
  %0 = math.powf %x, %y : vector<128xf32>
  return %0 : vector<128xf32>
}

// CHECK-LABEL: func.func @inverse
// CHECK-NOT: math.a{{[cst]}}
// CHECK: return
func.func @inverse(%x: vector<128xf32>) -> vector<128xf32> {
  %0 = math.asin %x : vector<128xf32>
  %1 = math.acos %0 : vector<128xf32>
  %2 = math.asinh %1 : vector<128xf32>
  %3 = math.acosh %2 : vector<128xf32>
  %4 = math.atanh %3 : vector<128xf32>
  %5 = math.sinh %4 : vector<128xf32>
  return %5 : vector<128xf32>
}

// The arctangent of the smaller by the greater magnitude is a polynomial.
// CHECK-LABEL: func.func @angle
// CHECK: %[[SMALL:.*]] = arith.minimumf %[[Y:.*]], %[[X:.*]] : vector<128xf32>
// CHECK: %[[GREAT:.*]] = arith.maximumf %[[Y]], %[[X]] : vector<128xf32>
// CHECK: %[[DIVISOR:.*]] = arith.select %{{.*}}, %{{.*}}, %[[GREAT]]
// CHECK: arith.divf %[[SMALL]], %[[DIVISOR]] : vector<128xf32>
// CHECK-NOT: math.atan
// CHECK: %[[ABOVE:.*]] = arith.cmpf ogt, %[[Y]], %[[X]] : vector<128xf32>
// CHECK: arith.select %[[ABOVE]]
// CHECK: math.copysign
func.func @angle(%y: vector<128xf32>, %x: vector<128xf32>) -> vector<128xf32> {
  %0 = math.atan2 %y, %x : vector<128xf32>
  return %0 : vector<128xf32>
}

// Halves are computed in f32.
// CHECK-LABEL: func.func @halves
// CHECK: %[[WIDE:.*]] = arith.extf %{{.*}} : vector<128xbf16> to vector<128xf32>
// CHECK: math.rsqrt %[[WIDE]] : vector<128xf32>
// CHECK: %[[ROOT:.*]] = arith.truncf %{{.*}} : vector<128xf32> to vector<128xbf16>
// CHECK: arith.extf %[[ROOT]] : vector<128xbf16> to vector<128xf32>
// CHECK: arith.truncf %{{.*}} : vector<128xf32> to vector<128xbf16>
func.func @halves(%x: vector<128xbf16>) -> vector<128xbf16> {
  %0 = math.sqrt %x : vector<128xbf16>
  %1 = math.erf %0 : vector<128xbf16>
  return %1 : vector<128xbf16>
}

// Each step takes 12 bits of the quotient off.
// CHECK-LABEL: func.func @remainder
// CHECK: %[[LARGE:.*]] = arith.select %{{.*}}, %{{.*}}, %[[M:.*]] : vector<128xi1>, vector<128xf32>
// CHECK: %[[LEFT:.*]] = scf.for %{{.*}} iter_args(%[[REST:.*]] = %{{.*}}) -> (vector<128xf32>)
// CHECK: arith.divf %[[REST]], %[[LARGE]]
// CHECK: scf.for %{{.*}} iter_args(%[[REST:.*]] = %[[LEFT]]) -> (vector<128xf32>)
// CHECK: arith.divf %[[REST]], %[[M]]
// CHECK: math.copysign
func.func @remainder(%x: vector<128xf32>, %y: vector<128xf32>) -> vector<128xf32> {
  %0 = arith.remf %x, %y : vector<128xf32>
  return %0 : vector<128xf32>
}
