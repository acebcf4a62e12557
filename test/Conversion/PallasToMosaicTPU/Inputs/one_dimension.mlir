// Vectors of one dimension: masks of what was reduced become bytes, and bytes
// become bf16.
func.func @one_dimension(%x: tensor<16x128xi32>, %y: tensor<1030xi8>) -> (tensor<16xi8>, tensor<1030xbf16>) {
  %flags, %reals = pallas.pallas_call grid()
      in(%x : tensor<16x128xi32>) block<[16, 128], default>
      in(%y : tensor<1030xi8>) block<[1030], default>
      out(tensor<16xi8>) block<[16], default>
      out(tensor<1030xbf16>) block<[1030], default>
      kernel(%xr: !pallas.ref<16x128xi32, default>, %yr: !pallas.ref<1030xi8, default>, %fr: !pallas.ref<16xi8, default>, %rr: !pallas.ref<1030xbf16, default>) {
    %zero = arith.constant dense<0> : tensor<16xi32>
    %v = pallas.get %xr[...] : !pallas.ref<16x128xi32, default>
    %sums = pallas.reduce <add> %v dims [1] : tensor<16x128xi32>
    %mask = arith.cmpi sgt, %sums, %zero : tensor<16xi32>
    %bytes = arith.extui %mask : tensor<16xi1> to tensor<16xi8>
    %oldBytes = pallas.swap %fr[...], %bytes : !pallas.ref<16xi8, default>, tensor<16xi8>
    %w = pallas.get %yr[...] : !pallas.ref<1030xi8, default>
    %values = arith.sitofp %w : tensor<1030xi8> to tensor<1030xbf16>
    %oldValues = pallas.swap %rr[...], %values : !pallas.ref<1030xbf16, default>, tensor<1030xbf16>
  }
  return %flags, %reals : tensor<16xi8>, tensor<1030xbf16>
}
