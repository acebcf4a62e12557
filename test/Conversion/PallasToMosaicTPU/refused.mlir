// RUN: pallas-opt %s --pallas-to-mosaic-tpu --split-input-file --verify-diagnostics

// Operations of GPUs, and others that TPUs have no form of, are errors where they stand.

func.func @wgmma_ref() {
  // expected-error @below {{memory of type '!pallas.accumulator<64x128xf32>' doesn't exist on TPUs; use a ref in vmem, smem, hbm or semaphore memory}}
  pallas.pallas_call @k grid() kernel(%acc: !pallas.accumulator<64x128xf32>, %a: !pallas.ref<64x64xf16, smem>, %b: !pallas.ref<64x128xf16, smem>) {
    pallas.wgmma_ref %acc, %a, %b : !pallas.accumulator<64x128xf32>, !pallas.ref<64x64xf16, smem>, !pallas.ref<64x128xf16, smem>
  }
  return
}

// -----

func.func @wgmma() {
  pallas.pallas_call @k grid() kernel(%a: !pallas.ref<64x64xf16, smem>, %b: !pallas.ref<64x128xf16, smem>) {
    %v = arith.constant dense<0.0> : tensor<64x128xf32>
    // expected-error @below {{'pallas.wgmma' op has no form on TPUs; use operations of arith, math, pallas, scf and tensor on arrays of a static shape}}
    %0 = pallas.wgmma %v, %a, %b : tensor<64x128xf32>, !pallas.ref<64x64xf16, smem>, !pallas.ref<64x128xf16, smem>
  }
  return
}

// -----

func.func @wgmma_commit() {
  pallas.pallas_call @k grid() kernel() {
    // expected-error @below {{'pallas.wgmma_commit' op has no form on TPUs; use operations of arith, math, pallas, scf and tensor on arrays of a static shape}}
    pallas.wgmma_commit
  }
  return
}

// -----

func.func @wgmma_wait() {
  pallas.pallas_call @k grid() kernel() {
    // expected-error @below {{'pallas.wgmma_wait' op has no form on TPUs; use operations of arith, math, pallas, scf and tensor on arrays of a static shape}}
    pallas.wgmma_wait 0
  }
  return
}

// -----

func.func @accumulator_deref() {
  // expected-error @below {{memory of type '!pallas.accumulator<64x128xf32>' doesn't exist on TPUs; use a ref in vmem, smem, hbm or semaphore memory}}
  pallas.pallas_call @k grid() kernel(%acc: !pallas.accumulator<64x128xf32>) {
    %0 = pallas.accumulator_deref %acc : !pallas.accumulator<64x128xf32> -> tensor<64x128xf32>
  }
  return
}

// -----

func.func @accumulator_store() {
  // expected-error @below {{memory of type '!pallas.accumulator<64x128xf32>' doesn't exist on TPUs; use a ref in vmem, smem, hbm or semaphore memory}}
  pallas.pallas_call @k grid() kernel(%acc: !pallas.accumulator<64x128xf32>) {
    %v = arith.constant dense<0.0> : tensor<64x128xf32>
    pallas.accumulator_store %acc, %v : !pallas.accumulator<64x128xf32>, tensor<64x128xf32>
  }
  return
}

// -----

func.func @copy_gmem_to_smem() {
  // expected-error @below {{memory of type '!pallas.ref<!pallas.barrier<numArrivals = 1>, smem>' doesn't exist on TPUs; use a ref in vmem, smem, hbm or semaphore memory}}
  pallas.pallas_call @k grid() kernel(%g: !pallas.ref<64x64xf16, gmem>, %s: !pallas.ref<64x64xf16, smem>, %b: !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>) {
    pallas.copy_gmem_to_smem %g to %s signals %b : !pallas.ref<64x64xf16, gmem>, !pallas.ref<64x64xf16, smem>, !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
  }
  return
}

// -----

func.func @copy_smem_to_gmem() {
  pallas.pallas_call @k grid() kernel(%g: !pallas.ref<64x64xf16, gmem>, %s: !pallas.ref<64x64xf16, smem>) {
    // expected-error @below {{'pallas.copy_smem_to_gmem' op has no form on TPUs; use operations of arith, math, pallas, scf and tensor on arrays of a static shape}}
    pallas.copy_smem_to_gmem %s to %g : !pallas.ref<64x64xf16, smem>, !pallas.ref<64x64xf16, gmem>
  }
  return
}

// -----

func.func @commit_smem_to_gmem_group() {
  pallas.pallas_call @k grid() kernel() {
    // expected-error @below {{'pallas.commit_smem_to_gmem_group' op has no form on TPUs; use operations of arith, math, pallas, scf and tensor on arrays of a static shape}}
    pallas.commit_smem_to_gmem_group
  }
  return
}

