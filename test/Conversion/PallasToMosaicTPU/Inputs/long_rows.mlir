// Rows of three registers become one dimension and back. The compiler knows that
// for one, two or four registers only, and for those in one matrix.
func.func @long_rows(%x: tensor<8x384xf32>, %y: tensor<2x8x256xf32>) -> (tensor<8x384xf32>, tensor<2x8x256xf32>) {
  %a, %b = pallas.pallas_call grid()
      in(%x : tensor<8x384xf32>) block<[8, 384], default>
      in(%y : tensor<2x8x256xf32>) block<[2, 8, 256], default>
      out(tensor<8x384xf32>) block<[8, 384], default>
      out(tensor<2x8x256xf32>) block<[2, 8, 256], default>
      kernel(%xr: !pallas.ref<8x384xf32, default>, %yr: !pallas.ref<2x8x256xf32, default>, %ar: !pallas.ref<8x384xf32, default>, %br: !pallas.ref<2x8x256xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x384xf32, default>
    %w = pallas.get %yr[...] : !pallas.ref<2x8x256xf32, default>
    %row = pallas.reshape %v : tensor<8x384xf32> -> tensor<3072xf32>
    %other = pallas.reshape %w : tensor<2x8x256xf32> -> tensor<4096xf32>
    %c1 = arith.constant 1 : i32
    %moved = pallas.roll %row by %c1 dim 0 : tensor<3072xf32>
    %movedOther = pallas.roll %other by %c1 dim 0 : tensor<4096xf32>
    %p = pallas.reshape %moved : tensor<3072xf32> -> tensor<8x384xf32>
    %q = pallas.reshape %movedOther : tensor<4096xf32> -> tensor<2x8x256xf32>
    %oldA = pallas.swap %ar[...], %p : !pallas.ref<8x384xf32, default>, tensor<8x384xf32>
    %oldB = pallas.swap %br[...], %q : !pallas.ref<2x8x256xf32, default>, tensor<2x8x256xf32>
  }
  return %a, %b : tensor<8x384xf32>, tensor<2x8x256xf32>
}
