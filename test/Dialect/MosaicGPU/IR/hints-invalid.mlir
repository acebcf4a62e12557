// RUN: pallas-opt %s --split-input-file --verify-diagnostics

func.func @optimized(%s: !pallas.ref<64x128xf32, smem>) {
  // expected-error @below {{has the attribute 'mosaic_gpu.optimized' with the value 2 : i32; give true or false}}
  %v = pallas.get %s[...] {mosaic_gpu.optimized = 2 : i32} : !pallas.ref<64x128xf32, smem>
  return
}

// -----

func.func @fill_mode(%g: !pallas.ref<64xf32, gmem>, %s: !pallas.ref<64xf32, smem>, %b: !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>) {
  // expected-error @below {{has the attribute 'mosaic_gpu.oob_fill_mode' with the value 3 : i32; give 0 : i32 for undefined, 1 : i32 for promise in bounds or 2 : i32 for zeros}}
  pallas.copy_gmem_to_smem %g to %s signals %b {mosaic_gpu.oob_fill_mode = 3 : i32}
      : !pallas.ref<64xf32, gmem>, !pallas.ref<64xf32, smem>, !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
  return
}
