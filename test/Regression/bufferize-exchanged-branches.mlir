// RUN: pallas-opt %s --pallas-cpu-bufferize | FileCheck %s

// The bug: carried values that a branch exchanges were not saved before the first of them is
// written.

// What may be in the first place is saved before another value takes it.
// CHECK-LABEL: func.func @carried_or_made
func.func @carried_or_made(%o: memref<16xf32>, %p: memref<16xf32>, %n: index, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<16xf32>
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  // CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}) -> (memref<16xf32>, memref<16xf32>)
  // CHECK: %[[R:.*]] = scf.if
  // CHECK: memref.copy %[[R]], %[[SAVED:[^ ]*]] :
  // CHECK: memref.copy %[[B]], %[[A]]
  // CHECK: memref.copy %[[SAVED]], %[[B]]
  // CHECK: scf.yield %[[A]], %[[B]]
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %f, %b = %f) -> (tensor<16xf32>, tensor<16xf32>) {
    %is = arith.cmpi eq, %i, %c1 : index
    %c = scf.if %is -> tensor<16xf32> {
      scf.yield %a : tensor<16xf32>
    } else {
      %e1 = tensor.empty() : tensor<16xf32>
      %m = linalg.add ins(%a, %b : tensor<16xf32>, tensor<16xf32>) outs(%e1 : tensor<16xf32>) -> tensor<16xf32>
      scf.yield %m : tensor<16xf32>
    }
    scf.yield %b, %c : tensor<16xf32>, tensor<16xf32>
  }
  bufferization.materialize_in_destination %r#0 in restrict writable %o : (tensor<16xf32>, memref<16xf32>) -> ()
  bufferization.materialize_in_destination %r#1 in restrict writable %p : (tensor<16xf32>, memref<16xf32>) -> ()
  return
}
