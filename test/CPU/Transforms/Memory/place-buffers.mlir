// RUN: pallas-opt %s --pass-pipeline="builtin.module(func.func(pallas-cpu-place-buffers{stack-bytes=1024}))" | FileCheck %s

// RUN: pallas-opt %s --pass-pipeline="builtin.module(func.func(pallas-cpu-place-buffers{stack-bytes=1024 separate}))" | FileCheck %s --check-prefix=SEPARATE

// Small buffers go to the stack, the others share one allocation, and none is
// made in a loop.

// CHECK-LABEL: func.func @loop
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<12288xi8>
// CHECK: memref.view
// CHECK: memref.view
// CHECK: memref.alloca() {alignment = 64 : i64} : memref<16xf32>
// CHECK: scf.for
// CHECK-NOT: memref.alloc
// CHECK: memref.dealloc

// Asked for, each has one of its own, which ends where the buffer does.
// SEPARATE-LABEL: func.func @loop
// SEPARATE-DAG: %[[A:.*]] = memref.alloc() : memref<1024xf32>
// SEPARATE-DAG: %[[B:.*]] = memref.alloc() : memref<2048xf32>
// SEPARATE-DAG: memref.alloca() {alignment = 64 : i64} : memref<16xf32>
// SEPARATE: scf.for
// SEPARATE-NOT: memref.alloc
// SEPARATE-DAG: memref.dealloc %[[A]]
// SEPARATE-DAG: memref.dealloc %[[B]]
func.func @loop(%n: index, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %small = memref.alloc() : memref<16xf32>
    %a = memref.alloc() : memref<1024xf32>
    %b = memref.alloc() : memref<2048xf32>
    memref.store %v, %small[%c0] : memref<16xf32>
    memref.store %v, %a[%i] : memref<1024xf32>
    memref.store %v, %b[%i] : memref<2048xf32>
  }
  return
}


// The scope around the body of a parallel loop would be left with branches in
// it once loops are lowered.

// CHECK-LABEL: func.func @scope
// CHECK-NOT: memref.alloca_scope
// CHECK: return
func.func @scope(%n: index, %m: memref<16xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  memref.alloca_scope {
    scf.for %i = %c0 to %n step %c1 {
      memref.store %v, %m[%i] : memref<16xf32>
    }
  }
  return
}
