// RUN: pallas-run %s --no-cache --check --entry=main | FileCheck %s

// The bug: --check reported a data race where a run_state ends behind products that nothing waits
// for, though it waits for them itself, as in JAX.

!a = !pallas.ref<64x64xf16, smem>

func.func @square(%x: tensor<64x64xf16>) -> tensor<64x64xf32> {
  %0 = pallas.mpmd_map
      in(%x : tensor<64x64xf16>)
      out(tensor<64x64xf32>)
      kernel @kernel on <gpu, [<grid "i" = 1>]> (%g: !pallas.ref<64x64xf16, gmem>, %o: !pallas.ref<64x64xf32, gmem>) {
    pallas.run_scoped (%s: !a) {
      %v = pallas.get %g[...] : !pallas.ref<64x64xf16, gmem>
      pallas.swap %s[...], %v : !a, tensor<64x64xf16>
      pallas.commit_smem
      %z = arith.constant dense<1.0> : tensor<64x64xf32>
      %r = pallas.run_state (%acc: !pallas.accumulator<64x64xf32> = %z : tensor<64x64xf32>) {
        pallas.wgmma_ref %acc, %s, %s : !pallas.accumulator<64x64xf32>, !a, !a
      }
      // The operand may be written, and the sum be read.
      pallas.swap %s[...], %v : !a, tensor<64x64xf16>
      pallas.swap %o[...], %r : !pallas.ref<64x64xf32, gmem>, tensor<64x64xf32>
    }
  }
  return %0 : tensor<64x64xf32>
}

// CHECK: 257
func.func @main() {
  %x = arith.constant dense<2.0> : tensor<64x64xf16>
  %o = func.call @square(%x) : (tensor<64x64xf16>) -> tensor<64x64xf32>
  %c0 = arith.constant 0 : index
  %0 = tensor.extract %o[%c0, %c0] : tensor<64x64xf32>
  pallas.debug_print "{}" %0 : f32
  return
}
