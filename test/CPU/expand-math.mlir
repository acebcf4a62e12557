// RUN: pallas-opt %s --pass-pipeline="builtin.module(func.func(pallas-cpu-expand-math))" --split-input-file | FileCheck %s

// One reciprocal serves all vectors of the loop; divisors that are too small for
// it divide.

// CHECK-LABEL: func.func @divide_by_one
// CHECK: %[[RECIPROCAL:.*]] = arith.divf %{{.*}}, %[[DIVISOR:.*]] : f32
// CHECK: %[[RECIPROCALS:.*]] = vector.broadcast %[[RECIPROCAL]]
// CHECK: %[[NORMAL:.*]] = arith.cmpf oge
// CHECK: scf.for
// CHECK: %[[X:.*]] = vector.load
// CHECK: %[[RESULT:.*]] = scf.if %[[NORMAL]]
// CHECK: %[[QUOTIENT:.*]] = arith.mulf %[[X]], %[[RECIPROCALS]]
// CHECK: %[[REST:.*]] = math.fma %{{.*}}, %{{.*}}, %[[X]]
// CHECK: math.fma %[[REST]], %[[RECIPROCALS]], %[[QUOTIENT]]
// CHECK: } else {
// CHECK: arith.divf %[[X]]
// CHECK: vector.store %[[RESULT]]
func.func @divide_by_one(%m: memref<256xf32>, %sum: memref<f32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c256 = arith.constant 256 : index
  %s = memref.load %sum[] : memref<f32>
  %divisor = vector.broadcast %s : f32 to vector<16xf32>
  scf.for %i = %c0 to %c256 step %c16 {
    %x = vector.load %m[%i] : memref<256xf32>, vector<16xf32>
    %q = arith.divf %x, %divisor : vector<16xf32>
    vector.store %q, %m[%i] : memref<256xf32>, vector<16xf32>
  }
  return
}

// -----

// A divisor for each vector has no reciprocal to share.

// CHECK-LABEL: func.func @divide_once
// CHECK-NOT: scf.if
// CHECK: arith.divf %{{.*}} : vector<16xf32>
func.func @divide_once(%x: vector<16xf32>, %s: f32) -> vector<16xf32> {
  %divisor = vector.broadcast %s : f32 to vector<16xf32>
  %q = arith.divf %x, %divisor : vector<16xf32>
  return %q : vector<16xf32>
}

// -----

// Conversions to integers saturate, and exponentials are polynomials.

// CHECK-LABEL: func.func @convert
// CHECK: llvm.call_intrinsic "llvm.fptosi.sat"
// CHECK-NOT: math.exp
// CHECK: math.fma
func.func @convert(%x: vector<16xf32>) -> (vector<16xi32>, vector<16xf32>) {
  %i = arith.fptosi %x : vector<16xf32> to vector<16xi32>
  %e = math.exp %x : vector<16xf32>
  return %i, %e : vector<16xi32>, vector<16xf32>
}

// -----

// The complement of the error function, on which the exact gelu rests, is a
// polynomial too.

// CHECK-LABEL: func.func @complement
// CHECK-NOT: math.erfc
// CHECK: math.fma
func.func @complement(%x: vector<16xf32>) -> vector<16xf32> {
  %e = math.erfc %x : vector<16xf32>
  return %e : vector<16xf32>
}
