// RUN: pallas-opt %s --pallas-expand-cta-pairs --verify-diagnostics

// How much of it each block gets must be known.
func.func @parts(%a: tensor<64x64xf16>, %n: i32) {
  pallas.run_scoped (%g: !pallas.ref<64x64xf16, gmem>, %s: !pallas.ref<32x64xf16, smem>, %b: !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>) {
    %part = pallas.slice_ref %g[ds(0, %n), :] : !pallas.ref<64x64xf16, gmem>
    // expected-error @+1 {{shares dimension 0 of '!pallas.ref<?x64xf16, gmem>' among two blocks, but its size is not known; slice a part of known size first}}
    pallas.copy_gmem_to_smem %part to %s signals %b collective ["c"] leader_tracked partitioned 0
        : !pallas.ref<?x64xf16, gmem>, !pallas.ref<32x64xf16, smem>, !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
  }
  return
}
