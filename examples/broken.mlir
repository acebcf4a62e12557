// Three kernels with one mistake each.

func.func @block_type(%x: tensor<512x256xf32>) -> tensor<512x256xf32> {
  %o = pallas.pallas_call @copy grid(4)
      in(%x : tensor<512x256xf32>) block<[128, 256], vmem> map(%i) -> (%i, 0)
      out(tensor<512x256xf32>) block<[128, 256], vmem> map(%i) -> (%i, 0)
      kernel(%xr: !pallas.ref<128x128xf32, vmem>, %or: !pallas.ref<128x256xf32, vmem>) {
  }
  return %o : tensor<512x256xf32>
}

// -----

func.func @index_map(%x: tensor<512x256xf32>) -> tensor<512x256xf32> {
  %o = pallas.pallas_call @copy grid(4)
      in(%x : tensor<512x256xf32>) block<[128, 256], vmem> map(%i) { pallas.yield %i : i32 }
      out(tensor<512x256xf32>) block<[128, 256], vmem> map(%i) -> (%i, 0)
      kernel(%xr: !pallas.ref<128x256xf32, vmem>, %or: !pallas.ref<128x256xf32, vmem>) {
  }
  return %o : tensor<512x256xf32>
}

// -----

func.func @stored_shape(%x: tensor<512x256xf32>) -> tensor<512xf32> {
  %o = pallas.pallas_call @row_sums grid(4)
      in(%x : tensor<512x256xf32>) block<[128, 256], vmem> map(%i) -> (%i, 0)
      out(tensor<512xf32>) block<[128], vmem> map(%i) -> (%i)
      kernel(%xr: !pallas.ref<128x256xf32, vmem>, %or: !pallas.ref<128xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<128x256xf32, vmem>
    %sums = pallas.reduce <add> %v dims [0] : tensor<128x256xf32>
    pallas.swap %or[...], %sums : !pallas.ref<128xf32, vmem>, tensor<256xf32>
  }
  return %o : tensor<512xf32>
}
