// RUN: pallas-opt %s --pallas-to-mosaic-gpu | FileCheck %s

// Tiles have 64 rows, so rows that are split by 64 keep theirs; others go through shared memory.
// CHECK-LABEL: module @tiles
// CHECK: %[[L:.*]] = mosaic_gpu.layout_cast
// CHECK-NEXT: vector.shape_cast %[[L]] : vector<384x8xf32> to vector<2x3x64x8xf32>
// CHECK: "mosaic_gpu.slice_smem"
// CHECK: "mosaic_gpu.vector_load"{{.*}} -> vector<12x32x8xf32>
func.func @in_tiles(%x: tensor<384x8xf32>) -> (tensor<2x3x64x8xf32>, tensor<12x32x8xf32>) {
  %0:2 = pallas.mpmd_map
      in(%x : tensor<384x8xf32>)
      out(tensor<2x3x64x8xf32>)
      out(tensor<12x32x8xf32>)
      kernel @tiles on <gpu, [<grid "i" = 1>]> (%g: !pallas.ref<384x8xf32, gmem>, %o: !pallas.ref<2x3x64x8xf32, gmem>, %p: !pallas.ref<12x32x8xf32, gmem>) {
    %v = pallas.get %g[...] : !pallas.ref<384x8xf32, gmem>
    %l = pallas.layout_cast %v : tensor<384x8xf32> layout "WGMMA"
    %tiles = pallas.reshape %l : tensor<384x8xf32> -> tensor<2x3x64x8xf32>
    pallas.swap %o[...], %tiles : !pallas.ref<2x3x64x8xf32, gmem>, tensor<2x3x64x8xf32>
    %parts = pallas.reshape %l : tensor<384x8xf32> -> tensor<12x32x8xf32>
    pallas.swap %p[...], %parts : !pallas.ref<12x32x8xf32, gmem>, tensor<12x32x8xf32>
  }
  return %0#0, %0#1 : tensor<2x3x64x8xf32>, tensor<12x32x8xf32>
}

// So are parts of whole tiles, but not of vectors that have been loaded without a layout.
// CHECK-LABEL: module @parts
// CHECK: %[[L:.*]] = mosaic_gpu.layout_cast
// CHECK-NEXT: %[[ONE:.*]] = vector.extract %[[L]][1] : vector<128x64xf32> from vector<2x128x64xf32>
// CHECK-NEXT: %[[HALF:.*]] = vector.extract_strided_slice %[[ONE]] {offsets = [64, 0], sizes = [64, 64], strides = [1, 1]}
// CHECK-NEXT: "mosaic_gpu.vector_store"(%[[HALF]]
// CHECK: "mosaic_gpu.slice_smem"
// CHECK: "mosaic_gpu.vector_load"{{.*}} -> vector<64x64xf32>
func.func @parts(%x: tensor<2x128x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %0:2 = pallas.mpmd_map
      in(%x : tensor<2x128x64xf32>)
      out(tensor<64x64xf32>)
      out(tensor<64x64xf32>)
      kernel @parts on <gpu, [<grid "i" = 1>]> (%g: !pallas.ref<2x128x64xf32, gmem>, %o: !pallas.ref<64x64xf32, gmem>, %p: !pallas.ref<64x64xf32, gmem>) {
    %v = pallas.get %g[...] : !pallas.ref<2x128x64xf32, gmem>
    %l = pallas.layout_cast %v : tensor<2x128x64xf32> layout "WGMMA"
    %part = tensor.extract_slice %l[1, 64, 0] [1, 64, 64] [1, 1, 1] : tensor<2x128x64xf32> to tensor<64x64xf32>
    pallas.swap %o[...], %part : !pallas.ref<64x64xf32, gmem>, tensor<64x64xf32>
    %w = pallas.get %g[...] : !pallas.ref<2x128x64xf32, gmem>
    %q = tensor.extract_slice %w[1, 64, 0] [1, 64, 64] [1, 1, 1] : tensor<2x128x64xf32> to tensor<64x64xf32>
    pallas.swap %p[...], %q : !pallas.ref<64x64xf32, gmem>, tensor<64x64xf32>
  }
  return %0#0, %0#1 : tensor<64x64xf32>, tensor<64x64xf32>
}
