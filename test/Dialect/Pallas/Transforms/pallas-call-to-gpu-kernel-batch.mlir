// RUN: pallas-opt %s --pallas-call-to-gpu-kernel | FileCheck %s
// RUN: pallas-opt %s --pallas-discharge-state | FileCheck %s --check-prefix=VALUES

// Members of a batch are programs that run at once; semantics are given for the
// other dimensions only.
// CHECK: on <gpu, [<grid "grid0" = 2>]>
// CHECK: scf.for
// VALUES-NOT: pallas.pallas_call
func.func @batch(%x: tensor<2x64x32xf32>) -> tensor<2x64x32xf32> {
  %0 = pallas.pallas_call grid(2, 4)
    in(%x : tensor<2x64x32xf32>) block<[squeezed, 16, 32], default> map(%b, %i) -> (%b, %i, 0)
    out(tensor<2x64x32xf32>) block<[squeezed, 16, 32], default> map(%b, %i) -> (%b, %i, 0)
    semantics [sequential]
    vmapped [0]
    kernel(%xr: !pallas.ref<16x32xf32, default>, %or: !pallas.ref<16x32xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<16x32xf32, default>
    %old = pallas.swap %or[...], %v : !pallas.ref<16x32xf32, default>, tensor<16x32xf32>
  }
  return %0 : tensor<2x64x32xf32>
}