// -----

func.func @commit_smem() {
  pallas.pallas_call @k grid() kernel() {
    // expected-error @below {{'pallas.commit_smem' op has no form on TPUs; use operations of arith, math, pallas, scf and tensor on arrays of a static shape}}
    pallas.commit_smem
  }
  return
}

// -----

func.func @wait_smem_to_gmem() {
  pallas.pallas_call @k grid() kernel() {
    // expected-error @below {{'pallas.wait_smem_to_gmem' op has no form on TPUs; use operations of arith, math, pallas, scf and tensor on arrays of a static shape}}
    pallas.wait_smem_to_gmem 0
  }
  return
}

// -----

func.func @async_prefetch() {
  pallas.pallas_call @k grid() kernel(%g: !pallas.ref<64x64xf16, gmem>) {
    // expected-error @below {{'pallas.async_prefetch' op has no form on TPUs; use operations of arith, math, pallas, scf and tensor on arrays of a static shape}}
    pallas.async_prefetch %g : !pallas.ref<64x64xf16, gmem>
  }
  return
}

// -----

func.func @remote_ref() {
  pallas.pallas_call @k grid() kernel(%g: !pallas.ref<64x64xf16, gmem>) {
    %i = pallas.device_id
    // expected-error @below {{'pallas.remote_ref' op has no form on TPUs; use operations of arith, math, pallas, scf and tensor on arrays of a static shape}}
    %0 = pallas.remote_ref %g device logical(%i) : !pallas.ref<64x64xf16, gmem>
    %r = pallas.get %0[...] : !pallas.ref<64x64xf16, gmem>
    pallas.swap %g[...], %r : !pallas.ref<64x64xf16, gmem>, tensor<64x64xf16>
  }
  return
}

// -----

func.func @multicast_ref() {
  pallas.pallas_call @k grid() kernel(%g: !pallas.ref<64x64xf16, gmem>) {
    // expected-error @below {{'pallas.multicast_ref' op has no form on TPUs; use operations of arith, math, pallas, scf and tensor on arrays of a static shape}}
    %0 = pallas.multicast_ref %g axes ["x"] : !pallas.ref<64x64xf16, gmem>
    %r = pallas.get %g[...] : !pallas.ref<64x64xf16, gmem>
    pallas.swap %0[...], %r : !pallas.ref<64x64xf16, gmem>, tensor<64x64xf16>
  }
  return
}

// -----

func.func @multimem_load_reduce() {
  pallas.pallas_call @k grid() kernel(%g: !pallas.ref<64x64xf16, gmem>) {
    // expected-error @below {{'pallas.multimem_load_reduce' op has no form on TPUs; use operations of arith, math, pallas, scf and tensor on arrays of a static shape}}
    %0 = pallas.multimem_load_reduce <add> %g axes ["x"] : !pallas.ref<64x64xf16, gmem> -> tensor<64x64xf16>
    pallas.swap %g[...], %0 : !pallas.ref<64x64xf16, gmem>, tensor<64x64xf16>
  }
  return
}

// -----

func.func @cluster_ref() {
  pallas.mpmd_map kernel on <tensorcore, [<core "c" = 2>]> (%s: !pallas.ref<8x128xi32, smem>) {
    %i = arith.constant 0 : i32
    // expected-error @below {{'pallas.cluster_ref' op has no form on TPUs; use operations of arith, math, pallas, scf and tensor on arrays of a static shape}}
    %0 = pallas.cluster_ref %s, "c" = %i : !pallas.ref<8x128xi32, smem>
    pallas.swap %0[0, 0], %i : !pallas.ref<8x128xi32, smem>, i32
  }
  return
}

// -----

func.func @barrier_arrive() {
  // expected-error @below {{memory of type '!pallas.ref<!pallas.barrier<numArrivals = 1>, smem>' doesn't exist on TPUs; use a ref in vmem, smem, hbm or semaphore memory}}
  pallas.pallas_call @k grid() kernel(%b: !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>) {
    pallas.barrier_arrive %b : !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
  }
  return
}

// -----

func.func @barrier_wait() {
  // expected-error @below {{memory of type '!pallas.ref<!pallas.barrier<numArrivals = 1>, smem>' doesn't exist on TPUs; use a ref in vmem, smem, hbm or semaphore memory}}
  pallas.pallas_call @k grid() kernel(%b: !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>) {
    pallas.barrier_wait %b : !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
  }
  return
}

// -----

func.func @barrier_wait_parity() {
  // expected-error @below {{memory of type '!pallas.ref<!pallas.barrier<numArrivals = 1>, smem>' doesn't exist on TPUs; use a ref in vmem, smem, hbm or semaphore memory}}
  pallas.pallas_call @k grid() kernel(%b: !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>) {
    %parity = arith.constant true
    pallas.barrier_wait_parity %b, %parity : !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
  }
  return
}

