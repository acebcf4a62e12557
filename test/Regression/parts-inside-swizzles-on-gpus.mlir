// RUN: pallas-opt %s --pallas-to-mosaic-gpu | FileCheck %s

// The bug: JAX's compiler gave the memory of the rows a swizzle of 128 bytes, which copies apply by
// the address and loads by the offset in the part that they read. Rows from 5 to 69 had the
// columns of others, on hardware alone.

// CHECK: %[[ROWS:.*]] = "mosaic_gpu.slice_smem"() {{.*}} -> memref<72x128xf32,
// CHECK: %[[PLAIN:.*]] = "mosaic_gpu.with_transforms"(%[[ROWS]]) <{transforms = []}>
// CHECK: "mosaic_gpu.async_load"(%{{[^,]*}}, %[[PLAIN]],
// CHECK: memref.subview %[[PLAIN]][5, 0] [64, 128]
func.func @shifted(%x: tensor<136x128xf32>) -> tensor<128x128xf32> {
  %0 = pallas.mpmd_map
      in(%x : tensor<136x128xf32>)
      out(tensor<128x128xf32>)
      kernel @body on <gpu, [<grid "i" = 2>]>(%from: !pallas.ref<136x128xf32, gmem>, %to: !pallas.ref<128x128xf32, gmem>) {
    pallas.run_scoped (%rows: !pallas.ref<72x128xf32, smem>, %bar: !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>) {
      %i = pallas.axis_index "i"
      %c64 = arith.constant 64 : i32
      %first = arith.muli %i, %c64 : i32
      %part = pallas.slice_ref %from[ds(%first, 72), :] : !pallas.ref<136x128xf32, gmem>
      pallas.copy_gmem_to_smem %part to %rows signals %bar : !pallas.ref<72x128xf32, gmem>, !pallas.ref<72x128xf32, smem>, !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
      pallas.barrier_wait %bar : !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
      %v = pallas.get %rows[ds(5, 64), :] : !pallas.ref<72x128xf32, smem>
      pallas.swap %to[ds(%first, 64), :], %v : !pallas.ref<128x128xf32, gmem>, tensor<64x128xf32>
    }
  }
  return %0 : tensor<128x128xf32>
}
