// RUN: pallas-opt %s --pallas-cpu-bufferize | FileCheck %s

// The bug: one value that a branch yields for several carried ones was left in the memory of one
// of them.

// One value under two names is copied where the other name may be that of a
// carried value.
// CHECK-LABEL: func.func @carried_or_shared
func.func @carried_or_shared(%o: memref<16xf32>, %p: memref<16xf32>, %n: index, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<16xf32>
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  // CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}) -> (memref<16xf32>, memref<16xf32>)
  // CHECK: scf.if
  // CHECK: linalg.fill {{.*}} outs(%[[M:[^ ]*]] :
  // CHECK: memref.copy %[[M]], %[[COPY:[^ ]*]] :
  // CHECK: scf.yield %[[COPY]], %[[M]]
  // CHECK: else
  // CHECK: scf.yield %[[B]], %
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %f, %b = %f) -> (tensor<16xf32>, tensor<16xf32>) {
    %is = arith.cmpi eq, %i, %c1 : index
    %c:2 = scf.if %is -> (tensor<16xf32>, tensor<16xf32>) {
      %e1 = tensor.empty() : tensor<16xf32>
      %m = linalg.fill ins(%v : f32) outs(%e1 : tensor<16xf32>) -> tensor<16xf32>
      scf.yield %m, %m : tensor<16xf32>, tensor<16xf32>
    } else {
      %e1 = tensor.empty() : tensor<16xf32>
      %m = linalg.add ins(%a, %b : tensor<16xf32>, tensor<16xf32>) outs(%e1 : tensor<16xf32>) -> tensor<16xf32>
      scf.yield %b, %m : tensor<16xf32>, tensor<16xf32>
    }
    scf.yield %c#1, %c#0 : tensor<16xf32>, tensor<16xf32>
  }
  bufferization.materialize_in_destination %r#0 in restrict writable %o : (tensor<16xf32>, memref<16xf32>) -> ()
  bufferization.materialize_in_destination %r#1 in restrict writable %p : (tensor<16xf32>, memref<16xf32>) -> ()
  return
}