// -----

func.func @barrier_test() {
  // expected-error @below {{memory of type '!pallas.ref<!pallas.barrier<numArrivals = 1>, smem>' doesn't exist on TPUs; use a ref in vmem, smem, hbm or semaphore memory}}
  pallas.pallas_call @k grid() kernel(%b: !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>) {
    %0 = pallas.barrier_test %b : !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
  }
  return
}

// -----

func.func @tcgen05_mma() {
  // expected-error @below {{memory of type '!pallas.ref<128x128xf32, tmem>' doesn't exist on TPUs; use a ref in vmem, smem, hbm or semaphore memory}}
  pallas.pallas_call @k grid() kernel(%t: !pallas.ref<128x128xf32, tmem>, %a: !pallas.ref<128x64xf16, smem>, %b: !pallas.ref<64x128xf16, smem>) {
    %p = arith.constant true
    pallas.tcgen05_mma %t, %a, %b accumulate %p : !pallas.ref<128x128xf32, tmem>, !pallas.ref<128x64xf16, smem>, !pallas.ref<64x128xf16, smem>
  }
  return
}

// -----

func.func @tcgen05_commit() {
  // expected-error @below {{memory of type '!pallas.ref<!pallas.barrier<numArrivals = 1>, smem>' doesn't exist on TPUs; use a ref in vmem, smem, hbm or semaphore memory}}
  pallas.pallas_call @k grid() kernel(%b: !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>) {
    pallas.tcgen05_commit %b : !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
  }
  return
}

// -----

func.func @async_load_tmem() {
  // expected-error @below {{memory of type '!pallas.ref<128x128xf32, tmem>' doesn't exist on TPUs; use a ref in vmem, smem, hbm or semaphore memory}}
  pallas.pallas_call @k grid() kernel(%t: !pallas.ref<128x128xf32, tmem>) {
    %0 = pallas.async_load_tmem %t : !pallas.ref<128x128xf32, tmem> -> tensor<128x128xf32>
  }
  return
}

// -----

func.func @wait_load_tmem() {
  pallas.pallas_call @k grid() kernel() {
    // expected-error @below {{'pallas.wait_load_tmem' op has no form on TPUs; use operations of arith, math, pallas, scf and tensor on arrays of a static shape}}
    pallas.wait_load_tmem
  }
  return
}

// -----

func.func @async_copy_to_tmem() {
  // expected-error @below {{memory of type '!pallas.ref<128x64xf32, tmem>' doesn't exist on TPUs; use a ref in vmem, smem, hbm or semaphore memory}}
  pallas.pallas_call @k grid() kernel(%t: !pallas.ref<128x64xf32, tmem>, %s: !pallas.ref<128x64xf32, smem>) {
    pallas.async_copy_to_tmem matrix %s to %t : !pallas.ref<128x64xf32, smem>, !pallas.ref<128x64xf32, tmem>
  }
  return
}

// -----

func.func @async_store_tmem() {
  // expected-error @below {{memory of type '!pallas.ref<128x128xf32, tmem>' doesn't exist on TPUs; use a ref in vmem, smem, hbm or semaphore memory}}
  pallas.pallas_call @k grid() kernel(%t: !pallas.ref<128x128xf32, tmem>) {
    %v = arith.constant dense<0.0> : tensor<128x128xf32>
    pallas.async_store_tmem %v to %t : tensor<128x128xf32>, !pallas.ref<128x128xf32, tmem>
  }
  return
}

// -----

func.func @commit_tmem() {
  pallas.pallas_call @k grid() kernel() {
    // expected-error @below {{'pallas.commit_tmem' op has no form on TPUs; use operations of arith, math, pallas, scf and tensor on arrays of a static shape}}
    pallas.commit_tmem
  }
  return
}

// -----

func.func @set_max_registers() {
  pallas.pallas_call @k grid() kernel() {
    // expected-error @below {{'pallas.set_max_registers' op has no form on TPUs; use operations of arith, math, pallas, scf and tensor on arrays of a static shape}}
    pallas.set_max_registers 232 increase
  }
  return
}

// -----

func.func @layout_cast() {
  pallas.pallas_call @k grid() kernel(%r: !pallas.ref<128x128xf32, vmem>) {
    %v = arith.constant dense<0.0> : tensor<128x128xf32>
    // expected-error @below {{'pallas.layout_cast' op has no form on TPUs; use operations of arith, math, pallas, scf and tensor on arrays of a static shape}}
    %0 = pallas.layout_cast %v : tensor<128x128xf32> layout "tcgen05"
    pallas.swap %r[...], %0 : !pallas.ref<128x128xf32, vmem>, tensor<128x128xf32>
  }
  return
}

// -----

