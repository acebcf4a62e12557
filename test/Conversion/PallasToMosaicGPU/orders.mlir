// RUN: pallas-opt %s --pallas-to-mosaic-gpu | FileCheck %s

// A lane walks along a row with a running value, and an element finds its place
// in a sorted row by counting those before it.

// CHECK-LABEL: module @kernel
// CHECK: scf.for %{{.*}} = %{{.*}} to %c8_i32{{.*}} step %c128_i32
// CHECK: %{{.*}} = scf.for %[[STEP:.*]] = %c0 to %c16 step %c1 iter_args(%[[SUM:.*]] = %cst{{.*}}) -> (f32)
// CHECK: %[[E:.*]] = memref.load
// CHECK: %[[NEXT:.*]] = arith.addf %[[SUM]], %[[E]] : f32
// CHECK: memref.store %[[NEXT]]
// CHECK: scf.yield %[[NEXT]] : f32
// From the end on.
// CHECK: arith.subi %c7, %{{.*}} : index
// CHECK: arith.maximumf
// The keys of both sorts decide, and the values follow.
// CHECK: %[[PLACE:.*]] = scf.for %[[J:.*]] = %c0 to %c16 step %c1 iter_args(%{{.*}} = %c0) -> (index)
// CHECK: arith.cmpi ult, %[[J]]
// CHECK: memref.store %{{.*}} : memref<f32
// CHECK: memref.store %{{.*}} : memref<i32
func.func @orders(%x: tensor<8x16xf32>, %n: tensor<8x16xi32>) -> (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xi32>) {
  %0:4 = pallas.pallas_call grid(1)
    in(%x : tensor<8x16xf32>) block<[8, 16], default>
    in(%n : tensor<8x16xi32>) block<[8, 16], default>
    out(tensor<8x16xf32>) block<[8, 16], default>
    out(tensor<8x16xf32>) block<[8, 16], default>
    out(tensor<8x16xf32>) block<[8, 16], default>
    out(tensor<8x16xi32>) block<[8, 16], default>
    kernel(%xr: !pallas.ref<8x16xf32, default>, %nr: !pallas.ref<8x16xi32, default>, %sr: !pallas.ref<8x16xf32, default>, %mr: !pallas.ref<8x16xf32, default>, %kr: !pallas.ref<8x16xf32, default>, %vr: !pallas.ref<8x16xi32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x16xf32, default>
    %w = pallas.get %nr[...] : !pallas.ref<8x16xi32, default>
    %sum = pallas.cumulative <sum> %v dim 1 : tensor<8x16xf32>
    pallas.swap %sr[...], %sum : !pallas.ref<8x16xf32, default>, tensor<8x16xf32>
    %max = pallas.cumulative <max> %v dim 0 reverse : tensor<8x16xf32>
    pallas.swap %mr[...], %max : !pallas.ref<8x16xf32, default>, tensor<8x16xf32>
    %k, %p = pallas.sort %v, %w dim 1 stable : tensor<8x16xf32>, tensor<8x16xi32> -> tensor<8x16xf32>, tensor<8x16xi32>
    pallas.swap %kr[...], %k : !pallas.ref<8x16xf32, default>, tensor<8x16xf32>
    pallas.swap %vr[...], %p : !pallas.ref<8x16xi32, default>, tensor<8x16xi32>
  }
  return %0#0, %0#1, %0#2, %0#3 : tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xi32>
}
