// Scans and sorts across the lanes of a vector subcore.
!memory = !pallas.ref<8xf32, vmem>
!done = !pallas.ref<!pallas.dma_semaphore, semaphore>

func.func @lanes(%x: tensor<8xf32>) -> tensor<8xf32> {
  %o = pallas.mpmd_map
      in(%x : tensor<8xf32>)
      out(tensor<8xf32>)
      kernel @lanes on <sc_vector, [<core "core" = 1>, <subcore "subcore" = 1>]>
          (%xr: !pallas.ref<8xf32, hbm>, %or: !pallas.ref<8xf32, hbm>, %a: !memory, %sem: !done) {
    pallas.dma_start %xr to %a signals %sem : !pallas.ref<8xf32, hbm>, !memory, !done
    pallas.dma_wait %xr to %a signals %sem : !pallas.ref<8xf32, hbm>, !memory, !done
    %v = pallas.get %a[...] : !memory
    %sum = pallas.cumulative <sum> %v dim 0 : tensor<8xf32>
    %most = pallas.cumulative <max> %sum dim 0 : tensor<8xf32>
    %sorted = pallas.sort %most dim 0 : tensor<8xf32> -> tensor<8xf32>
    pallas.swap %a[...], %sorted : !memory, tensor<8xf32>
    pallas.dma_start %a to %or signals %sem : !memory, !pallas.ref<8xf32, hbm>, !done
    pallas.dma_wait %a to %or signals %sem : !memory, !pallas.ref<8xf32, hbm>, !done
  }
  return %o : tensor<8xf32>
}
