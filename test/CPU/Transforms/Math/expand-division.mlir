// RUN: pallas-opt %s --pass-pipeline="builtin.module(func.func(pallas-cpu-expand-division{cpu=x86-64-v3}))" | FileCheck %s
// RUN: pallas-opt %s --pass-pipeline="builtin.module(func.func(pallas-cpu-expand-division{cpu=x86-64-v2}))" | FileCheck %s --check-prefix=PLAIN

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

// Without an instruction for sums of products, nothing changes.
// PLAIN-NOT: scf.if
// PLAIN-NOT: math.fma

// A divisor for each vector has no reciprocal to share.

// CHECK-LABEL: func.func @divide_once
// CHECK-NOT: scf.if
// CHECK: arith.divf %{{.*}} : vector<16xf32>
func.func @divide_once(%x: vector<16xf32>, %s: f32) -> vector<16xf32> {
  %divisor = vector.broadcast %s : f32 to vector<16xf32>
  %q = arith.divf %x, %divisor : vector<16xf32>
  return %q : vector<16xf32>
}
