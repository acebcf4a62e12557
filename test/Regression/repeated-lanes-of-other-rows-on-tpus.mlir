// RUN: pallas-opt %s --pallas-to-mosaic-tpu=chip=v6e | FileCheck %s

// Neighbours that are one element repeated, and then other neighbours. When rows of two were joined,
// the repeated lanes of four were taken for lanes of such a row: 'vector.shape_cast' op has different
// number of elements at source (128) and result (256).

// CHECK-LABEL: func.func @kernel
// CHECK: %[[ROW:.*]] = vector.load {{.*}} vector<1x128xf32>
// CHECK-COUNT-4: tpu.dynamic_gather %[[ROW]]{{.*}} : vector<1x128xf32>, vector<1x128xi32> -> vector<1x128xf32>
// CHECK-COUNT-4: tpu.dynamic_gather %{{.*}} : vector<1x128xf32>, vector<1x128xi32> -> vector<1x128xf32>
func.func @kernel(%x: tensor<1x128xf32>, %y: tensor<3x1x512xf32>) -> (tensor<3x1x512xf32>, tensor<3x1x512xf32>) {
  %0:2 = pallas.pallas_call grid(3)
    in(%x : tensor<1x128xf32>) block<[1, 128], default>
    in(%y : tensor<3x1x512xf32>) block<[squeezed, 1, 512], default> map(%arg2) -> (%arg2, 0, 0)
    out(tensor<3x1x512xf32>) block<[squeezed, 1, 512], default> map(%arg2) -> (%arg2, 0, 0)
    out(tensor<3x1x512xf32>) block<[squeezed, 1, 512], default> map(%arg2) -> (%arg2, 0, 0)
    kernel(%arg2: !pallas.ref<1x128xf32, default>, %arg3: !pallas.ref<1x512xf32, default>, %arg4: !pallas.ref<1x512xf32, default>, %arg5: !pallas.ref<1x512xf32, default>) {
    %1 = pallas.get %arg2[...] : !pallas.ref<1x128xf32, default>
    %2 = pallas.get %arg3[...] : !pallas.ref<1x512xf32, default>
    %3 = pallas.broadcast %1 dims [0, 1] : tensor<1x128xf32> -> tensor<1x128x4xf32>
    %4 = pallas.reshape %3 : tensor<1x128x4xf32> -> tensor<1x512xf32>
    %5 = arith.subf %4, %2 : tensor<1x512xf32>
    %6 = pallas.reshape %5 : tensor<1x512xf32> -> tensor<1x256x2xf32>
    %7 = pallas.reduce <max> %6 dims [2] : tensor<1x256x2xf32>
    %8 = pallas.broadcast %7 dims [0, 1] : tensor<1x256xf32> -> tensor<1x256x1xf32>
    %9 = pallas.broadcast %8 dims [0, 1, 2] : tensor<1x256x1xf32> -> tensor<1x256x2xf32>
    %10 = arith.cmpf oeq, %6, %9 : tensor<1x256x2xf32>
    %cst = arith.constant dense<1.000000e+00> : tensor<1x256x2xf32>
    %11 = arith.select %10, %cst, %6 : tensor<1x256x2xi1>, tensor<1x256x2xf32>
    %12 = pallas.reshape %11 : tensor<1x256x2xf32> -> tensor<1x512xf32>
    %13 = pallas.swap %arg4[...], %12 : !pallas.ref<1x512xf32, default>, tensor<1x512xf32>
    %14 = pallas.swap %arg5[...], %5 : !pallas.ref<1x512xf32, default>, tensor<1x512xf32>
  }
  return %0#0, %0#1 : tensor<3x1x512xf32>, tensor<3x1x512xf32>
}
