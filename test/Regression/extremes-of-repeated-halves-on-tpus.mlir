// RUN: pallas-opt %s --pallas-to-mosaic-tpu=chip=v6e | FileCheck %s

// The bug: the compiler for TPUs reduces bf16 on chips that compute with it, but not what is the
// same along the dimension ("Non-32-bit reductions over replicated axes"). Such a value is
// reduced in 32 bits.

// CHECK-LABEL: func.func @kernel
func.func @repeated(%x: tensor<8x128xbf16>) -> (tensor<8x128xbf16>, tensor<8xbf16>) {
  %o:2 = pallas.pallas_call grid()
      in(%x : tensor<8x128xbf16>) block<[8, 128], vmem>
      out(tensor<8x128xbf16>) block<[8, 128], vmem>
      out(tensor<8xbf16>) block<[8], vmem>
      kernel(%xr: !pallas.ref<8x128xbf16, vmem>, %a: !pallas.ref<8x128xbf16, vmem>, %b: !pallas.ref<8xbf16, vmem>) {
    // CHECK: vector.multi_reduction <maximumf>, {{.*}} : vector<8x128x2xf32> to vector<8x128xf32>
    %v = pallas.get %xr[...] : !pallas.ref<8x128xbf16, vmem>
    %repeated = pallas.broadcast %v dims [0, 1] : tensor<8x128xbf16> -> tensor<8x128x2xbf16>
    %max = pallas.reduce <max> %repeated dims [2] : tensor<8x128x2xbf16>
    pallas.swap %a[...], %max : !pallas.ref<8x128xbf16, vmem>, tensor<8x128xbf16>
    // What is loaded is not the same anywhere.
    // CHECK: vector.multi_reduction <maximumf>, {{.*}} : vector<8x128xbf16> to vector<8xbf16>
    %rows = pallas.reduce <max> %v dims [1] : tensor<8x128xbf16>
    pallas.swap %b[...], %rows : !pallas.ref<8xbf16, vmem>, tensor<8xbf16>
  }
  return %o#0, %o#1 : tensor<8x128xbf16>, tensor<8xbf16>
}
