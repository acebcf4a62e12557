// RUN: pallas-opt %s --pallas-to-mosaic-gpu --split-input-file | FileCheck %s

// CHECK: %[[V:.*]] = "mosaic_gpu.vector_load"
// CHECK: %[[L:.*]] = mosaic_gpu.layout_cast x(%[[V]] : vector<64x128xf32>) {new_layout = #mosaic_gpu.TiledLayout<{{\[\[}}64, 8], [16, 8], [8, 8], [2]], warp_dims = [-7], lane_dims = [-3, -2], vector_dim = -1>}
// Warps exchange what they have in memory that nothing else uses then.
// CHECK: %[[M:.*]] = vector.multi_reduction <maximumf>, %[[L]], %{{.*}} {offset = 32768 : i32, scratch_size = 2048 : i32} [1] : vector<64x128xf32> to vector<64xf32>
// CHECK: %[[B:.*]] = mosaic_gpu.broadcast_in_dim(%[[M]] : vector<64xf32>) {broadcast_dimensions = array<i64: 0>} -> vector<64x128xf32>
// CHECK: %[[I:.*]] = "mosaic_gpu.broadcasted_iota"() <{dimension = 1 : i32}> : () -> vector<64x128xi32>
// CHECK: %[[F:.*]] = arith.sitofp %[[I]] : vector<64x128xi32> to vector<64x128xf32>
// CHECK: arith.subf %[[L]], %[[B]] : vector<64x128xf32>
// CHECK: math.exp %{{.*}} fastmath<afn> : vector<64x128xf32>
// CHECK: %[[S:.*]] = vector.multi_reduction <add>, %{{.*}} [0] : vector<64x128xf32> to vector<128xf32>
// CHECK: vector.reduction <add>, %[[S]] {{.*}} : vector<128xf32> into f32
// CHECK: vector.broadcast %{{.*}} : f32 to vector<64x128xf32>
// CHECK: vector.extract_strided_slice %{{.*}} {offsets = [0, 64], sizes = [64, 64], strides = [1, 1]} : vector<64x128xf32> to vector<64x64xf32>
func.func @vectors(%x: tensor<256x128xf32>) -> tensor<256x128xf32> {
  %0 = pallas.mpmd_map
    in(%x : tensor<256x128xf32>)
    out(tensor<256x128xf32>)
    attributes {compilerParams = [#pallas.gpu_params<approxMath = true>]}
    kernel @kernel on <gpu, [<grid "i" = 1>]>(%xr: !pallas.ref<256x128xf32, gmem>, %or: !pallas.ref<256x128xf32, gmem>) {
    pallas.run_scoped (%s: !pallas.ref<64x128xf32, smem>) {
      %v = pallas.get %s[...] : !pallas.ref<64x128xf32, smem>
      %l = pallas.layout_cast %v : tensor<64x128xf32> layout "WGMMA"
      %m = pallas.reduce <max> %l dims [1] : tensor<64x128xf32>
      %b = pallas.broadcast %m dims [0] : tensor<64xf32> -> tensor<64x128xf32>
      %i = pallas.iota 1 : tensor<64x128xf32>
      %d = arith.subf %l, %b : tensor<64x128xf32>
      %e = math.exp %d : tensor<64x128xf32>
      %f = arith.addf %e, %i : tensor<64x128xf32>
      %t = pallas.reduce <add> %f dims [0, 1] : tensor<64x128xf32>
      %u = pallas.broadcast %t dims [] : f32 -> tensor<64x128xf32>
      %g = arith.mulf %f, %u : tensor<64x128xf32>
      %p = tensor.extract_slice %g[0, 64] [64, 64] [1, 1] : tensor<64x128xf32> to tensor<64x64xf32>
      %old = pallas.swap %s[:, ds(0, 64)], %p : !pallas.ref<64x128xf32, smem>, tensor<64x64xf32>
    }
  }
  return %0 : tensor<256x128xf32>
}
