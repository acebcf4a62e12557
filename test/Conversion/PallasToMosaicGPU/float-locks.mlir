// RUN: pallas-opt %s --pallas-to-mosaic-gpu | FileCheck %s

// Floats are compared by their bits before they are swapped: a NaN is found, and -0.0 is not 0.0. float-locks.py executes both
// stages, where constants fold into the comparison.

// CHECK-LABEL: module @kernel
// CHECK: memref.generic_atomic_rmw %{{.*}}[] : memref<f32, {{.*}}> {
// CHECK-NEXT: ^bb0(%[[CURRENT:.*]]: f32):
// CHECK-DAG: %[[BITS:.*]] = arith.bitcast %[[CURRENT]] : f32 to i32
// CHECK-DAG: %[[EXPECTED:.*]] = arith.bitcast %{{.*}} : f32 to i32
// CHECK: %[[IS:.*]] = arith.cmpi eq, %[[BITS]], %[[EXPECTED]] : i32
// CHECK-NEXT: %[[NEXT:.*]] = arith.select %[[IS]], %{{.*}}, %[[CURRENT]] : f32
// CHECK-NEXT: memref.atomic_yield %[[NEXT]] : f32
// CHECK: memref.generic_atomic_rmw %{{.*}}[] : memref<bf16, {{.*}}> {
func.func @kernel(%x: tensor<4xf32>, %w: tensor<4xf32>, %h: tensor<2xbf16>) -> (tensor<4xf32>, tensor<4xf32>, tensor<2xbf16>) {
  %0:3 = pallas.mpmd_map
      in(%x : tensor<4xf32>)
      in(%w : tensor<4xf32>)
      in(%h : tensor<2xbf16>)
      out(tensor<4xf32>)
      out(tensor<4xf32>)
      out(tensor<2xbf16>)
      kernel @kernel on <gpu, [<grid "i" = 1>]> (%xr: !pallas.ref<4xf32, gmem>, %wr: !pallas.ref<4xf32, gmem>, %hr: !pallas.ref<2xbf16, gmem>,
          %a: !pallas.ref<4xf32, gmem>, %b: !pallas.ref<4xf32, gmem>, %c: !pallas.ref<2xbf16, gmem>) {
    pallas.run_scoped (%s: !pallas.ref<2xbf16, smem>) {
      %zero = arith.constant 0.0 : f32
      %seven = arith.constant 7.0 : f32
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c4 = arith.constant 4 : i32
      %all = pallas.get %xr[...] : !pallas.ref<4xf32, gmem>
      pallas.swap %a[...], %all : !pallas.ref<4xf32, gmem>, tensor<4xf32>
      scf.for %i = %c0 to %c4 step %c1 : i32 {
        %expected = pallas.get %wr[%i] : !pallas.ref<4xf32, gmem>
        %old = pallas.atomic_cas %a[%i], %expected, %seven : !pallas.ref<4xf32, gmem>, f32
        pallas.swap %b[%i], %old : !pallas.ref<4xf32, gmem>, f32
      }
      // What was 0.0 is not any more, and -0.0 never was.
      %none = pallas.atomic_cas %a[3], %zero, %seven : !pallas.ref<4xf32, gmem>, f32
      %one = arith.constant 1.0 : bf16
      %two = arith.constant 2.0 : bf16
      %halves = pallas.get %hr[...] : !pallas.ref<2xbf16, gmem>
      pallas.swap %s[...], %halves : !pallas.ref<2xbf16, smem>, tensor<2xbf16>
      %was = pallas.atomic_cas %s[1], %one, %two : !pallas.ref<2xbf16, smem>, bf16
      %now = pallas.get %s[1] : !pallas.ref<2xbf16, smem>
      pallas.swap %c[0], %was : !pallas.ref<2xbf16, gmem>, bf16
      pallas.swap %c[1], %now : !pallas.ref<2xbf16, gmem>, bf16
    }
  }
  return %0#0, %0#1, %0#2 : tensor<4xf32>, tensor<4xf32>, tensor<2xbf16>
}
