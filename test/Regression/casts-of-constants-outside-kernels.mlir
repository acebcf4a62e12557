// RUN: pallas-opt %s --pallas-to-mosaic-gpu=arch=sm_90a | FileCheck %s

// The bug: the cast of a constant that a loop starts from was beside the constant, which may be outside of the launch. A
// kernel uses only constants from there.

// CHECK-LABEL: func.func @kernel_mosaic_gpu
// CHECK-NOT: layout_cast
// CHECK: gpu.launch
// CHECK: %[[ONES:.*]] = mosaic_gpu.layout_cast x(%{{.*}} : vector<3x17xf32>)
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[ONES]])
!ref = !pallas.ref<3x17xf32, smem>
func.func @f(%n: tensor<4xi32>) -> tensor<3x17xf32> {
  %r = pallas.pallas_call @kernel grid()
      in(%n : tensor<4xi32>) block<[4], smem>
      out(tensor<3x17xf32>) block<[3, 17], smem>
      kernel(%i: !pallas.ref<4xi32, smem>, %o: !ref) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %half = arith.constant dense<0.5> : tensor<3x17xf32>
    %ones = arith.constant dense<1.0> : tensor<3x17xf32>
    %last = pallas.get %i[0] : !pallas.ref<4xi32, smem>
    %x = scf.for %k = %c0 to %last step %c1 iter_args(%a = %ones) -> (tensor<3x17xf32>) : i32 {
      %b = arith.mulf %a, %half : tensor<3x17xf32>
      scf.yield %b : tensor<3x17xf32>
    }
    pallas.swap %o[...], %x : !ref, tensor<3x17xf32>
  }
  return %r : tensor<3x17xf32>
}
