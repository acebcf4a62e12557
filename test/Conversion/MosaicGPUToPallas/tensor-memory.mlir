// RUN: pallas-opt %s --split-input-file --convert-mosaic-gpu-to-pallas | FileCheck %s

!bar = memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
!bars = memref<1x!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
!desc = !llvm.struct<(ptr<3>, ptr<3>, i64, array<1 x i64>, array<1 x i64>)>
!a = memref<128x64xf16, #gpu.address_space<workgroup>>
!t = memref<128x64xf32, #mosaic_gpu.tmem>

// Slices of the allocation are scratch; those of the same columns at the same
// time are one ref.
// CHECK-LABEL: func.func @product(
// CHECK: kernel @product on
// CHECK-SAME: %[[ACC:[^ ]*]]: !pallas.ref<128x64xf32, tmem>, %[[SCALES:[^ ]*]]: !pallas.ref<128x4xf8E8M0FNU, tmem>, %[[LHS:[^ ]*]]: !pallas.ref<128x64xf16, tmem>
// CHECK: pallas.async_copy_to_tmem scales %{{.*}} to %[[SCALES]] :
// CHECK: pallas.async_store_tmem %{{.*}} to %[[LHS]] :
// CHECK: pallas.commit_tmem
// CHECK: pallas.tcgen05_mma %[[ACC]], %[[LHS]], %{{.*}} accumulate %{{.*}} :
// CHECK: pallas.tcgen05_commit %{{.*}} : !pallas.ref<!pallas.barrier<numArrivals = 1, ordersTensorCore = true>, smem>
// CHECK: pallas.async_load_tmem %[[ACC]] :
// CHECK: pallas.wait_load_tmem
// CHECK-NOT: mosaic_gpu
// CHECK-NOT: nvvm
module attributes {mosaic_gpu.arch_major = 10 : i32} {
  func.func @product_mosaic_gpu(%x: memref<128x64xf16>, %o: memref<128x64xf32>) {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %false = arith.constant false
    %bytes = arith.constant 40960 : i32
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
        threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) dynamic_shared_memory_size %bytes {
      %bs = "mosaic_gpu.slice_smem"() <{offset = 32768 : i32}> : () -> !bars
      %d = builtin.unrealized_conversion_cast %bs : !bars to !desc
      %p = llvm.extractvalue %d[1] : !desc
      "mosaic_gpu.initialize_barrier"(%p) <{arrival_count = 1 : i64, num_barriers = 1 : i32, orders_tensor_core = true}> : (!llvm.ptr<3>) -> ()
      %word = "mosaic_gpu.slice_smem"() <{offset = 32776 : i32}> : () -> memref<i32, #gpu.address_space<workgroup>>
      %all = mosaic_gpu.tmem_alloc smem_ptr(%word : memref<i32, #gpu.address_space<workgroup>>) -> memref<128x128xi32, #mosaic_gpu.tmem>
      "mosaic_gpu.tmem_relinquish_alloc_permit"() <{collective = false}> : () -> ()
      gpu.barrier
      %s0 = "mosaic_gpu.slice_tmem"(%all) <{offset = 0 : i32}> : (memref<128x128xi32, #mosaic_gpu.tmem>) -> !t
      %acc = "mosaic_gpu.tmem_layout_cast"(%s0) <{new_layout = #mosaic_gpu.TiledLayout<[[128, 1], [32, 1]], warp_dims = [-4], lane_dims = [-2], vector_dim = -1>}> : (!t) -> !t
      %scales = "mosaic_gpu.slice_tmem"(%all) <{offset = 64 : i32}> : (memref<128x128xi32, #mosaic_gpu.tmem>) -> memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>
      %lhs = "mosaic_gpu.slice_tmem"(%all) <{offset = 68 : i32}> : (memref<128x128xi32, #mosaic_gpu.tmem>) -> memref<128x64xf16, #mosaic_gpu.tmem>
      %st = "mosaic_gpu.slice_smem"() <{offset = 36864 : i32}> : () -> memref<1x1x32x16xf8E8M0FNU, #gpu.address_space<workgroup>>
      "mosaic_gpu.async_store_scales_smem_to_tmem"(%st, %scales) <{collective = false}> : (memref<1x1x32x16xf8E8M0FNU, #gpu.address_space<workgroup>>, memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>) -> ()
      %v = "mosaic_gpu.vector_load"(%x) : (memref<128x64xf16>) -> vector<128x64xf16>
      "mosaic_gpu.async_store_tmem"(%v, %lhs) : (vector<128x64xf16>, memref<128x64xf16, #mosaic_gpu.tmem>) -> ()
      nvvm.tcgen05.wait <store>
      %b = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<64x64xf16, #gpu.address_space<workgroup>>
      "mosaic_gpu.tcgen05_mma"(%acc, %lhs, %b, %false) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (!t, memref<128x64xf16, #mosaic_gpu.tmem>, memref<64x64xf16, #gpu.address_space<workgroup>>, i1) -> ()
      %bar = builtin.unrealized_conversion_cast %p : !llvm.ptr<3> to !bar
      "mosaic_gpu.tcgen05_commit_arrive"(%bar) <{collective = false}> : (!bar) -> ()
      mosaic_gpu.wait barrier(%bar : !bar) parity(%false : i1)
      nvvm.tcgen05.fence <after>
      %r = "mosaic_gpu.async_load_tmem"(%acc) : (!t) -> vector<128x64xf32>
      nvvm.tcgen05.wait <load>
      "mosaic_gpu.vector_store"(%r, %o) <{multimem = false}> : (vector<128x64xf32>, memref<128x64xf32>) -> ()
      gpu.barrier
      mosaic_gpu.tmem_dealloc tmem_ref(%all : memref<128x128xi32, #mosaic_gpu.tmem>)
      gpu.terminator
    }
    return
  }
}

// -----

// Copies to tensor memory by their kinds: a matrix, and metadata of a sparse
// operand.
// CHECK-LABEL: func.func @copies(
// CHECK: kernel @copies on
// CHECK: pallas.async_copy_to_tmem matrix %{{.*}} to %{{.*}} : !pallas.ref<128x128xf32, smem>, !pallas.ref<128x128xf32, tmem>
// CHECK: pallas.async_copy_to_tmem sparse_metadata %{{.*}} to %{{.*}} :
module attributes {mosaic_gpu.arch_major = 10 : i32} {
  func.func @copies_mosaic_gpu() {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %bytes = arith.constant 69640 : i32
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
        threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) dynamic_shared_memory_size %bytes {
      %word = "mosaic_gpu.slice_smem"() <{offset = 69632 : i32}> : () -> memref<i32, #gpu.address_space<workgroup>>
      %all = mosaic_gpu.tmem_alloc smem_ptr(%word : memref<i32, #gpu.address_space<workgroup>>) -> memref<128x256xi32, #mosaic_gpu.tmem>
      gpu.barrier
      %s = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<128x128xf32, #gpu.address_space<workgroup>>
      %t = "mosaic_gpu.slice_tmem"(%all) <{offset = 0 : i32}> : (memref<128x256xi32, #mosaic_gpu.tmem>) -> memref<128x128xf32, #mosaic_gpu.tmem>
      "mosaic_gpu.async_store_smem_to_tmem"(%s, %t) <{collective = false}> : (memref<128x128xf32, #gpu.address_space<workgroup>>, memref<128x128xf32, #mosaic_gpu.tmem>) -> ()
      %m = "mosaic_gpu.slice_smem"() <{offset = 65536 : i32}> : () -> memref<1x1x128x64xi2, #gpu.address_space<workgroup>>
      %u = "mosaic_gpu.slice_tmem"(%all) <{offset = 128 : i32}> : (memref<128x256xi32, #mosaic_gpu.tmem>) -> memref<128x64xi2, #mosaic_gpu.tmem>
      "mosaic_gpu.async_store_sparse_metadata_smem_to_tmem"(%m, %u) <{collective = false}> : (memref<1x1x128x64xi2, #gpu.address_space<workgroup>>, memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
      mosaic_gpu.tmem_dealloc tmem_ref(%all : memref<128x256xi32, #mosaic_gpu.tmem>)
      gpu.terminator
    }
    return
  }
}