func.func @grid_dependency() {
  pallas.pallas_call @k grid() kernel() {
    // expected-error @below {{'pallas.grid_dependency' op has no form on TPUs; use operations of arith, math, pallas, scf and tensor on arrays of a static shape}}
    pallas.grid_dependency launch
  }
  return
}

// -----

func.func @core_id() {
  pallas.pallas_call @k grid() kernel(%r: !pallas.ref<8xi32, smem>) {
    // expected-error @below {{'pallas.core_id' op has no form on TPUs; use operations of arith, math, pallas, scf and tensor on arrays of a static shape}}
    %0 = pallas.core_id
    pallas.swap %r[0], %0 : !pallas.ref<8xi32, smem>, i32
  }
  return
}

// -----

func.func @core_map() {
  pallas.pallas_call @k grid() kernel(%r: !pallas.ref<8xi32, smem>) {
    // expected-error @below {{'pallas.core_map' op has no form on TPUs; use operations of arith, math, pallas, scf and tensor on arrays of a static shape}}
    pallas.core_map <tensorcore, [<core "x" = 2>]> () {
      %i = pallas.axis_index "x"
      pallas.swap %r[%i], %i : !pallas.ref<8xi32, smem>, i32
    }
  }
  return
}

// -----

func.func @get_global() {
  pallas.pallas_call @k grid() kernel(%s: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
    // expected-error @below {{'pallas.get_global' op has no form on TPUs; use operations of arith, math, pallas, scf and tensor on arrays of a static shape}}
    %g = pallas.get_global "table" : !pallas.ref<8x128xf32, hbm>
    pallas.dma_start %g to %g signals %s : !pallas.ref<8x128xf32, hbm>, !pallas.ref<8x128xf32, hbm>, !pallas.ref<!pallas.dma_semaphore, semaphore>
  }
  return
}

// -----

func.func @pinned(%x: !pallas.pinned<tensor<8x128xf32>, <hbm>>) -> !pallas.pinned<tensor<8x128xf32>, <hbm>> {
  // expected-error @below {{takes a pinned array, but arrays outside of kernels are plain tensors on TPUs; unpin it}}
  %o = pallas.pallas_call grid() in(%x : !pallas.pinned<tensor<8x128xf32>, <hbm>>) out(!pallas.pinned<tensor<8x128xf32>, <hbm>>)
      aliases [0 -> 0]
      kernel(%xr: !pallas.ref<8x128xf32, default>, %or: !pallas.ref<8x128xf32, default>) {}
  return %o : !pallas.pinned<tensor<8x128xf32>, <hbm>>
}

// -----

func.func @part_of_run_time() {
  pallas.pallas_call @k grid() kernel(%s: !pallas.ref<1xi32, smem>, %b: !pallas.ref<8x128xf32, vmem>) {
    %n = pallas.get %s[0] : !pallas.ref<1xi32, smem>
    %x = pallas.get %b[...] : !pallas.ref<8x128xf32, vmem>
    %i = arith.index_cast %n : i32 to index
    // expected-error @below {{needs constant sizes and strides on TPUs}}
    %y = tensor.extract_slice %x[0, 0] [%i, 128] [1, 1] : tensor<8x128xf32> to tensor<?x128xf32>
    %z = tensor.insert_slice %y into %x[0, 0] [%i, 128] [1, 1] : tensor<?x128xf32> into tensor<8x128xf32>
    pallas.swap %b[...], %z : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
  }
  return
}

// -----

func.func @powers() {
  pallas.pallas_call @k grid() kernel(%a: !pallas.ref<8x128xi32, vmem>, %b: !pallas.ref<8x128xi32, vmem>) {
    %x = pallas.get %a[...] : !pallas.ref<8x128xi32, vmem>
    %y = pallas.get %b[...] : !pallas.ref<8x128xi32, vmem>
    // expected-error @below {{'math.ipowi' op of integers needs a constant exponent on TPUs; multiply in a loop instead}}
    %z = math.ipowi %x, %y : tensor<8x128xi32>
    pallas.swap %b[...], %z : !pallas.ref<8x128xi32, vmem>, tensor<8x128xi32>
  }
  return
}

// -----

func.func @launch_control() {
  pallas.pallas_call @k grid() kernel() {
    // expected-error @below {{memory of type '!pallas.ref<!pallas.barrier<numArrivals = 1>, smem>' doesn't exist on TPUs; use a ref in vmem, smem, hbm or semaphore memory}}
    pallas.run_scoped (%answer: !pallas.ref<16xi8, smem>, %b: !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>) {
      pallas.try_cluster_cancel %answer signals %b : !pallas.ref<16xi8, smem>, !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
      %found = pallas.query_cluster_cancel %answer along [] : !pallas.ref<16xi8, smem>
    }
  }
  return
}
