// Elements along a leading dimension that is too long to be searched written
// out, and turned around.
func.func @take_leading(%x: tensor<50x8x128xf32>, %i: tensor<4x8x128xi32>) -> tensor<4x8x128xf32> {
  %o = pallas.pallas_call @take_leading grid()
      in(%x : tensor<50x8x128xf32>)
      in(%i : tensor<4x8x128xi32>)
      out(tensor<4x8x128xf32>)
      kernel(%xr: !pallas.ref<50x8x128xf32, default>, %ir: !pallas.ref<4x8x128xi32, default>, %or: !pallas.ref<4x8x128xf32, default>) {
    %x0 = pallas.get %xr[...] : !pallas.ref<50x8x128xf32, default>
    %v = pallas.rev %x0 dims [0] : tensor<50x8x128xf32>
    %at = pallas.get %ir[...] : !pallas.ref<4x8x128xi32, default>
    %found = pallas.take_along %v at %at dim 0 : tensor<50x8x128xf32>, tensor<4x8x128xi32> -> tensor<4x8x128xf32>
    pallas.swap %or[...], %found : !pallas.ref<4x8x128xf32, default>, tensor<4x8x128xf32>
  }
  return %o : tensor<4x8x128xf32>
}
