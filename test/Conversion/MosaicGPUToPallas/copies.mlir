// RUN: pallas-opt %s --convert-mosaic-gpu-to-pallas | FileCheck %s
// execute.py runs round_trip.

// A box of an array becomes a slice of its ref. A length of -1 is a dimension
// that the box lacks.

!bar = memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
!bars = memref<1x!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
!desc = !llvm.struct<(ptr<3>, ptr<3>, i64, array<1 x i64>, array<1 x i64>)>
!s = memref<8x16xf32, #gpu.address_space<workgroup>>
!x = memref<4x8x16xf32>
module attributes {mosaic_gpu.arch_major = 9 : i32} {
  // A prefetch is a hint, so nothing is left of it. What follows the wait reads
  // what the copy brought.
  // CHECK-LABEL: func.func @loads(
  // CHECK-SAME: %{{.*}}: tensor<4x8x16xf32>)
  // CHECK: kernel @loads on <gpu, [<grid "x" = 4>]>(%[[X:.*]]: !pallas.ref<4x8x16xf32, gmem>, %[[B:.*]]: !pallas.ref<1x!pallas.barrier<numArrivals = 1>, smem>, %[[S:.*]]: !pallas.ref<8x16xf32, smem>)
  // CHECK: %[[I:.*]] = pallas.axis_index "x"
  // CHECK-NOT: prefetch
  // CHECK: %[[BOX:.*]] = pallas.slice_ref %[[X]][%{{.*}}, :, :] : !pallas.ref<4x8x16xf32, gmem>
  // CHECK: %[[ONE:.*]] = pallas.slice_ref %[[B]][0]
  // CHECK: pallas.copy_gmem_to_smem %[[BOX]] to %[[S]] signals %[[ONE]]
  // CHECK: pallas.barrier_wait_parity %{{.*}}, %{{.*}}
  // CHECK: pallas.get %[[S]][...]
  func.func @loads_mosaic_gpu(%x: !x) {
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
      "mosaic_gpu.async_prefetch"(%x, %i, %c0_i32, %c0_i32) <{collective = [], slice_lengths = array<i64: -1, 8, 16>, operandSegmentSizes = array<i32: 1, 3, 0>}> : (!x, i32, i32, i32) -> ()
      mosaic_gpu.arrive_expect_tx barrier(%b : !bar) 512
      "mosaic_gpu.async_load"(%x, %s, %b, %i, %c0_i32, %c0_i32) <{collective = [], oob_fill_mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 3, 0>, slice_lengths = array<i64: -1, 8, 16>}> : (!x, !s, !bar, i32, i32, i32) -> ()
      mosaic_gpu.wait barrier(%b : !bar) parity(%false : i1)
      %v = "mosaic_gpu.vector_load"(%s) : (!s) -> vector<8x16xf32>
      "mosaic_gpu.debug_print"(%v) <{format = "box = {}"}> : (vector<8x16xf32>) -> ()
      gpu.terminator
    }
    return
  }

  // An array that copies only write is a result; one that a copy adds to is an
  // operand, too. Groups of copies and the waits for them stay what they are.
  // CHECK-LABEL: func.func @stores(
  // CHECK-SAME: %[[SUM:.*]]: tensor<8x16xf32>) -> (tensor<4x8x16xf32>, tensor<8x16xf32>)
  // CHECK: aliases [0 -> 1]
  // CHECK: kernel @stores on <gpu, [<grid "x" = 2>]>(%{{.*}}: !pallas.ref<8x16xf32, gmem>, %[[O:.*]]: !pallas.ref<4x8x16xf32, gmem>, %[[P:.*]]: !pallas.ref<8x16xf32, gmem>, %[[S:.*]]: !pallas.ref<8x16xf32, smem>)
  // CHECK: pallas.swap %[[S]][...]
  // CHECK-NEXT: pallas.commit_smem
  // CHECK: %[[BOX:.*]] = pallas.slice_ref %[[O]][%{{.*}}, :, :]
  // CHECK-NEXT: pallas.copy_smem_to_gmem %[[S]] to %[[BOX]] {commitGroup = false} :
  // CHECK: %[[ALL:.*]] = pallas.slice_ref %[[P]][:, :]
  // CHECK-NEXT: pallas.copy_smem_to_gmem %[[S]] to %[[ALL]] {commitGroup = false, reduction = #pallas.atomic<add>} :
  // CHECK-NEXT: pallas.commit_smem_to_gmem_group
  // CHECK-NEXT: pallas.wait_smem_to_gmem 1 read_only
  // CHECK-NEXT: pallas.wait_smem_to_gmem 0
  func.func @stores_mosaic_gpu(%o: !x, %p: memref<8x16xf32>) {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c128 = arith.constant 128 : index
    %c0_i32 = arith.constant 0 : i32
    %v = arith.constant dense<1.5> : vector<8x16xf32>
    %bytes = arith.constant 512 : i32
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c2, %gy = %c1, %gz = %c1)
        threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) dynamic_shared_memory_size %bytes {
      %s = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> !s
      %i = arith.index_cast %bx : index to i32
      "mosaic_gpu.vector_store"(%v, %s) <{multimem = false}> : (vector<8x16xf32>, !s) -> ()
      nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
      "mosaic_gpu.async_store"(%s, %o, %i, %c0_i32, %c0_i32) <{commit_group = false, is_global_broadcast = false, operandSegmentSizes = array<i32: 1, 1, 3, 0, 0>, slice_lengths = array<i64: -1, 8, 16>}> : (!s, !x, i32, i32, i32) -> ()
      "mosaic_gpu.async_store"(%s, %p, %c0_i32, %c0_i32) <{commit_group = false, is_global_broadcast = false, operandSegmentSizes = array<i32: 1, 1, 2, 0, 0>, slice_lengths = array<i64: 8, 16>, reduction_op = 0 : i32}> : (!s, memref<8x16xf32>, i32, i32) -> ()
      nvvm.cp.async.bulk.commit.group
      nvvm.cp.async.bulk.wait_group 1 {read}
      nvvm.cp.async.bulk.wait_group 0
      gpu.terminator
    }
    return
  }

  // Rows 2 and 3 of eight rows are written, then row 3 is copied to row 0.
  // CHECK-LABEL: func.func @round_trip(
  // CHECK-SAME: %[[X:.*]]: tensor<8x4xf32>) -> tensor<8x4xf32>
  // CHECK: pallas.slice_ref %{{.*}}[ds(2, 2), :]
  // CHECK: pallas.slice_ref %{{.*}}[3, :]
  // CHECK: pallas.slice_ref %{{.*}}[0, :]
  func.func @round_trip_mosaic_gpu(%o: memref<8x4xf32>) {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %c0_i32 = arith.constant 0 : i32
    %c2_i32 = arith.constant 2 : i32
    %c3_i32 = arith.constant 3 : i32
    %false = arith.constant false
    %v = arith.constant dense<2.5> : vector<2x4xf32>
    %bytes = arith.constant 56 : i32
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
        threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) dynamic_shared_memory_size %bytes {
      %s = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<2x4xf32, #gpu.address_space<workgroup>>
      %r = "mosaic_gpu.slice_smem"() <{offset = 32 : i32}> : () -> memref<4xf32, #gpu.address_space<workgroup>>
      %bs = "mosaic_gpu.slice_smem"() <{offset = 48 : i32}> : () -> !bars
      %d = builtin.unrealized_conversion_cast %bs : !bars to !desc
      %p = llvm.extractvalue %d[1] : !desc
      "mosaic_gpu.initialize_barrier"(%p) <{arrival_count = 1 : i64, num_barriers = 1 : i32, orders_tensor_core = false}> : (!llvm.ptr<3>) -> ()
      nvvm.fence.mbarrier.init
      gpu.barrier
      %b = builtin.unrealized_conversion_cast %p : !llvm.ptr<3> to !bar
      "mosaic_gpu.vector_store"(%v, %s) <{multimem = false}> : (vector<2x4xf32>, memref<2x4xf32, #gpu.address_space<workgroup>>) -> ()
      nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
      "mosaic_gpu.async_store"(%s, %o, %c2_i32, %c0_i32) <{commit_group = true, is_global_broadcast = false, operandSegmentSizes = array<i32: 1, 1, 2, 0, 0>, slice_lengths = array<i64: 2, 4>}> : (memref<2x4xf32, #gpu.address_space<workgroup>>, memref<8x4xf32>, i32, i32) -> ()
      nvvm.cp.async.bulk.wait_group 0
      mosaic_gpu.arrive_expect_tx barrier(%b : !bar) 16
      "mosaic_gpu.async_load"(%o, %r, %b, %c3_i32, %c0_i32) <{collective = [], oob_fill_mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 2, 0>, slice_lengths = array<i64: -1, 4>}> : (memref<8x4xf32>, memref<4xf32, #gpu.address_space<workgroup>>, !bar, i32, i32) -> ()
      mosaic_gpu.wait barrier(%b : !bar) parity(%false : i1)
      "mosaic_gpu.async_store"(%r, %o, %c0_i32, %c0_i32) <{commit_group = true, is_global_broadcast = false, operandSegmentSizes = array<i32: 1, 1, 2, 0, 0>, slice_lengths = array<i64: -1, 4>}> : (memref<4xf32, #gpu.address_space<workgroup>>, memref<8x4xf32>, i32, i32) -> ()
      nvvm.cp.async.bulk.wait_group 0
      gpu.terminator
    }
    return
  }
}
