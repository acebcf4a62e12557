// RUN: pallas-opt %s --convert-pallas-to-mosaic-tpu --split-input-file --verify-diagnostics

func.func @window_in_any(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  // expected-error @below {{block 0 is in any but is a window of the array; there only whole arrays are possible: use vmem, or copy the parts yourself}}
  %o = pallas.pallas_call @k grid(8)
      in(%x : tensor<64x128xf32>) block<[8, 128], any> map(%i) -> (%i, 0)
      out(tensor<64x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      kernel(%xr: !pallas.ref<8x128xf32, any>, %or: !pallas.ref<8x128xf32, vmem>) {
  }
  return %o : tensor<64x128xf32>
}

// -----

func.func @read_of_any(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %o = pallas.pallas_call @k grid()
      in(%x : tensor<64x128xf32>) block<[64, 128], any>
      out(tensor<64x128xf32>) block<[64, 128], vmem>
      kernel(%xr: !pallas.ref<64x128xf32, any>, %or: !pallas.ref<64x128xf32, vmem>) {
    // expected-error @below {{a ref in any can't be read or written directly; copy the part to vmem or smem with pallas.dma_start and pallas.dma_wait}}
    %a = pallas.get %xr[...] : !pallas.ref<64x128xf32, any>
    pallas.swap %or[...], %a : !pallas.ref<64x128xf32, vmem>, tensor<64x128xf32>
  }
  return %o : tensor<64x128xf32>
}

// -----

func.func @wide_integers(%x: tensor<8x128xi32>) -> tensor<8x128xi32> {
  %o = pallas.pallas_call @k grid()
      in(%x : tensor<8x128xi32>) block<[8, 128], vmem>
      out(tensor<8x128xi32>) block<[8, 128], vmem>
      kernel(%xr: !pallas.ref<8x128xi32, vmem>, %or: !pallas.ref<8x128xi32, vmem>) {
    %a = pallas.get %xr[...] : !pallas.ref<8x128xi32, vmem>
    %w = arith.extsi %a : tensor<8x128xi32> to tensor<8x128xi64>
    // expected-error @below {{on elements of type 'i64' has no equivalent on TPUs; they compute on i8, i16, i32, f16, bf16, f32 and 8-bit floats}}
    %s = arith.addi %w, %w : tensor<8x128xi64>
    %n = arith.trunci %s : tensor<8x128xi64> to tensor<8x128xi32>
    pallas.swap %or[...], %n : !pallas.ref<8x128xi32, vmem>, tensor<8x128xi32>
  }
  return %o : tensor<8x128xi32>
}

// -----

func.func @other_dialect(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %o = pallas.pallas_call @k grid()
      in(%x : tensor<8x128xf32>) block<[8, 128], vmem>
      out(tensor<8x128xf32>) block<[8, 128], vmem>
      kernel(%xr: !pallas.ref<8x128xf32, vmem>, %or: !pallas.ref<8x128xf32, vmem>) {
    %a = pallas.get %xr[...] : !pallas.ref<8x128xf32, vmem>
    // expected-error @below {{'linalg.exp' op has no form on TPUs; use operations of arith, math, pallas, scf and tensor on arrays of a static shape}}
    %t = linalg.exp ins(%a : tensor<8x128xf32>) outs(%a : tensor<8x128xf32>) -> tensor<8x128xf32>
    pallas.swap %or[...], %t : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
  }
  return %o : tensor<8x128xf32>
}

// -----

func.func @one_element_again(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %o = pallas.pallas_call @k grid()
      in(%x : tensor<8x128xf32>) block<[8, 128], vmem>
      out(tensor<8x128xf32>) block<[8, 128], vmem>
      kernel(%xr: !pallas.ref<8x128xf32, vmem>, %or: !pallas.ref<8x128xf32, vmem>) {
    // expected-error @below {{dimension 0 of the accessed part holds one element 8 times, as its stride is 0; access it once, and broadcast}}
    %a = pallas.get %xr[ds(3, 8, 0), :] : !pallas.ref<8x128xf32, vmem>
    pallas.swap %or[...], %a : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
  }
  return %o : tensor<8x128xf32>
}
