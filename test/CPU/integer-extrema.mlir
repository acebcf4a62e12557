// RUN: pallas-opt %s --pass-pipeline="builtin.module(func.func(pallas-cpu-integer-extrema))" --split-input-file | FileCheck %s

// The loop carries the largest and the smallest key; numbers come back at the
// end, where a key beyond minus infinity tells of NaN.

// CHECK-LABEL: func.func @largest
// CHECK: %[[BOUNDS:.*]]:3 = scf.for
// CHECK-NOT: arith.maximumf
// CHECK: %[[BITS:.*]] = arith.bitcast %{{.*}} : vector<16xf32> to vector<16xi32>
// CHECK: arith.shrsi %[[BITS]]
// CHECK: %[[KEY:.*]] = arith.xori %[[BITS]]
// CHECK: arith.maxsi %{{.*}}, %[[KEY]]
// CHECK: arith.minsi %{{.*}}, %[[KEY]]
// CHECK: scf.yield
// CHECK: %[[LARGEST:.*]] = vector.reduction <maxsi>, %[[BOUNDS]]#1
// CHECK: %[[SMALLEST:.*]] = vector.reduction <minsi>, %[[BOUNDS]]#2
// CHECK: %[[NAN:.*]] = arith.cmpi slt, %[[SMALLEST]], %c-2139095041_i32
// CHECK: arith.select %[[NAN]]
func.func @largest(%m: memref<256xf32>, %initial: vector<16xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c256 = arith.constant 256 : index
  %r = scf.for %i = %c0 to %c256 step %c16 iter_args(%running = %initial) -> (vector<16xf32>) {
    %x = vector.load %m[%i] : memref<256xf32>, vector<16xf32>
    %next = arith.maximumf %running, %x : vector<16xf32>
    scf.yield %next : vector<16xf32>
  }
  %s = vector.reduction <maximumf>, %r : vector<16xf32> into f32
  return %s : f32
}

// -----

// Other uses of the loop's result see numbers.

// CHECK-LABEL: func.func @smallest
// CHECK: %[[BOUNDS:.*]]:3 = scf.for
// CHECK: arith.cmpi sgt, %[[BOUNDS]]#1
// CHECK: %[[NUMBERS:.*]] = arith.select
// CHECK: return %[[NUMBERS]]
func.func @smallest(%m: memref<256xbf16>, %initial: vector<32xbf16>) -> vector<32xbf16> {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c256 = arith.constant 256 : index
  %r = scf.for %i = %c0 to %c256 step %c32 iter_args(%running = %initial) -> (vector<32xbf16>) {
    %x = vector.load %m[%i] : memref<256xbf16>, vector<32xbf16>
    %next = arith.minimumf %x, %running : vector<32xbf16>
    scf.yield %next : vector<32xbf16>
  }
  return %r : vector<32xbf16>
}

// -----

// A running value that is read on the way stays a number, and single numbers
// are not worth it.

// CHECK-LABEL: func.func @read_on_the_way
// CHECK: arith.maximumf %{{.*}} : vector<16xf32>
// CHECK: arith.maximumf %{{.*}} : f32
func.func @read_on_the_way(%m: memref<256xf32>, %initial: vector<16xf32>, %a: f32, %b: f32) -> (vector<16xf32>, f32) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c256 = arith.constant 256 : index
  %r = scf.for %i = %c0 to %c256 step %c16 iter_args(%running = %initial) -> (vector<16xf32>) {
    %x = vector.load %m[%i] : memref<256xf32>, vector<16xf32>
    %next = arith.maximumf %running, %x : vector<16xf32>
    vector.store %running, %m[%i] : memref<256xf32>, vector<16xf32>
    scf.yield %next : vector<16xf32>
  }
  %s = arith.maximumf %a, %b : f32
  return %r, %s : vector<16xf32>, f32
}
