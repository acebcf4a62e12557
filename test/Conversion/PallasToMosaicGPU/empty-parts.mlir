// RUN: pallas-opt %s --pallas-to-mosaic-gpu | FileCheck %s

// A scan by halves, as jax.lax.associative_scan writes it: of two elements, the even half but the first has none. What is
// computed with no elements is left out, and a reduction of them is a constant. Sums of odd and even elements are put between
// each other one by one. empty-parts.py executes both stages.

// CHECK-LABEL: module @kernel
// CHECK-NOT: 32x0x
// CHECK: scf.for
// CHECK: %[[AT:.*]] = arith.muli %{{.*}}, %c2 : index
// CHECK: %[[PLACE:.*]] = arith.addi %[[AT]], %c1 : index
// CHECK: memref.subview %{{.*}}[%{{.*}}, %[[PLACE]]] [1, 1] [1, 1] : memref<32x4xf32
// CHECK: %[[LEAST:.*]] = arith.constant 0xFF800000 : f32
// CHECK: %[[ROWS:.*]] = vector.broadcast %[[LEAST]] : f32 to vector<32x4xf32>
// CHECK: arith.maximumf %{{.*}}, %[[ROWS]] : vector<32x4xf32>
func.func @scan(%x: tensor<32x4xf32>) -> (tensor<32x4xf32>, tensor<32x4xf32>) {
  %0:2 = pallas.mpmd_map
      in(%x : tensor<32x4xf32>)
      out(tensor<32x4xf32>)
      out(tensor<32x4xf32>)
      kernel @kernel on <gpu, [<grid "i" = 1>]> (%xr: !pallas.ref<32x4xf32, gmem>, %or: !pallas.ref<32x4xf32, gmem>, %pr: !pallas.ref<32x4xf32, gmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<32x4xf32, gmem>
    %even = tensor.extract_slice %v[0, 0] [32, 2] [1, 2] : tensor<32x4xf32> to tensor<32x2xf32>
    %odd = tensor.extract_slice %v[0, 1] [32, 2] [1, 2] : tensor<32x4xf32> to tensor<32x2xf32>
    %sum = arith.addf %even, %odd : tensor<32x2xf32>
    %none = tensor.extract_slice %sum[0, 1] [32, 0] [1, 1] : tensor<32x2xf32> to tensor<32x0xf32>
    %nothing = arith.constant dense<> : tensor<32x0xf32>
    %still = arith.mulf %none, %nothing : tensor<32x0xf32>
    %joined = tensor.concat dim(1) %still, %sum, %none : (tensor<32x0xf32>, tensor<32x2xf32>, tensor<32x0xf32>) -> tensor<32x2xf32>
    %zero = arith.constant dense<0.0> : tensor<32x4xf32>
    %apart = tensor.insert_slice %joined into %zero[0, 1] [32, 2] [1, 2] : tensor<32x2xf32> into tensor<32x4xf32>
    %all = tensor.insert_slice %even into %apart[0, 0] [32, 2] [1, 2] : tensor<32x2xf32> into tensor<32x4xf32>
    %same = tensor.insert_slice %none into %all[0, 0] [32, 0] [1, 1] : tensor<32x0xf32> into tensor<32x4xf32>
    pallas.swap %or[...], %same : !pallas.ref<32x4xf32, gmem>, tensor<32x4xf32>
    %left = pallas.get %xr[ds(0, 0), :] : !pallas.ref<32x4xf32, gmem>
    // The greatest of no elements is less than all others.
    %least = pallas.reduce <max> %still dims [1] : tensor<32x0xf32>
    %rows = pallas.broadcast %least dims [0] : tensor<32xf32> -> tensor<32x4xf32>
    %same_v = arith.maximumf %v, %rows : tensor<32x4xf32>
    %one = pallas.reduce <mul> %still dims [0, 1] : tensor<32x0xf32>
    %ones = tensor.splat %one : tensor<32x4xf32>
    %still_v = arith.mulf %same_v, %ones : tensor<32x4xf32>
    pallas.swap %pr[...], %still_v : !pallas.ref<32x4xf32, gmem>, tensor<32x4xf32>
    pallas.swap %pr[ds(3, 0), :], %left : !pallas.ref<32x4xf32, gmem>, tensor<0x4xf32>
    pallas.addupdate %pr[ds(5, 0), :], %left : !pallas.ref<32x4xf32, gmem>, tensor<0x4xf32>
  }
  return %0#0, %0#1 : tensor<32x4xf32>, tensor<32x4xf32>
}
