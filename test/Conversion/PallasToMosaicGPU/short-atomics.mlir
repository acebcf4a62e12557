// RUN: pallas-opt %s --pallas-to-mosaic-gpu | FileCheck %s

// The compiler updates memory by vectors of which all lanes have elements of their own, and floats by sums alone. Others are
// updated one by one.

// CHECK-LABEL: module @kernel
// CHECK: "mosaic_gpu.vector_store"(%{{.*}}) <{atomic_type = {{.*}}, multimem = false}> : (vector<128xi32>
// CHECK: memref.atomic_rmw addi
// CHECK: "mosaic_gpu.vector_store"(%{{.*}}) <{atomic_type = {{.*}}, multimem = false}> : (vector<128xf32>
// CHECK: memref.atomic_rmw maximumf
// CHECK: memref.atomic_rmw addf %{{.*}} : (f16
func.func @update(%x: tensor<128xi32>, %y: tensor<128xf32>, %h: tensor<128xf16>) {
  pallas.mpmd_map
      in(%x : tensor<128xi32>)
      in(%y : tensor<128xf32>)
      in(%h : tensor<128xf16>)
      kernel @kernel on <gpu, [<grid "i" = 2>]> (%a: !pallas.ref<128xi32, gmem>, %b: !pallas.ref<128xf32, gmem>, %c: !pallas.ref<128xf16, gmem>) {
    pallas.run_scoped (%s: !pallas.ref<128xi32, smem>) {
      %i = pallas.get %a[...] : !pallas.ref<128xi32, gmem>
      pallas.atomic_rmw <add> %s[...], %i : !pallas.ref<128xi32, smem>, tensor<128xi32>
      %j = pallas.get %a[ds(0, 64)] : !pallas.ref<128xi32, gmem>
      pallas.atomic_rmw <add> %s[ds(0, 64)], %j : !pallas.ref<128xi32, smem>, tensor<64xi32>
      %f = pallas.get %b[...] : !pallas.ref<128xf32, gmem>
      pallas.atomic_rmw <add> %b[...], %f : !pallas.ref<128xf32, gmem>, tensor<128xf32>
      pallas.atomic_rmw <max> %b[...], %f : !pallas.ref<128xf32, gmem>, tensor<128xf32>
      %g = pallas.get %c[...] : !pallas.ref<128xf16, gmem>
      pallas.atomic_rmw <add> %c[...], %g : !pallas.ref<128xf16, gmem>, tensor<128xf16>
    }
  }
  return
}
