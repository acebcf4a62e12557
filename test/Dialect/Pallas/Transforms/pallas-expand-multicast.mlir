// RUN: pallas-opt %s --pallas-expand-multicast | FileCheck %s

// A store through a view of the memory of all devices is a loop over them, and
// each turn has a view of its own.
// CHECK-LABEL: func.func @store
// CHECK: %[[X:.*]] = pallas.axis_size "x"
// CHECK: %[[Y:.*]] = pallas.axis_size "y"
// CHECK: %[[COUNT:.*]] = arith.muli %[[X]], %[[Y]]
// CHECK: scf.for %[[DEVICE:.*]] = %{{.*}} to %[[COUNT]]
// CHECK-NEXT: %[[THERE:.*]] = pallas.remote_ref %arg0 device mesh(%[[DEVICE]]) axes {{\[}}["x", "y"]]
// CHECK-NEXT: %[[VIEW:.*]] = pallas.slice_ref %[[THERE]][%arg1, :]
// CHECK-NEXT: pallas.swap %[[VIEW]][...], %arg2
// CHECK-NOT: multicast_ref
func.func @store(%r: !pallas.ref<4x8xf32, gmem>, %i: i32, %v: tensor<8xf32>) {
  %all = pallas.multicast_ref %r axes ["x", "y"] : !pallas.ref<4x8xf32, gmem>
  %row = pallas.slice_ref %all[%i, :] : !pallas.ref<4x8xf32, gmem>
  pallas.swap %row[...], %v : !pallas.ref<8xf32, gmem>, tensor<8xf32>
  return
}

// The copies to all devices are one group, as the one copy was.
// CHECK-LABEL: func.func @copy
// CHECK: scf.for
// CHECK: pallas.copy_smem_to_gmem %arg0 to %{{.*}} if %arg2 {commitGroup = false}
// CHECK-NEXT: }
// CHECK-NEXT: pallas.commit_smem_to_gmem_group
// CHECK: scf.for
// CHECK: pallas.copy_smem_to_gmem %arg0 to %{{.*}} {commitGroup = false}
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @copy(%s: !pallas.ref<4x8xf32, smem>, %g: !pallas.ref<4x8xf32, gmem>, %p: i1) {
  %all = pallas.multicast_ref %g axes ["x"] : !pallas.ref<4x8xf32, gmem>
  pallas.copy_smem_to_gmem %s to %all if %p : !pallas.ref<4x8xf32, smem>, !pallas.ref<4x8xf32, gmem>
  pallas.copy_smem_to_gmem %s to %all {commitGroup = false} : !pallas.ref<4x8xf32, smem>, !pallas.ref<4x8xf32, gmem>
  return
}

// Signals name the device themselves.
// CHECK-LABEL: func.func @signal
// CHECK: scf.for %[[DEVICE:.*]] =
// CHECK-NEXT: %[[ONE:.*]] = pallas.slice_ref %arg0[1]
// CHECK-NEXT: pallas.semaphore_signal %[[ONE]], %arg1 device mesh(%[[DEVICE]]) axes {{\[}}["x"]]
func.func @signal(%s: !pallas.ref<2x!pallas.semaphore, gmem>, %n: i32) {
  %all = pallas.multicast_ref %s axes ["x"] : !pallas.ref<2x!pallas.semaphore, gmem>
  %one = pallas.slice_ref %all[1] : !pallas.ref<2x!pallas.semaphore, gmem>
  pallas.semaphore_signal %one, %n : !pallas.ref<!pallas.semaphore, gmem>
  return
}

// Values are combined in the order of devices.
// CHECK-LABEL: func.func @load
// CHECK: %[[FIRST:.*]] = pallas.get
// CHECK: %[[COUNT:.*]] = pallas.axis_size "x"
// CHECK: %[[SUM:.*]] = scf.for %[[DEVICE:.*]] = %c1{{.*}} to %[[COUNT]] {{.*}} iter_args(%[[BEFORE:.*]] = %[[FIRST]])
// CHECK-NEXT: %[[THERE:.*]] = pallas.remote_ref %arg0 device mesh(%[[DEVICE]])
// CHECK-NEXT: %[[V:.*]] = pallas.get %[[THERE]][...]
// CHECK-NEXT: %[[NEXT:.*]] = arith.maxui %[[BEFORE]], %[[V]]
// CHECK-NEXT: scf.yield %[[NEXT]]
// CHECK: return %[[SUM]]
func.func @load(%r: !pallas.ref<8xi32, gmem>) -> tensor<8xi32> {
  %v = pallas.multimem_load_reduce <umax> %r axes ["x"] : !pallas.ref<8xi32, gmem> -> tensor<8xi32>
  return %v : tensor<8xi32>
}
