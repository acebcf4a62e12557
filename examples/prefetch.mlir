// A gather of rows, scaled by a captured number; the table of rows is
// prefetched twice.
func.func @gather(%rows: tensor<4xi32>, %x: tensor<64x128xf32>, %scale: f32) -> tensor<32x128xf32> {
  %o = pallas.pallas_call @gather grid(4)
      captures(%scale : f32)
      prefetch(%rows, %rows : tensor<4xi32>, tensor<4xi32>)
      in(%x : tensor<64x128xf32>) block<[8, 128], vmem> map(%i, %table, %same, %s) {
        %row = pallas.get %table[%i] : !pallas.ref<4xi32, smem>
        %c0 = arith.constant 0 : i32
        pallas.yield %row, %c0 : i32, i32
      }
      out(tensor<32x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      kernel(%s: f32, %table: !pallas.ref<4xi32, smem>, %same: !pallas.ref<4xi32, smem>,
             %xr: !pallas.ref<8x128xf32, vmem>, %or: !pallas.ref<8x128xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x128xf32, vmem>
    %factor = tensor.splat %s : tensor<8x128xf32>
    %scaled = arith.mulf %v, %factor : tensor<8x128xf32>
    pallas.swap %or[...], %scaled : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
  }
  return %o : tensor<32x128xf32>
}
