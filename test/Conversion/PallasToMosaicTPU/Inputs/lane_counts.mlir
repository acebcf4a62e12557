// Lanes of a vector subcore add to elements that an array names, some twice, and
// count themselves.
!memory = !pallas.ref<8xi32, vmem>
!array = !pallas.ref<8xi32, hbm>
!done = !pallas.ref<!pallas.dma_semaphore, semaphore>

func.func @lane_counts(%x: tensor<8xi32>) -> tensor<8xi32> {
  %o = pallas.mpmd_map
      in(%x : tensor<8xi32>)
      out(tensor<8xi32>)
      kernel @lane_counts on <sc_vector, [<core "core" = 1>, <subcore "subcore" = 1>]>
          (%xr: !array, %or: !array, %a: !memory, %counts: !memory, %sem: !done) {
    pallas.dma_start %xr to %a signals %sem : !array, !memory, !done
    pallas.dma_wait %xr to %a signals %sem : !array, !memory, !done
    %lane = pallas.iota 0 : tensor<8xi32>
    pallas.swap %counts[...], %lane : !memory, tensor<8xi32>
    %one = arith.constant dense<1> : tensor<8xi32>
    %at = pallas.get %a[...] : !memory
    %old = pallas.atomic_rmw <add> %counts[gather(%at : tensor<8xi32>)], %one : !memory, tensor<8xi32>
    pallas.dma_start %counts to %or signals %sem : !memory, !array, !done
    pallas.dma_wait %counts to %or signals %sem : !memory, !array, !done
  }
  return %o : tensor<8xi32>
}
