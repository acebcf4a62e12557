// RUN: pallas-opt %s --pallas-cpu-split-functions=part-size=1 | FileCheck %s

// The bug: memory that a branch allocates and yields moved into the function of a part with it, and ended with that
// function. What the rest of the block read from it was overwritten.

// CHECK-LABEL: func.func @long
// CHECK: call @long_part
// CHECK: %[[MEMORY:.*]] = scf.if
// CHECK: memref.alloc
// CHECK: else
// CHECK: call @long_part{{.*}}%[[MEMORY]]
// CHECK: func.func private
// CHECK-NOT: -> memref
func.func @long(%p: i1, %in: memref<8xf32>, %out: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %v = arith.constant 1.0 : f32
  scf.for %i = %c0 to %c8 step %c1 {
    memref.store %v, %out[%i] : memref<8xf32>
  }
  %memory = scf.if %p -> (memref<8xf32>) {
    %copy = memref.alloc() : memref<8xf32>
    scf.for %i = %c0 to %c8 step %c1 {
      memref.store %v, %copy[%i] : memref<8xf32>
    }
    scf.yield %copy : memref<8xf32>
  } else {
    scf.yield %in : memref<8xf32>
  }
  scf.for %i = %c0 to %c8 step %c1 {
    %e = memref.load %memory[%i] : memref<8xf32>
    memref.store %e, %out[%i] : memref<8xf32>
  }
  scf.for %i = %c0 to %c8 step %c1 {
    memref.store %v, %out[%i] : memref<8xf32>
  }
  return
}
