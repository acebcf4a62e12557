// RUN: pallas-opt %s --pallas-to-mosaic-gpu | FileCheck %s

// The bug: rows of 320 elements crashed the compiler. The hardware copies 256 of
// them at once, so the last part of a row is shorter than the others.

// CHECK-COUNT-3: "mosaic_gpu.async_load"{{.*}} slice_lengths = array<i64: -1, {{256|64}}>
// CHECK-COUNT-3: "mosaic_gpu.async_load"{{.*}} slice_lengths = array<i64: -1, {{256|64}}>
// CHECK-NOT: "mosaic_gpu.async_load"
func.func @rows(%x: tensor<3x320xf32>) -> tensor<3x320xf32> {
  %out = pallas.pallas_call grid()
      in(%x : tensor<3x320xf32>) block<[3, 320], default>
      out(tensor<3x320xf32>) block<[3, 320], default>
      semantics []
      kernel(%from: !pallas.ref<3x320xf32, default>, %to: !pallas.ref<3x320xf32, default>) {
    %v = pallas.get %from[...] : !pallas.ref<3x320xf32, default>
    %sum = arith.addf %v, %v : tensor<3x320xf32>
    pallas.swap %to[...], %sum : !pallas.ref<3x320xf32, default>, tensor<3x320xf32>
  }
  return %out : tensor<3x320xf32>
}
