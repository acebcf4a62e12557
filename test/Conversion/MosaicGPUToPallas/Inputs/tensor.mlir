// Products in tensor memory. Two steps add to one accumulator; a barrier tells
// when the products of a step have read their operands, and that they are done.

!bar = memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
!bars = memref<1x!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
!tbar = memref<!mosaic_gpu.barrier<orders_tensor_core = true>, #gpu.address_space<workgroup>>
!tbars = memref<1x!mosaic_gpu.barrier<orders_tensor_core = true>, #gpu.address_space<workgroup>>
!desc = !llvm.struct<(ptr<3>, ptr<3>, i64, array<1 x i64>, array<1 x i64>)>
!xs = memref<128x64xf16, #gpu.address_space<workgroup>>
!ys = memref<64x64xf16, #gpu.address_space<workgroup>>
!acc = memref<128x64xf32, #mosaic_gpu.tmem>
!v = vector<128x64xf32>

module attributes {mosaic_gpu.arch_major = 10 : i32, mosaic_gpu.arch_minor = 0 : i32} {
  func.func @tensor_mosaic_gpu(%x: memref<128x128xf16>, %y: memref<128x64xf16>, %o: memref<128x64xf32>, %ob: memref<128x64xf32>) {
    %i1 = arith.constant 1 : index
    %i128 = arith.constant 128 : index
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c64 = arith.constant 64 : i32
    %ticks = arith.constant 10000000 : i32
    %ones = arith.constant dense<1.0> : !v
    %bytes = arith.constant 24600 : i32
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %i1, %gy = %i1, %gz = %i1)
        threads(%tx, %ty, %tz) in (%nx = %i128, %ny = %i1, %nz = %i1) dynamic_shared_memory_size %bytes {
      %xs = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> !xs
      %ys = "mosaic_gpu.slice_smem"() <{offset = 16384 : i32}> : () -> !ys
      %xst = "mosaic_gpu.with_transforms"(%xs) <{transforms = [#mosaic_gpu.tile<[8, 64]>, #mosaic_gpu.swizzle<128 : i32>]}> : (!xs) -> !xs
      %yst = "mosaic_gpu.with_transforms"(%ys) <{transforms = [#mosaic_gpu.tile<[8, 64]>, #mosaic_gpu.swizzle<128 : i32>]}> : (!ys) -> !ys
      %rs = "mosaic_gpu.slice_smem"() <{offset = 24576 : i32}> : () -> !bars
      %ds = "mosaic_gpu.slice_smem"() <{offset = 24584 : i32}> : () -> !tbars
      %rd = builtin.unrealized_conversion_cast %rs : !bars to !desc
      %dd = builtin.unrealized_conversion_cast %ds : !tbars to !desc
      %ready = llvm.extractvalue %rd[1] : !desc
      %done = llvm.extractvalue %dd[1] : !desc
      "mosaic_gpu.initialize_barrier"(%ready) <{arrival_count = 2 : i64, num_barriers = 1 : i32, orders_tensor_core = false}> : (!llvm.ptr<3>) -> ()
      "mosaic_gpu.initialize_barrier"(%done) <{arrival_count = 1 : i64, num_barriers = 1 : i32, orders_tensor_core = true}> : (!llvm.ptr<3>) -> ()
      nvvm.fence.mbarrier.init
      %address = "mosaic_gpu.slice_smem"() <{offset = 24592 : i32}> : () -> memref<i32, #gpu.address_space<workgroup>>
      %columns = mosaic_gpu.tmem_alloc smem_ptr(%address : memref<i32, #gpu.address_space<workgroup>>) -> memref<128x128xi32, #mosaic_gpu.tmem>
      "mosaic_gpu.tmem_relinquish_alloc_permit"() <{collective = false}> : () -> ()
      gpu.barrier
      %b = builtin.unrealized_conversion_cast %ready : !llvm.ptr<3> to !bar
      %d = builtin.unrealized_conversion_cast %done : !llvm.ptr<3> to !tbar
      %slice = "mosaic_gpu.slice_tmem"(%columns) <{offset = 0 : i32}> : (memref<128x128xi32, #mosaic_gpu.tmem>) -> !acc
      %more = "mosaic_gpu.slice_tmem"(%columns) <{offset = 64 : i32}> : (memref<128x128xi32, #mosaic_gpu.tmem>) -> !acc
      %acc = "mosaic_gpu.tmem_layout_cast"(%slice) <{new_layout = #mosaic_gpu.TiledLayout<[[128, 1], [32, 1]], warp_dims = [-4], lane_dims = [-2], vector_dim = -1>}> : (!acc) -> !acc
      %bias = "mosaic_gpu.tmem_layout_cast"(%more) <{new_layout = #mosaic_gpu.TiledLayout<[[128, 1], [32, 1]], warp_dims = [-4], lane_dims = [-2], vector_dim = -1>}> : (!acc) -> !acc

      scf.for %step = %c0 to %c2 step %c1 : i32 {
        %k = arith.muli %step, %c64 : i32
        %parity = arith.remsi %step, %c2 : i32
        mosaic_gpu.arrive_expect_tx barrier(%b : !bar) 16384
        "mosaic_gpu.async_load"(%x, %xst, %b, %c0, %k) <{collective = [], oob_fill_mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 2, 0>, slice_lengths = array<i64: 128, 64>}> : (memref<128x128xf16>, !xs, !bar, i32, i32) -> ()
        mosaic_gpu.arrive_expect_tx barrier(%b : !bar) 8192
        "mosaic_gpu.async_load"(%y, %yst, %b, %k, %c0) <{collective = [], oob_fill_mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 2, 0>, slice_lengths = array<i64: 64, 64>}> : (memref<128x64xf16>, !ys, !bar, i32, i32) -> ()
        nvvm.mbarrier.try_wait.parity %ready, %parity, %ticks : !llvm.ptr<3>, i32, i32
        %adds = arith.cmpi ne, %step, %c0 : i32
        "mosaic_gpu.tcgen05_mma"(%acc, %xst, %yst, %adds) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (!acc, !xs, !ys, i1) -> ()
        "mosaic_gpu.tcgen05_commit_arrive"(%d) <{collective = false}> : (!tbar) -> ()
        nvvm.mbarrier.try_wait.parity %done, %parity, %ticks : !llvm.ptr<3>, i32, i32
        nvvm.tcgen05.fence <after>
      }

      "mosaic_gpu.async_store_tmem"(%ones, %bias) : (!v, !acc) -> ()
      nvvm.tcgen05.wait <store>
      %r = "mosaic_gpu.async_load_tmem"(%acc) : (!acc) -> !v
      %one = "mosaic_gpu.async_load_tmem"(%bias) : (!acc) -> !v
      nvvm.tcgen05.wait <load>
      %sum = arith.addf %r, %one : !v
      "mosaic_gpu.vector_store"(%sum, %o) <{multimem = false}> : (!v, memref<128x64xf32>) -> ()
      "mosaic_gpu.async_store_tmem"(%sum, %acc) : (!v, !acc) -> ()
      nvvm.tcgen05.wait <store>
      %again = "mosaic_gpu.async_load_tmem"(%acc) : (!acc) -> !v
      "mosaic_gpu.vector_store"(%again, %ob) <{multimem = false}> : (!v, memref<128x64xf32>) -> ()
      gpu.barrier
      mosaic_gpu.tmem_dealloc tmem_ref(%columns : memref<128x128xi32, #mosaic_gpu.tmem>)
      gpu.terminator
    }
    return
  }
}
