// The larger and the smaller of narrow integers, also where a comparison chooses one.
func.func @narrow_extremes(%x: tensor<32x128xi8>, %y: tensor<32x128xi8>, %z: tensor<16x128xi16>) -> (tensor<32x128xi8>, tensor<32x128xi8>, tensor<32x128xi8>, tensor<16x128xi16>) {
  %o:4 = pallas.pallas_call @narrow_extremes grid()
      in(%x : tensor<32x128xi8>)
      in(%y : tensor<32x128xi8>)
      in(%z : tensor<16x128xi16>)
      out(tensor<32x128xi8>)
      out(tensor<32x128xi8>)
      out(tensor<32x128xi8>)
      out(tensor<16x128xi16>)
      kernel(%xr: !pallas.ref<32x128xi8, default>, %yr: !pallas.ref<32x128xi8, default>, %zr: !pallas.ref<16x128xi16, default>, %ar: !pallas.ref<32x128xi8, default>, %br: !pallas.ref<32x128xi8, default>, %cr: !pallas.ref<32x128xi8, default>, %dr: !pallas.ref<16x128xi16, default>) {
    %a = pallas.get %xr[...] : !pallas.ref<32x128xi8, default>
    %b = pallas.get %yr[...] : !pallas.ref<32x128xi8, default>
    %c = pallas.get %zr[...] : !pallas.ref<16x128xi16, default>
    %larger = arith.maxsi %a, %b : tensor<32x128xi8>
    pallas.swap %ar[...], %larger : !pallas.ref<32x128xi8, default>, tensor<32x128xi8>
    %smaller = arith.minui %a, %b : tensor<32x128xi8>
    pallas.swap %br[...], %smaller : !pallas.ref<32x128xi8, default>, tensor<32x128xi8>
    %less = arith.cmpi ult, %a, %b : tensor<32x128xi8>
    %chosen = arith.select %less, %b, %a : tensor<32x128xi1>, tensor<32x128xi8>
    pallas.swap %cr[...], %chosen : !pallas.ref<32x128xi8, default>, tensor<32x128xi8>
    %zero = arith.constant dense<0> : tensor<16x128xi16>
    %positive = arith.maxsi %c, %zero : tensor<16x128xi16>
    pallas.swap %dr[...], %positive : !pallas.ref<16x128xi16, default>, tensor<16x128xi16>
  }
  return %o#0, %o#1, %o#2, %o#3 : tensor<32x128xi8>, tensor<32x128xi8>, tensor<32x128xi8>, tensor<16x128xi16>
}
