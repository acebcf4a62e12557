// One narrow element along rows.
func.func @spread(%x: tensor<1x1xi8>) -> tensor<1x384xi8> {
  %o = pallas.pallas_call grid()
      in(%x : tensor<1x1xi8>)
      out(tensor<1x384xi8>)
      kernel(%xr: !pallas.ref<1x1xi8, default>, %or: !pallas.ref<1x384xi8, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<1x1xi8, default>
    %all = pallas.broadcast %v dims [0, 1] : tensor<1x1xi8> -> tensor<1x384xi8>
    %old = pallas.swap %or[...], %all : !pallas.ref<1x384xi8, default>, tensor<1x384xi8>
  }
  return %o : tensor<1x384xi8>
}
