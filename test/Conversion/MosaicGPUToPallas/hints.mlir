// RUN: pallas-opt %s --convert-mosaic-gpu-to-pallas | FileCheck %s

// What only the compiler for GPUs reads stays, as an attribute of its dialect.

!bar = memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
!bars = memref<1x!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
!desc = !llvm.struct<(ptr<3>, ptr<3>, i64, array<1 x i64>, array<1 x i64>)>
!s = memref<8x16xf32, #gpu.address_space<workgroup>>
!x = memref<4x8x16xf32>
module attributes {mosaic_gpu.arch_major = 9 : i32} {
  // CHECK: pallas.copy_gmem_to_smem %{{.*}} to %[[S:.*]] signals %{{.*}} {mosaic_gpu.oob_fill_mode = 1 : i32}
  // CHECK: %[[V:.*]] = pallas.get %[[S]][...] {mosaic_gpu.optimized = false}
  // CHECK: pallas.swap %[[S]][...], %[[V]] {mosaic_gpu.optimized = false}
  func.func @transfers_mosaic_gpu(%x: !x) {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c128 = arith.constant 128 : index
    %c0_i32 = arith.constant 0 : i32
    %false = arith.constant false
    %bytes = arith.constant 520 : i32
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c4, %gy = %c1, %gz = %c1)
        threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) dynamic_shared_memory_size %bytes {
      %s = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> !s
      %bs = "mosaic_gpu.slice_smem"() <{offset = 512 : i32}> : () -> !bars
      %d = builtin.unrealized_conversion_cast %bs : !bars to !desc
      %p = llvm.extractvalue %d[1] : !desc
      "mosaic_gpu.initialize_barrier"(%p) <{arrival_count = 1 : i64, num_barriers = 1 : i32, orders_tensor_core = false}> : (!llvm.ptr<3>) -> ()
      nvvm.fence.mbarrier.init
      gpu.barrier
      %b = builtin.unrealized_conversion_cast %p : !llvm.ptr<3> to !bar
      %i = arith.index_cast %bx : index to i32
      mosaic_gpu.arrive_expect_tx barrier(%b : !bar) 512
      "mosaic_gpu.async_load"(%x, %s, %b, %i, %c0_i32, %c0_i32) <{collective = [], oob_fill_mode = 1 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 3, 0>, slice_lengths = array<i64: -1, 8, 16>}> : (!x, !s, !bar, i32, i32, i32) -> ()
      mosaic_gpu.wait barrier(%b : !bar) parity(%false : i1)
      %v = "mosaic_gpu.vector_load"(%s) <{optimized = false}> : (!s) -> vector<8x16xf32>
      "mosaic_gpu.vector_store"(%v, %s) <{multimem = false, optimized = false}> : (vector<8x16xf32>, !s) -> ()
      gpu.terminator
    }
    return
  }
}
