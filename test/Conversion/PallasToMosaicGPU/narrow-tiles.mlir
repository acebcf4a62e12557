// RUN: pallas-opt %s --pallas-to-mosaic-gpu | FileCheck %s

// Elements of four bits are packed in memory, as in the arrays of JAX, so tiles and swizzles stay as they are, and
// conversions to other types take them as they are. narrow-tiles.py executes both stages.

// CHECK-LABEL: module @kernel
// CHECK: "mosaic_gpu.with_transforms"(%{{.*}}) <{transforms = [#mosaic_gpu.tile<[8, 64]>, #mosaic_gpu.swizzle<32 : i32>]}> : (memref<64x256xi4
// CHECK: "mosaic_gpu.with_transforms"(%{{.*}}) <{transforms = [#mosaic_gpu.tile<[8, 256]>, #mosaic_gpu.swizzle<128 : i32>]}> : (memref<64x256xi4
// CHECK-COUNT-2: mosaic_gpu.arrive_expect_tx {{.*}} 8192
// CHECK: arith.sitofp %{{.*}} : vector<64x256xi4> to vector<64x256xf32>
func.func @sum(%x: tensor<64x256xi4>, %y: tensor<64x256xi4>) -> tensor<64x256xf32> {
  %0 = pallas.mpmd_map
      in(%x : tensor<64x256xi4>)
      in(%y : tensor<64x256xi4>)
      out(tensor<64x256xf32>)
      kernel @kernel on <gpu, [<grid "i" = 1>]> (%g: !pallas.ref<64x256xi4, gmem>, %h: !pallas.ref<64x256xi4, gmem>, %o: !pallas.ref<64x256xf32, gmem>) {
    pallas.run_scoped (%s: !pallas.ref<64x256xi4, smem, [#pallas.tile<8, 64>, #pallas.swizzle<32>]>, %t: !pallas.ref<64x256xi4, smem, [#pallas.tile<8, 256>, #pallas.swizzle<128>]>,
        %b: !pallas.ref<!pallas.barrier<numArrivals = 2>, smem>) {
      pallas.copy_gmem_to_smem %g to %s signals %b : !pallas.ref<64x256xi4, gmem>, !pallas.ref<64x256xi4, smem, [#pallas.tile<8, 64>, #pallas.swizzle<32>]>, !pallas.ref<!pallas.barrier<numArrivals = 2>, smem>
      pallas.copy_gmem_to_smem %h to %t signals %b : !pallas.ref<64x256xi4, gmem>, !pallas.ref<64x256xi4, smem, [#pallas.tile<8, 256>, #pallas.swizzle<128>]>, !pallas.ref<!pallas.barrier<numArrivals = 2>, smem>
      pallas.barrier_wait %b : !pallas.ref<!pallas.barrier<numArrivals = 2>, smem>
      %v = pallas.get %s[...] : !pallas.ref<64x256xi4, smem, [#pallas.tile<8, 64>, #pallas.swizzle<32>]>
      %w = pallas.get %t[...] : !pallas.ref<64x256xi4, smem, [#pallas.tile<8, 256>, #pallas.swizzle<128>]>
      %a = arith.sitofp %v : tensor<64x256xi4> to tensor<64x256xf32>
      %c = arith.sitofp %w : tensor<64x256xi4> to tensor<64x256xf32>
      %sum = arith.addf %a, %c : tensor<64x256xf32>
      pallas.swap %o[...], %sum : !pallas.ref<64x256xf32, gmem>, tensor<64x256xf32>
    }
  }
  return %0 : tensor<64x256xf32>
}
