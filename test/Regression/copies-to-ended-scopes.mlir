// RUN: pallas-opt %s --pallas-to-mosaic-gpu --verify-diagnostics

// The bug: a copy was under way to memory that another scope had by then.

!s = !pallas.ref<64x64xf32, smem>
!g = !pallas.ref<64x64xf32, gmem>
!b = !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
func.func @load(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = pallas.mpmd_map
    in(%x : tensor<64x64xf32>)
    out(tensor<64x64xf32>)
    kernel @load on <gpu, [<grid "b" = 2>]>(%xr: !g, %or: !g) {
    %v = pallas.get %xr[...] : !g
    pallas.run_scoped (%b: !b) {
      pallas.run_scoped (%s: !s) {
        // expected-error @below {{writes to memory of a scope in which nothing waits at its barrier, and may still do so when the memory is that of another scope; wait at the barrier in this scope}}
        pallas.copy_gmem_to_smem %xr to %s signals %b : !g, !s, !b
      }
      pallas.run_scoped (%t: !s) {
        pallas.swap %t[...], %v : !s, tensor<64x64xf32>
        %w = pallas.get %t[...] : !s
        pallas.swap %or[...], %w : !g, tensor<64x64xf32>
      }
      pallas.barrier_wait %b : !b
    }
  }
  return %0 : tensor<64x64xf32>
}
