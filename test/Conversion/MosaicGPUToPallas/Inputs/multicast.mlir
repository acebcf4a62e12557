// Two blocks of a cluster ask for the same rows, which are fetched once. A block
// asks again when both have read what came before: each arrives at the `free`
// barriers of both.

!bar = memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
!bars = memref<1x!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
!desc = !llvm.struct<(ptr<3>, ptr<3>, i64, array<1 x i64>, array<1 x i64>)>
!s = memref<64x32xf32, #gpu.address_space<workgroup>>
!v = vector<64x32xf32>

module attributes {mosaic_gpu.arch_major = 9 : i32, mosaic_gpu.arch_minor = 0 : i32} {
  func.func @multicast_mosaic_gpu(%x: memref<192x32xf32>, %o: memref<128x32xf32>) {
    %i1 = arith.constant 1 : index
    %i2 = arith.constant 2 : index
    %i128 = arith.constant 128 : index
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %c8 = arith.constant 8 : i32
    %c64 = arith.constant 64 : i32
    %c128 = arith.constant 128 : i32
    %ticks = arith.constant 10000000 : i32
    %zeros = arith.constant dense<0.0> : !v
    %bytes = arith.constant 8208 : i32
    gpu.launch clusters(%kx, %ky, %kz) in (%nkx = %i2, %nky = %i1, %nkz = %i1)
        blocks(%bx, %by, %bz) in (%gx = %i2, %gy = %i1, %gz = %i1)
        threads(%tx, %ty, %tz) in (%nx = %i128, %ny = %i1, %nz = %i1) dynamic_shared_memory_size %bytes {
      %s = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> !s
      %rs = "mosaic_gpu.slice_smem"() <{offset = 8192 : i32}> : () -> !bars
      %fs = "mosaic_gpu.slice_smem"() <{offset = 8200 : i32}> : () -> !bars
      %rd = builtin.unrealized_conversion_cast %rs : !bars to !desc
      %fd = builtin.unrealized_conversion_cast %fs : !bars to !desc
      %ready = llvm.extractvalue %rd[1] : !desc
      %free = llvm.extractvalue %fd[1] : !desc
      %thread = gpu.thread_id x
      %t = arith.index_cast %thread : index to i32
      %elected = arith.cmpi eq, %t, %c0 : i32
      "mosaic_gpu.initialize_barrier"(%ready) <{arrival_count = 1 : i64, num_barriers = 1 : i32, orders_tensor_core = false}> : (!llvm.ptr<3>) -> ()
      nvvm.mbarrier.init %free, %c2, predicate = %elected : !llvm.ptr<3>, i32, i1
      nvvm.fence.mbarrier.init
      nvvm.cluster.arrive.relaxed {aligned}
      nvvm.cluster.wait {aligned}
      gpu.barrier
      %b = builtin.unrealized_conversion_cast %ready : !llvm.ptr<3> to !bar

      %sum = scf.for %step = %c0 to %c3 step %c1 iter_args(%acc = %zeros) -> (!v) : i32 {
        %row = arith.muli %step, %c64 : i32
        %parity = arith.remsi %step, %c2 : i32
        mosaic_gpu.arrive_expect_tx barrier(%b : !bar) 8192
        "mosaic_gpu.async_load"(%x, %s, %b, %row, %c0) <{collective = [0 : i32], oob_fill_mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 2, 0>, slice_lengths = array<i64: 64, 32>}> : (memref<192x32xf32>, !s, !bar, i32, i32) -> ()
        nvvm.mbarrier.try_wait.parity %ready, %parity, %ticks : !llvm.ptr<3>, i32, i32
        %v = "mosaic_gpu.vector_load"(%s) : (!s) -> !v
        %next = arith.addf %acc, %v : !v

        // Lane 8 * i of the warpgroup arrives at block i.
        %lane = arith.remui %t, %c128 : i32
        %there = arith.divui %lane, %c8 : i32
        %rest = arith.remui %lane, %c8 : i32
        %bit = arith.shli %c1, %there : i32
        %both = arith.andi %bit, %c3 : i32
        %isBlock = arith.cmpi ne, %both, %c0 : i32
        %isLane = arith.cmpi eq, %rest, %c0 : i32
        %arrives = arith.andi %isBlock, %isLane : i1
        llvm.inline_asm has_side_effects "{ .reg .b32 there; @$0 mapa.shared::cluster.u32 there, $1, $2; @$0 mbarrier.arrive.shared::cluster.b64 _, [there]; }", "b,r,r" %arrives, %free, %there : (i1, !llvm.ptr<3>, i32) -> ()
        nvvm.mbarrier.try_wait.parity %free, %parity, %ticks : !llvm.ptr<3>, i32, i32
        scf.yield %next : !v
      }
      %block = gpu.cluster_block_id x
      %bi = arith.index_cast %block : index to i32
      %first = arith.muli %bi, %c64 : i32
      %at = arith.index_cast %first : i32 to index
      %part = memref.subview %o[%at, 0] [64, 32] [1, 1] : memref<128x32xf32> to memref<64x32xf32, strided<[32, 1], offset: ?>>
      "mosaic_gpu.vector_store"(%sum, %part) <{multimem = false}> : (!v, memref<64x32xf32, strided<[32, 1], offset: ?>>) -> ()
      gpu.terminator
    }
    return
  }
}
