// RUN: pallas-opt %s --pallas-to-mosaic-tpu --split-input-file --verify-diagnostics

func.func @wide_elements(%x: tensor<64x128xi64>) -> tensor<64x128xi64> {
  // expected-error @+1 {{block 0 has elements of type 'i64', which no TPU holds; convert the array to elements of up to 32 bits}}
  %o = pallas.pallas_call grid(8)
      in(%x : tensor<64x128xi64>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      out(tensor<64x128xi64>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      kernel(%xr: !pallas.ref<8x128xi64, vmem>, %or: !pallas.ref<8x128xi64, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x128xi64, vmem>
    pallas.swap %or[...], %v : !pallas.ref<8x128xi64, vmem>, tensor<8x128xi64>
  }
  return %o : tensor<64x128xi64>
}

// -----

func.func @index_elements(%x: tensor<64x128xindex>) -> tensor<64x128xindex> {
  // expected-error @+1 {{block 0 has elements of type 'index', which no TPU holds; convert the array to elements of up to 32 bits}}
  %o = pallas.pallas_call grid(8)
      in(%x : tensor<64x128xindex>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      out(tensor<64x128xindex>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      kernel(%xr: !pallas.ref<8x128xindex, vmem>, %or: !pallas.ref<8x128xindex, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x128xindex, vmem>
    pallas.swap %or[...], %v : !pallas.ref<8x128xindex, vmem>, tensor<8x128xindex>
  }
  return %o : tensor<64x128xindex>
}
