// Numbers of rows stored in one dimension, and rows that are cut into short ones.
func.func @columns(%x: tensor<300x64xf32>, %y: tensor<2x5x32xbf16>, %z: tensor<40x64xi8>) -> (tensor<300xf32>, tensor<300xi32>, tensor<2x5xbf16>, tensor<1x4x16xf32>, tensor<2x5x4x8xbf16>, tensor<2xbf16>, tensor<17x20xi8>) {
  %o:7 = pallas.pallas_call @columns grid()
      in(%x : tensor<300x64xf32>)
      in(%y : tensor<2x5x32xbf16>)
      in(%z : tensor<40x64xi8>)
      out(tensor<300xf32>)
      out(tensor<300xi32>)
      out(tensor<2x5xbf16>)
      out(tensor<1x4x16xf32>)
      out(tensor<2x5x4x8xbf16>)
      out(tensor<2xbf16>)
      out(tensor<17x20xi8>)
      kernel(%xr: !pallas.ref<300x64xf32, default>, %yr: !pallas.ref<2x5x32xbf16, default>, %zr: !pallas.ref<40x64xi8, default>, %sr: !pallas.ref<300xf32, default>, %ar: !pallas.ref<300xi32, default>, %mr: !pallas.ref<2x5xbf16, default>, %rr: !pallas.ref<1x4x16xf32, default>, %cr: !pallas.ref<2x5x4x8xbf16, default>, %tr: !pallas.ref<2xbf16, default>, %br: !pallas.ref<17x20xi8, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<300x64xf32, default>
    %s = pallas.reduce <add> %v dims [1] : tensor<300x64xf32>
    %twice = arith.addf %s, %s : tensor<300xf32>
    pallas.swap %sr[...], %twice : !pallas.ref<300xf32, default>, tensor<300xf32>
    %a = pallas.arg_reduce <max> %v dim 1 to i32 : tensor<300x64xf32>
    pallas.swap %ar[...], %a : !pallas.ref<300xi32, default>, tensor<300xi32>
    %w = pallas.get %yr[...] : !pallas.ref<2x5x32xbf16, default>
    %m = pallas.reduce <max> %w dims [2] : tensor<2x5x32xbf16>
    pallas.swap %mr[...], %m : !pallas.ref<2x5xbf16, default>, tensor<2x5xbf16>
    %row = pallas.get %xr[ds(0, 1), :] : !pallas.ref<300x64xf32, default>
    %cut = pallas.reshape %row : tensor<1x64xf32> -> tensor<1x4x16xf32>
    pallas.swap %rr[...], %cut : !pallas.ref<1x4x16xf32, default>, tensor<1x4x16xf32>
    %cuts = pallas.reshape %w : tensor<2x5x32xbf16> -> tensor<2x5x4x8xbf16>
    pallas.swap %cr[...], %cuts : !pallas.ref<2x5x4x8xbf16, default>, tensor<2x5x4x8xbf16>
    %t = pallas.reduce <max> %w dims [1, 2] : tensor<2x5x32xbf16>
    pallas.swap %tr[...], %t : !pallas.ref<2xbf16, default>, tensor<2xbf16>
    %bytes = pallas.get %zr[...] : !pallas.ref<40x64xi8, default>
    %some = tensor.extract_slice %bytes[3, 5] [17, 20] [1, 1] : tensor<40x64xi8> to tensor<17x20xi8>
    pallas.swap %br[...], %some : !pallas.ref<17x20xi8, default>, tensor<17x20xi8>
  }
  return %o#0, %o#1, %o#2, %o#3, %o#4, %o#5, %o#6 : tensor<300xf32>, tensor<300xi32>, tensor<2x5xbf16>, tensor<1x4x16xf32>, tensor<2x5x4x8xbf16>, tensor<2xbf16>, tensor<17x20xi8>
}
