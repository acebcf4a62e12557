// RUN: pallas-opt %s --pallas-to-mosaic-gpu=arch=sm_100a | FileCheck %s

// Blocks ask for the work of clusters that have not started: the first warpgroup of the first block asks,
// and all blocks get the answer. test/Python/launch_control.py executes loops over such work.

!bar = !pallas.ref<!pallas.barrier<numArrivals = 2>, smem>

// CHECK-LABEL: module @kernel
// CHECK: %[[ISWG:.*]] = arith.cmpi eq, %{{.*}}, %c0_i32 : i32
// CHECK: %[[BLOCK:.*]] = gpu.cluster_block_id x
// CHECK: %[[ISBLOCK:.*]] = arith.cmpi eq
// CHECK: llvm.inline_asm has_side_effects "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;"
// CHECK: scf.if %[[ISWG]] {
// CHECK-NEXT: mosaic_gpu.arrive_expect_tx barrier(%[[B:.*]] : {{.*}}) 16
// CHECK-NEXT: } else {
// CHECK-NEXT: "mosaic_gpu.arrive"(%[[B]])
// CHECK: %[[ASKS:.*]] = arith.andi %[[ISWG]], %[[ISBLOCK]] : i1
// CHECK: "mosaic_gpu.try_cluster_cancel"(%[[ANSWER:.*]], %[[B]], %[[ASKS]]) : (memref<16xi8, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i1) -> ()
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK: %[[X:.*]], %[[Y:.*]], %{{.*}}, %[[FOUND:.*]] = "mosaic_gpu.query_cluster_cancel"(%[[ANSWER]])
// CHECK: llvm.inline_asm has_side_effects "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;"
// CHECK: %[[J:.*]] = arith.divui %[[X]], %c2_i32 : i32
// CHECK: %[[SUM:.*]] = arith.addi %[[Y]], %[[J]] : i32
// CHECK: arith.select %[[FOUND]], %[[SUM]], %c-1_i32 : i32
func.func @call() -> tensor<8xi32> {
  %0 = pallas.mpmd_map
      out(tensor<8xi32>)
      kernel @kernel on <gpu, [<grid "i" = 2>, <grid "j" = 2>, <cluster "c" = 2>, <thread "wg" = 2>]> (%o: !pallas.ref<8xi32, gmem>) {
    pallas.run_scoped (%answer: !pallas.ref<16xi8, smem>, %b: !bar) collective ["wg"] {
      pallas.try_cluster_cancel %answer signals %b : !pallas.ref<16xi8, smem>, !bar
      pallas.barrier_wait %b : !bar
      %i, %j, %found = pallas.query_cluster_cancel %answer along ["i", "j"] : !pallas.ref<16xi8, smem>
      %sum = arith.addi %i, %j : i32
      %none = arith.constant -1 : i32
      %v = arith.select %found, %sum, %none : i32
      %w = pallas.axis_index "wg"
      pallas.swap %o[%w], %v : !pallas.ref<8xi32, gmem>, i32
    }
  }
  return %0 : tensor<8xi32>
}

// One warpgroup may ask alone, and where there is no other block nothing chooses who asks.

// CHECK-LABEL: module @alone
// CHECK: scf.index_switch
// CHECK: mosaic_gpu.arrive_expect_tx barrier(%[[B:.*]] : {{.*}}) 16
// CHECK-NEXT: "mosaic_gpu.try_cluster_cancel"(%{{.*}}, %[[B]]) : (memref<16xi8, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) -> ()
func.func @one_asks() {
  pallas.mpmd_map
      kernel @alone on <gpu, [<grid "i" = 2>, <thread "wg" = 2>]> () {
    pallas.run_scoped (%answer: !pallas.ref<16xi8, smem>, %b: !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>) collective ["wg"] {
      %w = pallas.axis_index "wg"
      %c1 = arith.constant 1 : i32
      %is = arith.cmpi eq, %w, %c1 : i32
      scf.if %is {
        pallas.try_cluster_cancel %answer signals %b collective [] : !pallas.ref<16xi8, smem>, !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
      }
      pallas.barrier_wait %b : !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
    }
  }
  return
}
