// RUN: pallas-opt %s --convert-pallas-to-mosaic-gpu=arch=sm_100a --split-input-file | FileCheck %s

!s = !pallas.ref<128x128xf32, smem>
!t = !pallas.ref<128x128xf32, tmem>
!packed = !pallas.ref<128x64xf16, tmem, [#pallas.tensor_memory<packing = 2>]>
!half = !pallas.ref<64x64xf32, tmem>

// One allocation holds all refs, and the address of it lies behind the shared
// memory. Scopes that follow each other take the same columns.
// CHECK-LABEL: func.func @memory_mosaic_gpu
// CHECK: nvvm.fence.mbarrier.init
// CHECK: %[[WORD:.*]] = "mosaic_gpu.slice_smem"() <{offset = 65536 : i32}> : () -> memref<i32, #gpu.address_space<workgroup>>
// CHECK: %[[ALL:.*]] = mosaic_gpu.tmem_alloc smem_ptr(%[[WORD]] : {{.*}}) -> memref<128x192xi32, #mosaic_gpu.tmem>
// CHECK: "mosaic_gpu.tmem_relinquish_alloc_permit"() <{collective = false}>
// CHECK-NEXT: gpu.barrier
// CHECK: %[[A:.*]] = "mosaic_gpu.slice_tmem"(%[[ALL]]) <{offset = 0 : i32}> : {{.*}} -> memref<128x128xf32, #mosaic_gpu.tmem>
// CHECK: %[[T:.*]] = "mosaic_gpu.tmem_layout_cast"(%[[A]]) <{new_layout = #mosaic_gpu.TiledLayout<{{\[}}[128, 1], [32, 1]], warp_dims = [-4], lane_dims = [-2], vector_dim = -1>}>
// CHECK: %[[V:.*]] = "mosaic_gpu.vector_load"
// CHECK: "mosaic_gpu.async_store_tmem"(%[[V]], %[[T]]) : (vector<128x128xf32>, memref<128x128xf32, #mosaic_gpu.tmem>)
// CHECK: nvvm.tcgen05.wait <store>
// CHECK: bar.sync
// CHECK: "mosaic_gpu.async_load_tmem"(%[[T]]) : {{.*}} -> vector<128x128xf32>
// CHECK: nvvm.tcgen05.wait <load>
// CHECK: bar.sync
// CHECK: "mosaic_gpu.slice_tmem"(%[[ALL]]) <{offset = 128 : i32}> : {{.*}} -> memref<128x64xf16, #mosaic_gpu.tmem>
// CHECK-NEXT: "mosaic_gpu.tmem_layout_cast"{{.*}}TiledLayout<{{\[}}[128, 2], [32, 2]], warp_dims = [-4], lane_dims = [-2], vector_dim = -1>
// CHECK: "mosaic_gpu.slice_tmem"(%[[ALL]]) <{offset = 160 : i32}> : {{.*}} -> memref<64x64xf32, #mosaic_gpu.tmem>
// CHECK-NEXT: "mosaic_gpu.tmem_layout_cast"{{.*}}TiledLayout<{{\[}}[64, 64], [16, 32], [1]], warp_dims = [-5], lane_dims = [-4, -3], vector_dim = -1>
// CHECK: "mosaic_gpu.slice_tmem"(%[[ALL]]) <{offset = 128 : i32}> : {{.*}} -> memref<128x64xf16, #mosaic_gpu.tmem>
// CHECK: gpu.barrier
// CHECK-NEXT: mosaic_gpu.tmem_dealloc tmem_ref(%[[ALL]]
// CHECK-NEXT: gpu.terminator
func.func @memory(%x: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %0 = pallas.mpmd_map
    in(%x : tensor<128x128xf32>)
    out(tensor<128x128xf32>)
    kernel @memory on <gpu, [<grid "i" = 1>]>(%xr: !pallas.ref<128x128xf32, gmem>, %or: !pallas.ref<128x128xf32, gmem>) {
    pallas.run_scoped (%s: !s, %t: !t) {
      %v = pallas.get %s[...] : !s
      pallas.async_store_tmem %v to %t : tensor<128x128xf32>, !t
      pallas.commit_tmem
      %w = pallas.async_load_tmem %t : !t -> tensor<128x128xf32>
      pallas.wait_load_tmem
      %old = pallas.swap %s[...], %w : !s, tensor<128x128xf32>
      pallas.run_scoped (%p: !packed, %h: !half) {
      }
      pallas.run_scoped (%p: !packed) {
      }
    }
  }
  return %0 : tensor<128x128xf32>
}

// -----

!scales = !pallas.ref<128x8xf8E8M0FNU, tmem, [#pallas.tensor_memory<layout = scales, collective = true>]>
!both = !pallas.ref<256x8xf8E8M0FNU, tmem, [#pallas.tensor_memory<layout = scales_m64_collective, collective = true>]>
!places = !pallas.ref<128x64xi2, tmem, [#pallas.tensor_memory<layout = sparse_metadata, collective = true>]>
!rows = !pallas.ref<64x64xf32, tmem, [#pallas.tensor_memory<collective = true>]>

// Memory of two blocks is given back when both are done.
// CHECK-LABEL: func.func @pair_mosaic_gpu
// CHECK: mosaic_gpu.tmem_alloc {{.*}} {collective = true} -> memref<128x56xi32, #mosaic_gpu.tmem>
// CHECK: "mosaic_gpu.tmem_relinquish_alloc_permit"() <{collective = true}>
// CHECK: <{offset = 0 : i32}> : {{.*}} -> memref<128x8xf8E8M0FNU, #mosaic_gpu.tmem>
// CHECK-NEXT: TiledLayout<{{\[}}[128, 4], [32, 1]], warp_dims = [#mosaic_gpu.Replicated<times = 4>], lane_dims = [-2], vector_dim = -3>
// CHECK: <{offset = 8 : i32}> : {{.*}} -> memref<256x8xf8E8M0FNU, #mosaic_gpu.tmem>
// CHECK-NEXT: TiledLayout<{{\[}}[256, 4], [128, 4], [32, 4]], warp_dims = [#mosaic_gpu.Replicated<times = 2>, -6], lane_dims = [-2], vector_dim = -1>
// CHECK: <{offset = 16 : i32}> : {{.*}} -> memref<128x64xi2, #mosaic_gpu.tmem>
// CHECK-NEXT: TiledLayout<{{\[}}[128, 16], [32, 1], [16, 1], [8, 1]], warp_dims = [-8], lane_dims = [-2, -4, -6], vector_dim = -7>
// CHECK: <{offset = 20 : i32}> : {{.*}} -> memref<64x64xf32, #mosaic_gpu.tmem>
// CHECK-NEXT: TiledLayout<{{\[}}[64, 64], [32, 32], [1]], warp_dims = [-4, -5], lane_dims = [-3], vector_dim = -1>
// CHECK: gpu.barrier
// CHECK-NEXT: nvvm.cluster.arrive.relaxed
// CHECK-NEXT: nvvm.cluster.wait
// CHECK-NEXT: mosaic_gpu.tmem_dealloc
func.func @pair(%x: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %0 = pallas.mpmd_map
    in(%x : tensor<128x128xf32>)
    out(tensor<128x128xf32>)
    kernel @pair on <gpu, [<cluster "c" = 2>]>(%xr: !pallas.ref<128x128xf32, gmem>, %or: !pallas.ref<128x128xf32, gmem>) {
    pallas.run_scoped (%s: !scales, %b: !both, %p: !places, %r: !rows) {
    }
  }
  return %0 : tensor<128x128xf32>
}
