// RUN: pallas-opt %s --pallas-cpu-split-functions=part-size=2 | FileCheck %s
// RUN: not pallas-opt %s --pallas-cpu-split-functions=part-size=0 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: echo 'func.func @f() { return }' | not pallas-opt --pallas-to-llvm=part-size=0 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: parts of 0 loops have no end; use a part-size of 1 or more

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

// Accesses of one block count as well. Memory and views sink to what uses them
// first, and each part has its own views of what it is given.

// CHECK-LABEL: func.func @accesses
// CHECK-SAME: (%[[IN:.*]]: memref<8xf32>, %[[OUT:.*]]: memref<8xf32>)
// CHECK: call @accesses_part_0(%[[IN]], %[[OUT]])
// CHECK: %[[OWN:.*]] = memref.alloc() : memref<f32>
// CHECK: call @accesses_part_1(%[[IN]], %[[OWN]])
// CHECK: memref.load %[[OWN]][]
// CHECK: return

// CHECK: func.func private @accesses_part_1(%[[IN:.*]]: memref<8xf32>, %[[OWN:.*]]: memref<f32>) {
// CHECK-NEXT: %[[VIEW:.*]] = memref.subview %[[IN]][3]
// CHECK-NEXT: %[[VALUE:.*]] = memref.load %[[VIEW]]
// CHECK-NEXT: memref.store %[[VALUE]], %[[OWN]]
// CHECK-NEXT: return

// CHECK: func.func private @accesses_part_0(%{{.*}}: memref<8xf32>, %{{.*}}: memref<8xf32>) {
// CHECK-COUNT-2: memref.subview
// CHECK: return
func.func @accesses(%in: memref<8xf32>, %out: memref<8xf32>) {
  %own = memref.alloc() : memref<f32>
  %a = memref.subview %in[3] [1] [1] : memref<8xf32> to memref<f32, strided<[], offset: 3>>
  %b = memref.subview %out[5] [1] [1] : memref<8xf32> to memref<f32, strided<[], offset: 5>>
  %v = memref.load %a[] : memref<f32, strided<[], offset: 3>>
  memref.store %v, %b[] : memref<f32, strided<[], offset: 5>>
  %w = memref.load %a[] : memref<f32, strided<[], offset: 3>>
  memref.store %w, %own[] : memref<f32>
  %x = memref.load %own[] : memref<f32>
  memref.store %x, %b[] : memref<f32, strided<[], offset: 5>>
  return
}
