// Softmax over rows, eight rows per program.
func.func @softmax(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %o = pallas.pallas_call @softmax grid(8)
      in(%x : tensor<64x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      out(tensor<64x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      semantics [parallel]
      kernel(%xr: !pallas.ref<8x128xf32, vmem>, %or: !pallas.ref<8x128xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x128xf32, vmem>
    %max = pallas.reduce <max> %v dims [1] : tensor<8x128xf32>
    %maxes = pallas.broadcast %max dims [0] : tensor<8xf32> -> tensor<8x128xf32>
    %shifted = arith.subf %v, %maxes : tensor<8x128xf32>
    %exp = math.exp %shifted : tensor<8x128xf32>
    %sum = pallas.reduce <add> %exp dims [1] : tensor<8x128xf32>
    %sums = pallas.broadcast %sum dims [0] : tensor<8xf32> -> tensor<8x128xf32>
    %p = arith.divf %exp, %sums : tensor<8x128xf32>
    pallas.swap %or[...], %p : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
  }
  return %o : tensor<64x128xf32>
}
