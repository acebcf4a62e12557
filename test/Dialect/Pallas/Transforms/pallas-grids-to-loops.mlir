// RUN: pallas-opt %s --pallas-grids-to-loops --split-input-file | FileCheck %s

// There is a loop per dimension. Index maps move into the innermost one.

// CHECK-LABEL: func.func @sum(
// CHECK-SAME: %[[X:.*]]: !pallas.ref<16x256xf32, hbm>, %[[O:.*]]: !pallas.ref<16x256xf32, hbm>, %[[K:.*]]: i32)
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %c2 step %c1 {
// CHECK-NEXT: scf.for %[[J:.*]] = %{{.*}} to %c4 step %c1 {
// CHECK-NEXT: %[[ROW:.*]] = arith.index_cast %[[I]] : index to i32
// CHECK-NEXT: %[[COLUMN:.*]] = arith.index_cast %[[J]] : index to i32
// CHECK-NEXT: %[[SHIFTED:.*]] = arith.addi %[[COLUMN]], %[[K]] : i32
// CHECK-NEXT: %[[A:.*]] = pallas.window %[[X]][%[[ROW]], %[[SHIFTED]] : i32, i32] block<[8, 64], vmem> : !pallas.ref<16x256xf32, hbm>
// CHECK-NEXT: %[[B:.*]] = pallas.window %[[O]][%[[ROW]], %[[COLUMN]] : i32, i32] block<[8, 64], vmem> : !pallas.ref<16x256xf32, hbm>
// CHECK-NEXT: %[[V:.*]] = pallas.get %[[A]][...] : !pallas.ref<8x64xf32, vmem>
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[V]], %[[V]]
// CHECK-NEXT: pallas.swap %[[B]][...], %[[S]] : !pallas.ref<8x64xf32, vmem>
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @sum(%x: !pallas.ref<16x256xf32, hbm>, %o: !pallas.ref<16x256xf32, hbm>, %k: i32) {
  pallas.emit_pipeline grid(2, 4)
      in(%x : !pallas.ref<16x256xf32, hbm>) block<[8, 64], vmem> map(%i, %j) {
        %c = arith.addi %j, %k : i32
        pallas.yield %i, %c : i32, i32
      }
      out(%o : !pallas.ref<16x256xf32, hbm>) block<[8, 64], vmem> map(%i, %j) -> (%i, %j)
      kernel(%i: i32, %j: i32, %a: !pallas.ref<8x64xf32, vmem>, %b: !pallas.ref<8x64xf32, vmem>) {
    %v = pallas.get %a[...] : !pallas.ref<8x64xf32, vmem>
    %s = arith.addf %v, %v : tensor<8x64xf32>
    pallas.swap %b[...], %s : !pallas.ref<8x64xf32, vmem>, tensor<8x64xf32>
  }
  return
}

// -----

// Blocks that don't divide an array are copies at its end, so that others may write to the array
// meanwhile. Padding in front of an array is in a copy of all of it.

// CHECK-LABEL: func.func @padded(
// CHECK-SAME: %[[X:.*]]: !pallas.ref<10xf32, any>, %[[O:.*]]: !pallas.ref<9xf32, any>)
// CHECK-NEXT: %[[XP:.*]] = pallas.pad_ref %[[X]] low [1] : !pallas.ref<10xf32, any> -> !pallas.ref<12xf32, any>
// CHECK: scf.for
// CHECK: pallas.window %[[XP]][%{{.*}} : i32] block<[element<4, 1, 1>], vmem> : !pallas.ref<12xf32, any>
// CHECK: %[[W:.*]] = pallas.edge_window %[[O]][%{{.*}} : i32] block<[4], vmem> copied output : !pallas.ref<9xf32, any>
// CHECK: pallas.swap %[[W]]
// CHECK: pallas.write_edge %[[W]]
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @padded(%x: !pallas.ref<10xf32, any>, %o: !pallas.ref<9xf32, any>) {
  pallas.emit_pipeline grid(3)
      in(%x : !pallas.ref<10xf32, any>) block<[element<4, 1, 1>], vmem> map(%i) -> (%i)
      out(%o : !pallas.ref<9xf32, any>) block<[4], vmem> map(%i) -> (%i)
      kernel(%i: i32, %a: !pallas.ref<4xf32, vmem>, %b: !pallas.ref<4xf32, vmem>) {
    %v = pallas.get %a[...] : !pallas.ref<4xf32, vmem>
    pallas.swap %b[...], %v : !pallas.ref<4xf32, vmem>, tensor<4xf32>
  }
  return
}

// -----

// Programs that read what the one before left in the padding need a padded array.

// CHECK-LABEL: func.func @kept_padding(
// CHECK-SAME: %[[O:.*]]: !pallas.ref<3xf32, any>
// CHECK-NEXT: %[[OP:.*]] = pallas.pad_ref %[[O]] low [0] : !pallas.ref<3xf32, any> -> !pallas.ref<4xf32, any>
// CHECK: scf.for
// CHECK: pallas.window %[[OP]]
// CHECK: }
// CHECK-NEXT: pallas.unpad_ref %[[OP]] low [0] to %[[O]] : !pallas.ref<4xf32, any>, !pallas.ref<3xf32, any>
// CHECK-NEXT: return
func.func @kept_padding(%o: !pallas.ref<3xf32, any>, %v: tensor<4xf32>) {
  pallas.emit_pipeline grid(5)
      out(%o : !pallas.ref<3xf32, any>) block<[4], vmem>
      kernel(%i: i32, %b: !pallas.ref<4xf32, vmem>) {
    pallas.addupdate %b[...], %v : !pallas.ref<4xf32, vmem>, tensor<4xf32>
  }
  return
}

