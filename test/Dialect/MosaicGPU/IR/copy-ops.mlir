// RUN: pallas-opt %s | pallas-opt | FileCheck %s
// RUN: pallas-opt %s --mlir-print-op-generic | pallas-opt | FileCheck %s
// RUN: pallas-opt %s --emit-bytecode | pallas-opt | FileCheck %s

// Copies in the form of jaxlib 0.10.2.

// CHECK-LABEL: @load
func.func @load(%g: memref<128x256xbf16>, %s: memref<64x64xbf16, #gpu.address_space<workgroup>>, %r: memref<64xbf16, #gpu.address_space<workgroup>>, %b: memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, %i: i32, %c: i1, %v: vector<64xi32>) {
  // CHECK: "mosaic_gpu.async_load"(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) <{collective = [], oob_fill_mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 2, 0>, slice_lengths = array<i64: 64, 64>}> : (memref<128x256xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i32, i32) -> ()
  "mosaic_gpu.async_load"(%g, %s, %b, %i, %i) <{collective = [], oob_fill_mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 2, 0>, slice_lengths = array<i64: 64, 64>}> : (memref<128x256xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i32, i32) -> ()
  // CHECK: "mosaic_gpu.async_load"(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) <{collective = [0 : i32], leader_tracked = #mosaic_gpu.copy_partitioned<axis = 0>, oob_fill_mode = 1 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 2, 1>, slice_lengths = array<i64: -1, 64>}> : (memref<128x256xbf16>, memref<64xbf16, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i32, i32, i1) -> ()
  "mosaic_gpu.async_load"(%g, %r, %b, %i, %i, %c) <{collective = [0 : i32], leader_tracked = #mosaic_gpu.copy_partitioned<axis = 0>, oob_fill_mode = 1 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 2, 1>, slice_lengths = array<i64: -1, 64>}> : (memref<128x256xbf16>, memref<64xbf16, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i32, i32, i1) -> ()
  // CHECK: "mosaic_gpu.async_load"(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) <{collective = [0 : i32, 1 : i32], leader_tracked = #mosaic_gpu.copy_replicated, oob_fill_mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 2, 0>, slice_lengths = array<i64: 64, 64>}> : (memref<128x256xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, vector<64xi32>, i32) -> ()
  "mosaic_gpu.async_load"(%g, %s, %b, %v, %i) <{collective = [0 : i32, 1 : i32], leader_tracked = #mosaic_gpu.copy_replicated, oob_fill_mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 2, 0>, slice_lengths = array<i64: 64, 64>}> : (memref<128x256xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, vector<64xi32>, i32) -> ()
  return
}

// CHECK-LABEL: @prefetch
func.func @prefetch(%g: memref<128x256xbf16>, %i: i32, %c: i1) {
  // CHECK: "mosaic_gpu.async_prefetch"(%{{.*}}, %{{.*}}, %{{.*}}) <{collective = [], operandSegmentSizes = array<i32: 1, 2, 0>, slice_lengths = array<i64: 64, 64>}> : (memref<128x256xbf16>, i32, i32) -> ()
  "mosaic_gpu.async_prefetch"(%g, %i, %i) <{collective = [], operandSegmentSizes = array<i32: 1, 2, 0>, slice_lengths = array<i64: 64, 64>}> : (memref<128x256xbf16>, i32, i32) -> ()
  // CHECK: "mosaic_gpu.async_prefetch"(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) <{collective = [2 : i32], operandSegmentSizes = array<i32: 1, 2, 1>, slice_lengths = array<i64: 64, 64>}> : (memref<128x256xbf16>, i32, i32, i1) -> ()
  "mosaic_gpu.async_prefetch"(%g, %i, %i, %c) <{collective = [2 : i32], operandSegmentSizes = array<i32: 1, 2, 1>, slice_lengths = array<i64: 64, 64>}> : (memref<128x256xbf16>, i32, i32, i1) -> ()
  return
}

// CHECK-LABEL: @store
func.func @store(%g: memref<128x256xbf16>, %s: memref<64x64xbf16, #gpu.address_space<workgroup>>, %i: i32, %c: i1) {
  // CHECK: "mosaic_gpu.async_store"(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) <{commit_group = true, is_global_broadcast = false, operandSegmentSizes = array<i32: 1, 1, 2, 0, 0>, slice_lengths = array<i64: 64, 64>}> : (memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<128x256xbf16>, i32, i32) -> ()
  "mosaic_gpu.async_store"(%s, %g, %i, %i) <{commit_group = true, is_global_broadcast = false, operandSegmentSizes = array<i32: 1, 1, 2, 0, 0>, slice_lengths = array<i64: 64, 64>}> : (memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<128x256xbf16>, i32, i32) -> ()
  // CHECK: "mosaic_gpu.async_store"(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) <{commit_group = false, is_global_broadcast = false, operandSegmentSizes = array<i32: 1, 1, 2, 1, 1>, reduction_op = 0 : i32, slice_lengths = array<i64: 64, 64>}> : (memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<128x256xbf16>, i32, i32, i1, i32) -> ()
  "mosaic_gpu.async_store"(%s, %g, %i, %i, %c, %i) <{commit_group = false, is_global_broadcast = false, operandSegmentSizes = array<i32: 1, 1, 2, 1, 1>, reduction_op = 0 : i32, slice_lengths = array<i64: 64, 64>}> : (memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<128x256xbf16>, i32, i32, i1, i32) -> ()
  return
}

// CHECK-LABEL: @cluster_store
func.func @cluster_store(%v: vector<64x64xbf16>, %s: memref<64x64xbf16, #gpu.address_space<workgroup>>, %b: memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, %i: i32) {
  // CHECK: "mosaic_gpu.async_store_smem"(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) <{atomic_type = 0 : i32, cluster_dim = 1 : i32, optimized = true}> : (vector<64x64xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i32) -> ()
  "mosaic_gpu.async_store_smem"(%v, %s, %b, %i) <{atomic_type = 0 : i32, cluster_dim = 1 : i32, optimized = true}> : (vector<64x64xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i32) -> ()
  return
}
