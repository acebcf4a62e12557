// Pipelines with blocks that hang over their array, that a table names twice,
// and that several points add to.
func.func @pipelines(%table: tensor<3xi32>, %x: tensor<37x200xf32>) -> (tensor<37x200xf32>, tensor<16x128xf32>) {
  %o:2 = pallas.pallas_call @pipelines grid()
      in(%table : tensor<3xi32>) block<[3], smem>
      in(%x : tensor<37x200xf32>) block<[37, 200], any>
      out(tensor<37x200xf32>) block<[37, 200], any>
      out(tensor<16x128xf32>) block<[16, 128], any>
      kernel(%tr: !pallas.ref<3xi32, smem>, %xr: !pallas.ref<37x200xf32, any>, %or: !pallas.ref<37x200xf32, any>,
             %sr: !pallas.ref<16x128xf32, any>) {
    pallas.emit_pipeline grid(3, 2)
        in(%xr : !pallas.ref<37x200xf32, any>) block<[16, 128], vmem> map(%i, %j) -> (%i, %j)
        out(%or : !pallas.ref<37x200xf32, any>) block<[16, 128], vmem> map(%i, %j) -> (%i, %j)
        kernel(%i: i32, %j: i32, %a: !pallas.ref<16x128xf32, vmem>, %b: !pallas.ref<16x128xf32, vmem>) {
      %v = pallas.get %a[...] : !pallas.ref<16x128xf32, vmem>
      %w = arith.addf %v, %v : tensor<16x128xf32>
      pallas.swap %b[...], %w : !pallas.ref<16x128xf32, vmem>, tensor<16x128xf32>
    }
    pallas.emit_pipeline grid(2, 3)
        in(%xr : !pallas.ref<37x200xf32, any>) block<[8, 128], vmem> map(%i, %j) {
          %k = pallas.get %tr[%j] : !pallas.ref<3xi32, smem>
          %zero = arith.constant 0 : i32
          pallas.yield %k, %zero : i32, i32
        }
        in(%xr : !pallas.ref<37x200xf32, any>) block<[8, 128], vmem> map(%i, %j) -> (2, 0)
        out(%sr : !pallas.ref<16x128xf32, any>) block<[8, 128], vmem> map(%i, %j) -> (%i, 0)
        kernel(%i: i32, %j: i32, %a: !pallas.ref<8x128xf32, vmem>, %b: !pallas.ref<8x128xf32, vmem>, %c: !pallas.ref<8x128xf32, vmem>) {
      %zero = arith.constant 0 : i32
      %isFirst = arith.cmpi eq, %j, %zero : i32
      %av = pallas.get %a[...] : !pallas.ref<8x128xf32, vmem>
      %bv = pallas.get %b[...] : !pallas.ref<8x128xf32, vmem>
      %ab = arith.mulf %av, %bv : tensor<8x128xf32>
      scf.if %isFirst {
        pallas.swap %c[...], %ab : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
      } else {
        pallas.addupdate %c[...], %ab : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
      }
    }
  }
  return %o#0, %o#1 : tensor<37x200xf32>, tensor<16x128xf32>
}
