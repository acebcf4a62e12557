// Each vector subcore fetches the rows that its part of a table names.
func.func @gather_rows(%x: tensor<64x128xf32>, %ids: tensor<256xi32>) -> tensor<256x128xf32> {
  %o = pallas.mpmd_map
      in(%x : tensor<64x128xf32>) in(%ids : tensor<256xi32>)
      out(tensor<256x128xf32>)
      kernel @vector on <sc_vector, [<core "core" = 2>, <subcore "subcore" = 16>]>
          (%xr: !pallas.ref<64x128xf32, hbm>, %ir: !pallas.ref<256xi32, hbm>, %or: !pallas.ref<256x128xf32, hbm>, %k: !pallas.ref<8xi32, vmem>, %a: !pallas.ref<8x128xf32, vmem>, %b: !pallas.ref<8xf32, vmem>, %sem: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
    %core = pallas.axis_index "core"
    %sub = pallas.axis_index "subcore"
    %c16 = arith.constant 16 : i32
    %c8 = arith.constant 8 : i32
    %base = arith.muli %core, %c16 : i32
    %row = arith.addi %base, %sub : i32
    %start = arith.muli %row, %c8 : i32
    %id = pallas.slice_ref %ir[ds(%start, 8)] : !pallas.ref<256xi32, hbm>
    pallas.dma_start %id to %k signals %sem : !pallas.ref<8xi32, hbm>, !pallas.ref<8xi32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    pallas.dma_wait %id to %k signals %sem : !pallas.ref<8xi32, hbm>, !pallas.ref<8xi32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    %from = pallas.slice_ref %xr[gather(%k : !pallas.ref<8xi32, vmem>), :] : !pallas.ref<64x128xf32, hbm>
    pallas.dma_start %from to %a signals %sem : !pallas.ref<8x128xf32, hbm>, !pallas.ref<8x128xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    pallas.dma_wait %from to %a signals %sem : !pallas.ref<8x128xf32, hbm>, !pallas.ref<8x128xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    %v = pallas.get %a[0, ds(8, 8)] : !pallas.ref<8x128xf32, vmem>
    pallas.swap %a[0, ds(8, 8)], %v : !pallas.ref<8x128xf32, vmem>, tensor<8xf32>
    %to = pallas.slice_ref %or[ds(%start, 8), :] : !pallas.ref<256x128xf32, hbm>
    pallas.dma_start %a to %to signals %sem : !pallas.ref<8x128xf32, vmem>, !pallas.ref<8x128xf32, hbm>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    pallas.dma_wait %a to %to signals %sem : !pallas.ref<8x128xf32, vmem>, !pallas.ref<8x128xf32, hbm>, !pallas.ref<!pallas.dma_semaphore, semaphore>
  }
  return %o : tensor<256x128xf32>
}
