func.func @multimem(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %o = pallas.pallas_call grid()
      in(%x : tensor<4x8xf32>) block<[4, 8], gmem>
      out(tensor<4x8xf32>) block<[4, 8], gmem>
      kernel(%xr: !pallas.ref<4x8xf32, gmem>, %or: !pallas.ref<4x8xf32, gmem>) {
    %all = pallas.multicast_ref %xr axes ["x"] : !pallas.ref<4x8xf32, gmem>
    %v = pallas.get %all[...] : !pallas.ref<4x8xf32, gmem>
    pallas.swap %or[...], %v : !pallas.ref<4x8xf32, gmem>, tensor<4x8xf32>
  }
  return %o : tensor<4x8xf32>
}
