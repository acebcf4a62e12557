// A mask that is the same in all rows, and one of packed elements.
func.func @packed_masks(%x: tensor<64x256xbf16>) -> tensor<64x256xbf16> {
  %o = pallas.pallas_call grid()
      in(%x : tensor<64x256xbf16>)
      out(tensor<64x256xbf16>)
      kernel(%xr: !pallas.ref<64x256xbf16, default>, %or: !pallas.ref<64x256xbf16, default>) {
    %bound = arith.constant dense<3> : tensor<64x256xi32>
    %one = arith.constant dense<1.0> : tensor<64x256xbf16>
    %v = pallas.get %xr[...] : !pallas.ref<64x256xbf16, default>
    %column = pallas.iota 1 : tensor<64x256xi32>
    %left = arith.cmpi slt, %column, %bound : tensor<64x256xi32>
    %large = arith.cmpf ogt, %v, %one : tensor<64x256xbf16>
    %mask = arith.andi %left, %large : tensor<64x256xi1>
    %r = arith.select %mask, %v, %one : tensor<64x256xi1>, tensor<64x256xbf16>
    %old = pallas.swap %or[...], %r : !pallas.ref<64x256xbf16, default>, tensor<64x256xbf16>
  }
  return %o : tensor<64x256xbf16>
}
