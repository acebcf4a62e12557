// RUN: pallas-opt %s | pallas-opt | FileCheck %s
// RUN: pallas-opt %s -mlir-print-op-generic | pallas-opt | FileCheck %s
// RUN: pallas-opt %s -emit-bytecode | pallas-opt | FileCheck %s

!s = !pallas.ref<8xf32, vmem>

// CHECK-LABEL: func.func @in_order(
// CHECK-SAME: %[[I:.*]]: i32, %[[J:.*]]: i32)
func.func @in_order(%i: i32, %j: i32) {
  // CHECK: pallas.on_core <sc_vector, [<core "c" = 2>, <subcore "s" = 16>]>(%[[I]], %[[J]]) {
  pallas.on_core <sc_vector, [<core "c" = 2>, <subcore "s" = 16>]>(%i, %j) {
    // CHECK: pallas.run_scoped
    pallas.run_scoped (%s: !s) {
    }
  }
  return
}

// CHECK-LABEL: func.func @tasks(
// CHECK-SAME: %[[I:.*]]: i32)
func.func @tasks(%i: i32) {
  // CHECK: pallas.task_scope first_axis 1 attributes {pallas.made_for = "pallas.core_map"} (%[[S:.*]]: !pallas.ref<8xf32, vmem> of <gpu, [<grid "b" = 4>, <cluster "c" = 2>]>, %[[A:.*]]: !pallas.accumulator<64x64xf32> of <gpu, [<grid "b" = 4>, <cluster "c" = 2>]>) {
  pallas.task_scope first_axis 1 attributes {pallas.made_for = "pallas.core_map"} (%s: !s of <gpu, [<grid "b" = 4>, <cluster "c" = 2>]>, %a: !pallas.accumulator<64x64xf32> of <gpu, [<grid "b" = 4>, <cluster "c" = 2>]>) {
    // CHECK: pallas.on_core <gpu, [<grid "b" = 4>, <cluster "c" = 2>]>(%[[I]], %[[I]]) first_axis 1 first_task 3 {
    pallas.on_core <gpu, [<grid "b" = 4>, <cluster "c" = 2>]>(%i, %i) first_axis 1 first_task 3 {
      // CHECK: %[[OWN:.*]] = pallas.core_scratch %[[S]] : !pallas.ref<8xf32, vmem>
      %own = pallas.core_scratch %s : !s
      // CHECK: pallas.get %[[OWN]]
      %v = pallas.get %own[...] : !s
      // CHECK: pallas.core_scratch %[[A]] : !pallas.accumulator<64x64xf32>
      %acc = pallas.core_scratch %a : !pallas.accumulator<64x64xf32>
    }
  }
  return
}

// CHECK-LABEL: func.func @clusters(
func.func @clusters(%i: i32) {
  pallas.on_core <gpu, [<cluster "c" = 2>]>(%i) {
    // CHECK: pallas.cluster_sync{{$}}
    pallas.cluster_sync
    // CHECK: pallas.cluster_sync threads
    pallas.cluster_sync threads
  }
  return
}