// -----

// Loops carry what programs hand on. Scratch lives as long as they run.

// CHECK-LABEL: func.func @carried(
// CHECK-SAME: %[[X:.*]]: !pallas.ref<8x4xf32, any>, %[[N:.*]]: i32, %[[START:.*]]: f32) -> f32
// CHECK: %[[SIZE:.*]] = arith.index_cast %[[N]] : i32 to index
// CHECK: %[[R:.*]] = pallas.run_scoped (%[[T:.*]]: !pallas.ref<4xf32, vmem>) -> f32 {
// CHECK: %[[OUTER:.*]] = scf.for %{{.*}} to %[[SIZE]] step %{{.*}} iter_args(%[[SUM:.*]] = %[[START]]) -> (f32) {
// CHECK: %[[INNER:.*]] = scf.for %{{.*}} to %c3 step %{{.*}} iter_args(%[[SUM2:.*]] = %[[SUM]]) -> (f32) {
// CHECK: %[[W:.*]] = pallas.window %[[X]][%{{.*}}, %{{.*}} : i32, i32] block<[squeezed, 4], vmem>
// CHECK: pallas.swap %[[T]][...], %{{.*}}
// CHECK: %[[NEXT:.*]] = arith.addf %[[SUM2]]
// CHECK: scf.yield %[[NEXT]] : f32
// CHECK: scf.yield %[[INNER]] : f32
// CHECK: pallas.yield %[[OUTER]] : f32
// CHECK: return %[[R]] : f32
func.func @carried(%x: !pallas.ref<8x4xf32, any>, %n: i32, %start: f32) -> f32 {
  %sum = pallas.emit_pipeline grid(%n, 3)
      in(%x : !pallas.ref<8x4xf32, any>) block<[squeezed, 4], vmem> map(%i, %j) -> (%i, 0)
      carry(%start : f32)
      kernel(%i: i32, %j: i32, %a: !pallas.ref<4xf32, vmem>, %t: !pallas.ref<4xf32, vmem>, %s: f32) {
    %v = pallas.get %a[...] : !pallas.ref<4xf32, vmem>
    pallas.swap %t[...], %v : !pallas.ref<4xf32, vmem>, tensor<4xf32>
    %e = pallas.get %t[0] : !pallas.ref<4xf32, vmem>
    %next = arith.addf %s, %e : f32
    pallas.yield %next : f32
  }
  return %sum : f32
}

// -----

// The inner pipeline works on a window of the outer one.

// CHECK-LABEL: func.func @nested(
// CHECK-SAME: %[[X:.*]]: !pallas.ref<8x8xf32, any>)
// CHECK: scf.for
// CHECK: %[[OUTER:.*]] = pallas.window %[[X]][
// CHECK: scf.for
// CHECK: %[[INNER:.*]] = pallas.window %[[OUTER]][%{{.*}}, %{{.*}} : i32, i32] block<[4, 2], smem> : !pallas.ref<4x8xf32, vmem>
// CHECK: pallas.addupdate %[[INNER]]
func.func @nested(%x: !pallas.ref<8x8xf32, any>) {
  pallas.emit_pipeline grid(2)
      out(%x : !pallas.ref<8x8xf32, any>) block<[4, 8], vmem> map(%i) -> (%i, 0)
      kernel(%i: i32, %a: !pallas.ref<4x8xf32, vmem>) {
    pallas.emit_pipeline grid(4)
        out(%a : !pallas.ref<4x8xf32, vmem>) block<[4, 2], smem> map(%j) -> (0, %j)
        kernel(%j: i32, %b: !pallas.ref<4x2xf32, smem>) {
      %v = arith.constant dense<1.0> : tensor<4x2xf32>
      pallas.addupdate %b[...], %v : !pallas.ref<4x2xf32, smem>, tensor<4x2xf32>
    }
  }
  return
}

// -----

// Windows of a view that changes the width of elements are parts of it, also where its array has to
// be padded: CPUs copy no part of it by itself.

// CHECK-LABEL: func.func @words(
// CHECK-SAME: %[[X:.*]]: !pallas.ref<16x128xbf16, any>)
// CHECK-NEXT: %[[V:.*]] = pallas.bitcast_ref %[[X]]
// CHECK-NEXT: %[[P:.*]] = pallas.pad_ref %[[V]] low [0, 0] : !pallas.ref<8x128xi32, any> -> !pallas.ref<9x128xi32, any>
// CHECK-NOT: pallas.pad_ref
// CHECK: scf.for
// CHECK: pallas.window %[[V]]
// CHECK: pallas.window %[[P]]
// CHECK: }
// CHECK-NEXT: pallas.unpad_ref %[[P]] low [0, 0] to %[[V]]
func.func @words(%x: !pallas.ref<16x128xbf16, any>) {
  %w = pallas.bitcast_ref %x : !pallas.ref<16x128xbf16, any> -> !pallas.ref<8x128xi32, any>
  pallas.emit_pipeline grid(4)
      in(%w : !pallas.ref<8x128xi32, any>) block<[2, 128], vmem> map(%i) -> (%i, 0)
      out(%w : !pallas.ref<8x128xi32, any>) block<[3, 128], vmem> map(%i) -> (%i, 0)
      kernel(%i: i32, %a: !pallas.ref<2x128xi32, vmem>, %b: !pallas.ref<3x128xi32, vmem>) {
    %v = pallas.get %a[...] : !pallas.ref<2x128xi32, vmem>
    pallas.swap %b[ds(0, 2), :], %v : !pallas.ref<3x128xi32, vmem>, tensor<2x128xi32>
  }
  return
}
