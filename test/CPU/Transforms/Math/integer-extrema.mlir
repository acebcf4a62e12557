// RUN: pallas-opt %s --pass-pipeline="builtin.module(func.func(pallas-cpu-integer-extrema))" --split-input-file | FileCheck %s

// The loop carries the largest and the smallest bits, as signed and as unsigned
// integers. The number comes back at the end, where bits beyond an infinity tell
// of NaN.

// CHECK-LABEL: func.func @largest
// CHECK: %[[BOUNDS:.*]]:4 = scf.for
// CHECK-NOT: arith.maximumf
// CHECK: %[[BITS:.*]] = arith.bitcast %{{.*}} : vector<16xf32> to vector<16xi32>
// CHECK-NEXT: arith.maxsi %{{.*}}, %[[BITS]]
// CHECK-NEXT: arith.minsi %{{.*}}, %[[BITS]]
// CHECK-NEXT: arith.maxui %{{.*}}, %[[BITS]]
// CHECK-NEXT: scf.yield
// CHECK: %[[NEGATIVE:.*]] = arith.cmpi slt, %[[BOUNDS]]#1
// CHECK: %[[LARGEST:.*]] = arith.select %[[NEGATIVE]], %[[BOUNDS]]#2, %[[BOUNDS]]#1
// CHECK: arith.cmpi sgt, %[[BOUNDS]]#1
// CHECK: arith.cmpi ugt, %[[BOUNDS]]#3
// CHECK: %[[NAN:.*]] = arith.ori
// CHECK: %[[KEYS:.*]] = arith.select %[[NAN]]
// CHECK: vector.reduction <maxsi>, %[[KEYS]]
// CHECK-NOT: vector.reduction
// CHECK: %[[LOST:.*]] = arith.cmpi eq, %{{.*}}, %c2147483647_i32
// CHECK: arith.select %[[LOST]]
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
// CHECK: %[[BOUNDS:.*]]:4 = scf.for
// CHECK: %[[NEGATIVE:.*]] = arith.cmpi slt, %[[BOUNDS]]#3
// CHECK: arith.select %[[NEGATIVE]], %[[BOUNDS]]#3, %[[BOUNDS]]#2
// CHECK: arith.cmpi eq
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

// -----

// The smallest of the largest numbers of lanes is no extremum of the loop.

// CHECK-LABEL: func.func @other_extremum
// CHECK: %[[BOUNDS:.*]]:4 = scf.for
// CHECK: %[[NUMBERS:.*]] = arith.select %{{.*}} : vector<16xi1>, vector<16xf32>
// CHECK: arith.bitcast %[[NUMBERS]]
// CHECK: vector.reduction <minsi>
func.func @other_extremum(%m: memref<256xf32>, %initial: vector<16xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c256 = arith.constant 256 : index
  %r = scf.for %i = %c0 to %c256 step %c16 iter_args(%running = %initial) -> (vector<16xf32>) {
    %x = vector.load %m[%i] : memref<256xf32>, vector<16xf32>
    %next = arith.maximumf %running, %x : vector<16xf32>
    scf.yield %next : vector<16xf32>
  }
  %s = vector.reduction <minimumf>, %r : vector<16xf32> into f32
  return %s : f32
}
