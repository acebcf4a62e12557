// RUN: pallas-opt %s --pallas-cpu-bufferize | FileCheck %s

// The bug: a branch in a loop that yields a loaded value or the carried one wrote into memory that
// is only read.

// A branch yields without a copy, and the memory of a carried value is written
// in each iteration, so another value that the branch yields is copied: it may
// be read-only, or the place of another carried value.

// CHECK-LABEL: func.func @carried_or_loaded
// CHECK-SAME: (%[[X:[^:]*]]: memref<16xf32>,
func.func @carried_or_loaded(%x: memref<16xf32>, %o: memref<16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %t = bufferization.to_tensor %x restrict : memref<16xf32> to tensor<16xf32>
  %e = tensor.empty() : tensor<16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  // CHECK: scf.for {{.*}} iter_args(%[[B:.*]] = %{{.*}}) -> (memref<16xf32>)
  // CHECK: scf.if
  // CHECK-NEXT: %[[COPY:.*]] = memref.alloc()
  // CHECK-NEXT: memref.copy %[[X]], %[[COPY]]
  // CHECK-NEXT: scf.yield %[[COPY]]
  // CHECK-NEXT: else
  // CHECK-NEXT: scf.yield %[[B]]
  // CHECK: scf.yield %[[B]]
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%b = %f) -> tensor<16xf32> {
    %is = arith.cmpi eq, %i, %c1 : index
    %c = scf.if %is -> tensor<16xf32> {
      scf.yield %t : tensor<16xf32>
    } else {
      scf.yield %b : tensor<16xf32>
    }
    %e2 = tensor.empty() : tensor<16xf32>
    %w = linalg.add ins(%c, %c : tensor<16xf32>, tensor<16xf32>) outs(%e2 : tensor<16xf32>) -> tensor<16xf32>
    scf.yield %w : tensor<16xf32>
  }
  bufferization.materialize_in_destination %r in restrict writable %o : (tensor<16xf32>, memref<16xf32>) -> ()
  return
}
