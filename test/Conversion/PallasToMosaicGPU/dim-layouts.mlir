// RUN: pallas-opt %s --pallas-to-mosaic-gpu | FileCheck %s

// Vectors that are reduced and broadcast have layouts by dimensions. All elements
// are reduced dimension by dimension; bytes are combined in registers of 32 bits;
// another shape is read from memory.

// CHECK-LABEL: module @kernel
// CHECK: %[[X:.*]] = mosaic_gpu.layout_cast x(%{{.*}} : vector<8x64xf32>) {new_layout = #mosaic_gpu.TiledLayout
// CHECK: %[[MAX:.*]] = vector.multi_reduction <maximumf>, %[[X]]
// CHECK-SAME: [1] : vector<8x64xf32> to vector<8xf32>
// CHECK: mosaic_gpu.broadcast_in_dim(%[[MAX]] : vector<8xf32>) {broadcast_dimensions = array<i64: 0>}
// CHECK: %[[COLUMNS:.*]] = vector.multi_reduction <add>, %{{.*}} [0] : vector<8x64xf32> to vector<64xf32>
// CHECK: vector.reduction <add>, %[[COLUMNS]] {{.*}} : vector<64xf32> into f32
// CHECK: %[[WIDE:.*]] = arith.extsi %{{.*}} : vector<8x64xi8> to vector<8x64xi32>
// CHECK: %[[LEAST:.*]] = vector.multi_reduction <minsi>, %[[WIDE]]
// CHECK: arith.trunci %[[LEAST]] : vector<64xi32> to vector<64xi8>
// CHECK: "mosaic_gpu.vector_store"(%{{.*}}, %[[AT:.*]]) {{.*}} : (vector<8x64xf32>,
// CHECK: %[[PARTS:.*]] = memref.expand_shape %[[AT]] {{\[\[}}0], [1, 2]] output_shape [8, 4, 16]
// CHECK: "mosaic_gpu.vector_load"(%[[PARTS]]) {{.*}} -> vector<8x4x16xf32>
func.func @reductions(%x: tensor<8x64xf32>, %n: tensor<8x64xi8>) -> (tensor<8x64xf32>, tensor<8x64xf32>, tensor<64xi8>, tensor<8x4xf32>) {
  %0:4 = pallas.pallas_call grid(1)
    in(%x : tensor<8x64xf32>) block<[8, 64], default>
    in(%n : tensor<8x64xi8>) block<[8, 64], default>
    out(tensor<8x64xf32>) block<[8, 64], default>
    out(tensor<8x64xf32>) block<[8, 64], default>
    out(tensor<64xi8>) block<[64], default>
    out(tensor<8x4xf32>) block<[8, 4], default>
    kernel(%xr: !pallas.ref<8x64xf32, default>, %nr: !pallas.ref<8x64xi8, default>, %sr: !pallas.ref<8x64xf32, default>, %ar: !pallas.ref<8x64xf32, default>, %lr: !pallas.ref<64xi8, default>, %gr: !pallas.ref<8x4xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x64xf32, default>
    %max = pallas.reduce <max> %v dims [1] : tensor<8x64xf32>
    %maxes = pallas.broadcast %max dims [0] : tensor<8xf32> -> tensor<8x64xf32>
    %less = arith.subf %v, %maxes : tensor<8x64xf32>
    %e = math.exp %less : tensor<8x64xf32>
    %sum = pallas.reduce <add> %e dims [1] : tensor<8x64xf32>
    %sums = pallas.broadcast %sum dims [0] : tensor<8xf32> -> tensor<8x64xf32>
    %softmax = arith.divf %e, %sums : tensor<8x64xf32>
    pallas.swap %sr[...], %softmax : !pallas.ref<8x64xf32, default>, tensor<8x64xf32>
    %all = pallas.reduce <add> %v dims [0, 1] : tensor<8x64xf32>
    %alls = pallas.broadcast %all dims [] : f32 -> tensor<8x64xf32>
    %centred = arith.subf %v, %alls : tensor<8x64xf32>
    pallas.swap %ar[...], %centred : !pallas.ref<8x64xf32, default>, tensor<8x64xf32>
    %w = pallas.get %nr[...] : !pallas.ref<8x64xi8, default>
    %least = pallas.reduce <min> %w dims [0] : tensor<8x64xi8>
    pallas.swap %lr[...], %least : !pallas.ref<64xi8, default>, tensor<64xi8>
    %groups = pallas.reshape %v : tensor<8x64xf32> -> tensor<8x4x16xf32>
    %largest = pallas.reduce <max> %groups dims [2] : tensor<8x4x16xf32>
    pallas.swap %gr[...], %largest : !pallas.ref<8x4xf32, default>, tensor<8x4xf32>
  }
  return %0#0, %0#1, %0#2, %0#3 : tensor<8x64xf32>, tensor<8x64xf32>, tensor<64xi8>, tensor<8x4xf32>
}
