// RUN: pallas-opt %s --pallas-expand-multicast --split-input-file --verify-diagnostics

func.func @load(%r: !pallas.ref<8xf32, gmem>) -> tensor<8xf32> {
  %all = pallas.multicast_ref %r axes ["x"] : !pallas.ref<8xf32, gmem>
  // expected-error @below {{'pallas.get' op takes memory of several devices; kernels store to it by swap without the old value, copy to it from shared memory, signal semaphores there, and load by multimem_load_reduce}}
  %v = pallas.get %all[...] : !pallas.ref<8xf32, gmem>
  return %v : tensor<8xf32>
}

// -----

func.func @exchange(%r: !pallas.ref<4x8xf32, gmem>, %v: tensor<8xf32>) -> tensor<8xf32> {
  %all = pallas.multicast_ref %r axes ["x"] : !pallas.ref<4x8xf32, gmem>
  %row = pallas.slice_ref %all[0, :] : !pallas.ref<4x8xf32, gmem>
  // expected-error @below {{takes memory of several devices; kernels store to it by swap without the old value}}
  %old = pallas.swap %row[...], %v : !pallas.ref<8xf32, gmem>, tensor<8xf32>
  return %old : tensor<8xf32>
}
