// A product over a ring of two slots: products of one step may be under way
// while the next step's blocks come, so a slot is filled again a step later.

!bar = memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
!bars = memref<2x!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
!desc = !llvm.struct<(ptr<3>, ptr<3>, i64, array<1 x i64>, array<1 x i64>)>
!slots = memref<2x64x64xf16, #gpu.address_space<workgroup>>
!slot = memref<64x64xf16, strided<[64, 1], offset: ?>, #gpu.address_space<workgroup>>
!acc = vector<64x64xf32>
!out = memref<64x64xf32, #gpu.address_space<workgroup>>

module attributes {mosaic_gpu.arch_major = 9 : i32, mosaic_gpu.arch_minor = 0 : i32} {
  func.func @ring_mosaic_gpu(%x: memref<64x256xf16>, %y: memref<256x64xf16>, %o: memref<64x64xf32>) {
    %i1 = arith.constant 1 : index
    %i128 = arith.constant 128 : index
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %c4 = arith.constant 4 : i32
    %c64 = arith.constant 64 : i32
    %ticks = arith.constant 10000000 : i32
    %zeros = arith.constant dense<0.0> : !acc
    %bytes = arith.constant 49168 : i32
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %i1, %gy = %i1, %gz = %i1)
        threads(%tx, %ty, %tz) in (%nx = %i128, %ny = %i1, %nz = %i1) dynamic_shared_memory_size %bytes {
      %xs = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> !slots
      %ys = "mosaic_gpu.slice_smem"() <{offset = 16384 : i32}> : () -> !slots
      %os = "mosaic_gpu.slice_smem"() <{offset = 32768 : i32}> : () -> !out
      %bs = "mosaic_gpu.slice_smem"() <{offset = 49152 : i32}> : () -> !bars
      %xst = "mosaic_gpu.with_transforms"(%xs) <{transforms = [#mosaic_gpu.tile<[8, 64]>, #mosaic_gpu.swizzle<128 : i32>]}> : (!slots) -> !slots
      %yst = "mosaic_gpu.with_transforms"(%ys) <{transforms = [#mosaic_gpu.tile<[8, 64]>, #mosaic_gpu.swizzle<128 : i32>]}> : (!slots) -> !slots
      %d = builtin.unrealized_conversion_cast %bs : !bars to !desc
      %p = llvm.extractvalue %d[1] : !desc
      "mosaic_gpu.initialize_barrier"(%p) <{arrival_count = 2 : i64, num_barriers = 2 : i32, orders_tensor_core = false}> : (!llvm.ptr<3>) -> ()
      %phases = memref.alloca() : memref<i32>
      memref.store %c0, %phases[] : memref<i32>
      nvvm.fence.mbarrier.init
      gpu.barrier

      // The first two steps fill the slots.
      scf.for %s = %c0 to %c2 step %c1 : i32 {
        %at = arith.index_cast %s : i32 to index
        %k = arith.muli %s, %c64 : i32
        %xslot = memref.subview %xst[%at, 0, 0] [1, 64, 64] [1, 1, 1] : !slots to !slot
        %yslot = memref.subview %yst[%at, 0, 0] [1, 64, 64] [1, 1, 1] : !slots to !slot
        %ps = llvm.getelementptr %p[%s] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
        %b = builtin.unrealized_conversion_cast %ps : !llvm.ptr<3> to !bar
        mosaic_gpu.arrive_expect_tx barrier(%b : !bar) 8192
        "mosaic_gpu.async_load"(%x, %xslot, %b, %c0, %k) <{collective = [], oob_fill_mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 2, 0>, slice_lengths = array<i64: 64, 64>}> : (memref<64x256xf16>, !slot, !bar, i32, i32) -> ()
        mosaic_gpu.arrive_expect_tx barrier(%b : !bar) 8192
        "mosaic_gpu.async_load"(%y, %yslot, %b, %k, %c0) <{collective = [], oob_fill_mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 2, 0>, slice_lengths = array<i64: 64, 64>}> : (memref<256x64xf16>, !slot, !bar, i32, i32) -> ()
      }

      %start = "mosaic_gpu.optimization_barrier"(%zeros) : (!acc) -> !acc
      nvvm.wgmma.fence.aligned
      %sum = scf.for %step = %c0 to %c4 step %c1 iter_args(%acc = %start) -> (!acc) : i32 {
        %s = arith.remsi %step, %c2 : i32
        %word = memref.load %phases[] : memref<i32>
        %mask = arith.shli %c1, %s : i32
        %bit = arith.andi %word, %mask : i32
        %set = arith.cmpi ne, %bit, %c0 : i32
        %parity = arith.extui %set : i1 to i32
        %flipped = arith.xori %word, %mask : i32
        memref.store %flipped, %phases[] : memref<i32>
        %ps = llvm.getelementptr %p[%s] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
        nvvm.mbarrier.try_wait.parity %ps, %parity, %ticks : !llvm.ptr<3>, i32, i32
        %at = arith.index_cast %s : i32 to index
        %xslot = memref.subview %xst[%at, 0, 0] [1, 64, 64] [1, 1, 1] : !slots to !slot
        %yslot = memref.subview %yst[%at, 0, 0] [1, 64, 64] [1, 1, 1] : !slots to !slot
        %next = mosaic_gpu.wgmma accumulator(%acc : !acc) a(%xslot : !slot) b(%yslot : !slot) -> !acc
        nvvm.wgmma.commit.group.sync.aligned
        nvvm.wgmma.wait.group.sync.aligned 1

        // The products of the step before are done: refill its slot.
        %ahead = arith.addi %step, %c1 : i32
        %begun = arith.cmpi sge, %step, %c1 : i32
        %more = arith.cmpi slt, %ahead, %c4 : i32
        %refills = arith.andi %begun, %more : i1
        scf.if %refills {
          %free = arith.remsi %ahead, %c2 : i32
          %fat = arith.index_cast %free : i32 to index
          %k = arith.muli %ahead, %c64 : i32
          %xfree = memref.subview %xst[%fat, 0, 0] [1, 64, 64] [1, 1, 1] : !slots to !slot
          %yfree = memref.subview %yst[%fat, 0, 0] [1, 64, 64] [1, 1, 1] : !slots to !slot
          %pf = llvm.getelementptr %p[%free] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
          %bf = builtin.unrealized_conversion_cast %pf : !llvm.ptr<3> to !bar
          mosaic_gpu.arrive_expect_tx barrier(%bf : !bar) 8192
          "mosaic_gpu.async_load"(%x, %xfree, %bf, %c0, %k) <{collective = [], oob_fill_mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 2, 0>, slice_lengths = array<i64: 64, 64>}> : (memref<64x256xf16>, !slot, !bar, i32, i32) -> ()
          mosaic_gpu.arrive_expect_tx barrier(%bf : !bar) 8192
          "mosaic_gpu.async_load"(%y, %yfree, %bf, %k, %c0) <{collective = [], oob_fill_mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 2, 0>, slice_lengths = array<i64: 64, 64>}> : (memref<256x64xf16>, !slot, !bar, i32, i32) -> ()
        }
        scf.yield %next : !acc
      }
      nvvm.wgmma.wait.group.sync.aligned 0

      "mosaic_gpu.vector_store"(%sum, %os) <{multimem = false}> : (!acc, !out) -> ()
      nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
      llvm.inline_asm has_side_effects "bar.sync $0, 128;", "r" %c1 : (i32) -> ()
      "mosaic_gpu.async_store"(%os, %o, %c0, %c0) <{commit_group = true, is_global_broadcast = false, operandSegmentSizes = array<i32: 1, 1, 2, 0, 0>, slice_lengths = array<i64: 64, 64>}> : (!out, memref<64x64xf32>, i32, i32) -> ()
      nvvm.cp.async.bulk.wait_group 0
      gpu.terminator
    }
    return
  }
}
