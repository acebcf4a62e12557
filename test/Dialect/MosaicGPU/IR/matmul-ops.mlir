// RUN: pallas-opt %s | pallas-opt | FileCheck %s
// RUN: pallas-opt %s --mlir-print-op-generic | pallas-opt | FileCheck %s
// RUN: pallas-opt %s --emit-bytecode | pallas-opt | FileCheck %s

// Matrix products.

// CHECK-LABEL: @wgmma
func.func @wgmma(%c: vector<64x128xf32>, %a: memref<64x64xbf16, #gpu.address_space<workgroup>>, %r: vector<64x64xbf16>, %b: memref<64x128xbf16, #gpu.address_space<workgroup>>) {
  // CHECK: %{{.*}} = mosaic_gpu.wgmma accumulator(%{{.*}} : vector<64x128xf32>) a(%{{.*}} : memref<64x64xbf16, #gpu.address_space<workgroup>>) b(%{{.*}} : memref<64x128xbf16, #gpu.address_space<workgroup>>) -> vector<64x128xf32>
  %0 = mosaic_gpu.wgmma accumulator(%c : vector<64x128xf32>) a(%a : memref<64x64xbf16, #gpu.address_space<workgroup>>) b(%b : memref<64x128xbf16, #gpu.address_space<workgroup>>) -> vector<64x128xf32>
  // CHECK: %{{.*}} = mosaic_gpu.wgmma accumulator(%{{.*}} : vector<64x128xf32>) a(%{{.*}} : vector<64x64xbf16>) b(%{{.*}} : memref<64x128xbf16, #gpu.address_space<workgroup>>) -> vector<64x128xf32>
  %1 = mosaic_gpu.wgmma accumulator(%c : vector<64x128xf32>) a(%r : vector<64x64xbf16>) b(%b : memref<64x128xbf16, #gpu.address_space<workgroup>>) -> vector<64x128xf32>
  return
}

// CHECK-LABEL: @mma
func.func @mma(%c: vector<64x8xf32>, %a: vector<64x16xf16>, %b: vector<16x8xf16>, %i: vector<64x8xi32>, %x: vector<64x32xi8>, %y: vector<32x8xi8>) {
  // CHECK: %{{.*}} = mosaic_gpu.mma accumulator(%{{.*}} : vector<64x8xf32>) a(%{{.*}} : vector<64x16xf16>) b(%{{.*}} : vector<16x8xf16>) -> vector<64x8xf32>
  %0 = mosaic_gpu.mma accumulator(%c : vector<64x8xf32>) a(%a : vector<64x16xf16>) b(%b : vector<16x8xf16>) -> vector<64x8xf32>
  // CHECK: %{{.*}} = mosaic_gpu.mma accumulator(%{{.*}} : vector<64x8xi32>) a(%{{.*}} : vector<64x32xi8>) b(%{{.*}} : vector<32x8xi8>) -> vector<64x8xi32>
  %1 = mosaic_gpu.mma accumulator(%i : vector<64x8xi32>) a(%x : vector<64x32xi8>) b(%y : vector<32x8xi8>) -> vector<64x8xi32>
  return
}

// CHECK-LABEL: @tcgen05
func.func @tcgen05(%c: memref<128x128xf32, #mosaic_gpu.tmem>, %a: memref<128x64xbf16, #gpu.address_space<workgroup>>, %b: memref<64x128xbf16, #gpu.address_space<workgroup>>, %t: i1, %bar: memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, %s: memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>, %w: memref<64x64xbf16, #gpu.address_space<workgroup>>) {
  // CHECK: "mosaic_gpu.tcgen05_mma"(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (memref<128x128xf32, #mosaic_gpu.tmem>, memref<128x64xbf16, #gpu.address_space<workgroup>>, memref<64x128xbf16, #gpu.address_space<workgroup>>, i1) -> ()
  "mosaic_gpu.tcgen05_mma"(%c, %a, %b, %t) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (memref<128x128xf32, #mosaic_gpu.tmem>, memref<128x64xbf16, #gpu.address_space<workgroup>>, memref<64x128xbf16, #gpu.address_space<workgroup>>, i1) -> ()
  // CHECK: "mosaic_gpu.tcgen05_mma"(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0>}> : (memref<128x128xf32, #mosaic_gpu.tmem>, memref<128x64xbf16, #gpu.address_space<workgroup>>, memref<64x128xbf16, #gpu.address_space<workgroup>>, i1, memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>, memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>) -> ()
  "mosaic_gpu.tcgen05_mma"(%c, %a, %b, %t, %s, %s) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0>}> : (memref<128x128xf32, #mosaic_gpu.tmem>, memref<128x64xbf16, #gpu.address_space<workgroup>>, memref<64x128xbf16, #gpu.address_space<workgroup>>, i1, memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>, memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>) -> ()
  // CHECK: "mosaic_gpu.tcgen05_mma"(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) <{collective = true, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (memref<128x128xf32, #mosaic_gpu.tmem>, memref<128x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xbf16, #gpu.address_space<workgroup>>, i1) -> ()
  "mosaic_gpu.tcgen05_mma"(%c, %a, %w, %t) <{collective = true, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (memref<128x128xf32, #mosaic_gpu.tmem>, memref<128x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xbf16, #gpu.address_space<workgroup>>, i1) -> ()
  // CHECK: "mosaic_gpu.tcgen05_commit_arrive"(%{{.*}}) <{collective = true}> : (memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) -> ()
  "mosaic_gpu.tcgen05_commit_arrive"(%bar) <{collective = true}> : (memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) -> ()
  return
}
