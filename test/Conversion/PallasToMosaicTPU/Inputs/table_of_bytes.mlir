// Elements of a row that a matrix of indices names.
func.func @table_of_bytes(%t: tensor<16xi8>, %i: tensor<16x64xi32>) -> tensor<16x64xi8> {
  %o = pallas.pallas_call @table_of_bytes grid()
      in(%t : tensor<16xi8>)
      in(%i : tensor<16x64xi32>)
      out(tensor<16x64xi8>)
      kernel(%tr: !pallas.ref<16xi8, default>, %ir: !pallas.ref<16x64xi32, default>, %or: !pallas.ref<16x64xi8, default>) {
    %row = pallas.get %tr[...] : !pallas.ref<16xi8, default>
    %at = pallas.get %ir[...] : !pallas.ref<16x64xi32, default>
    %column = pallas.broadcast %at dims [0, 1] : tensor<16x64xi32> -> tensor<16x64x1xi32>
    %found = pallas.gather %row at %column offset [] collapsed [0] batching [] x [] map [0] sizes [1] mode  promise_in_bounds : tensor<16xi8>, tensor<16x64x1xi32> -> tensor<16x64xi8>
    pallas.swap %or[...], %found : !pallas.ref<16x64xi8, default>, tensor<16x64xi8>
  }
  return %o : tensor<16x64xi8>
}
