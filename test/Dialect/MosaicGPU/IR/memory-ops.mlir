// RUN: pallas-opt %s | pallas-opt | FileCheck %s
// RUN: pallas-opt %s --mlir-print-op-generic | pallas-opt | FileCheck %s
// RUN: pallas-opt %s --emit-bytecode | pallas-opt | FileCheck %s

// Shared memory.

// CHECK-LABEL: @shared
func.func @shared(%s: memref<64x128xf32, #gpu.address_space<workgroup>>, %x: i32) {
  // CHECK: %{{.*}} = "mosaic_gpu.slice_smem"() <{alias_id = 3 : i32, offset = 8192 : i32}> : () -> memref<64x128xf32, #gpu.address_space<workgroup>>
  %0 = "mosaic_gpu.slice_smem"() <{alias_id = 3 : i32, offset = 8192 : i32}> : () -> memref<64x128xf32, #gpu.address_space<workgroup>>
  // CHECK: %{{.*}} = "mosaic_gpu.with_transforms"(%{{.*}}) <{transforms = [#mosaic_gpu.tile<[8, 32]>, #mosaic_gpu.swizzle<128 : i32>]}> : (memref<64x128xf32, #gpu.address_space<workgroup>>) -> memref<64x128xf32, #gpu.address_space<workgroup>>
  %1 = "mosaic_gpu.with_transforms"(%s) <{transforms = [#mosaic_gpu.tile<[8, 32]>, #mosaic_gpu.swizzle<128 : i32>]}> : (memref<64x128xf32, #gpu.address_space<workgroup>>) -> memref<64x128xf32, #gpu.address_space<workgroup>>
  // CHECK: %{{.*}} = "mosaic_gpu.reinterpret_cast"(%{{.*}}) : (memref<64x128xf32, #gpu.address_space<workgroup>>) -> memref<128x64xf32, #gpu.address_space<workgroup>>
  %2 = "mosaic_gpu.reinterpret_cast"(%s) : (memref<64x128xf32, #gpu.address_space<workgroup>>) -> memref<128x64xf32, #gpu.address_space<workgroup>>
  // CHECK: %{{.*}} = "mosaic_gpu.get_cluster_ref"(%{{.*}}, %{{.*}}) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (memref<64x128xf32, #gpu.address_space<workgroup>>, i32) -> memref<64x128xf32, #mosaic_gpu.smem_cluster>
  %3 = "mosaic_gpu.get_cluster_ref"(%s, %x) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (memref<64x128xf32, #gpu.address_space<workgroup>>, i32) -> memref<64x128xf32, #mosaic_gpu.smem_cluster>
  return
}
