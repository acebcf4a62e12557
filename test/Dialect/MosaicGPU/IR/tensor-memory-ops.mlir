// RUN: pallas-opt %s | pallas-opt | FileCheck %s
// RUN: pallas-opt %s --mlir-print-op-generic | pallas-opt | FileCheck %s
// RUN: pallas-opt %s --emit-bytecode | pallas-opt | FileCheck %s

// Tensor memory.

// CHECK-LABEL: @allocation
func.func @allocation(%p: memref<i32, #gpu.address_space<workgroup>>) {
  // CHECK: %{{.*}} = mosaic_gpu.tmem_alloc smem_ptr(%{{.*}} : memref<i32, #gpu.address_space<workgroup>>) -> memref<128x128xf32, #mosaic_gpu.tmem>
  %0 = mosaic_gpu.tmem_alloc smem_ptr(%p : memref<i32, #gpu.address_space<workgroup>>) -> memref<128x128xf32, #mosaic_gpu.tmem>
  // CHECK: %{{.*}} = mosaic_gpu.tmem_alloc smem_ptr(%{{.*}} : memref<i32, #gpu.address_space<workgroup>>) {collective = true, packing = 2 : i32} -> memref<128x128xbf16, #mosaic_gpu.tmem>
  %1 = mosaic_gpu.tmem_alloc smem_ptr(%p : memref<i32, #gpu.address_space<workgroup>>) {collective = true, packing = 2 : i32} -> memref<128x128xbf16, #mosaic_gpu.tmem>
  // CHECK: "mosaic_gpu.tmem_relinquish_alloc_permit"() <{collective = false}> : () -> ()
  "mosaic_gpu.tmem_relinquish_alloc_permit"() <{collective = false}> : () -> ()
  // CHECK: %{{.*}} = "mosaic_gpu.slice_tmem"(%{{.*}}) <{offset = 64 : i32}> : (memref<128x128xf32, #mosaic_gpu.tmem>) -> memref<128x64xf32, #mosaic_gpu.tmem>
  %2 = "mosaic_gpu.slice_tmem"(%0) <{offset = 64 : i32}> : (memref<128x128xf32, #mosaic_gpu.tmem>) -> memref<128x64xf32, #mosaic_gpu.tmem>
  // CHECK: %{{.*}} = "mosaic_gpu.tmem_layout_cast"(%{{.*}}) <{new_layout = #mosaic_gpu.TiledLayout<{{\[\[}}128, 2], [32, 2]], warp_dims = [-4], lane_dims = [-2], vector_dim = -1>}> : (memref<128x128xf32, #mosaic_gpu.tmem>) -> memref<128x128xf32, #mosaic_gpu.tmem>
  %3 = "mosaic_gpu.tmem_layout_cast"(%0) <{new_layout = #mosaic_gpu.TiledLayout<[[128, 2], [32, 2]], warp_dims = [-4], lane_dims = [-2], vector_dim = -1>}> : (memref<128x128xf32, #mosaic_gpu.tmem>) -> memref<128x128xf32, #mosaic_gpu.tmem>
  // CHECK: mosaic_gpu.tmem_dealloc tmem_ref(%{{.*}} : memref<128x128xf32, #mosaic_gpu.tmem>)
  mosaic_gpu.tmem_dealloc tmem_ref(%0 : memref<128x128xf32, #mosaic_gpu.tmem>)
  return
}

// CHECK-LABEL: @transfers
func.func @transfers(%t: memref<128x128xf32, #mosaic_gpu.tmem>, %s: memref<128x128xf32, #gpu.address_space<workgroup>>) {
  // CHECK: %{{.*}} = "mosaic_gpu.async_load_tmem"(%{{.*}}) : (memref<128x128xf32, #mosaic_gpu.tmem>) -> vector<128x128xf32>
  %0 = "mosaic_gpu.async_load_tmem"(%t) : (memref<128x128xf32, #mosaic_gpu.tmem>) -> vector<128x128xf32>
  // CHECK: "mosaic_gpu.async_store_tmem"(%{{.*}}, %{{.*}}) : (vector<128x128xf32>, memref<128x128xf32, #mosaic_gpu.tmem>) -> ()
  "mosaic_gpu.async_store_tmem"(%0, %t) : (vector<128x128xf32>, memref<128x128xf32, #mosaic_gpu.tmem>) -> ()
  // CHECK: "mosaic_gpu.async_store_smem_to_tmem"(%{{.*}}, %{{.*}}) <{collective = false}> : (memref<128x128xf32, #gpu.address_space<workgroup>>, memref<128x128xf32, #mosaic_gpu.tmem>) -> ()
  "mosaic_gpu.async_store_smem_to_tmem"(%s, %t) <{collective = false}> : (memref<128x128xf32, #gpu.address_space<workgroup>>, memref<128x128xf32, #mosaic_gpu.tmem>) -> ()
  return
}

// CHECK-LABEL: @parts
func.func @parts(%m: memref<1x2x128x64xi2, #gpu.address_space<workgroup>>, %n: memref<128x128xi2, #mosaic_gpu.tmem>, %s: memref<1x1x32x16xf8E8M0FNU, #gpu.address_space<workgroup>>, %t: memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>) {
  // CHECK: "mosaic_gpu.async_store_sparse_metadata_smem_to_tmem"(%{{.*}}, %{{.*}}) <{collective = false}> : (memref<1x2x128x64xi2, #gpu.address_space<workgroup>>, memref<128x128xi2, #mosaic_gpu.tmem>) -> ()
  "mosaic_gpu.async_store_sparse_metadata_smem_to_tmem"(%m, %n) <{collective = false}> : (memref<1x2x128x64xi2, #gpu.address_space<workgroup>>, memref<128x128xi2, #mosaic_gpu.tmem>) -> ()
  // CHECK: "mosaic_gpu.async_store_scales_smem_to_tmem"(%{{.*}}, %{{.*}}) <{collective = false}> : (memref<1x1x32x16xf8E8M0FNU, #gpu.address_space<workgroup>>, memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>) -> ()
  "mosaic_gpu.async_store_scales_smem_to_tmem"(%s, %t) <{collective = false}> : (memref<1x1x32x16xf8E8M0FNU, #gpu.address_space<workgroup>>, memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>) -> ()
  return
}
