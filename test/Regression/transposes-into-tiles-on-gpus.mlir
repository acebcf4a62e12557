// RUN: pallas-opt %s --pallas-to-mosaic-gpu | FileCheck %s

// The bug: JAX's layout inference found no layout for a vector that goes through scratch memory, as transposed
// ones do, and then to swizzled memory. It wants loads without bank conflicts unless they say otherwise, which
// a layout of tiles can't be in memory without tiles. test/Integration/gpu-compiler.py hands it this module.

!s = !pallas.ref<64x64xf16, smem, [#pallas.tile<8, 64>, #pallas.swizzle<128>]>
!g = !pallas.ref<64x64xf16, gmem>
!b = !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>

// CHECK: %[[PLAIN:.*]] = "mosaic_gpu.with_transforms"(%{{.*}}) <{transforms = []}>
// CHECK: %[[PLAIN2:.*]] = "mosaic_gpu.with_transforms"(%{{.*}}) <{transforms = []}>
// CHECK: %[[V:.*]] = "mosaic_gpu.vector_load"(%[[PLAIN2]]) <{optimized = false}>
// CHECK-NEXT: "mosaic_gpu.vector_store"(%[[V]], %{{.*}}) <{multimem = false}>
func.func @transpose(%x: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %0 = pallas.mpmd_map
    in(%x : tensor<64x64xf16>)
    out(tensor<64x64xf16>)
    kernel @transpose on <gpu, [<grid "i" = 1>]>(%xr: !g, %or: !g) {
    pallas.run_scoped (%s: !s, %t: !s, %b: !b) {
      pallas.copy_gmem_to_smem %xr to %s signals %b : !g, !s, !b
      pallas.barrier_wait %b : !b
      %v = pallas.get %s[...] : !s
      %w = pallas.transpose %v, [1, 0] : tensor<64x64xf16>
      pallas.swap %t[...], %w : !s, tensor<64x64xf16>
      pallas.commit_smem
      pallas.copy_smem_to_gmem %t to %or : !s, !g
      pallas.wait_smem_to_gmem 0
    }
  }
  return %0 : tensor<64x64xf16>
}
