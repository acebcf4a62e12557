// RUN: pallas-opt %s --pallas-cpu-entry-abi --split-input-file --verify-diagnostics | FileCheck %s

// Arguments come first, then a buffer per result. Values that bufferization can
// compute in place are handed over; the type of before stays for the caller.

// CHECK-LABEL: func.func @mixed
// CHECK-SAME: (%[[X:.*]]: memref<8xf32>, %[[N:.*]]: memref<i32>, %[[Y:.*]]: memref<8xf32>, %[[M:.*]]: memref<i32>)
// CHECK-SAME: llvm.emit_c_interface
// CHECK-SAME: (tensor<8xf32>, i32) -> (tensor<8xf32>, i32)
// CHECK-DAG: %[[T:.*]] = bufferization.to_tensor %[[X]] restrict
// CHECK-DAG: %[[V:.*]] = memref.load %[[N]][]
// CHECK-DAG: bufferization.materialize_in_destination %[[T]] in restrict writable %[[Y]]
// CHECK-DAG: memref.store %[[V]], %[[M]][]
// CHECK: return{{$}}
func.func @mixed(%x: tensor<8xf32>, %n: i32) -> (tensor<8xf32>, i32) {
  return %x, %n : tensor<8xf32>, i32
}

// A private function that nobody calls is gone, a declaration stays.
// CHECK-NOT: @unused
// CHECK: func.func private @declared(i32)
func.func private @unused(%n: i32) -> i32 {
  return %n : i32
}
func.func private @declared(i32)

// -----

// expected-error @+1 {{has the type 'vector<4xf32>' in its signature, which no buffer can hold; functions that are called from outside take and yield ranked tensors and scalars}}
func.func @vectors(%v: vector<4xf32>) {
  return
}

// -----

// expected-error @+1 {{is still used after inlining, so it calls itself, or has several blocks where a loop calls it; neither has a native form}}
func.func @recursive(%n: i32) -> i32 {
  %0 = func.call @recursive(%n) : (i32) -> i32
  return %0 : i32
}
