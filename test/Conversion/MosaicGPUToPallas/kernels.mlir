// RUN: pallas-opt %s --split-input-file --convert-mosaic-gpu-to-pallas | FileCheck %s

!bar = memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
!bars = memref<2x!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
!desc = !llvm.struct<(ptr<3>, ptr<3>, i64, array<1 x i64>, array<1 x i64>)>
!s = memref<64x32xf32, #gpu.address_space<workgroup>>

// A copy in and out: arrays that are read are operands, those that are written
// results. The phase word is memory of each warpgroup.

// CHECK-LABEL: func.func @copy(
// CHECK-SAME: %{{.*}}: tensor<128x32xf32>) -> tensor<128x32xf32>
// CHECK: pallas.mpmd_map
// CHECK: kernel @copy on <gpu, [<grid "x" = 2>, <thread "warpgroup" = 2>]>
// CHECK-SAME: %[[X:.*]]: !pallas.ref<128x32xf32, gmem>, %[[O:.*]]: !pallas.ref<128x32xf32, gmem>, %[[BARRIERS:.*]]: !pallas.ref<2x!pallas.barrier<numArrivals = 1>, smem>, %[[MEET:.*]]: !pallas.ref<!pallas.barrier<numArrivals = 2>, smem>, %[[S:.*]]: !pallas.ref<64x32xf32, smem>
// CHECK: pallas.run_scoped (%[[PHASE:.*]]: !pallas.ref<i32, smem>)
// CHECK: pallas.swap %[[PHASE]][...]
// CHECK: pallas.barrier_arrive %[[MEET]]
// CHECK-NEXT: pallas.barrier_wait %[[MEET]]
// CHECK: scf.if
// CHECK: %[[PART:.*]] = pallas.slice_ref %[[X]]
// CHECK: %[[B:.*]] = pallas.slice_ref %[[BARRIERS]][1]
// CHECK: pallas.copy_gmem_to_smem %[[PART]] to %[[S]] signals %[[B]]
// CHECK: pallas.barrier_wait_parity %{{.*}}, %{{.*}}
// CHECK: %[[V:.*]] = pallas.get %[[S]][...]
// CHECK: arith.addf %[[V]], %[[V]] : tensor<64x32xf32>
// CHECK: pallas.swap %[[S]][...]
// CHECK: pallas.commit_smem
// CHECK: pallas.copy_smem_to_gmem %[[S]] to
// CHECK: pallas.wait_smem_to_gmem 0
// CHECK-NOT: mosaic_gpu
// CHECK-NOT: nvvm
module attributes {mosaic_gpu.arch_major = 9 : i32} {
  func.func @copy_mosaic_gpu(%x: memref<128x32xf32>, %o: memref<128x32xf32>) {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c256 = arith.constant 256 : index
    %c0_i32 = arith.constant 0 : i32
    %c1_i32 = arith.constant 1 : i32
    %c7_i32 = arith.constant 7 : i32
    %c31_i32 = arith.constant 31 : i32
    %all = arith.constant -1 : i32
    %c64_i32 = arith.constant 64 : i32
    %ticks = arith.constant 10000000 : i32
    %bytes = arith.constant 16384 : i32
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c2, %gy = %c1, %gz = %c1)
        threads(%tx, %ty, %tz) in (%nx = %c256, %ny = %c1, %nz = %c1) dynamic_shared_memory_size %bytes {
      %bs = "mosaic_gpu.slice_smem"() <{offset = 8192 : i32}> : () -> !bars
      %d = builtin.unrealized_conversion_cast %bs : !bars to !desc
      %p = llvm.extractvalue %d[1] : !desc
      "mosaic_gpu.initialize_barrier"(%p) <{arrival_count = 1 : i64, num_barriers = 2 : i32, orders_tensor_core = false}> : (!llvm.ptr<3>) -> ()
      %phase = memref.alloca() : memref<i32>
      memref.store %c0_i32, %phase[] : memref<i32>
      nvvm.fence.mbarrier.init
      gpu.barrier
      %t = arith.index_cast %tx : index to i32
      %wg = arith.shrui %t, %c7_i32 : i32
      %same = nvvm.shfl.sync idx %all, %wg, %c0_i32, %c31_i32 : i32 -> i32
      %isFirst = arith.cmpi eq, %same, %c0_i32 : i32
      scf.if %isFirst {
        %s = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> !s
        %st = "mosaic_gpu.with_transforms"(%s) <{transforms = [#mosaic_gpu.tile<[8, 32]>, #mosaic_gpu.swizzle<128 : i32>]}> : (!s) -> !s
        %p1 = llvm.getelementptr %p[1] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i64
        %b = builtin.unrealized_conversion_cast %p1 : !llvm.ptr<3> to !bar
        %i = arith.index_cast %bx : index to i32
        %row = arith.muli %i, %c64_i32 : i32
        mosaic_gpu.arrive_expect_tx barrier(%b : !bar) 8192
        "mosaic_gpu.async_load"(%x, %st, %b, %row, %c0_i32) <{collective = [], oob_fill_mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 2, 0>, slice_lengths = array<i64: 64, 32>}> : (memref<128x32xf32>, !s, !bar, i32, i32) -> ()
        %w = memref.load %phase[] : memref<i32>
        %bit = arith.andi %w, %c1_i32 : i32
        nvvm.mbarrier.try_wait.parity %p1, %bit, %ticks : !llvm.ptr<3>, i32, i32
        %v = "mosaic_gpu.vector_load"(%st) : (!s) -> vector<64x32xf32>
        %vv = arith.addf %v, %v : vector<64x32xf32>
        "mosaic_gpu.vector_store"(%vv, %st) <{multimem = false}> : (vector<64x32xf32>, !s) -> ()
        nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
        %id = arith.addi %wg, %c1_i32 : i32
        llvm.inline_asm has_side_effects "bar.sync $0, 128;", "r" %id : (i32) -> ()
        "mosaic_gpu.async_store"(%st, %o, %row, %c0_i32) <{commit_group = true, is_global_broadcast = false, operandSegmentSizes = array<i32: 1, 1, 2, 0, 0>, slice_lengths = array<i64: 64, 32>}> : (!s, memref<128x32xf32>, i32, i32) -> ()
        nvvm.cp.async.bulk.wait_group 0
      }
      gpu.terminator
    }
    return
  }
}
