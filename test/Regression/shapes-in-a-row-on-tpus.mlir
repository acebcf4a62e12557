// RUN: pallas-opt %s --pallas-to-mosaic-tpu=chip=v6e | FileCheck %s

// The bug: each shape cast was one that the compiler for TPUs takes, but it joins those that
// follow each other, and finds no way from 8x128 to 1x1024x1. It cuts and joins rows of one
// lane, and rows that become one dimension, only where they fill registers.

// CHECK-LABEL: func.func @kernel
func.func @shapes(%x: tensor<8x128xf32>, %y: tensor<5x4xf32>, %z: tensor<2x1536xi8>)
    -> (tensor<1024xf32>, tensor<1024xf32>, tensor<2x10x1xf32>, tensor<3072xi8>) {
  %o:4 = pallas.pallas_call grid()
      in(%x : tensor<8x128xf32>) block<[8, 128], vmem>
      in(%y : tensor<5x4xf32>) block<[5, 4], vmem>
      in(%z : tensor<2x1536xi8>) block<[2, 1536], vmem>
      out(tensor<1024xf32>) block<[1024], vmem>
      out(tensor<1024xf32>) block<[1024], vmem>
      out(tensor<2x10x1xf32>) block<[2, 10, 1], vmem>
      out(tensor<3072xi8>) block<[3072], vmem>
      kernel(%xr: !pallas.ref<8x128xf32, vmem>, %yr: !pallas.ref<5x4xf32, vmem>, %zr: !pallas.ref<2x1536xi8, vmem>,
             %a: !pallas.ref<1024xf32, vmem>, %b: !pallas.ref<1024xf32, vmem>, %c: !pallas.ref<2x10x1xf32, vmem>,
             %d: !pallas.ref<3072xi8, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x128xf32, vmem>
    // CHECK: %[[X:.*]] = vector.load {{.*}} : memref<8x128xf32
    // CHECK: vector.shape_cast %[[X]] : vector<8x128xf32> to vector<1024xf32>
    %column = pallas.broadcast %v dims [0, 1] : tensor<8x128xf32> -> tensor<8x128x1xf32>
    %flat = pallas.reshape %column : tensor<8x128x1xf32> -> tensor<1024xf32>
    pallas.swap %a[...], %flat : !pallas.ref<1024xf32, vmem>, tensor<1024xf32>
    // CHECK: vector.shape_cast {{.*}} : vector<4x2x128xf32> to vector<1x1024xf32>
    // CHECK: vector.shape_cast {{.*}} : vector<1x1024xf32> to vector<1024xf32>
    %cut = pallas.reshape %v : tensor<8x128xf32> -> tensor<4x2x128xf32>
    %twice = arith.addf %cut, %cut : tensor<4x2x128xf32>
    %joined = pallas.reshape %twice : tensor<4x2x128xf32> -> tensor<1024xf32>
    pallas.swap %b[...], %joined : !pallas.ref<1024xf32, vmem>, tensor<1024xf32>
    // CHECK: vector.shape_cast {{.*}} : vector<2x10xf32> to vector<2x10x1xf32>
    %w = pallas.get %yr[...] : !pallas.ref<5x4xf32, vmem>
    %rows = pallas.reshape %w : tensor<5x4xf32> -> tensor<2x10x1xf32>
    pallas.swap %c[...], %rows : !pallas.ref<2x10x1xf32, vmem>, tensor<2x10x1xf32>
    // CHECK: vector.shape_cast {{.*}} : vector<1x3072xi32> to vector<3072xi32>
    %bytes = pallas.get %zr[...] : !pallas.ref<2x1536xi8, vmem>
    %row = pallas.reshape %bytes : tensor<2x1536xi8> -> tensor<3072xi8>
    pallas.swap %d[...], %row : !pallas.ref<3072xi8, vmem>, tensor<3072xi8>
  }
  return %o#0, %o#1, %o#2, %o#3 : tensor<1024xf32>, tensor<1024xf32>, tensor<2x10x1xf32>, tensor<3072xi8>
}
