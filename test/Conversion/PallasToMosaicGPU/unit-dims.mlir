// RUN: pallas-opt %s --pallas-to-mosaic-gpu | FileCheck %s

// Dimensions of size 1 go: the compiler knows no layout in which a row is
// broadcast, but one of a vector. A single element is a scalar.

// CHECK-LABEL: module @kernel
// CHECK: %[[V:.*]] = "mosaic_gpu.vector_load"(%{{.*}}) <{optimized = false}> : {{.*}} -> vector<8x20xf32>
// CHECK: %[[X:.*]] = mosaic_gpu.layout_cast x(%[[V]] : vector<8x20xf32>)
// CHECK: %[[ROW:.*]] = "mosaic_gpu.vector_load"(%{{.*}}) <{optimized = false}> : {{.*}} -> vector<20xf32>
// CHECK: %[[BIAS:.*]] = mosaic_gpu.layout_cast x(%[[ROW]] : vector<20xf32>)
// CHECK: %[[ONE:.*]] = memref.load
// CHECK: %[[MAX:.*]] = vector.multi_reduction <maximumf>, %[[X]], %{{.*}}{{.*}} [1] : vector<8x20xf32> to vector<8xf32>
// CHECK: %[[SPREAD:.*]] = mosaic_gpu.broadcast_in_dim(%[[MAX]] : vector<8xf32>) {broadcast_dimensions = array<i64: 0>} -> vector<8x20xf32>
// CHECK: %[[L:.*]] = mosaic_gpu.layout_cast x(%[[SPREAD]] : vector<8x20xf32>)
// CHECK: arith.subf %[[X]], %[[L]]
// CHECK: mosaic_gpu.broadcast_in_dim(%[[BIAS]] : vector<20xf32>) {broadcast_dimensions = array<i64: 1>} -> vector<8x20xf32>
// CHECK: vector.broadcast %[[ONE]] : f32 to vector<8x20xf32>
func.func @rows(%x: tensor<8x20xf32>, %bias: tensor<1x20xf32>, %scale: tensor<1x1xf32>) -> tensor<8x20xf32> {
  %0 = pallas.pallas_call grid(1)
    in(%x : tensor<8x20xf32>) block<[8, 20], default>
    in(%bias : tensor<1x20xf32>) block<[1, 20], default>
    in(%scale : tensor<1x1xf32>) block<[1, 1], default>
    out(tensor<8x20xf32>) block<[8, 20], default>
    kernel(%xr: !pallas.ref<8x20xf32, default>, %br: !pallas.ref<1x20xf32, default>, %sr: !pallas.ref<1x1xf32, default>, %or: !pallas.ref<8x20xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x20xf32, default>
    %b = pallas.get %br[...] : !pallas.ref<1x20xf32, default>
    %s = pallas.get %sr[...] : !pallas.ref<1x1xf32, default>
    %max = pallas.reduce <max> %v dims [1] : tensor<8x20xf32>
    %column = pallas.broadcast %max dims [0] : tensor<8xf32> -> tensor<8x1xf32>
    %spread = pallas.broadcast %column dims [0, 1] : tensor<8x1xf32> -> tensor<8x20xf32>
    %centered = arith.subf %v, %spread : tensor<8x20xf32>
    %row = pallas.broadcast %b dims [0, 1] : tensor<1x20xf32> -> tensor<8x20xf32>
    %moved = arith.addf %centered, %row : tensor<8x20xf32>
    %scales = pallas.broadcast %s dims [0, 1] : tensor<1x1xf32> -> tensor<8x20xf32>
    %y = arith.mulf %moved, %scales : tensor<8x20xf32>
    pallas.swap %or[...], %y : !pallas.ref<8x20xf32, default>, tensor<8x20xf32>
  }
  return %0 : tensor<8x20xf32>
}
