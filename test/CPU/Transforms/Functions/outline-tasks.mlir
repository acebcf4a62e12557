// RUN: pallas-opt %s --pallas-cpu-outline-tasks --split-input-file --verify-diagnostics | FileCheck %s

// The body becomes a function of a record and a number. What it uses from
// outside goes into the record, but for constants, which it has itself.

// CHECK: llvm.func @pallas_rt_run_tasks(!llvm.ptr, !llvm.ptr, i64, !llvm.ptr)
// CHECK: llvm.mlir.global internal constant @_pallas_task_fill_0_axes("core\00")
// CHECK-LABEL: func.func @fill
// CHECK-SAME: %[[MEMORY:.*]]: memref<8xf32>, %[[VALUE:.*]]: f32
// CHECK: %[[PLACE:.*]] = llvm.alloca
// CHECK: llvm.insertvalue %{{.*}}[0]
// CHECK: llvm.insertvalue %{{.*}}[1]
// CHECK-NOT: llvm.insertvalue
// CHECK: llvm.store %{{.*}}, %[[PLACE]]
// CHECK: constant @_pallas_task_fill_0
// CHECK: llvm.call @pallas_rt_run_tasks
// CHECK-LABEL: func.func private @_pallas_task_fill_0
// CHECK-SAME: (%[[RECORD:.*]]: !llvm.ptr, %[[NUMBER:.*]]: i64)
// CHECK: llvm.load %[[RECORD]]
// CHECK: %[[I:.*]] = arith.index_cast %[[NUMBER]] : i64 to index
// CHECK: %[[ONE:.*]] = arith.constant 1.0
// CHECK: arith.addf %{{.*}}, %[[ONE]]
// CHECK: memref.store %{{.*}}, %{{.*}}[%[[I]]]
// CHECK-NOT: scf.forall
func.func @fill(%memory: memref<8xf32>, %value: f32) {
  %one = arith.constant 1.0 : f32
  scf.forall (%i) in (8) {
    %sum = arith.addf %value, %one : f32
    memref.store %sum, %memory[%i] : memref<8xf32>
  } {pallas.axes = "core"}
  return
}

// -----

func.func @two_dimensions(%memory: memref<8x8xf32>, %value: f32) {
  // expected-error @+1 {{runs tasks only if it has one dimension that counts from zero by one, and no results}}
  scf.forall (%i, %j) in (8, 8) {
    memref.store %value, %memory[%i, %j] : memref<8x8xf32>
  }
  return
}

// -----

// Tasks of a task have a record in that task: others have their own.

// CHECK-LABEL: func.func @nested
// CHECK: llvm.alloca
// CHECK-NOT: llvm.alloca
// CHECK-LABEL: func.func private @_pallas_task_nested_1
// CHECK: llvm.alloca
// CHECK: llvm.call @pallas_rt_run_tasks
// CHECK-LABEL: func.func private @_pallas_task_nested_0
// CHECK-NOT: llvm.alloca
func.func @nested(%memory: memref<4x8xindex>) {
  scf.forall (%i) in (4) {
    scf.forall (%j) in (8) {
      memref.store %i, %memory[%i, %j] : memref<4x8xindex>
    } {pallas.axes = "warp"}
  } {pallas.axes = "core"}
  return
}
