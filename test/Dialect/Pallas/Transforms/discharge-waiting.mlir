// RUN: pallas-opt %s --pallas-discharge-state --split-input-file --verify-diagnostics | FileCheck %s

// Points that wait for each other are no loop, so their kernel stays and takes
// arrays. What each allocates for itself becomes values.
// CHECK-LABEL: func.func @exchange
// CHECK-SAME: (%[[X:.*]]: tensor<2x8xf32>, %[[T:.*]]: tensor<8xf32>) -> tensor<2x8xf32>
func.func @exchange(%x: !pallas.ref<2x8xf32, hbm>, %t: tensor<8xf32>) {
  // CHECK: %[[O:.*]] = pallas.mpmd_map
  // CHECK: in(%[[X]] : tensor<2x8xf32>)
  // CHECK: in(%[[T]] : tensor<8xf32>)
  // CHECK: out(tensor<2x8xf32>)
  // CHECK: aliases [0 -> 0]
  // CHECK: <tensorcore, [<core "core" = 2>]>(%[[XR:.*]]: !pallas.ref<2x8xf32, hbm>, %[[TR:.*]]: !pallas.ref<8xf32, any>, %{{.*}}: !pallas.ref<2x8xf32, hbm>)
  // CHECK-NOT: run_scoped
  // CHECK: pallas.get %[[TR]][...]
  // expected-remark@below {{stays a kernel; loops over values would run its programs one after the other}}
  pallas.core_map <tensorcore, [<core "core" = 2>]> () {
    %c1 = arith.constant 1 : i32
    %core = pallas.axis_index "core"
    %other = arith.subi %c1, %core : i32
    pallas.run_scoped (%tmp: !pallas.ref<8xf32, vmem>, %sem: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
      %row = pallas.slice_ref %x[%core, :] : !pallas.ref<2x8xf32, hbm>
      // A copy between memory and a value happens at its start.
      // CHECK: %[[ROW:.*]] = pallas.slice_ref %[[XR]]
      // CHECK-NEXT: %[[V:.*]] = pallas.get %[[ROW]][...]
      // CHECK-NOT: dma
      pallas.dma_start %row to %tmp signals %sem : !pallas.ref<8xf32, hbm>, !pallas.ref<8xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
      pallas.dma_wait %row to %tmp signals %sem : !pallas.ref<8xf32, hbm>, !pallas.ref<8xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
      // CHECK: pallas.core_barrier "core"
      // expected-note@below {{'pallas.core_barrier' waits for the other cores}}
      pallas.core_barrier "core"
      %there = pallas.slice_ref %x[%other, :] : !pallas.ref<2x8xf32, hbm>
      %v = pallas.get %tmp[...] : !pallas.ref<8xf32, vmem>
      %w = arith.addf %v, %t : tensor<8xf32>
      pallas.swap %tmp[...], %w : !pallas.ref<8xf32, vmem>, tensor<8xf32>
      // CHECK: %[[THERE:.*]] = pallas.slice_ref %[[XR]]
      // CHECK: arith.addf %[[V]]
      // CHECK: pallas.swap %[[THERE]][...]
      pallas.dma_start %tmp to %there signals %sem : !pallas.ref<8xf32, vmem>, !pallas.ref<8xf32, hbm>, !pallas.ref<!pallas.dma_semaphore, semaphore>
      pallas.dma_wait %tmp to %there signals %sem : !pallas.ref<8xf32, vmem>, !pallas.ref<8xf32, hbm>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    }
  }
  // CHECK: return %[[O]]
  return
}

// -----

// What is indexed by a ref stays a view, and so does that ref.
// CHECK-LABEL: func.func @fetch
// CHECK: pallas.run_scoped (%[[ID:.*]]: !pallas.ref<1xi32, vmem>)
// CHECK: %[[IDS:.*]] = pallas.get %[[ID]][...]
// CHECK: pallas.get %{{.*}}[gather(%[[IDS]] : tensor<1xi32>), :]
func.func @fetch(%ids: tensor<2xi32>, %x: tensor<64x16xf32>) -> tensor<2x16xf32> {
  // expected-remark@below {{stays a kernel}}
  %o = pallas.mpmd_map
      in(%ids : tensor<2xi32>)
      in(%x : tensor<64x16xf32>)
      out(tensor<2x16xf32>)
      kernel @k on <sc_scalar, [<core "core" = 2>]>
          (%ir: !pallas.ref<2xi32, hbm>, %xr: !pallas.ref<64x16xf32, hbm>, %or: !pallas.ref<2x16xf32, hbm>) {
    // expected-note@below {{waits for the other cores}}
    pallas.core_barrier "core"
    %core = pallas.axis_index "core"
    pallas.run_scoped (%id: !pallas.ref<1xi32, vmem>, %row: !pallas.ref<1x16xf32, vmem>, %sem: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
      %from = pallas.slice_ref %ir[ds(%core, 1)] : !pallas.ref<2xi32, hbm>
      pallas.dma_start %from to %id signals %sem : !pallas.ref<1xi32, hbm>, !pallas.ref<1xi32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
      pallas.dma_wait %from to %id signals %sem : !pallas.ref<1xi32, hbm>, !pallas.ref<1xi32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
      %picked = pallas.slice_ref %xr[gather(%id : !pallas.ref<1xi32, vmem>), :] : !pallas.ref<64x16xf32, hbm>
      pallas.dma_start %picked to %row signals %sem : !pallas.ref<1x16xf32, hbm>, !pallas.ref<1x16xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
      pallas.dma_wait %picked to %row signals %sem : !pallas.ref<1x16xf32, hbm>, !pallas.ref<1x16xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
      %v = pallas.get %row[...] : !pallas.ref<1x16xf32, vmem>
      pallas.swap %or[ds(%core, 1), :], %v : !pallas.ref<2x16xf32, hbm>, tensor<1x16xf32>
    }
  }
  return %o : tensor<2x16xf32>
}

// -----

// A semaphore is no array that a kernel could take.
func.func @waits(%sem: !pallas.ref<!pallas.semaphore, semaphore>) {
  // expected-remark@below {{stays a kernel}}
  // expected-error@below {{captures a ref of type '!pallas.ref<!pallas.semaphore, semaphore>', which can't become an array that it takes and gives back; discharge other memory spaces only}}
  pallas.core_map <tensorcore, [<core "core" = 2>]> () {
    %c1 = arith.constant 1 : i32
    pallas.semaphore_signal %sem, %c1 : !pallas.ref<!pallas.semaphore, semaphore>
    // expected-note@below {{'pallas.semaphore_wait' reads a semaphore that other cores of the mesh may signal}}
    pallas.semaphore_wait %sem, %c1 : !pallas.ref<!pallas.semaphore, semaphore>
  }
  return
}
