// Factors of two types, which JAX's own lowering takes as well.
!f = !pallas.ref<32x128xf32, default>
func.func @mixed_products(%x: tensor<32x128xbf16>, %y: tensor<32x128xf32>, %w: tensor<128x128xi8>, %n: tensor<128x128xf8E5M2>,
                          %h: tensor<128x128xi16>, %q: tensor<128x128xi4>) -> tensor<32x128xf32> {
  %o = pallas.pallas_call grid()
      in(%x : tensor<32x128xbf16>) in(%y : tensor<32x128xf32>) in(%w : tensor<128x128xi8>) in(%n : tensor<128x128xf8E5M2>)
      in(%h : tensor<128x128xi16>) in(%q : tensor<128x128xi4>) out(tensor<32x128xf32>)
      kernel(%xr: !pallas.ref<32x128xbf16, default>, %yr: !f, %wr: !pallas.ref<128x128xi8, default>, %nr: !pallas.ref<128x128xf8E5M2, default>,
             %hr: !pallas.ref<128x128xi16, default>, %qr: !pallas.ref<128x128xi4, default>, %or: !f) {
    %half = pallas.get %xr[...] : !pallas.ref<32x128xbf16, default>
    %wide = pallas.get %yr[...] : !f
    %bytes = pallas.get %wr[...] : !pallas.ref<128x128xi8, default>
    %narrow = pallas.get %nr[...] : !pallas.ref<128x128xf8E5M2, default>
    %words = pallas.get %hr[...] : !pallas.ref<128x128xi16, default>
    %nibbles = pallas.get %qr[...] : !pallas.ref<128x128xi4, default>
    %0 = pallas.dot_general %half, %bytes contract [1] x [0] : tensor<32x128xbf16>, tensor<128x128xi8> -> tensor<32x128xf32>
    %1 = pallas.dot_general %wide, %bytes acc %0 contract [1] x [0] : tensor<32x128xf32>, tensor<128x128xi8>, tensor<32x128xf32> -> tensor<32x128xf32>
    %2 = pallas.dot_general %wide, %bytes acc %1 contract [1] x [1] precision highest : tensor<32x128xf32>, tensor<128x128xi8>, tensor<32x128xf32> -> tensor<32x128xf32>
    %3 = pallas.dot_general %half, %bytes acc %2 contract [1] x [0] unsigned_rhs : tensor<32x128xbf16>, tensor<128x128xi8>, tensor<32x128xf32> -> tensor<32x128xf32>
    %4 = pallas.dot_general %wide, %narrow acc %3 contract [1] x [0] : tensor<32x128xf32>, tensor<128x128xf8E5M2>, tensor<32x128xf32> -> tensor<32x128xf32>
    %5 = pallas.dot_general %half, %words acc %4 contract [1] x [0] : tensor<32x128xbf16>, tensor<128x128xi16>, tensor<32x128xf32> -> tensor<32x128xf32>
    %6 = pallas.dot_general %half, %nibbles acc %5 contract [1] x [0] : tensor<32x128xbf16>, tensor<128x128xi4>, tensor<32x128xf32> -> tensor<32x128xf32>
    %7 = pallas.dot_general %wide, %nibbles acc %6 contract [1] x [0] unsigned_rhs : tensor<32x128xf32>, tensor<128x128xi4>, tensor<32x128xf32> -> tensor<32x128xf32>
    %8 = pallas.dot_general %bytes, %narrow contract [0] x [0] : tensor<128x128xi8>, tensor<128x128xf8E5M2> -> tensor<128x128xf32>
    %9 = pallas.dot_general %nibbles, %bytes contract [1] x [0] unsigned_lhs : tensor<128x128xi4>, tensor<128x128xi8> -> tensor<128x128xf32>
    %10 = pallas.dot_general %wide, %8 acc %7 contract [1] x [0] : tensor<32x128xf32>, tensor<128x128xf32>, tensor<32x128xf32> -> tensor<32x128xf32>
    %11 = pallas.dot_general %wide, %9 acc %10 contract [1] x [0] : tensor<32x128xf32>, tensor<128x128xf32>, tensor<32x128xf32> -> tensor<32x128xf32>
    pallas.swap %or[...], %11 : !f, tensor<32x128xf32>
  }
  return %o : tensor<32x128xf32>
}
