// RUN: pallas-opt %s -o %t.mlir && pallas-opt %t.mlir | FileCheck %s
// RUN: pallas-opt %s --emit-bytecode | pallas-opt --mlir-print-op-generic | pallas-opt | diff %t.mlir -

!r = !pallas.ref<8x128xf32, hbm>
!d = !pallas.ref<!pallas.dma_semaphore, semaphore>
!s = !pallas.ref<!pallas.semaphore, semaphore>
!b = !pallas.ref<!pallas.barrier<numArrivals = 2>, smem>

// CHECK-LABEL: func.func @semaphores
func.func @semaphores(%s: !s, %n: i32) {
  // CHECK: pallas.semaphore_signal %{{.*}}, %{{.*}} : !pallas.ref<!pallas.semaphore, semaphore>
  pallas.semaphore_signal %s, %n : !s
  // CHECK: device mesh(%{{.*}}, %{{.*}}) axes ["x", "y"] core %{{.*}} :
  pallas.semaphore_signal %s, %n device mesh(%n, %n) axes ["x", "y"] core %n : !s
  // CHECK: pallas.semaphore_wait %{{.*}}, %{{.*}} {decrement = false}
  pallas.semaphore_wait %s, %n {decrement = false} : !s
  // CHECK: pallas.semaphore_read
  %0 = pallas.semaphore_read %s : !s
  // CHECK: pallas.get_barrier_semaphore
  %1 = pallas.get_barrier_semaphore : !pallas.ref<!pallas.barrier_semaphore, semaphore>
  return
}

// CHECK-LABEL: func.func @copies
func.func @copies(%a: !r, %d: !d, %n: i32) {
  // CHECK: pallas.dma_start %{{.*}} to %{{.*}} signals %{{.*}} :
  pallas.dma_start %a to %a signals %d : !r, !r, !d
  // CHECK: pallas.dma_start %{{.*}} to %{{.*}} signals %{{.*}} source_signals %{{.*}} device logical(%{{.*}}) {priority = 1 : i32}
  pallas.dma_start %a to %a signals %d source_signals %d device logical(%n) {priority = 1 : i32} : !r, !r, !d, !d
  // CHECK: pallas.dma_start %{{.*}} to %{{.*}} signals %{{.*}} source_signals %{{.*}} :
  pallas.dma_start %a to %a signals %d source_signals %d : !r, !r, !d, !d
  // CHECK: pallas.dma_wait
  pallas.dma_wait %a to %a signals %d : !r, !r, !d
  return
}

// CHECK-LABEL: func.func @barriers
func.func @barriers(%b: !b) {
  // CHECK: pallas.barrier_arrive
  pallas.barrier_arrive %b : !b
  // CHECK: pallas.barrier_wait
  pallas.barrier_wait %b : !b
  // CHECK: pallas.barrier_test
  %0 = pallas.barrier_test %b : !b
  // CHECK: pallas.barrier_test %{{.*}} parity %{{.*}} : !pallas.ref
  %1 = pallas.barrier_test %b parity %0 : !b
  // CHECK: pallas.core_barrier "subcore"
  pallas.core_barrier "subcore"
  return
}

!parity_barrier = !pallas.ref<!pallas.barrier<numArrivals = 2>, smem>

// CHECK-LABEL: func.func @wait_for_parity
// CHECK: pallas.barrier_wait_parity %{{.*}}, %{{.*}} : !pallas.ref<!pallas.barrier<numArrivals = 2>, smem>
func.func @wait_for_parity(%b: !parity_barrier, %parity: i1) {
  pallas.barrier_wait_parity %b, %parity : !parity_barrier
  return
}

// CHECK-LABEL: func.func @launch_control
// CHECK: pallas.try_cluster_cancel %{{.*}} signals %{{.*}} : !pallas.ref<16xi8, smem>, !pallas.ref<!pallas.barrier<numArrivals = 2>, smem>
// CHECK: pallas.try_cluster_cancel %{{.*}} signals %{{.*}} collective ["c", "wg"] : !pallas.ref<16xi8, smem>
// CHECK: pallas.try_cluster_cancel %{{.*}} signals %{{.*}} collective [] : !pallas.ref<16xi8, smem>
// CHECK: %[[I:.*]]:2, %[[FOUND:.*]] = pallas.query_cluster_cancel %{{.*}} along ["i", "j"] : !pallas.ref<16xi8, smem>
// CHECK: %[[ANY:.*]] = pallas.query_cluster_cancel %{{.*}} along [] : !pallas.ref<16xi8, smem>
// CHECK: return %[[I]]#1, %[[ANY]] : i32, i1
func.func @launch_control(%answer: !pallas.ref<16xi8, smem>, %b: !parity_barrier) -> (i32, i1) {
  pallas.try_cluster_cancel %answer signals %b : !pallas.ref<16xi8, smem>, !parity_barrier
  pallas.try_cluster_cancel %answer signals %b collective ["c", "wg"] : !pallas.ref<16xi8, smem>, !parity_barrier
  pallas.try_cluster_cancel %answer signals %b collective [] : !pallas.ref<16xi8, smem>, !parity_barrier
  %i, %j, %found = pallas.query_cluster_cancel %answer along ["i", "j"] : !pallas.ref<16xi8, smem>
  %any = pallas.query_cluster_cancel %answer along [] : !pallas.ref<16xi8, smem>
  return %j, %any : i32, i1
}
