// RUN: pallas-opt %s --canonicalize --split-input-file | FileCheck %s

!r = !pallas.ref<8xf32, vmem>

// What nobody reads need not be stored.
// CHECK-LABEL: func.func @never_read
// CHECK-NEXT: return
func.func @never_read(%v: tensor<4xf32>, %f: f32) {
  pallas.run_scoped (%a: !r) {
    %h = pallas.slice_ref %a[ds(0, 4)] : !r
    pallas.swap %h[...], %v : !pallas.ref<4xf32, vmem>, tensor<4xf32>
    pallas.addupdate %a[0], %f : !r, f32
  }
  return
}

// -----

!r = !pallas.ref<8xf32, vmem>

// CHECK-LABEL: func.func @read
// CHECK: pallas.run_scoped (%[[A:.*]]: !pallas.ref<8xf32, vmem>) -> f32
// CHECK: pallas.swap %[[A]][3]
func.func @read(%f: f32, %i: i32) -> f32 {
  %s = pallas.run_scoped (%a: !r) -> f32 {
    pallas.swap %a[3], %f : !r, f32
    %v = pallas.get %a[%i] : !r
    pallas.yield %v : f32
  }
  return %s : f32
}

// -----

// CHECK-LABEL: func.func @empty_core_map
// CHECK-NEXT: return
func.func @empty_core_map() {
  pallas.core_map <tensorcore, [<core "core" = 2>]> (%s: !pallas.ref<8x128xf32, vmem>) {
  }
  return
}

// -----

!r = !pallas.ref<8xf32, vmem>

// CHECK-LABEL: func.func @unused_state
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>, %[[Y:.*]]: tensor<8xf32>
// CHECK: %[[S:.*]] = pallas.run_state (%[[R:.*]]: !pallas.ref<8xf32, vmem> = %[[Y]] : tensor<8xf32>)
// CHECK: return %[[X]], %[[S]]
func.func @unused_state(%x: tensor<8xf32>, %y: tensor<8xf32>, %f: f32) -> (tensor<8xf32>, tensor<8xf32>) {
  %s:2 = pallas.run_state (%a: !r = %x : tensor<8xf32>, %b: !r = %y : tensor<8xf32>) {
    pallas.swap %b[0], %f : !r, f32
  }
  return %s#0, %s#1 : tensor<8xf32>, tensor<8xf32>
}
