// RUN: pallas-opt %s --pallas-discharge-state --verify-diagnostics --split-input-file

// What has no meaning as values is refused where it stands.

func.func @several_blocks(%g: tensor<64x64xf16>) {
  %ref = pallas.new_ref %g : tensor<64x64xf16> -> !pallas.ref<64x64xf16, gmem>
  pallas.run_scoped (%s: !pallas.ref<64x64xf16, smem>, %b: !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>) {
    // expected-error @+1 {{copies to several blocks along ["c"], whose memory is no value of one; copy to each block on its own}}
    pallas.copy_gmem_to_smem %ref to %s signals %b collective ["c"]
      : !pallas.ref<64x64xf16, gmem>, !pallas.ref<64x64xf16, smem>, !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
  }
  return
}

// -----

func.func private @add(%a: !pallas.ref<8xf32, vmem>, %b: !pallas.ref<8xf32, vmem>) {
  %v = pallas.get %a[...] : !pallas.ref<8xf32, vmem>
  pallas.addupdate %b[...], %v : !pallas.ref<8xf32, vmem>, tensor<8xf32>
  return
}

func.func @one_ref_twice(%a: !pallas.ref<8xf32, vmem>) {
  // expected-error @+1 {{passes one ref twice, so its contents would have two values; pass it once}}
  func.call @add(%a, %a) : (!pallas.ref<8xf32, vmem>, !pallas.ref<8xf32, vmem>) -> ()
  return
}

// -----

// expected-error @+1 {{has branches between blocks, which refs can't be followed through; use scf instead}}
func.func @branches(%a: !pallas.ref<8xf32, vmem>, %c: i1) {
  cf.cond_br %c, ^one, ^two
^one:
  %v = pallas.get %a[...] : !pallas.ref<8xf32, vmem>
  cf.br ^two
^two:
  return
}

// -----

func.func @signal(%n: i32) {
  pallas.run_scoped (%s: !pallas.ref<!pallas.semaphore, semaphore>) {
    // expected-error @+1 {{signals another device or core, whose semaphore is no value here}}
    pallas.semaphore_signal %s, %n core %n : !pallas.ref<!pallas.semaphore, semaphore>
  }
  return
}

// -----

func.func @remote_copy(%n: i32) {
  pallas.run_scoped (%a: !pallas.ref<8xf32, vmem>, %s: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
    // expected-error @+1 {{copies to another device or core, whose memory is no value here}}
    pallas.dma_start %a to %a signals %s source_signals %s device logical(%n)
      : !pallas.ref<8xf32, vmem>, !pallas.ref<8xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>, !pallas.ref<!pallas.dma_semaphore, semaphore>
  }
  return
}

// -----

func.func @wgmma(%acc: tensor<64x128xf32>, %a: !pallas.ref<64x64xf16, smem>, %b: !pallas.ref<64x128xf16, smem>) -> tensor<64x128xf32> {
  // expected-error @+1 {{'pallas.wgmma' op uses a ref of type '!pallas.ref<64x64xf16, smem>' that becomes a value, but has no rule for it; implement DischargeableOpInterface}}
  %0 = pallas.wgmma %acc, %a, %b : tensor<64x128xf32>, !pallas.ref<64x64xf16, smem>, !pallas.ref<64x128xf16, smem>
  return %0 : tensor<64x128xf32>
}

// -----

func.func @multimem_load_reduce(%x: !pallas.ref<8xi32, gmem>) -> tensor<8xi32> {
  // expected-error @+1 {{'pallas.multimem_load_reduce' op uses a ref of type '!pallas.ref<8xi32, gmem>' that becomes a value, but has no rule for it; implement DischargeableOpInterface}}
  %0 = pallas.multimem_load_reduce <add> %x axes ["x"] : !pallas.ref<8xi32, gmem> -> tensor<8xi32>
  return %0 : tensor<8xi32>
}

// -----

func.func @get_barrier_semaphore(%n: i32) {
  // expected-error @+1 {{makes a ref of type '!pallas.ref<!pallas.barrier_semaphore, semaphore>' that no value can replace; discharge other memory spaces only}}
  %s = pallas.get_barrier_semaphore : !pallas.ref<!pallas.barrier_semaphore, semaphore>
  pallas.semaphore_signal %s, %n : !pallas.ref<!pallas.barrier_semaphore, semaphore>
  return
}

// -----

func.func @get_global() -> f32 {
  // expected-error @+1 {{makes a ref of type '!pallas.ref<8xf32, gmem>' that no value can replace}}
  %r = pallas.get_global "counter" : !pallas.ref<8xf32, gmem>
  %v = pallas.get %r[0] : !pallas.ref<8xf32, gmem>
  return %v : f32
}

// -----

