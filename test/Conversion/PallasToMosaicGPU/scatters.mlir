// RUN: pallas-opt %s --pallas-to-mosaic-gpu | FileCheck %s

// Updates come in order, so that two of one place both count. Those that are
// not all inside are dropped.

// CHECK-LABEL: module @kernel
// Rows: one after the other, where there is room for it.
// CHECK: scf.for %{{.*}} = %c0 to %c4 step %c1 iter_args(%[[ROWS:.*]] = %{{.*}}) -> (vector<8x128xf32>)
// CHECK: scf.yield %[[ROWS]]
// CHECK: arith.addf
// CHECK: %[[PLACE:.*]] = memref.subview %{{.*}}[%{{.*}}, 0] [1, 128] [1, 1]
// CHECK: "mosaic_gpu.vector_store"(%{{.*}}, %[[PLACE]])
// A single element is chosen in registers.
// CHECK: "mosaic_gpu.broadcasted_iota"() <{dimension = 0 : i32}> : () -> vector<8x128xi32>
// CHECK: %[[IN_ROW:.*]] = arith.cmpi eq, %{{.*}} : vector<8x128xi32>
// CHECK: "mosaic_gpu.broadcasted_iota"() <{dimension = 1 : i32}> : () -> vector<8x128xi32>
// CHECK: %[[IN_COLUMN:.*]] = arith.cmpi eq, %{{.*}} : vector<8x128xi32>
// CHECK: %[[HERE:.*]] = arith.andi %[[IN_ROW]], %[[IN_COLUMN]]
// CHECK: arith.select %[[HERE]], %{{.*}} : vector<8x128xi1>, vector<8x128xf32>
func.func @scatters(%x: tensor<8x128xf32>, %u: tensor<4x128xf32>, %i: tensor<4xi32>) -> (tensor<8x128xf32>, tensor<8x128xf32>, tensor<8x128xf32>, tensor<8xi32>) {
  %0:4 = pallas.mpmd_map
      in(%x : tensor<8x128xf32>)
      in(%u : tensor<4x128xf32>)
      in(%i : tensor<4xi32>)
      out(tensor<8x128xf32>)
      out(tensor<8x128xf32>)
      out(tensor<8x128xf32>)
      out(tensor<8xi32>)
      kernel @kernel on <gpu, [<grid "i" = 1>]> (%xr: !pallas.ref<8x128xf32, gmem>, %ur: !pallas.ref<4x128xf32, gmem>, %ir: !pallas.ref<4xi32, gmem>, %rows: !pallas.ref<8x128xf32, gmem>, %element: !pallas.ref<8x128xf32, gmem>, %window: !pallas.ref<8x128xf32, gmem>, %flags: !pallas.ref<8xi32, gmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x128xf32, gmem>
    %w = pallas.get %ur[...] : !pallas.ref<4x128xf32, gmem>
    %at = pallas.get %ir[...] : !pallas.ref<4xi32, gmem>
    %places = pallas.reshape %at : tensor<4xi32> -> tensor<4x1xi32>
    %r = pallas.scatter combining <add> %v at %places, %w window [1] inserted [0] batching [] x [] map [0] : tensor<8x128xf32>, tensor<4x1xi32>, tensor<4x128xf32>
    pallas.swap %rows[...], %r : !pallas.ref<8x128xf32, gmem>, tensor<8x128xf32>
    %c9 = arith.constant 9.0 : f32
    %pair = tensor.extract_slice %at[0] [2] [1] : tensor<4xi32> to tensor<2xi32>
    %e = pallas.scatter %v at %pair, %c9 window [] inserted [0, 1] batching [] x [] map [0, 1] : tensor<8x128xf32>, tensor<2xi32>, f32
    pallas.swap %element[...], %e : !pallas.ref<8x128xf32, gmem>, tensor<8x128xf32>
    %part = tensor.extract_slice %w[0, 0] [4, 64] [1, 1] : tensor<4x128xf32> to tensor<4x64xf32>
    %m = pallas.scatter combining <max> %v at %pair, %part window [0, 1] inserted [] batching [] x [] map [0, 1] : tensor<8x128xf32>, tensor<2xi32>, tensor<4x64xf32>
    pallas.swap %window[...], %m : !pallas.ref<8x128xf32, gmem>, tensor<8x128xf32>
    %none = arith.constant dense<false> : tensor<8xi1>
    %all = arith.constant dense<true> : tensor<4xi1>
    %b = pallas.scatter %none at %places, %all window [] inserted [0] batching [] x [] map [0] : tensor<8xi1>, tensor<4x1xi32>, tensor<4xi1>
    %n = arith.extui %b : tensor<8xi1> to tensor<8xi32>
    pallas.swap %flags[...], %n : !pallas.ref<8xi32, gmem>, tensor<8xi32>
  }
  return %0#0, %0#1, %0#2, %0#3 : tensor<8x128xf32>, tensor<8x128xf32>, tensor<8x128xf32>, tensor<8xi32>
}
