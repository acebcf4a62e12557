// RUN: pallas-test-opt %s --pallas-discharge-state --split-input-file --verify-diagnostics | FileCheck %s

// An operation of another dialect takes part: what it writes goes through loops
// and views like other writes.
// CHECK-LABEL: func.func @fill
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[V:.*]]: f32
func.func @fill(%x: !pallas.ref<4x8xf32, vmem>, %v: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[R:.*]] = scf.for {{.*}} iter_args(%[[I:.*]] = %[[X]]) -> (tensor<4x8xf32>)
  scf.for %i = %c0 to %n step %c1 {
    %k = arith.index_cast %i : index to i32
    // CHECK: %[[S:.*]] = tensor.splat %[[V]] : tensor<8xf32>
    // CHECK: %[[N:.*]] = tensor.insert_slice %[[S]] into %[[I]]
    // CHECK: scf.yield %[[N]]
    %row = pallas.slice_ref %x[%k, :] : !pallas.ref<4x8xf32, vmem>
    "foreign.fill"(%row, %v) : (!pallas.ref<8xf32, vmem>, f32) -> ()
  }
  // CHECK: return %[[R]]
  return
}

// -----

func.func @touch(%x: !pallas.ref<8xf32, vmem>) {
  // expected-error@below {{'foreign.touch' op uses a ref of type '!pallas.ref<8xf32, vmem>' that becomes a value, but has no rule for it; implement DischargeableOpInterface}}
  "foreign.touch"(%x) : (!pallas.ref<8xf32, vmem>) -> ()
  return
}