func.func @cluster_ref(%x: !pallas.ref<8xi32, smem>, %n: i32) {
  // expected-error @+1 {{'pallas.cluster_ref' op uses a ref of type '!pallas.ref<8xi32, smem>' that becomes a value, but has no rule for it; implement DischargeableOpInterface}}
  %0 = pallas.cluster_ref %x, "c" = %n : !pallas.ref<8xi32, smem>
  pallas.swap %0[0], %n : !pallas.ref<8xi32, smem>, i32
  return
}

// -----

func.func @remote_ref(%x: !pallas.ref<8xi32, smem>, %n: i32) {
  // expected-error @+1 {{'pallas.remote_ref' op uses a ref of type '!pallas.ref<8xi32, smem>' that becomes a value, but has no rule for it; implement DischargeableOpInterface}}
  %0 = pallas.remote_ref %x device logical(%n) : !pallas.ref<8xi32, smem>
  pallas.swap %0[0], %n : !pallas.ref<8xi32, smem>, i32
  return
}

// -----

func.func @multicast_ref(%x: !pallas.ref<8xi32, smem>, %n: i32) {
  // expected-error @+1 {{'pallas.multicast_ref' op uses a ref of type '!pallas.ref<8xi32, smem>' that becomes a value, but has no rule for it; implement DischargeableOpInterface}}
  %0 = pallas.multicast_ref %x axes ["x"] : !pallas.ref<8xi32, smem>
  pallas.swap %0[0], %n : !pallas.ref<8xi32, smem>, i32
  return
}

// -----

func.func @barrier_wait_parity(%b: !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>, %parity: i1) {
  // expected-error @+1 {{'pallas.barrier_wait_parity' op uses a ref of type '!pallas.ref<!pallas.barrier<numArrivals = 1>, smem>' that becomes a value, but has no rule for it; implement DischargeableOpInterface}}
  pallas.barrier_wait_parity %b, %parity : !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
  return
}

// -----

func.func @dynamic_array(%x: tensor<?xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{has an array of type 'tensor<?xf32>', but loops over values need tensors of static shape}}
  %o = pallas.pallas_call grid(1)
      in(%x : tensor<?xf32>) block<[8], vmem> map(%i) -> (%i)
      out(tensor<8xf32>) block<[8], vmem> map(%i) -> (%i)
      kernel(%xr: !pallas.ref<8xf32, vmem>, %or: !pallas.ref<8xf32, vmem>) {
  }
  return %o : tensor<8xf32>
}

// -----

func.func @bounded_block(%x: tensor<8xf32>) {
  pallas.run_scoped (%r: !pallas.ref<8xf32, vmem>) {
    // expected-error @+1 {{whose elements no rectangle of a value holds; copy them to a window of their own}}
    pallas.emit_pipeline grid(2) in(%r : !pallas.ref<8xf32, vmem>) block<[bounded<4>], vmem> map(%i) {
        pallas.yield %i, %i : i32, i32
      } kernel(%i: i32, %a: !pallas.ref<4xf32, vmem>) {}
  }
  return
}

// -----

func.func @unknown_region(%r: !pallas.ref<8xf32, vmem>, %v: f32) {
  // expected-error @+1 {{'scf.execute_region' op writes to a ref in a region, but does not define how the new value leaves it; implement DischargeableOpInterface}}
  scf.execute_region {
    pallas.swap %r[0], %v : !pallas.ref<8xf32, vmem>, f32
    scf.yield
  }
  return
}

// -----

!acc = !pallas.ref<128x64xf32, tmem>
!places = !pallas.ref<128x64xi2, tmem>
!tiles = !pallas.ref<1x1x128x64xi2, smem>
!half = !pallas.ref<128x64xf32, smem>

func.func @sparse_words(%a: !half, %b: !pallas.ref<128x64xf32, smem>, %t: !tiles, %onto: i1) -> tensor<128x64xf32> {
  %v = pallas.run_scoped (%acc: !acc, %p: !places) -> tensor<128x64xf32> {
    pallas.async_copy_to_tmem sparse_metadata %t to %p : !tiles, !places
    // expected-error @below {{multiplies a sparse operand of 'f32'; it has elements of 8 or 16 bits}}
    pallas.tcgen05_mma %acc, %a, %b accumulate %onto sparse(%p : !places) : !acc, !half, !pallas.ref<128x64xf32, smem>
    %r = pallas.async_load_tmem %acc : !acc -> tensor<128x64xf32>
    pallas.yield %r : tensor<128x64xf32>
  }
  return %v : tensor<128x64xf32>
}

// -----

!bar = !pallas.ref<!pallas.barrier<numArrivals = 2>, smem>

func.func @parity(%b: !bar, %parity: i1) -> i1 {
  // expected-error @below {{goes by the parity of a phase, which has no form as a value; test without a parity}}
  %done = pallas.barrier_test %b parity %parity : !bar
  return %done : i1
}
