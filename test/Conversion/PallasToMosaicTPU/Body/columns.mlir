// RUN: pallas-opt %s --pallas-to-mosaic-tpu | FileCheck %s

// What is computed of a column that was a row, and is a row again, is computed
// of the row: nothing moves between lanes, and masks that move have no layout.

// CHECK-LABEL: func.func @row
// CHECK-NOT: vector.shape_cast
// CHECK: %[[MASK:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : vector<1x384xi32>
// CHECK-NOT: vector.shape_cast
// CHECK: arith.select %[[MASK]], %{{.*}}, %{{.*}} : vector<1x384xi1>, vector<1x384xbf16>
func.func @f(%x: tensor<1x384xi32>, %y: tensor<1x384xbf16>) -> tensor<1x384xbf16> {
  %o = pallas.pallas_call @row grid()
      in(%x : tensor<1x384xi32>) block<[1, 384], vmem>
      in(%y : tensor<1x384xbf16>) block<[1, 384], vmem>
      out(tensor<1x384xbf16>) block<[1, 384], vmem>
      kernel(%xr: !pallas.ref<1x384xi32, vmem>, %yr: !pallas.ref<1x384xbf16, vmem>, %or: !pallas.ref<1x384xbf16, vmem>) {
    %zero = arith.constant dense<0.0> : tensor<1x384xbf16>
    %bound = arith.constant dense<100> : tensor<384x1xi32>
    %v = pallas.get %xr[...] : !pallas.ref<1x384xi32, vmem>
    %w = pallas.get %yr[...] : !pallas.ref<1x384xbf16, vmem>
    %column = pallas.reshape %v : tensor<1x384xi32> -> tensor<384x1xi32>
    %below = arith.cmpi slt, %column, %bound : tensor<384x1xi32>
    %flat = pallas.reduce <and> %below dims [1] : tensor<384x1xi1>
    %mask = pallas.reshape %flat : tensor<384xi1> -> tensor<1x384xi1>
    %r = arith.select %mask, %w, %zero : tensor<1x384xi1>, tensor<1x384xbf16>
    pallas.swap %or[...], %r : !pallas.ref<1x384xbf16, vmem>, tensor<1x384xbf16>
  }
  return %o : tensor<1x384xbf16>
}
