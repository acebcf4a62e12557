// A tiled matmul that accumulates in scratch memory over the last grid dimension.
func.func @matmul(%x: tensor<512x256xf32>, %y: tensor<256x512xf32>) -> tensor<512x512xf32> {
  %o = pallas.pallas_call @matmul grid(4, 4, 2)
      in(%x : tensor<512x256xf32>) block<[128, 128], vmem> map(%i, %j, %k) -> (%i, %k)
      in(%y : tensor<256x512xf32>) block<[128, 128], vmem> map(%i, %j, %k) -> (%k, %j)
      out(tensor<512x512xf32>) block<[128, 128], vmem> map(%i, %j, %k) -> (%i, %j)
      semantics [parallel, parallel, arbitrary]
      kernel(%xr: !pallas.ref<128x128xf32, vmem>, %yr: !pallas.ref<128x128xf32, vmem>,
             %or: !pallas.ref<128x128xf32, vmem>, %acc: !pallas.ref<128x128xf32, vmem>) {
    %k = pallas.program_id 2
    %last = pallas.num_programs 2
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %first = arith.cmpi eq, %k, %c0 : i32
    scf.if %first {
      %zero = arith.constant dense<0.0> : tensor<128x128xf32>
      pallas.swap %acc[...], %zero : !pallas.ref<128x128xf32, vmem>, tensor<128x128xf32>
    }
    %a = pallas.get %xr[...] : !pallas.ref<128x128xf32, vmem>
    %b = pallas.get %yr[...] : !pallas.ref<128x128xf32, vmem>
    %old = pallas.get %acc[...] : !pallas.ref<128x128xf32, vmem>
    %new = pallas.dot_general %a, %b acc %old contract [1] x [0]
      : tensor<128x128xf32>, tensor<128x128xf32>, tensor<128x128xf32> -> tensor<128x128xf32>
    pallas.swap %acc[...], %new : !pallas.ref<128x128xf32, vmem>, tensor<128x128xf32>
    %end = arith.subi %last, %c1 : i32
    %is_last = arith.cmpi eq, %k, %end : i32
    scf.if %is_last {
      %v = pallas.get %acc[...] : !pallas.ref<128x128xf32, vmem>
      pallas.swap %or[...], %v : !pallas.ref<128x128xf32, vmem>, tensor<128x128xf32>
    }
  }
  return %o : tensor<512x512xf32>
}
