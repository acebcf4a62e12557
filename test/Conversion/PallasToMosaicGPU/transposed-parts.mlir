// RUN: pallas-opt %s --pallas-to-mosaic-gpu | FileCheck %s

// JAX's compiler takes no part of a transposed memref, so the part is taken before. transposed-parts.py executes both stages.

// CHECK-LABEL: module @parts
// CHECK: %[[ROWS:.*]] = memref.subview %{{.*}}[0, %{{.*}}] [64, 32] [1, 1] : memref<64x128xf32, #gpu.address_space<workgroup>>
// CHECK: %[[T:.*]] = memref.transpose %[[ROWS]] (d0, d1) -> (d1, d0)
// CHECK: "mosaic_gpu.vector_load"(%[[T]])
// CHECK: %[[ROW:.*]] = memref.subview %{{.*}}[0, 5] [64, 1] [1, 1] : {{.*}} to memref<64xf32, strided<[128], offset: 5>
// CHECK: "mosaic_gpu.vector_load"(%[[ROW]])
func.func @parts(%x: tensor<64x128xf32>) -> (tensor<4x32x64xf32>, tensor<64xf32>) {
  %0:2 = pallas.mpmd_map
      in(%x : tensor<64x128xf32>)
      out(tensor<4x32x64xf32>)
      out(tensor<64xf32>)
      kernel @parts on <gpu, [<grid "i" = 1>]> (%xr: !pallas.ref<64x128xf32, gmem>, %o: !pallas.ref<4x32x64xf32, gmem>, %p: !pallas.ref<64xf32, gmem>) {
    pallas.run_scoped (%s: !pallas.ref<64x128xf32, smem>) {
      %v = pallas.get %xr[...] : !pallas.ref<64x128xf32, gmem>
      pallas.swap %s[...], %v : !pallas.ref<64x128xf32, smem>, tensor<64x128xf32>
      %t = pallas.transpose_ref %s, [1, 0] : !pallas.ref<64x128xf32, smem> -> !pallas.ref<128x64xf32, smem>
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c4 = arith.constant 4 : i32
      %c32 = arith.constant 32 : i32
      scf.for %i = %c0 to %c4 step %c1 : i32 {
        %at = arith.muli %i, %c32 : i32
        %part = pallas.slice_ref %t[ds(%at, 32), :] : !pallas.ref<128x64xf32, smem>
        %rows = pallas.get %part[...] : !pallas.ref<32x64xf32, smem>
        pallas.swap %o[%i, :, :], %rows : !pallas.ref<4x32x64xf32, gmem>, tensor<32x64xf32>
      }
      %row = pallas.get %t[5, :] : !pallas.ref<128x64xf32, smem>
      pallas.swap %p[...], %row : !pallas.ref<64xf32, gmem>, tensor<64xf32>
    }
  }
  return %0#0, %0#1 : tensor<4x32x64xf32>, tensor<64xf32>
}
