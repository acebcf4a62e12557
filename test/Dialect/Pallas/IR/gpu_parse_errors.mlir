// RUN: pallas-opt %s --verify-diagnostics --split-input-file

func.func @no_condition(%a: !pallas.ref<128x128xf32, tmem>) {
  // expected-error @+1 {{expected 'accumulate'}}
  pallas.tcgen05_mma %a, %a, %a : !pallas.ref<128x128xf32, tmem>, !pallas.ref<128x128xf32, tmem>, !pallas.ref<128x128xf32, tmem>
  return
}

// -----

func.func @no_barrier(%a: !pallas.ref<8xf32, gmem>, %b: !pallas.ref<8xf32, smem>) {
  // expected-error @+1 {{expected 'signals'}}
  pallas.copy_gmem_to_smem %a to %b : !pallas.ref<8xf32, gmem>, !pallas.ref<8xf32, smem>
  return
}
