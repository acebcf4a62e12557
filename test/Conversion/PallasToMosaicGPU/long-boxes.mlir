// RUN: pallas-opt %s --pallas-to-mosaic-gpu | FileCheck %s

// The hardware copies 256 elements of a dimension at once, so rows of 512 are
// copied in halves. One arrival expects the bytes of all, and one group holds
// all stores.

// CHECK-LABEL: module @kernel
// CHECK: mosaic_gpu.arrive_expect_tx barrier(%{{.*}}) 8192
// CHECK-COUNT-8: "mosaic_gpu.async_load"{{.*}} slice_lengths = array<i64: -1, 256>
// CHECK-NOT: "mosaic_gpu.async_load"
// CHECK: scf.for
// CHECK-COUNT-8: "mosaic_gpu.async_store"{{.*}}commit_group = false{{.*}} slice_lengths = array<i64: -1, 256>
// CHECK-NOT: "mosaic_gpu.async_store"
// CHECK: nvvm.cp.async.bulk.commit.group
func.func @rows(%x: tensor<10x512xf32>) -> tensor<10x512xf32> {
  %0 = pallas.pallas_call grid(3)
    in(%x : tensor<10x512xf32>) block<[4, 512], default> map(%i) -> (%i, 0)
    out(tensor<10x512xf32>) block<[4, 512], default> map(%i) -> (%i, 0)
    kernel(%xr: !pallas.ref<4x512xf32, default>, %or: !pallas.ref<4x512xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<4x512xf32, default>
    %y = arith.addf %v, %v : tensor<4x512xf32>
    pallas.swap %or[...], %y : !pallas.ref<4x512xf32, default>, tensor<4x512xf32>
  }
  return %0 : tensor<10x512xf32>
}
