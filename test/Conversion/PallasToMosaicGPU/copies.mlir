// RUN: pallas-opt %s --pallas-to-mosaic-gpu | FileCheck %s
// RUN: pallas-opt %s --pallas-to-mosaic-gpu=release=0.12.0.1 | FileCheck %s --check-prefix=NEW
// RUN: pallas-opt %s --pallas-to-mosaic-gpu=arch=sm_100a | FileCheck %s --check-prefix=BLACKWELL

// A row of tiles per block: copied in, changed, copied out.

// CHECK: module @add_one_kernel attributes {mosaic_gpu.arch_major = 9 : i32, mosaic_gpu.arch_minor = 0 : i32}
// CHECK: func.func private @mosaic_gpu_init_tma_desc(
// CHECK: llvm.mlir.global external @global_scratch() {addr_space = 4 : i32} : !llvm.array<0 x i8>
// CHECK: func.func @add_one_kernel_mosaic_gpu(%{{.*}}: !llvm.ptr, %[[BUFFERS:.*]]: !llvm.ptr) attributes {llvm.emit_c_interface}
// CHECK: llvm.load %[[BUFFERS]] : !llvm.ptr -> !llvm.ptr
// CHECK: %[[X:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<256x128xf32> {mosaic_gpu.from_kernel_arg_idx = 0 : i32, mosaic_gpu.original_kernel_arg}
// CHECK: llvm.getelementptr %[[BUFFERS]][1]
// CHECK: %[[O:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<256x128xf32> {mosaic_gpu.from_kernel_arg_idx = 1 : i32, mosaic_gpu.original_kernel_arg}
// CHECK: gpu.launch async [%{{.*}}] blocks(%{{.*}}, %{{.*}}, %{{.*}}) in (%{{.*}} = %c4, %{{.*}} = %c1, %{{.*}} = %c1) threads(%{{.*}}, %{{.*}}, %{{.*}}) in (%{{.*}} = %c128, %{{.*}} = %c1, %{{.*}} = %c1) dynamic_shared_memory_size %[[BYTES:.*]] {
// The barrier lies behind the tile.
// CHECK: "mosaic_gpu.slice_smem"() <{offset = 32768 : i32}> : () -> memref<1x!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
// CHECK: "mosaic_gpu.initialize_barrier"(%[[ADDRESS:.*]]) <{arrival_count = 1 : i64, num_barriers = 1 : i32, orders_tensor_core = false}>
// CHECK: %[[PHASES:.*]] = memref.alloca() : memref<i32>
// CHECK: nvvm.fence.mbarrier.init
// CHECK: gpu.barrier
// CHECK: %[[S:.*]] = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<64x128xf32, #gpu.address_space<workgroup>>
// CHECK: %[[T:.*]] = "mosaic_gpu.with_transforms"(%[[S]]) <{transforms = [#mosaic_gpu.tile<[8, 32]>, #mosaic_gpu.swizzle<128 : i32>]}>
// CHECK: %[[ROW:.*]] = arith.muli
// CHECK: mosaic_gpu.arrive_expect_tx barrier(%[[B:.*]] : memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) 32768
// CHECK: "mosaic_gpu.async_load"(%[[X]], %[[T]], %[[B]], %[[ROW]], %c0_i32) <{collective = [], oob_fill_mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 2, 0>, slice_lengths = array<i64: 64, 128>}>
// CHECK: %[[PHASE:.*]] = memref.load %[[PHASES]][]
// CHECK: memref.store %{{.*}}, %[[PHASES]][]
// CHECK: nvvm.mbarrier.try_wait.parity %[[ADDRESS]], %{{.*}}, %c10000000_i32
// CHECK: %[[V:.*]] = "mosaic_gpu.vector_load"(%[[T]]) : (memref<64x128xf32, #gpu.address_space<workgroup>>) -> vector<64x128xf32>
// CHECK: %[[W:.*]] = arith.addf %[[V]], %{{.*}} : vector<64x128xf32>
// CHECK: "mosaic_gpu.vector_store"(%[[W]], %[[T]]) <{multimem = false}>
// CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
// CHECK: llvm.inline_asm has_side_effects "bar.sync $0, 128;", "r"
// CHECK: "mosaic_gpu.async_store"(%[[T]], %[[O]], %[[ROW]], %c0_i32) <{commit_group = true, is_global_broadcast = false, operandSegmentSizes = array<i32: 1, 1, 2, 0, 0>, slice_lengths = array<i64: 64, 128>}>
// CHECK: nvvm.cp.async.bulk.wait_group 0
// CHECK: llvm.inline_asm has_side_effects "bar.sync $0, 128;", "r"
// CHECK: gpu.terminator
// CHECK: func.func private @add_one_kernel_call(tensor<256x128xf32>) -> tensor<256x128xf32> attributes {mosaic_gpu.kernel = @add_one_kernel}
// CHECK: func.func @add_one(%[[ARG:.*]]: tensor<256x128xf32>)
// CHECK: call @add_one_kernel_call(%[[ARG]])

// NEW: mosaic_gpu.arrive_expect_tx barrier(%{{.*}} : memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) %{{.*}}
// NEW: operandSegmentSizes = array<i32: 1, 1, 1, 2, 0, 0>

// BLACKWELL: module @add_one_kernel attributes {mosaic_gpu.arch_major = 10 : i32
func.func @add_one(%x: tensor<256x128xf32>) -> tensor<256x128xf32> {
  %0 = pallas.mpmd_map
    in(%x : tensor<256x128xf32>)
    out(tensor<256x128xf32>)
    kernel @add_one_kernel on <gpu, [<grid "i" = 4>]>(%xr: !pallas.ref<256x128xf32, gmem>, %or: !pallas.ref<256x128xf32, gmem>) {
    pallas.run_scoped (%s: !pallas.ref<64x128xf32, smem, [#pallas.tile<8, 32>, #pallas.swizzle<128>]>, %b: !pallas.ref<1x!pallas.barrier<numArrivals = 1>, smem>) {
      %i = pallas.axis_index "i"
      %c64 = arith.constant 64 : i32
      %row = arith.muli %i, %c64 : i32
      %from = pallas.slice_ref %xr[ds(%row, 64), :] : !pallas.ref<256x128xf32, gmem>
      %b0 = pallas.slice_ref %b[0] : !pallas.ref<1x!pallas.barrier<numArrivals = 1>, smem>
      pallas.copy_gmem_to_smem %from to %s signals %b0 : !pallas.ref<64x128xf32, gmem>, !pallas.ref<64x128xf32, smem, [#pallas.tile<8, 32>, #pallas.swizzle<128>]>, !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
      pallas.barrier_wait %b0 : !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
      %v = pallas.get %s[...] : !pallas.ref<64x128xf32, smem, [#pallas.tile<8, 32>, #pallas.swizzle<128>]>
      %one = arith.constant dense<1.0> : tensor<64x128xf32>
      %w = arith.addf %v, %one : tensor<64x128xf32>
      %old = pallas.swap %s[...], %w : !pallas.ref<64x128xf32, smem, [#pallas.tile<8, 32>, #pallas.swizzle<128>]>, tensor<64x128xf32>
      pallas.commit_smem
      %to = pallas.slice_ref %or[ds(%row, 64), :] : !pallas.ref<256x128xf32, gmem>
      pallas.copy_smem_to_gmem %s to %to : !pallas.ref<64x128xf32, smem, [#pallas.tile<8, 32>, #pallas.swizzle<128>]>, !pallas.ref<64x128xf32, gmem>
      pallas.wait_smem_to_gmem 0
    }
  }
  return %0 : tensor<256x128xf32>
}
