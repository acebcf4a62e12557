// Sums of rows with blocks of several widths.

func.func @whole(%x: tensor<64x128xf32>) -> tensor<64xf32> {
  %o = pallas.pallas_call grid()
      in(%x : tensor<64x128xf32>) block<[64, 128], vmem>
      out(tensor<64xf32>) block<[64], vmem>
      kernel(%xr: !pallas.ref<64x128xf32, vmem>, %or: !pallas.ref<64xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<64x128xf32, vmem>
    %s = pallas.reduce <add> %v dims [1] : tensor<64x128xf32>
    pallas.swap %or[...], %s : !pallas.ref<64xf32, vmem>, tensor<64xf32>
  }
  return %o : tensor<64xf32>
}

func.func @narrow(%x: tensor<64x128xf32>) -> tensor<64xf32> {
  %o = pallas.pallas_call grid(4)
      in(%x : tensor<64x128xf32>) block<[64, 32], vmem> map(%k) -> (0, %k)
      out(tensor<64xf32>) block<[64], vmem>
      kernel(%xr: !pallas.ref<64x32xf32, vmem>, %or: !pallas.ref<64xf32, vmem>) {
    %k = pallas.program_id 0
    %c0 = arith.constant 0 : i32
    %first = arith.cmpi eq, %k, %c0 : i32
    scf.if %first {
      %zero = arith.constant dense<0.0> : tensor<64xf32>
      pallas.swap %or[...], %zero : !pallas.ref<64xf32, vmem>, tensor<64xf32>
    }
    %v = pallas.get %xr[...] : !pallas.ref<64x32xf32, vmem>
    %s = pallas.reduce <add> %v dims [1] : tensor<64x32xf32>
    pallas.addupdate %or[...], %s : !pallas.ref<64xf32, vmem>, tensor<64xf32>
  }
  return %o : tensor<64xf32>
}

// The grid is one too short.
func.func @short(%x: tensor<64x128xf32>) -> tensor<64xf32> {
  %o = pallas.pallas_call grid(3)
      in(%x : tensor<64x128xf32>) block<[64, 32], vmem> map(%k) -> (0, %k)
      out(tensor<64xf32>) block<[64], vmem>
      kernel(%xr: !pallas.ref<64x32xf32, vmem>, %or: !pallas.ref<64xf32, vmem>) {
    %k = pallas.program_id 0
    %c0 = arith.constant 0 : i32
    %first = arith.cmpi eq, %k, %c0 : i32
    scf.if %first {
      %zero = arith.constant dense<0.0> : tensor<64xf32>
      pallas.swap %or[...], %zero : !pallas.ref<64xf32, vmem>, tensor<64xf32>
    }
    %v = pallas.get %xr[...] : !pallas.ref<64x32xf32, vmem>
    %s = pallas.reduce <add> %v dims [1] : tensor<64x32xf32>
    pallas.addupdate %or[...], %s : !pallas.ref<64xf32, vmem>, tensor<64xf32>
  }
  return %o : tensor<64xf32>
}
