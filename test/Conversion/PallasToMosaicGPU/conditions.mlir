// RUN: pallas-opt %s --pallas-to-mosaic-gpu | FileCheck %s

// Elements are halved while any is above 1. The condition reduces a vector of
// booleans, which goes through shared memory in each turn.

// CHECK-LABEL: module @kernel
// CHECK: scf.while
// CHECK: arith.cmpf ogt
// CHECK: "mosaic_gpu.vector_store"
// CHECK: scf.condition
// CHECK: } do {
// CHECK: arith.mulf
// CHECK: scf.yield
func.func @halve(%x: tensor<8x128xf32>) -> (tensor<8x128xf32>, tensor<8x128xi32>) {
  %0:2 = pallas.pallas_call grid(1)
    in(%x : tensor<8x128xf32>) block<[8, 128], default>
    out(tensor<8x128xf32>) block<[8, 128], default>
    out(tensor<8x128xi32>) block<[8, 128], default>
    kernel(%xr: !pallas.ref<8x128xf32, default>, %or: !pallas.ref<8x128xf32, default>, %nr: !pallas.ref<8x128xi32, default>) {
    %one = arith.constant dense<1.0> : tensor<8x128xf32>
    %half = arith.constant dense<0.5> : tensor<8x128xf32>
    %zero = arith.constant dense<0> : tensor<8x128xi32>
    %turn = arith.constant dense<1> : tensor<8x128xi32>
    %first = pallas.get %xr[...] : !pallas.ref<8x128xf32, default>
    %last:2 = scf.while (%v = %first, %n = %zero) : (tensor<8x128xf32>, tensor<8x128xi32>) -> (tensor<8x128xf32>, tensor<8x128xi32>) {
      %above = arith.cmpf ogt, %v, %one : tensor<8x128xf32>
      %any = pallas.reduce <or> %above dims [0, 1] : tensor<8x128xi1>
      scf.condition(%any) %v, %n : tensor<8x128xf32>, tensor<8x128xi32>
    } do {
    ^bb0(%v: tensor<8x128xf32>, %n: tensor<8x128xi32>):
      %above = arith.cmpf ogt, %v, %one : tensor<8x128xf32>
      %less = arith.mulf %v, %half : tensor<8x128xf32>
      %w = arith.select %above, %less, %v : tensor<8x128xi1>, tensor<8x128xf32>
      %more = arith.addi %n, %turn : tensor<8x128xi32>
      %m = arith.select %above, %more, %n : tensor<8x128xi1>, tensor<8x128xi32>
      scf.yield %w, %m : tensor<8x128xf32>, tensor<8x128xi32>
    }
    pallas.swap %or[...], %last#0 : !pallas.ref<8x128xf32, default>, tensor<8x128xf32>
    pallas.swap %nr[...], %last#1 : !pallas.ref<8x128xi32, default>, tensor<8x128xi32>
  }
  return %0#0, %0#1 : tensor<8x128xf32>, tensor<8x128xi32>
}
