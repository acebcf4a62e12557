// Each of two warpgroups has two slots. A step fills one and sends it out, while
// the copy of the step before goes on.

!slots = memref<2x64x32xf32, #gpu.address_space<workgroup>>
!slot = memref<64x32xf32, strided<[32, 1], offset: ?>, #gpu.address_space<workgroup>>
!v = vector<64x32xf32>

module attributes {mosaic_gpu.arch_major = 9 : i32, mosaic_gpu.arch_minor = 0 : i32} {
  func.func @stores_mosaic_gpu(%o: memref<512x32xf32>) {
    %i1 = arith.constant 1 : index
    %i256 = arith.constant 256 : index
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c4 = arith.constant 4 : i32
    %c7 = arith.constant 7 : i32
    %c31 = arith.constant 31 : i32
    %c64 = arith.constant 64 : i32
    %c256 = arith.constant 256 : i32
    %all = arith.constant -1 : i32
    %ones = arith.constant dense<1.0> : !v
    %bytes = arith.constant 32768 : i32
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %i1, %gy = %i1, %gz = %i1)
        threads(%tx, %ty, %tz) in (%nx = %i256, %ny = %i1, %nz = %i1) dynamic_shared_memory_size %bytes {
      %mine = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> !slots
      %other = "mosaic_gpu.slice_smem"() <{offset = 16384 : i32}> : () -> !slots
      %t = arith.index_cast %tx : index to i32
      %wg = arith.shrui %t, %c7 : i32
      %same = nvvm.shfl.sync idx %all, %wg, %c0, %c31 : i32 -> i32
      %id = arith.addi %same, %c1 : i32
      %first = arith.cmpi eq, %same, %c0 : i32
      %rows = arith.muli %same, %c256 : i32
      scf.for %step = %c0 to %c4 step %c1 : i32 {
        %s = arith.remsi %step, %c2 : i32
        %at = arith.index_cast %s : i32 to index
        %n = arith.sitofp %step : i32 to f32
        %v = vector.broadcast %n : f32 to !v
        %rstep = arith.muli %step, %c64 : i32
        %row = arith.addi %rows, %rstep : i32
        scf.if %first {
          %slot = memref.subview %mine[%at, 0, 0] [1, 64, 32] [1, 1, 1] : !slots to !slot
          nvvm.cp.async.bulk.wait_group 1 {read}
          llvm.inline_asm has_side_effects "bar.sync $0, 128;", "r" %id : (i32) -> ()
          "mosaic_gpu.vector_store"(%v, %slot) <{multimem = false}> : (!v, !slot) -> ()
          nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
          llvm.inline_asm has_side_effects "bar.sync $0, 128;", "r" %id : (i32) -> ()
          "mosaic_gpu.async_store"(%slot, %o, %row, %c0) <{commit_group = true, is_global_broadcast = false, operandSegmentSizes = array<i32: 1, 1, 2, 0, 0>, slice_lengths = array<i64: 64, 32>}> : (!slot, memref<512x32xf32>, i32, i32) -> ()
        } else {
          %slot = memref.subview %other[%at, 0, 0] [1, 64, 32] [1, 1, 1] : !slots to !slot
          nvvm.cp.async.bulk.wait_group 1 {read}
          llvm.inline_asm has_side_effects "bar.sync $0, 128;", "r" %id : (i32) -> ()
          "mosaic_gpu.vector_store"(%ones, %slot) <{multimem = false}> : (!v, !slot) -> ()
          nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
          llvm.inline_asm has_side_effects "bar.sync $0, 128;", "r" %id : (i32) -> ()
          "mosaic_gpu.async_store"(%slot, %o, %row, %c0) <{commit_group = false, is_global_broadcast = false, operandSegmentSizes = array<i32: 1, 1, 2, 0, 0>, slice_lengths = array<i64: 64, 32>}> : (!slot, memref<512x32xf32>, i32, i32) -> ()
          nvvm.cp.async.bulk.commit.group
        }
      }
      nvvm.cp.async.bulk.wait_group 0
      gpu.terminator
    }
    return
  }
}
