// RUN: pallas-opt %s --convert-mosaic-gpu-to-pallas | FileCheck %s

// The first warpgroup asks for more work, and all arrive. The question takes the place of its arrival.

!bar = memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
!desc = !llvm.struct<(ptr<3>, ptr<3>, i64)>

module attributes {mosaic_gpu.arch_major = 10 : i32} {
  // CHECK-LABEL: func.func @asks(
  // CHECK: %[[M:[a-z0-9]+]]: !pallas.ref<16xi8, smem>
  // CHECK: scf.if
  // CHECK: pallas.try_cluster_cancel %[[M]] signals %{{.*}} collective [] : !pallas.ref<16xi8, smem>, {{.*}}
  // CHECK: } else {
  // CHECK: pallas.barrier_arrive
  // CHECK: }
  // CHECK-NOT: pallas.try_cluster_cancel
  // CHECK: pallas.barrier_wait_parity
  // CHECK: %[[I:.*]]:2, %[[FOUND:.*]] = pallas.query_cluster_cancel %[[M]] along ["x", "y"]
  // The hardware names the first block of a cluster of two.
  // CHECK: %[[X:.*]] = arith.muli %[[I]]#0, %c2_i32 : i32
  // CHECK: %[[F:.*]] = arith.extui %[[FOUND]] : i1 to i32
  // CHECK: arith.addi %[[F]], %[[X]] : i32
  func.func @asks_mosaic_gpu(%o: memref<2xi32>) {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c8 = arith.constant 8 : index
    %c256 = arith.constant 256 : index
    %zero = arith.constant 0 : i32
    %c128 = arith.constant 128 : i32
    %ticks = arith.constant 1000 : i32
    %bytes = arith.constant 2048 : i32
    gpu.launch clusters(%cx, %cy, %cz) in (%kx = %c2, %ky = %c1, %kz = %c1)
        blocks(%bx, %by, %bz) in (%gx = %c8, %gy = %c3, %gz = %c1)
        threads(%tx, %ty, %tz) in (%nx = %c256, %ny = %c1, %nz = %c1) dynamic_shared_memory_size %bytes {
      %s = "mosaic_gpu.slice_smem"() <{offset = 1024 : i32}> : () -> !bar
      %d = builtin.unrealized_conversion_cast %s : !bar to !desc
      %p = llvm.extractvalue %d[1] : !desc
      "mosaic_gpu.initialize_barrier"(%p) <{arrival_count = 2 : i64, num_barriers = 1 : i32, orders_tensor_core = false}> : (!llvm.ptr<3>) -> ()
      nvvm.fence.mbarrier.init
      gpu.barrier
      %m = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<16xi8, #gpu.address_space<workgroup>>
      %thread = gpu.thread_id x
      %t = arith.index_cast %thread : index to i32
      %wg = arith.divui %t, %c128 : i32
      %isFirst = arith.cmpi eq, %wg, %zero : i32
      llvm.inline_asm has_side_effects "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;", "" : () -> ()
      scf.if %isFirst {
        mosaic_gpu.arrive_expect_tx barrier(%s : !bar) 16
      } else {
        "mosaic_gpu.arrive"(%s) <{orders_tensor_core = false}> : (!bar) -> ()
      }
      "mosaic_gpu.try_cluster_cancel"(%m, %s, %isFirst) : (memref<16xi8, #gpu.address_space<workgroup>>, !bar, i1) -> ()
      nvvm.mbarrier.try_wait.parity %p, %zero, %ticks : !llvm.ptr<3>, i32, i32
      %x, %y, %z, %found = "mosaic_gpu.query_cluster_cancel"(%m) : (memref<16xi8, #gpu.address_space<workgroup>>) -> (i32, i32, i32, i1)
      %w = arith.index_cast %wg : i32 to index
      %f = arith.extui %found : i1 to i32
      %sum = arith.addi %f, %x : i32
      memref.store %sum, %o[%w] : memref<2xi32>
      gpu.terminator
    }
    return
  }
}
