// RUN: pallas-opt %s --pallas-cpu-bufferize | FileCheck %s

// The bug: a value was computed in the memory that it is stored to, and a loop
// that started from the value changed what was stored.

// CHECK-LABEL: func.func @stored_and_started_from
// CHECK-SAME: (%[[X:[^:]*]]: memref<16xf32>, %[[STORED:[^:]*]]: memref<16xf32>
// CHECK: %[[PLACE:.*]] = memref.alloc()
// CHECK: linalg.add {{.*}} outs(%[[PLACE]] :
// CHECK: memref.copy %[[PLACE]], %[[STORED]]
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[PLACE]])
func.func @stored_and_started_from(%x: memref<16xf32>, %stored: memref<16xf32>, %o: memref<16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = bufferization.to_tensor %x restrict : memref<16xf32> to tensor<16xf32>
  %e = tensor.empty() : tensor<16xf32>
  %v = linalg.add ins(%t, %t : tensor<16xf32>, tensor<16xf32>) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  bufferization.materialize_in_destination %v in restrict writable %stored : (tensor<16xf32>, memref<16xf32>) -> ()
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%b = %v) -> tensor<16xf32> {
    %e2 = tensor.empty() : tensor<16xf32>
    %w = linalg.add ins(%b, %t : tensor<16xf32>, tensor<16xf32>) outs(%e2 : tensor<16xf32>) -> tensor<16xf32>
    scf.yield %w : tensor<16xf32>
  }
  bufferization.materialize_in_destination %r in restrict writable %o : (tensor<16xf32>, memref<16xf32>) -> ()
  return
}

// A value that others only read is still computed in place.

// CHECK-LABEL: func.func @stored_and_read
// CHECK-SAME: (%[[X:[^:]*]]: memref<16xf32>, %[[STORED:[^:]*]]: memref<16xf32>
// CHECK-NOT: memref.alloc
// CHECK: linalg.add {{.*}} outs(%[[STORED]] :
// CHECK: linalg.add ins(%[[STORED]], %[[X]] :
func.func @stored_and_read(%x: memref<16xf32>, %stored: memref<16xf32>, %o: memref<16xf32>) {
  %t = bufferization.to_tensor %x restrict : memref<16xf32> to tensor<16xf32>
  %e = tensor.empty() : tensor<16xf32>
  %v = linalg.add ins(%t, %t : tensor<16xf32>, tensor<16xf32>) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  bufferization.materialize_in_destination %v in restrict writable %stored : (tensor<16xf32>, memref<16xf32>) -> ()
  %e2 = tensor.empty() : tensor<16xf32>
  %w = linalg.add ins(%v, %t : tensor<16xf32>, tensor<16xf32>) outs(%e2 : tensor<16xf32>) -> tensor<16xf32>
  bufferization.materialize_in_destination %w in restrict writable %o : (tensor<16xf32>, memref<16xf32>) -> ()
  return
}
