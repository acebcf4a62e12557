// Each subcore of a SparseCore doubles one row of an array.
func.func @mesh(%x: tensor<32x128xf32>) -> tensor<32x128xf32> {
  %o = pallas.mpmd_map
      in(%x : tensor<32x128xf32>)
      out(tensor<32x128xf32>)
      kernel @double on <sc_vector, [<core "core" = 2>, <subcore "subcore" = 16>]>
          (%xr: !pallas.ref<32x128xf32, hbm>, %or: !pallas.ref<32x128xf32, hbm>) {
    %core = pallas.axis_index "core"
    %subcore = pallas.axis_index "subcore"
    %c16 = arith.constant 16 : i32
    %first = arith.muli %core, %c16 : i32
    %row = arith.addi %first, %subcore : i32
    pallas.run_scoped (%tmp: !pallas.ref<128xf32, vmem>, %sem: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
      %from = pallas.slice_ref %xr[%row, :] : !pallas.ref<32x128xf32, hbm>
      pallas.dma_start %from to %tmp signals %sem
        : !pallas.ref<128xf32, hbm>, !pallas.ref<128xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
      pallas.dma_wait %from to %tmp signals %sem
        : !pallas.ref<128xf32, hbm>, !pallas.ref<128xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
      %v = pallas.get %tmp[...] : !pallas.ref<128xf32, vmem>
      %d = arith.addf %v, %v : tensor<128xf32>
      pallas.swap %tmp[...], %d : !pallas.ref<128xf32, vmem>, tensor<128xf32>
      %to = pallas.slice_ref %or[%row, :] : !pallas.ref<32x128xf32, hbm>
      pallas.dma_start %tmp to %to signals %sem
        : !pallas.ref<128xf32, vmem>, !pallas.ref<128xf32, hbm>, !pallas.ref<!pallas.dma_semaphore, semaphore>
      pallas.dma_wait %tmp to %to signals %sem
        : !pallas.ref<128xf32, vmem>, !pallas.ref<128xf32, hbm>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    }
  }
  return %o : tensor<32x128xf32>
}
