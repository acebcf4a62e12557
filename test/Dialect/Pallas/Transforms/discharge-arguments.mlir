// RUN: pallas-opt %s --pallas-discharge-state="arguments=one:1,callee:0,caller:0" | FileCheck %s
// RUN: pallas-opt %s --pallas-discharge-state="arguments=one:1,callee:0,caller:0 memory-spaces=smem" | FileCheck %s --check-prefix=SCRATCH
// RUN: not pallas-opt %s --pallas-discharge-state=arguments=callee:0 2>&1 | FileCheck %s --check-prefix=CALLEE
// RUN: not pallas-opt %s --pallas-discharge-state=arguments=caller:0 2>&1 | FileCheck %s --check-prefix=CALLER
// RUN: not pallas-opt %s --pallas-discharge-state=arguments=one:7 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not pallas-opt %s --pallas-discharge-state=arguments=one 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not pallas-opt %s --pallas-discharge-state=arguments=one:2 2>&1 | FileCheck %s --check-prefix=TYPE

// CALLEE: error: 'func.call' op passes a ref that stays as argument 0 of @callee, which becomes a value; select both
// CALLER: error: 'func.call' op passes a ref that becomes a value as argument 0 of @callee, which stays a ref; select both
// NUMBER: error: 'one{{.*}}' is not an argument of a function; write its name and a number, as in sum:0
// TYPE: error: argument 2 is a 'i32' and no ref; name arguments that are refs

!r = !pallas.ref<8xf32, vmem>

// Of two refs of one space, the one that is named becomes a value.
// CHECK-LABEL: func.func @one
// CHECK-SAME: (%[[A:.*]]: !pallas.ref<8xf32, vmem>, %[[B:.*]]: tensor<8xf32>, %{{.*}}: i32) -> tensor<8xf32>
// CHECK: %[[V:.*]] = pallas.get %[[A]]
// CHECK: %[[N:.*]] = tensor.insert %[[V]] into %[[B]]
// CHECK: pallas.run_scoped
// CHECK: return %[[N]]
// SCRATCH-LABEL: func.func @one
// SCRATCH-SAME: (%{{.*}}: !pallas.ref<8xf32, vmem>, %{{.*}}: tensor<8xf32>, %{{.*}}: i32) -> tensor<8xf32>
// SCRATCH-NOT: pallas.run_scoped
// SCRATCH: return
func.func @one(%a: !r, %b: !r, %i: i32) {
  %v = pallas.get %a[%i] : !r
  pallas.swap %b[%i], %v : !r, f32
  pallas.run_scoped (%tmp: !pallas.ref<8xf32, smem>) {
    pallas.swap %tmp[%i], %v : !pallas.ref<8xf32, smem>, f32
    %w = pallas.get %tmp[%i] : !pallas.ref<8xf32, smem>
    pallas.swap %a[%i], %w : !r, f32
  }
  return
}

// CHECK-LABEL: func.func @callee
// CHECK-SAME: (%{{.*}}: tensor<8xf32>, %{{.*}}: !pallas.ref<8xf32, vmem>) -> tensor<8xf32>
func.func @callee(%a: !r, %b: !r) {
  %v = pallas.get %b[...] : !r
  pallas.swap %a[...], %v : !r, tensor<8xf32>
  return
}

// CHECK-LABEL: func.func @caller
// CHECK-SAME: (%[[A:.*]]: tensor<8xf32>, %[[B:.*]]: !pallas.ref<8xf32, vmem>) -> tensor<8xf32>
// CHECK: %[[R:.*]] = call @callee(%[[A]], %[[B]])
// CHECK: return %[[R]]
func.func @caller(%a: !r, %b: !r) {
  call @callee(%a, %b) : (!r, !r) -> ()
  return
}
