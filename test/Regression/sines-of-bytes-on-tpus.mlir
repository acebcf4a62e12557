// RUN: pallas-opt %s --pallas-to-mosaic-tpu=chip=v6e | FileCheck %s

// The bug: the compiler for TPUs ended at the sine of a byte as bf16 that something else uses,
// too. Such sines are computed in f32, others in bf16.

// CHECK-LABEL: func.func @kernel
func.func @sines(%x: tensor<8x128xi8>, %y: tensor<8x128xbf16>) -> (tensor<8x128xbf16>, tensor<8x128xbf16>) {
  %o:2 = pallas.pallas_call grid()
      in(%x : tensor<8x128xi8>) block<[8, 128], vmem>
      in(%y : tensor<8x128xbf16>) block<[8, 128], vmem>
      out(tensor<8x128xbf16>) block<[8, 128], vmem>
      out(tensor<8x128xbf16>) block<[8, 128], vmem>
      kernel(%xr: !pallas.ref<8x128xi8, vmem>, %yr: !pallas.ref<8x128xbf16, vmem>,
             %a: !pallas.ref<8x128xbf16, vmem>, %b: !pallas.ref<8x128xbf16, vmem>) {
    // CHECK: math.sin {{.*}} : vector<8x128xf32>
    %v = pallas.get %xr[...] : !pallas.ref<8x128xi8, vmem>
    %half = arith.sitofp %v : tensor<8x128xi8> to tensor<8x128xbf16>
    %sin = math.sin %half : tensor<8x128xbf16>
    %sum = arith.addf %sin, %half : tensor<8x128xbf16>
    pallas.swap %a[...], %sum : !pallas.ref<8x128xbf16, vmem>, tensor<8x128xbf16>
    // CHECK: math.cos {{.*}} : vector<8x128xbf16>
    %w = pallas.get %yr[...] : !pallas.ref<8x128xbf16, vmem>
    %cos = math.cos %w : tensor<8x128xbf16>
    pallas.swap %b[...], %cos : !pallas.ref<8x128xbf16, vmem>, tensor<8x128xbf16>
  }
  return %o#0, %o#1 : tensor<8x128xbf16>, tensor<8x128xbf16>
}
