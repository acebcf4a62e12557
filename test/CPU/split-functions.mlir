// RUN: pallas-opt %s --pallas-cpu-split-functions=part-size=2 | FileCheck %s

// Two loops at a time become a function, and what is left over stays. Constants
// are copied, a buffer that one part uses moves along, one that others use stays
// in front, and what later operations need is returned.

// CHECK-LABEL: func.func @long
// CHECK-SAME: (%[[IN:.*]]: memref<8xf32>, %[[OUT:.*]]: memref<8xf32>)
// CHECK: %[[SHARED:.*]] = memref.alloc() : memref<8xf32>
// CHECK-NOT: scf.for
// CHECK: %[[SUM:.*]] = call @long_part_0(%[[IN]], %[[SHARED]])
// CHECK-NOT: scf.for
// CHECK: call @long_part_1(%[[SHARED]], %[[SUM]], %[[OUT]])
// CHECK: scf.for
// CHECK: return

// CHECK: func.func private @long_part_1
// CHECK-COUNT-2: scf.for

// CHECK: func.func private @long_part_0
// CHECK-DAG: memref.alloc() : memref<4xf32>
// CHECK-DAG: arith.constant 8 : index
// CHECK-COUNT-2: scf.for
// CHECK: return %{{.*}} : f32
func.func @long(%in: memref<8xf32>, %out: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %own = memref.alloc() : memref<4xf32>
  %shared = memref.alloc() : memref<8xf32>
  scf.for %i = %c0 to %c4 step %c1 {
    %v = memref.load %in[%i] : memref<8xf32>
    memref.store %v, %own[%i] : memref<4xf32>
  }
  %zero = arith.constant 0.0 : f32
  %sum = scf.for %i = %c0 to %c8 step %c1 iter_args(%s = %zero) -> f32 {
    %j = arith.remui %i, %c4 : index
    %v = memref.load %own[%j] : memref<4xf32>
    memref.store %v, %shared[%i] : memref<8xf32>
    %n = arith.addf %s, %v : f32
    scf.yield %n : f32
  }
  scf.for %i = %c0 to %c8 step %c1 {
    %v = memref.load %shared[%i] : memref<8xf32>
    %n = arith.addf %sum, %v : f32
    memref.store %n, %out[%i] : memref<8xf32>
  }
  scf.for %i = %c0 to %c8 step %c1 {
    %v = memref.load %out[%i] : memref<8xf32>
    %n = arith.addf %sum, %v : f32
    memref.store %n, %shared[%i] : memref<8xf32>
  }
  scf.for %i = %c0 to %c8 step %c1 {
    %v = memref.load %shared[%i] : memref<8xf32>
    memref.store %v, %out[%i] : memref<8xf32>
  }
  return
}

// A short function stays as it is.

// CHECK-LABEL: func.func @short
// CHECK: scf.for
// CHECK: scf.for
// CHECK: scf.for
func.func @short(%in: memref<8xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    memref.store %v, %in[%i] : memref<8xf32>
  }
  scf.for %i = %c0 to %c8 step %c1 {
    memref.store %v, %in[%i] : memref<8xf32>
  }
  scf.for %i = %c0 to %c8 step %c1 {
    memref.store %v, %in[%i] : memref<8xf32>
  }
  return
}
