// RUN: rm -rf %t && mkdir %t
// RUN: pallas-opt %s --pallas-distribute-pipelines | FileCheck %s
// RUN: %python -c "import numpy as np; np.save('%t/x.npy', np.arange(320, dtype=np.float32).reshape(40, 8))"
// RUN: pallas-run %s --entry=unequal --in %t/x.npy --diff-passes=pallas-distribute-pipelines | FileCheck %s --check-prefix=SAME
// RUN: pallas-run %s --entry=equal --in %t/x.npy --diff-passes=pallas-distribute-pipelines | FileCheck %s --check-prefix=SAME

// SAME: executed after 1
// SAME-NEXT: no pass changes the answer

// Of a grid of five, two cores have three and two points.
// CHECK-LABEL: func.func @unequal
// CHECK: %[[CORE:.*]] = pallas.axis_index "core"
// CHECK: %[[REST:.*]] = arith.remsi
// CHECK: %[[MORE:.*]] = arith.cmpi slt, %[[CORE]], %[[REST]]
// CHECK: %[[COUNT:.*]] = arith.addi
// CHECK: %[[FIRST:.*]] = arith.addi
// CHECK: pallas.emit_pipeline grid(%[[COUNT]])
// CHECK: map(%[[I:.*]]) {
// CHECK: arith.addi %[[I]], %[[FIRST]]
// CHECK-NOT: coreAxis

// Both have one of two halves along the dimension that can be cut so.
// CHECK-LABEL: func.func @equal
// CHECK: pallas.emit_pipeline grid(5, 1)

func.func @unequal(%x: tensor<40x8xf32>) -> tensor<40x8xf32> {
  %o = pallas.mpmd_map
      in(%x : tensor<40x8xf32>)
      out(tensor<40x8xf32>)
      kernel on <tensorcore, [<core "core" = 2>]> (%xr: !pallas.ref<40x8xf32, hbm>, %or: !pallas.ref<40x8xf32, hbm>) {
    pallas.emit_pipeline grid(5)
        in(%xr : !pallas.ref<40x8xf32, hbm>) block<[8, 8], vmem> map(%i) -> (%i, 0)
        out(%or : !pallas.ref<40x8xf32, hbm>) block<[8, 8], vmem> map(%i) -> (%i, 0)
        semantics [parallel]
        attributes {coreAxis = "core"}
        kernel(%i: i32, %a: !pallas.ref<8x8xf32, vmem>, %b: !pallas.ref<8x8xf32, vmem>) {
      %v = pallas.get %a[...] : !pallas.ref<8x8xf32, vmem>
      %w = arith.addf %v, %v : tensor<8x8xf32>
      pallas.swap %b[...], %w : !pallas.ref<8x8xf32, vmem>, tensor<8x8xf32>
    }
  }
  return %o : tensor<40x8xf32>
}

func.func @equal(%x: tensor<40x8xf32>) -> tensor<40x8xf32> {
  %o = pallas.mpmd_map
      in(%x : tensor<40x8xf32>)
      out(tensor<40x8xf32>)
      kernel on <tensorcore, [<core "core" = 2>]> (%xr: !pallas.ref<40x8xf32, hbm>, %or: !pallas.ref<40x8xf32, hbm>) {
    pallas.emit_pipeline grid(5, 2)
        in(%xr : !pallas.ref<40x8xf32, hbm>) block<[8, 4], vmem> map(%i, %j) -> (%i, %j)
        out(%or : !pallas.ref<40x8xf32, hbm>) block<[8, 4], vmem> map(%i, %j) -> (%i, %j)
        semantics [parallel, parallel]
        attributes {coreAxis = "core"}
        kernel(%i: i32, %j: i32, %a: !pallas.ref<8x4xf32, vmem>, %b: !pallas.ref<8x4xf32, vmem>) {
      %v = pallas.get %a[...] : !pallas.ref<8x4xf32, vmem>
      pallas.swap %b[...], %v : !pallas.ref<8x4xf32, vmem>, tensor<8x4xf32>
    }
  }
  return %o : tensor<40x8xf32>
}

