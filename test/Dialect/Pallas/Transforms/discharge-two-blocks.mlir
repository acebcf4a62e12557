// RUN: pallas-opt %s --pallas-discharge-state --verify-diagnostics

// The other block's memory is no value of this one.
func.func @product() {
  pallas.run_scoped (%acc: !pallas.ref<64x128xf32, tmem>, %a: !pallas.ref<64x64xf16, smem>, %b: !pallas.ref<64x64xf16, smem>) {
    %false = arith.constant false
    // expected-error @+1 {{works together with another block along "c", whose memory is no value of this one; multiply in each block on its own}}
    pallas.tcgen05_mma %acc, %a, %b accumulate %false collective "c"
        : !pallas.ref<64x128xf32, tmem>, !pallas.ref<64x64xf16, smem>, !pallas.ref<64x64xf16, smem>
  }
  return
}
