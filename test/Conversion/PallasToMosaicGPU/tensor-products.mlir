// RUN: pallas-opt %s --convert-pallas-to-mosaic-gpu=arch=sm_100a --split-input-file | FileCheck %s

!a = !pallas.ref<128x64xf16, smem, [#pallas.tile<8, 64>, #pallas.swizzle<128>]>
!b = !pallas.ref<64x128xf16, smem, [#pallas.tile<8, 64>, #pallas.swizzle<128>]>
!acc = !pallas.ref<128x128xf32, tmem>
!part = !pallas.ref<128x64xf32, tmem>
!lhs = !pallas.ref<128x64xf16, tmem, [#pallas.tensor_memory<packing = 2>]>
!done = !pallas.ref<!pallas.barrier<numArrivals = 1, ordersTensorCore = true>, smem>

// A barrier follows the product. What is read behind the wait comes after it.
// CHECK-LABEL: func.func @product_mosaic_gpu
// CHECK: "mosaic_gpu.initialize_barrier"({{.*}}) <{arrival_count = 1 : i64, num_barriers = 1 : i32, orders_tensor_core = true}>
// CHECK: %[[ACC:.*]] = "mosaic_gpu.tmem_layout_cast"({{.*}}) {{.*}} : (memref<128x128xf32, #mosaic_gpu.tmem>)
// CHECK: %[[LHS:.*]] = "mosaic_gpu.tmem_layout_cast"({{.*}}) {{.*}} : (memref<128x64xf16, #mosaic_gpu.tmem>)
// CHECK: "mosaic_gpu.tcgen05_mma"(%[[ACC]], %{{.*}}, %{{.*}}, %{{.*}}) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (memref<128x128xf32, #mosaic_gpu.tmem>, memref<128x64xf16, #gpu.address_space<workgroup>>, memref<64x128xf16, #gpu.address_space<workgroup>>, i1)
// CHECK: "mosaic_gpu.tcgen05_commit_arrive"({{.*}}) <{collective = false}>
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK-NEXT: nvvm.tcgen05.fence <after>
// CHECK: %[[HALF:.*]] = memref.subview %[[ACC]][0, 64] [128, 64] [1, 1]
// CHECK: %[[ROWS:.*]] = memref.subview %{{.*}}[0, 0] [64, 64] [1, 1]
// CHECK: %[[COLUMNS:.*]] = memref.transpose %[[ROWS]] (d0, d1) -> (d1, d0)
// CHECK: "mosaic_gpu.tcgen05_mma"(%[[HALF]], %[[LHS]], %[[COLUMNS]],
// CHECK: "mosaic_gpu.tcgen05_commit_arrive"
func.func @product(%x: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %0 = pallas.mpmd_map
    in(%x : tensor<128x128xf32>)
    out(tensor<128x128xf32>)
    kernel @product on <gpu, [<grid "i" = 1>]>(%xr: !pallas.ref<128x128xf32, gmem>, %or: !pallas.ref<128x128xf32, gmem>) {
    pallas.run_scoped (%a: !a, %b: !b, %bt: !pallas.ref<128x64xf16, smem>, %acc: !acc, %lhs: !lhs, %done: !done) {
      %false = arith.constant false
      %true = arith.constant true
      pallas.tcgen05_mma %acc, %a, %b accumulate %false signals %done : !acc, !a, !b, !done
      pallas.barrier_wait %done : !done
      %half = pallas.slice_ref %acc[:, ds(64, 64)] : !acc
      %t = pallas.transpose_ref %bt, [1, 0] : !pallas.ref<128x64xf16, smem> -> !pallas.ref<64x128xf16, smem>
      %columns = pallas.slice_ref %t[:, ds(0, 64)] : !pallas.ref<64x128xf16, smem>
      pallas.tcgen05_mma %half, %lhs, %columns accumulate %true : !part, !lhs, !pallas.ref<64x64xf16, smem>
      pallas.tcgen05_commit %done : !done
    }
  }
  return %0 : tensor<128x128xf32>
}

// -----

!a = !pallas.ref<128x128xf8E4M3FN, smem, [#pallas.tile<8, 128>, #pallas.swizzle<128>]>
!b = !pallas.ref<256x64xf8E4M3FN, smem, [#pallas.tile<8, 64>, #pallas.swizzle<64>]>
!acc = !pallas.ref<128x128xf32, tmem, [#pallas.tensor_memory<collective = true>]>
!scales = !pallas.ref<128x4xf8E8M0FNU, tmem, [#pallas.tensor_memory<layout = scales, collective = true>]>
!places = !pallas.ref<128x128xi2, tmem, [#pallas.tensor_memory<layout = sparse_metadata, collective = true>]>
!done = !pallas.ref<!pallas.barrier<numArrivals = 1, ordersTensorCore = true>, smem>

// The first of two blocks copies and multiplies for both.
// CHECK-LABEL: func.func @pair_mosaic_gpu
// CHECK: %[[BLOCK:.*]] = gpu.cluster_block_id x
// CHECK: %[[NUMBER:.*]] = arith.index_cast %[[BLOCK]]
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[NUMBER]], %{{.*}} : i32
// CHECK: scf.if %[[FIRST]] {
// CHECK-NEXT: "mosaic_gpu.async_store_scales_smem_to_tmem"({{.*}}) <{collective = true}>
// CHECK-NEXT: }
// CHECK: scf.if
// CHECK-NEXT: "mosaic_gpu.async_store_sparse_metadata_smem_to_tmem"({{.*}}) <{collective = true}>
// CHECK: scf.if
// CHECK-NEXT: "mosaic_gpu.tcgen05_mma"({{.*}}) <{collective = true, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1>}>
// CHECK: "mosaic_gpu.tcgen05_commit_arrive"({{.*}}) <{collective = true}>
// CHECK-NEXT: }
// CHECK: scf.if
// CHECK: "mosaic_gpu.tcgen05_commit_arrive"({{.*}}) <{collective = true}>
func.func @pair(%x: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %0 = pallas.mpmd_map
    in(%x : tensor<128x128xf32>)
    out(tensor<128x128xf32>)
    kernel @pair on <gpu, [<cluster "c" = 2>]>(%xr: !pallas.ref<128x128xf32, gmem>, %or: !pallas.ref<128x128xf32, gmem>) {
    pallas.run_scoped (%a: !a, %b: !b, %st: !pallas.ref<1x1x32x16xf8E8M0FNU, smem>, %pt: !pallas.ref<1x2x128x64xi2, smem>, %acc: !acc, %s: !scales, %p: !places, %done: !done) {
      %false = arith.constant false
      pallas.async_copy_to_tmem scales %st to %s collective "c" : !pallas.ref<1x1x32x16xf8E8M0FNU, smem>, !scales
      pallas.async_copy_to_tmem sparse_metadata %pt to %p collective "c" : !pallas.ref<1x2x128x64xi2, smem>, !places
      pallas.tcgen05_mma %acc, %a, %b accumulate %false signals %done scales(%s : !scales, %s : !scales) sparse(%p : !places) collective "c" : !acc, !a, !b, !done
      pallas.tcgen05_commit %done collective "c" : !done
    }
  }
  return %0 : tensor<128x128xf32>
}

// -----

!s = !pallas.ref<128x64xf32, smem, [#pallas.tile<8, 32>, #pallas.swizzle<128>]>
!t = !pallas.ref<128x64xf32, tmem>

// CHECK-LABEL: func.func @copy_mosaic_gpu
// CHECK: "mosaic_gpu.warp_map"
// CHECK: "mosaic_gpu.async_store_smem_to_tmem"({{.*}}) <{collective = false}> : (memref<128x64xf32, #gpu.address_space<workgroup>>, memref<128x64xf32, #mosaic_gpu.tmem>)
func.func @copy(%x: tensor<128x64xf32>) -> tensor<128x64xf32> {
  %0 = pallas.mpmd_map
    in(%x : tensor<128x64xf32>)
    out(tensor<128x64xf32>)
    kernel @copy on <gpu, [<grid "i" = 1>]>(%xr: !pallas.ref<128x64xf32, gmem>, %or: !pallas.ref<128x64xf32, gmem>) {
    pallas.run_scoped (%s: !s, %t: !t) {
      pallas.core_map <warp, [<warp "w" = 4>]> () {
        pallas.async_copy_to_tmem matrix %s to %t : !s, !t
      }
    }
  }
  return %0 : tensor<128x64xf32>
}

// -----

!s = !pallas.ref<64x128xf32, smem>
!bar = !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>

// The barrier of the first block expects what both blocks copy.
// CHECK-LABEL: func.func @halves_mosaic_gpu
// CHECK: %[[BLOCK:.*]] = gpu.cluster_block_id x
// CHECK: %[[NUMBER:.*]] = arith.index_cast %[[BLOCK]]
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[NUMBER]], %{{.*}} : i32
// CHECK: scf.if %[[FIRST]] {
// CHECK-NEXT: mosaic_gpu.arrive_expect_tx barrier({{.*}}) 65536
// CHECK-NEXT: }
// CHECK: "mosaic_gpu.async_load"({{.*}}) <{collective = [0 : i32], leader_tracked = #mosaic_gpu.copy_partitioned<axis = 0>, {{.*}} slice_lengths = array<i64: 128, 128>}>
// CHECK: mosaic_gpu.arrive_expect_tx barrier({{.*}}) 65536
// CHECK: "mosaic_gpu.async_load"({{.*}}) <{collective = [0 : i32], leader_tracked = #mosaic_gpu.copy_replicated, {{.*}} slice_lengths = array<i64: 64, 128>}>
func.func @halves(%x: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %0 = pallas.mpmd_map
    in(%x : tensor<128x128xf32>)
    out(tensor<128x128xf32>)
    kernel @halves on <gpu, [<cluster "c" = 2>]>(%xr: !pallas.ref<128x128xf32, gmem>, %or: !pallas.ref<128x128xf32, gmem>) {
    pallas.run_scoped (%s: !s, %b: !bar) {
      pallas.copy_gmem_to_smem %xr to %s signals %b collective ["c"] leader_tracked partitioned 0 : !pallas.ref<128x128xf32, gmem>, !s, !bar
      %rows = pallas.slice_ref %xr[ds(0, 64), :] : !pallas.ref<128x128xf32, gmem>
      pallas.copy_gmem_to_smem %rows to %s signals %b collective ["c"] leader_tracked : !pallas.ref<64x128xf32, gmem>, !s, !bar
    }
  }
  return %0 : tensor<128x128xf32>
}
