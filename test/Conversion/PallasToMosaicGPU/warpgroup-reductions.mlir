// RUN: pallas-opt %s --pallas-to-mosaic-gpu | FileCheck %s

// Warps exchange what they have reduced in scratch memory. Two warpgroups
// would take the same, so their lanes reduce in memory of each warpgroup; rows
// of an accumulator's layout stay within a warp.

// CHECK-LABEL: module @kernel
// CHECK: %[[ALL:.*]] = "mosaic_gpu.slice_smem"() <{{.*}} -> memref<2x64x64xf32,
// CHECK-NOT: vector.multi_reduction
// CHECK: bar.sync $0, 128
// CHECK: scf.for
// CHECK: arith.addf
// CHECK: bar.sync $0, 128
// CHECK: vector.multi_reduction <add>, {{.*}} [1] : vector<64x64xf32> to vector<64xf32>
func.func @sums(%x: tensor<2x64x64xf32>) -> (tensor<2x64xf32>, tensor<2x64xf32>) {
  %0:2 = pallas.mpmd_map
      in(%x : tensor<2x64x64xf32>)
      out(tensor<2x64xf32>)
      out(tensor<2x64xf32>)
      kernel @kernel on <gpu, [<grid "i" = 1>, <thread "t" = 2>]> (%g: !pallas.ref<2x64x64xf32, gmem>, %c: !pallas.ref<2x64xf32, gmem>, %r: !pallas.ref<2x64xf32, gmem>) {
    %t = pallas.axis_index "t"
    %v = pallas.get %g[%t, :, :] : !pallas.ref<2x64x64xf32, gmem>
    %columns = pallas.reduce <add> %v dims [0] : tensor<64x64xf32>
    pallas.swap %c[%t, :], %columns : !pallas.ref<2x64xf32, gmem>, tensor<64xf32>
    %rows = pallas.reduce <add> %v dims [1] : tensor<64x64xf32>
    pallas.swap %r[%t, :], %rows : !pallas.ref<2x64xf32, gmem>, tensor<64xf32>
  }
  return %0#0, %0#1 : tensor<2x64xf32>, tensor<2x64xf32>
}
