// RUN: pallas-opt %s --pallas-to-mosaic-gpu --verify-diagnostics

// The bug: an access to a ref that a select chooses crashed the compiler.

!s = !pallas.ref<64x64xf32, smem>
!g = !pallas.ref<64x64xf32, gmem>
!b = !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
func.func @sel(%x: tensor<64x64xf32>, %n: tensor<1xi1>) -> tensor<64x64xf32> {
  %0 = pallas.mpmd_map
    in(%x : tensor<64x64xf32>)
    in(%n : tensor<1xi1>)
    out(tensor<64x64xf32>)
    kernel @sel on <gpu, [<grid "b" = 2>]>(%xr: !g, %nr: !pallas.ref<1xi1, gmem>, %or: !g) {
    %v = pallas.get %xr[...] : !g
    %c0 = arith.constant 0 : i32
    %isSet = pallas.get %nr[%c0] : !pallas.ref<1xi1, gmem>
    pallas.run_scoped (%s: !s) {
      pallas.swap %s[...], %v : !s, tensor<64x64xf32>
    }
    pallas.run_scoped (%s: !s, %t: !s, %b: !b) {
      // expected-error @below {{yields a ref that is known at run time only; on GPUs refs name memory at fixed places, so access each of them in a branch of its own}}
      %u = arith.select %isSet, %s, %t : !s
      pallas.copy_gmem_to_smem %xr to %u signals %b : !g, !s, !b
      pallas.barrier_wait %b : !b
      %w = pallas.get %u[...] : !s
      pallas.swap %or[...], %w : !g, tensor<64x64xf32>
    }
  }
  return %0 : tensor<64x64xf32>
}
