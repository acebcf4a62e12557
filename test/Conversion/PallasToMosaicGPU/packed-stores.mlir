// RUN: pallas-opt %s --pallas-to-mosaic-gpu | FileCheck %s

// Two i4 share a byte, so a lane stores whole bytes of a vector.

// CHECK-LABEL: module @rounded
// Floats go by way of i32, bounded by the range.
// CHECK: %[[WIDE:.*]] = arith.fptosi %{{.*}} : vector<64x128xf32> to vector<64x128xi32>
// CHECK: %[[LEAST:.*]] = arith.maxsi %[[WIDE]], %{{.*}} : vector<64x128xi32>
// CHECK: %[[BOUND:.*]] = arith.minsi %[[LEAST]], %{{.*}} : vector<64x128xi32>
// CHECK: %[[PACKED:.*]] = arith.trunci %[[BOUND]] : vector<64x128xi32> to vector<64x128xi4>
// CHECK: "mosaic_gpu.vector_store"(%[[PACKED]], %{{.*}}) {{.*}} : (vector<64x128xi4>, memref<64x128xi4>)

// CHECK-LABEL: module @scaled
// Lanes hold parts of rows where a reduction relates rows and columns. Bytes in shared memory are in their order again.
// CHECK: "mosaic_gpu.vector_store"(%{{.*}}, %{{.*}}) {{.*}} : (vector<64x128xi8>,
// CHECK: %[[BYTES:.*]] = "mosaic_gpu.vector_load"(%{{.*}}) {{.*}} -> vector<64x128xi8>
// CHECK: %[[ORDERED:.*]] = mosaic_gpu.layout_cast x(%[[BYTES]] : vector<64x128xi8>)
// CHECK: %[[PACKED:.*]] = arith.trunci %[[ORDERED]] : vector<64x128xi8> to vector<64x128xi4>
// CHECK: "mosaic_gpu.vector_store"(%[[PACKED]], %{{.*}}) {{.*}} : (vector<64x128xi4>, memref<64x128xi4>)

// CHECK-LABEL: module @copied
// CHECK: %[[LOADED:.*]] = "mosaic_gpu.vector_load"(%{{.*}}) {{.*}} -> vector<64x128xi4>
// CHECK: %[[ORDERED:.*]] = mosaic_gpu.layout_cast x(%[[LOADED]] : vector<64x128xi4>)
// CHECK: arith.extui %[[ORDERED]] : vector<64x128xi4> to vector<64x128xi8>
// CHECK: arith.trunci %{{.*}} : vector<64x128xi8> to vector<64x128xi4>
func.func @rounded(%x: tensor<64x128xf32>) -> tensor<64x128xi4> {
  %0 = pallas.mpmd_map
      in(%x : tensor<64x128xf32>)
      out(tensor<64x128xi4>)
      kernel @rounded on <gpu, [<grid "i" = 1>]> (%xr: !pallas.ref<64x128xf32, gmem>, %o: !pallas.ref<64x128xi4, gmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<64x128xf32, gmem>
    %n = arith.fptosi %v : tensor<64x128xf32> to tensor<64x128xi4>
    pallas.swap %o[...], %n : !pallas.ref<64x128xi4, gmem>, tensor<64x128xi4>
  }
  return %0 : tensor<64x128xi4>
}

func.func @scaled(%x: tensor<64x128xf32>) -> tensor<64x128xi4> {
  %0 = pallas.mpmd_map
      in(%x : tensor<64x128xf32>)
      out(tensor<64x128xi4>)
      kernel @scaled on <gpu, [<grid "i" = 1>]> (%xr: !pallas.ref<64x128xf32, gmem>, %o: !pallas.ref<64x128xi4, gmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<64x128xf32, gmem>
    %m = pallas.reduce <max> %v dims [1] : tensor<64x128xf32>
    %rows = pallas.broadcast %m dims [0] : tensor<64xf32> -> tensor<64x128xf32>
    %d = arith.subf %v, %rows : tensor<64x128xf32>
    %w = arith.fptosi %d : tensor<64x128xf32> to tensor<64x128xi32>
    %n = arith.trunci %w : tensor<64x128xi32> to tensor<64x128xi4>
    pallas.swap %o[...], %n : !pallas.ref<64x128xi4, gmem>, tensor<64x128xi4>
  }
  return %0 : tensor<64x128xi4>
}

func.func @copied(%x: tensor<64x128xi4>) -> tensor<64x128xi4> {
  %0 = pallas.mpmd_map
      in(%x : tensor<64x128xi4>)
      out(tensor<64x128xi4>)
      kernel @copied on <gpu, [<grid "i" = 1>]> (%xr: !pallas.ref<64x128xi4, gmem>, %o: !pallas.ref<64x128xi4, gmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<64x128xi4, gmem>
    pallas.swap %o[...], %v : !pallas.ref<64x128xi4, gmem>, tensor<64x128xi4>
  }
  return %0 : tensor<64x128xi4>
}

// CHECK-LABEL: module @filled
// CHECK: %[[PACKED:.*]] = arith.trunci %{{.*}} : vector<64x128xi32> to vector<64x128xi4>
// CHECK: "mosaic_gpu.vector_store"(%[[PACKED]], %{{.*}}) {{.*}} : (vector<64x128xi4>, memref<64x128xi4>)
func.func @filled(%x: tensor<64x128xf32>) -> tensor<64x128xi4> {
  %0 = pallas.mpmd_map
      in(%x : tensor<64x128xf32>)
      out(tensor<64x128xi4>)
      kernel @filled on <gpu, [<grid "i" = 1>]> (%xr: !pallas.ref<64x128xf32, gmem>, %o: !pallas.ref<64x128xi4, gmem>) {
    %c = arith.constant dense<-3> : tensor<64x128xi4>
    pallas.swap %o[...], %c : !pallas.ref<64x128xi4, gmem>, tensor<64x128xi4>
  }
  return %0 : tensor<64x128xi4>
}
