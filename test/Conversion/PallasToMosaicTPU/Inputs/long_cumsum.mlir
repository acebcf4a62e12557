// Running sums along leading dimensions that are too long to be written out.
func.func @long_cumsum(%x: tensor<100x8x128xf32>, %y: tensor<40x4x8x128xi32>) -> (tensor<100x8x128xf32>, tensor<40x4x8x128xi32>) {
  %o:2 = pallas.pallas_call @long_cumsum grid()
      in(%x : tensor<100x8x128xf32>)
      in(%y : tensor<40x4x8x128xi32>)
      out(tensor<100x8x128xf32>)
      out(tensor<40x4x8x128xi32>)
      kernel(%xr: !pallas.ref<100x8x128xf32, default>, %yr: !pallas.ref<40x4x8x128xi32, default>,
             %or: !pallas.ref<100x8x128xf32, default>, %pr: !pallas.ref<40x4x8x128xi32, default>) {
    %x0 = pallas.get %xr[...] : !pallas.ref<100x8x128xf32, default>
    %s = pallas.cumulative <sum> %x0 dim 0 : tensor<100x8x128xf32>
    pallas.swap %or[...], %s : !pallas.ref<100x8x128xf32, default>, tensor<100x8x128xf32>
    %y0 = pallas.get %yr[...] : !pallas.ref<40x4x8x128xi32, default>
    %m = pallas.cumulative <max> %y0 dim 0 reverse : tensor<40x4x8x128xi32>
    pallas.swap %pr[...], %m : !pallas.ref<40x4x8x128xi32, default>, tensor<40x4x8x128xi32>
  }
  return %o#0, %o#1 : tensor<100x8x128xf32>, tensor<40x4x8x128xi32>
}
