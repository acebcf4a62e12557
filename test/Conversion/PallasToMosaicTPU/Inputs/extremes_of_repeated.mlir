// Where the extremes of a leading dimension are, few and many, of rows that
// repeat one element each.
func.func @extremes_of_repeated(%x: tensor<5x8x1xf32>, %y: tensor<600x8x1xf32>) -> (tensor<8x129xi32>, tensor<8x129xi32>) {
  %o:2 = pallas.pallas_call grid()
      in(%x : tensor<5x8x1xf32>)
      in(%y : tensor<600x8x1xf32>)
      out(tensor<8x129xi32>)
      out(tensor<8x129xi32>)
      kernel(%xr: !pallas.ref<5x8x1xf32, default>, %yr: !pallas.ref<600x8x1xf32, default>,
             %or: !pallas.ref<8x129xi32, default>, %pr: !pallas.ref<8x129xi32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<5x8x1xf32, default>
    %rows = pallas.broadcast %v dims [0, 1, 2] : tensor<5x8x1xf32> -> tensor<5x8x129xf32>
    %least = pallas.arg_reduce <min> %rows dim 0 to i32 : tensor<5x8x129xf32>
    %o0 = pallas.swap %or[...], %least : !pallas.ref<8x129xi32, default>, tensor<8x129xi32>
    %w = pallas.get %yr[...] : !pallas.ref<600x8x1xf32, default>
    %many = pallas.broadcast %w dims [0, 1, 2] : tensor<600x8x1xf32> -> tensor<600x8x129xf32>
    %most = pallas.arg_reduce <max> %many dim 0 to i32 : tensor<600x8x129xf32>
    %p0 = pallas.swap %pr[...], %most : !pallas.ref<8x129xi32, default>, tensor<8x129xi32>
  }
  return %o#0, %o#1 : tensor<8x129xi32>, tensor<8x129xi32>
}
