// RUN: pallas-opt %s --pallas-insert-checks --pallas-grids-to-loops --split-input-file | FileCheck %s

// Loops tell the checker which program runs, and where its windows are.

// CHECK-LABEL: func.func @scaled(
// CHECK: pallas.operand_ref "input 0" %{{.*}} {pallas.ref_names = ["input 0 (x)"]}
// CHECK: pallas.result_ref "output 0" {pallas.ref_names = ["output 0"]}
// CHECK: pallas.check_grid_begin "scaled" windows [!pallas.ref<6xf32, any>, !pallas.ref<6xf32, any>] by "pallas.pallas_call"
// CHECK-NEXT: pallas.check_program()
// CHECK: %[[X:.*]] = pallas.window
// CHECK: %[[O:.*]] = pallas.window
// CHECK: pallas.run_scoped (%[[T:.*]]: !pallas.ref<2xf32, vmem>) attributes {pallas.made_for = "pallas.emit_pipeline", pallas.ref_names = ["scratch 0"]} {
// CHECK-NEXT: pallas.check_grid_begin "" windows [!pallas.ref<2xf32, vmem>, !pallas.ref<2xf32, vmem>] by "pallas.emit_pipeline"
// CHECK: scf.for %[[IV:.*]] = %{{.*}} to %c3 step %{{.*}} {
// CHECK-NEXT: pallas.check_program(%[[IV]])
// CHECK-NEXT: %[[I:.*]] = arith.index_cast %[[IV]] : index to i32
// CHECK-NEXT: %[[A:.*]] = pallas.window %[[X]][%[[I]] : i32]
// CHECK-NEXT: pallas.check_window 0 "input 0 (x)" %[[A]] of %[[X]][%[[I]] : i32] block<[2], vmem> buffered by "pallas.emit_pipeline" : !pallas.ref<2xf32, vmem>, !pallas.ref<6xf32, any>
// CHECK-NEXT: %[[B:.*]] = pallas.window %[[O]][%[[I]] : i32]
// CHECK-NEXT: pallas.check_window 1 "output 0" %[[B]] of %[[O]][%[[I]] : i32] block<[2], vmem> output buffered by "pallas.emit_pipeline" : !pallas.ref<2xf32, vmem>, !pallas.ref<6xf32, any>
// CHECK-NEXT: pallas.check_access read "input 0 (x)" %[[A]]
// CHECK: pallas.check_access write "scratch 0" %[[T]]
// CHECK: }
// CHECK: pallas.check_grid_end windows [!pallas.ref<2xf32, vmem>, !pallas.ref<2xf32, vmem>]
// CHECK: pallas.check_grid_end windows [!pallas.ref<6xf32, any>, !pallas.ref<6xf32, any>]
// CHECK-NEXT: pallas.check_output "output 0" %[[ARRAY:.*]] block [6] by "pallas.pallas_call" : !pallas.ref<6xf32, any>
// CHECK-NEXT: pallas.ref_value %[[ARRAY]]
func.func @scaled(%x: tensor<6xf32>) -> tensor<6xf32> {
  %o = pallas.pallas_call grid()
      in(%x : tensor<6xf32>) block<[6], any, origin = "x">
      out(tensor<6xf32>) block<[6], any>
      kernel(%xr: !pallas.ref<6xf32, any>, %or: !pallas.ref<6xf32, any>) {
    pallas.emit_pipeline grid(3)
        in(%xr : !pallas.ref<6xf32, any>) block<[2], vmem> map(%i) -> (%i)
        out(%or : !pallas.ref<6xf32, any>) block<[2], vmem> map(%i) -> (%i)
        kernel(%i: i32, %a: !pallas.ref<2xf32, vmem>, %b: !pallas.ref<2xf32, vmem>, %t: !pallas.ref<2xf32, vmem>) {
      %v = pallas.get %a[...] : !pallas.ref<2xf32, vmem>
      pallas.swap %t[...], %v : !pallas.ref<2xf32, vmem>, tensor<2xf32>
      %w = pallas.get %t[...] : !pallas.ref<2xf32, vmem>
      pallas.swap %b[...], %w : !pallas.ref<2xf32, vmem>, tensor<2xf32>
    }
  }
  return %o : tensor<6xf32>
}

// -----

// The window that is all of its array is not reported; one that is the array itself has its
// contents again when the grid comes back.

// CHECK-LABEL: func.func @places(
// CHECK-NOT: pallas.check_window 0
// CHECK: pallas.check_window 1 "scoped ref 1" %{{.*}} of %{{.*}}[%{{.*}} : i32] block<[2], any> output returning by
func.func @places(%x: tensor<6xf32>) {
  pallas.run_scoped (%s: !pallas.ref<6xf32, vmem>, %t: !pallas.ref<6xf32, any>) {
    pallas.pallas_call grid() captures(%s, %t : !pallas.ref<6xf32, vmem>, !pallas.ref<6xf32, any>)
        kernel(%a: !pallas.ref<6xf32, vmem>, %b: !pallas.ref<6xf32, any>) {
      pallas.emit_pipeline grid(3)
          in(%a : !pallas.ref<6xf32, vmem>) block<[6], vmem> map(%i) -> (0)
          out(%b : !pallas.ref<6xf32, any>) block<[2], any> map(%i) -> (%i)
          kernel(%i: i32, %u: !pallas.ref<6xf32, vmem>, %v: !pallas.ref<2xf32, any>) {
      }
    }
  }
  return
}

// -----

// Cores have windows of their own, but share arrays that have none.

// CHECK-LABEL: func.func @on_cores(
// CHECK: %[[X:.*]] = pallas.operand_ref "input 0"
// CHECK: pallas.check_grid_begin "on_cores" windows [!pallas.ref<6xf32, any>, !pallas.ref<2xf32, vmem>] shared(%[[X]] : !pallas.ref<6xf32, any>) by "pallas.pallas_call"
// CHECK: pallas.check_program(%[[IV:.*]]) parallel(%[[IV]])
func.func @on_cores(%x: tensor<6xf32>) -> tensor<6xf32> {
  %o = pallas.pallas_call grid(3)
      in(%x : tensor<6xf32>) block<[6], any> out(tensor<6xf32>) block<[2], vmem> map(%i) -> (%i)
      semantics [parallel]
      kernel(%xr: !pallas.ref<6xf32, any>, %or: !pallas.ref<2xf32, vmem>) {
  }
  return %o : tensor<6xf32>
}
