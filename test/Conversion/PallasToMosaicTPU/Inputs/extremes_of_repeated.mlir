// Where the least element of a leading dimension is, of rows that repeat one
// element each.
func.func @extremes_of_repeated(%x: tensor<5x8x1xf32>) -> tensor<8x129xi32> {
  %o = pallas.pallas_call grid()
      in(%x : tensor<5x8x1xf32>)
      out(tensor<8x129xi32>)
      kernel(%xr: !pallas.ref<5x8x1xf32, default>, %or: !pallas.ref<8x129xi32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<5x8x1xf32, default>
    %rows = pallas.broadcast %v dims [0, 1, 2] : tensor<5x8x1xf32> -> tensor<5x8x129xf32>
    %at = pallas.arg_reduce <min> %rows dim 0 to i32 : tensor<5x8x129xf32>
    %old = pallas.swap %or[...], %at : !pallas.ref<8x129xi32, default>, tensor<8x129xi32>
  }
  return %o : tensor<8x129xi32>
}
