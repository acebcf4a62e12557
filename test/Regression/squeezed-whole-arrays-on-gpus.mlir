// RUN: pallas-opt %s --pallas-call-to-gpu-kernel | FileCheck %s
// RUN: pallas-opt %s --pallas-to-mosaic-gpu -o /dev/null

// Rows of one element are too short for copies, so the kernel reads the array
// where it is. Its ref has no dimension for the squeezed one: it was the whole
// array, and did not fit the access.

// CHECK-LABEL: func.func @scale
// CHECK: kernel @kernel on <gpu, [<grid "grid" = 1>]>(%[[X:.*]]: !pallas.ref<16x1xf32, gmem>, %[[OUT:.*]]: !pallas.ref<16x1xf32, gmem>)
// CHECK-DAG: %[[FROM:.*]] = pallas.slice_ref %[[X]][ds(%{{.*}}, 16), %{{.*}}] : !pallas.ref<16x1xf32, gmem>
// CHECK-DAG: %[[TO:.*]] = pallas.slice_ref %[[OUT]][ds(%{{.*}}, 16), %{{.*}}] : !pallas.ref<16x1xf32, gmem>
// CHECK: pallas.get %[[FROM]][...] : !pallas.ref<16xf32, gmem>
// CHECK: pallas.swap %[[TO]][...], %{{.*}} : !pallas.ref<16xf32, gmem>, tensor<16xf32>
func.func @scale(%x: tensor<16x1xf32>) -> tensor<16x1xf32> {
  %out = pallas.pallas_call grid()
      in(%x : tensor<16x1xf32>) block<[16, squeezed], default>
      out(tensor<16x1xf32>) block<[16, squeezed], default>
      semantics []
      kernel(%from: !pallas.ref<16xf32, default>, %to: !pallas.ref<16xf32, default>) {
    %v = pallas.get %from[...] : !pallas.ref<16xf32, default>
    %sum = arith.addf %v, %v : tensor<16xf32>
    pallas.swap %to[...], %sum : !pallas.ref<16xf32, default>, tensor<16xf32>
  }
  return %out : tensor<16x1xf32>
}
