// RUN: pallas-run %s --no-cache | FileCheck %s

// The bug: a chain of products was computed in the memory that the last one is stored to, so all of them moved to the
// store, behind stores that overwrite what the first ones read: each was the product of the last rows, 3200 in sum.

// CHECK: sum 1600
func.func @sums() {
  pallas.mpmd_map
      kernel @sums on <gpu, [<grid "i" = 1>]> () {
    pallas.run_scoped (%a: !pallas.ref<64x16xf32, smem>, %b: !pallas.ref<16x32xf32, smem>, %o: !pallas.ref<64x32xf32, smem>) {
      %zero = arith.constant dense<0.0> : tensor<64x32xf32>
      %one = arith.constant dense<1.0> : tensor<16x32xf32>
      %more = arith.constant dense<100.0> : tensor<64x16xf32>
      pallas.swap %b[...], %one : !pallas.ref<16x32xf32, smem>, tensor<16x32xf32>
      %first = pallas.iota 0 : tensor<64x16xf32>
      pallas.swap %a[...], %first : !pallas.ref<64x16xf32, smem>, tensor<64x16xf32>
      %p = pallas.wgmma %zero, %a, %b : tensor<64x32xf32>, !pallas.ref<64x16xf32, smem>, !pallas.ref<16x32xf32, smem>
      pallas.wgmma_wait 0
      %second = arith.addf %first, %more : tensor<64x16xf32>
      pallas.swap %a[...], %second : !pallas.ref<64x16xf32, smem>, tensor<64x16xf32>
      %q = pallas.wgmma %p, %a, %b : tensor<64x32xf32>, !pallas.ref<64x16xf32, smem>, !pallas.ref<16x32xf32, smem>
      pallas.wgmma_wait 0
      pallas.swap %o[...], %q : !pallas.ref<64x32xf32, smem>, tensor<64x32xf32>
      %sum = pallas.get %o[0, 0] : !pallas.ref<64x32xf32, smem>
      pallas.debug_print "sum {}" %sum : f32
    }
  }
  return
}
