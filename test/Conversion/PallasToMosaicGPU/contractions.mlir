// RUN: pallas-opt %s --pallas-to-mosaic-gpu | FileCheck %s

// Tensor cores take tiles of 64 rows from tiled memory. Other contractions are
// sums of each lane.

// CHECK-LABEL: module @kernel
// CHECK: %[[A:.*]] = "mosaic_gpu.with_transforms"(%{{.*}}) <{transforms = [#mosaic_gpu.tile<[8, 64]>, #mosaic_gpu.swizzle<128 : i32>]}> : (memref<64x64xf16
// CHECK: %[[B:.*]] = "mosaic_gpu.with_transforms"(%{{.*}}) <{transforms = [#mosaic_gpu.tile<
// CHECK: %[[BT:.*]] = memref.transpose %[[B]] (d0, d1) -> (d1, d0)
// CHECK: nvvm.fence.proxy
// CHECK: nvvm.wgmma.fence.aligned
// CHECK: mosaic_gpu.wgmma accumulator(%{{.*}}) a(%[[A]]{{.*}}) b(%[[BT]]{{.*}}) -> vector<64x64xf32>
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK: nvvm.wgmma.wait.group.sync.aligned 0
// A batch of small products: the sum runs over both contracted dimensions.
// CHECK: scf.for %{{.*}} = %{{.*}} to %c64_i32{{.*}} step %c128_i32
// CHECK: scf.for %{{.*}} = %c0 to %c3 step %c1 iter_args(%{{.*}} = %cst{{.*}}) -> (f32)
// CHECK: scf.for %{{.*}} = %c0 to %c8 step %c1 iter_args(%{{.*}} = %{{.*}}) -> (f32)
// CHECK: arith.mulf %{{.*}} : f32
// CHECK: arith.addf %{{.*}} : f32
// CHECK-NOT: pallas.dot_general
func.func @contractions(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>, %c: tensor<2x3x4x8xf32>, %d: tensor<2x8x3x8xf32>, %e: tensor<2x4x8xf32>) -> (tensor<64x64xf32>, tensor<2x4x8xf32>) {
  %0:2 = pallas.pallas_call grid(1)
    in(%a : tensor<64x64xf16>) block<[64, 64], default>
    in(%b : tensor<64x64xf16>) block<[64, 64], default>
    in(%c : tensor<2x3x4x8xf32>) block<[2, 3, 4, 8], default>
    in(%d : tensor<2x8x3x8xf32>) block<[2, 8, 3, 8], default>
    in(%e : tensor<2x4x8xf32>) block<[2, 4, 8], default>
    out(tensor<64x64xf32>) block<[64, 64], default>
    out(tensor<2x4x8xf32>) block<[2, 4, 8], default>
    kernel(%ar: !pallas.ref<64x64xf16, default>, %br: !pallas.ref<64x64xf16, default>, %cr: !pallas.ref<2x3x4x8xf32, default>, %dr: !pallas.ref<2x8x3x8xf32, default>, %er: !pallas.ref<2x4x8xf32, default>, %or: !pallas.ref<64x64xf32, default>, %pr: !pallas.ref<2x4x8xf32, default>) {
    %x = pallas.get %ar[...] : !pallas.ref<64x64xf16, default>
    %y = pallas.get %br[...] : !pallas.ref<64x64xf16, default>
    %xy = pallas.dot_general %x, %y contract [1] x [1] : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    pallas.swap %or[...], %xy : !pallas.ref<64x64xf32, default>, tensor<64x64xf32>
    %u = pallas.get %cr[...] : !pallas.ref<2x3x4x8xf32, default>
    %v = pallas.get %dr[...] : !pallas.ref<2x8x3x8xf32, default>
    %w = pallas.get %er[...] : !pallas.ref<2x4x8xf32, default>
    %uv = pallas.dot_general %u, %v acc %w contract [1, 3] x [2, 1] batch [0] x [0] : tensor<2x3x4x8xf32>, tensor<2x8x3x8xf32>, tensor<2x4x8xf32> -> tensor<2x4x8xf32>
    pallas.swap %pr[...], %uv : !pallas.ref<2x4x8xf32, default>, tensor<2x4x8xf32>
  }
  return %0#0, %0#1 : tensor<64x64xf32>, tensor<2x4x8xf32>
}
