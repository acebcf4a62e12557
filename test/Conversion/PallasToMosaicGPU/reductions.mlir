// RUN: pallas-opt %s --pallas-to-mosaic-gpu | FileCheck %s

// Lanes combine vectors by sums and extremes. Of what else there is, and of
// booleans, one lane combines a row.

// CHECK-LABEL: module @kernel
// CHECK: scf.for %{{.*}} = %{{.*}} to %c8_i32{{.*}} step %c128_i32
// CHECK: %[[PRODUCT:.*]] = scf.for %{{.*}} = %c0 to %c16 step %c1 iter_args(%[[SO_FAR:.*]] = %cst{{.*}}) -> (f32)
// CHECK: arith.mulf %[[SO_FAR]], %{{.*}} : f32
// CHECK: memref.store %[[PRODUCT]]
// CHECK: arith.xori
// CHECK: arith.ori %{{.*}} : i1
// CHECK: vector.multi_reduction <maxsi>
func.func @reductions(%x: tensor<8x16xf32>, %n: tensor<8x16xi32>) -> (tensor<8xf32>, tensor<16xi32>, tensor<8xi32>, tensor<8xi32>) {
  %0:4 = pallas.pallas_call grid(1)
    in(%x : tensor<8x16xf32>) block<[8, 16], default>
    in(%n : tensor<8x16xi32>) block<[8, 16], default>
    out(tensor<8xf32>) block<[8], default>
    out(tensor<16xi32>) block<[16], default>
    out(tensor<8xi32>) block<[8], default>
    out(tensor<8xi32>) block<[8], default>
    kernel(%xr: !pallas.ref<8x16xf32, default>, %nr: !pallas.ref<8x16xi32, default>, %pr: !pallas.ref<8xf32, default>, %br: !pallas.ref<16xi32, default>, %ar: !pallas.ref<8xi32, default>, %mr: !pallas.ref<8xi32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x16xf32, default>
    %w = pallas.get %nr[...] : !pallas.ref<8x16xi32, default>
    %product = pallas.reduce <mul> %v dims [1] : tensor<8x16xf32>
    pallas.swap %pr[...], %product : !pallas.ref<8xf32, default>, tensor<8xf32>
    %bits = pallas.reduce <xor> %w dims [0] : tensor<8x16xi32>
    pallas.swap %br[...], %bits : !pallas.ref<16xi32, default>, tensor<16xi32>
    %three = arith.constant dense<3> : tensor<8x16xi32>
    %is = arith.cmpi eq, %w, %three : tensor<8x16xi32>
    %any = pallas.reduce <or> %is dims [1] : tensor<8x16xi1>
    %number = arith.extui %any : tensor<8xi1> to tensor<8xi32>
    pallas.swap %ar[...], %number : !pallas.ref<8xi32, default>, tensor<8xi32>
    %max = pallas.reduce <max> %w dims [1] : tensor<8x16xi32>
    pallas.swap %mr[...], %max : !pallas.ref<8xi32, default>, tensor<8xi32>
  }
  return %0#0, %0#1, %0#2, %0#3 : tensor<8xf32>, tensor<16xi32>, tensor<8xi32>, tensor<8xi32>
}
