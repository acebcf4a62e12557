// RUN: pallas-opt %s --pallas-to-mosaic-tpu | FileCheck %s

// The bug: conversions of one-dimensional integers to bf16 have a rule of their own, which left out booleans.

// CHECK-LABEL: func.func @flags
// CHECK: %[[WORDS:.*]] = arith.extui %{{.*}} : vector<300xi1> to vector<300xi32>
// CHECK: arith.sitofp %{{.*}} : vector<300xi32> to vector<300xf32>
// CHECK: arith.truncf %{{.*}} : vector<300xf32> to vector<300xbf16>
func.func @f(%x: tensor<300xbf16>) -> tensor<300xbf16> {
  %o = pallas.pallas_call @flags grid()
      in(%x : tensor<300xbf16>) block<[300], vmem>
      out(tensor<300xbf16>) block<[300], vmem>
      kernel(%xr: !pallas.ref<300xbf16, vmem>, %or: !pallas.ref<300xbf16, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<300xbf16, vmem>
    %zero = arith.constant dense<0.0> : tensor<300xbf16>
    %positive = arith.cmpf ogt, %v, %zero : tensor<300xbf16>
    %flags = arith.uitofp %positive : tensor<300xi1> to tensor<300xbf16>
    pallas.swap %or[...], %flags : !pallas.ref<300xbf16, vmem>, tensor<300xbf16>
  }
  return %o : tensor<300xbf16>
}
