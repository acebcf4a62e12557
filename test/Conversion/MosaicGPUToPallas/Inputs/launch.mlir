// Each block asks twice for the work of a cluster that has not started. The
// first warpgroup asks, and both read the answer. Without one they go on with
// the block's own work, which is its number. Each question has a barrier.

!bar = memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
!bars = memref<2x!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
!desc = !llvm.struct<(ptr<3>, ptr<3>, i64, array<1 x i64>, array<1 x i64>)>
!answer = memref<16xi8, #gpu.address_space<workgroup>>

module attributes {mosaic_gpu.arch_major = 10 : i32, mosaic_gpu.arch_minor = 0 : i32} {
  func.func @launch_mosaic_gpu(%o: memref<3x2xi32>) {
    %i1 = arith.constant 1 : index
    %i3 = arith.constant 3 : index
    %i256 = arith.constant 256 : index
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c7 = arith.constant 7 : i32
    %c31 = arith.constant 31 : i32
    %all = arith.constant -1 : i32
    %ticks = arith.constant 10000000 : i32
    %bytes = arith.constant 32 : i32
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %i3, %gy = %i1, %gz = %i1)
        threads(%tx, %ty, %tz) in (%nx = %i256, %ny = %i1, %nz = %i1) dynamic_shared_memory_size %bytes {
      %m = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> !answer
      %bs = "mosaic_gpu.slice_smem"() <{offset = 16 : i32}> : () -> !bars
      %d = builtin.unrealized_conversion_cast %bs : !bars to !desc
      %p = llvm.extractvalue %d[1] : !desc
      "mosaic_gpu.initialize_barrier"(%p) <{arrival_count = 2 : i64, num_barriers = 2 : i32, orders_tensor_core = false}> : (!llvm.ptr<3>) -> ()
      %b = builtin.unrealized_conversion_cast %p : !llvm.ptr<3> to !bar
      %q = llvm.getelementptr %p[%c1] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
      %c = builtin.unrealized_conversion_cast %q : !llvm.ptr<3> to !bar
      nvvm.fence.mbarrier.init
      gpu.barrier
      %t = arith.index_cast %tx : index to i32
      %wg0 = arith.shrui %t, %c7 : i32
      %wg = nvvm.shfl.sync idx %all, %wg0, %c0, %c31 : i32 -> i32
      %isfirst = arith.cmpi eq, %wg, %c0 : i32
      %w = arith.index_cast %wg : i32 to index
      %bid = gpu.block_id x
      %own = arith.index_cast %bid : index to i32
      llvm.inline_asm has_side_effects "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;", "" : () -> ()
      scf.if %isfirst {
        mosaic_gpu.arrive_expect_tx barrier(%b : !bar) 16
      } else {
        "mosaic_gpu.arrive"(%b) <{orders_tensor_core = false}> : (!bar) -> ()
      }
      "mosaic_gpu.try_cluster_cancel"(%m, %b, %isfirst) : (!answer, !bar, i1) -> ()
      nvvm.mbarrier.try_wait.parity %p, %c0, %ticks : !llvm.ptr<3>, i32, i32
      %x1, %y1, %z1, %found1 = "mosaic_gpu.query_cluster_cancel"(%m) : (!answer) -> (i32, i32, i32, i1)
      llvm.inline_asm has_side_effects "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;", "" : () -> ()
      %work1 = arith.select %found1, %x1, %own : i32
      gpu.barrier
      llvm.inline_asm has_side_effects "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;", "" : () -> ()
      scf.if %isfirst {
        mosaic_gpu.arrive_expect_tx barrier(%c : !bar) 16
      } else {
        "mosaic_gpu.arrive"(%c) <{orders_tensor_core = false}> : (!bar) -> ()
      }
      "mosaic_gpu.try_cluster_cancel"(%m, %c, %isfirst) : (!answer, !bar, i1) -> ()
      nvvm.mbarrier.try_wait.parity %q, %c0, %ticks : !llvm.ptr<3>, i32, i32
      %x2, %y2, %z2, %found2 = "mosaic_gpu.query_cluster_cancel"(%m) : (!answer) -> (i32, i32, i32, i1)
      llvm.inline_asm has_side_effects "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;", "" : () -> ()
      %work = arith.select %found2, %x2, %work1 : i32
      memref.store %work, %o[%bid, %w] : memref<3x2xi32>
      gpu.terminator
    }
    return
  }
}
