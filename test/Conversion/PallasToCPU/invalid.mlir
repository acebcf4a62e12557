// RUN: pallas-opt %s --pallas-grids-to-loops --pallas-meshes-to-loops --convert-pallas-to-cpu --split-input-file --verify-diagnostics --allow-unregistered-dialect
// Checked code is refused for the same reasons, in the name of the same operations.
// RUN: pallas-opt %s --pallas-insert-checks --pallas-grids-to-loops --pallas-meshes-to-loops --pallas-insert-memory-checks --convert-pallas-to-cpu=checked=true --split-input-file --verify-diagnostics --allow-unregistered-dialect

// expected-error @+2 {{'func.func' op forwards a ref of type '!pallas.ref<8xf32, vmem>', whose memory is not known on CPUs; inline the function, or use the ref that a call or a scope makes}}
// expected-note @+1 {{this one}}
func.func @argument(%r: !pallas.ref<8xf32, vmem>) -> tensor<8xf32> {
  %v = pallas.get %r[...] : !pallas.ref<8xf32, vmem>
  return %v : tensor<8xf32>
}

// -----

func.func @foreign() -> tensor<8xf32> {
  // expected-error @+2 {{'foreign.make' op forwards a ref of type '!pallas.ref<8xf32, vmem>'}}
  // expected-note @+1 {{this one}}
  %r = "foreign.make"() : () -> !pallas.ref<8xf32, vmem>
  %v = pallas.get %r[...] : !pallas.ref<8xf32, vmem>
  return %v : tensor<8xf32>
}

// -----

func.func @choice(%c: i1) -> tensor<8xf32> {
  %o = pallas.run_scoped (%a: !pallas.ref<8xf32, vmem>, %b: !pallas.ref<8xf32, vmem>) -> tensor<8xf32> {
    // expected-error @+2 {{'arith.select' op forwards a ref of type '!pallas.ref<8xf32, vmem>'}}
    // expected-note @+1 {{this one}}
    %r = arith.select %c, %a, %b : !pallas.ref<8xf32, vmem>
    %v = pallas.get %r[...] : !pallas.ref<8xf32, vmem>
    pallas.yield %v : tensor<8xf32>
  }
  return %o : tensor<8xf32>
}

// -----

!sem = !pallas.ref<!pallas.semaphore, semaphore@sc_vector>

func.func @which_subcore() {
  pallas.mpmd_map
      kernel on <sc_vector, [<core "c" = 2>, <subcore "s" = 16>]> (%sem: !sem) {
    %c1 = arith.constant 1 : i32
    pallas.semaphore_wait %sem, %c1 : !sem
  }
      kernel on <sc_scalar, [<core "c" = 2>]> (%sem: !sem) {
    %c1 = arith.constant 1 : i32
    %c = pallas.axis_index "c"
    // expected-error @+1 {{'pallas.semaphore_signal' op names no coordinate along axis "s", whose 16 points have this memory each; name one in the device id}}
    pallas.semaphore_signal %sem, %c1 device mesh(%c) axes ["c"] : !sem
  }
  return
}

// -----

func.func @dynamic_operand(%x: tensor<?x128xf32>) -> tensor<8x128xf32> {
  // expected-error @+1 {{has an operand of type 'tensor<?x128xf32>'; on CPUs operands are ranked tensors of static shape}}
  %o = pallas.pallas_call grid(1)
      in(%x : tensor<?x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      out(tensor<8x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      kernel(%xr: !pallas.ref<8x128xf32, vmem>, %or: !pallas.ref<8x128xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x128xf32, vmem>
    pallas.swap %or[...], %v : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
  }
  return %o : tensor<8x128xf32>
}

// -----

func.func @element_of_none(%x: tensor<0x128xf32>, %i: i32) -> tensor<128xf32> {
  %ref = pallas.new_ref %x : tensor<0x128xf32> -> !pallas.ref<0x128xf32, vmem>
  // expected-error @+1 {{accesses elements of '!pallas.ref<0x128xf32, vmem>', which has none}}
  %v = pallas.get %ref[%i, :] : !pallas.ref<0x128xf32, vmem>
  return %v : tensor<128xf32>
}

// -----

func.func @wide_view_of_unknown_size(%n: i32, %x: tensor<16x8xi16>) {
  pallas.run_scoped (%a: !pallas.ref<16x8xi16, vmem>) {
    %s = pallas.slice_ref %a[ds(0, %n), ds(0, 8)] : !pallas.ref<16x8xi16, vmem>
    // expected-error @+1 {{changes the width of elements of '!pallas.ref<?x8xi16, vmem>', whose shape is not static; bitcast the whole ref and slice the view}}
    %w = pallas.bitcast_ref %s : !pallas.ref<?x8xi16, vmem> -> !pallas.ref<?x8xi32, vmem>
  }
  return
}

// -----

func.func @global_types() {
  %0 = pallas.get_global "x" : !pallas.ref<4xf32, gmem>
  // expected-error @+1 {{has type '!pallas.ref<8xf32, gmem>', but the memory "x" is another one elsewhere; use one type}}
  %1 = pallas.get_global "x" : !pallas.ref<8xf32, gmem>
  return
}

// -----

func.func @reshape_of_strided() {
  pallas.run_scoped (%a: !pallas.ref<8x16xf32, vmem>) {
    %s = pallas.slice_ref %a[ds(0, 8), ds(0, 8)] : !pallas.ref<8x16xf32, vmem>
    // expected-error @+1 {{reshapes '!pallas.ref<8x8xf32, vmem>', whose elements don't lie densely in memory; reshape the value that pallas.get yields instead}}
    %r = pallas.reshape_ref %s : !pallas.ref<8x8xf32, vmem> -> !pallas.ref<64xf32, vmem>
    %v = pallas.get %r[...] : !pallas.ref<64xf32, vmem>
  }
  return
}

// -----

func.func @random_bits() {
  // expected-error @+1 {{yields 'tensor<8xi64>'; on CPUs the generator yields integers of up to 32 bits}}
  %0 = pallas.prng_random_bits : tensor<8xi64>
  return
}

// -----

func.func @core_barrier() {
  // expected-error @+1 {{waits for the cores along axis "x", which the mesh around it does not have; name one of its axes}}
  pallas.core_barrier "x"
  return
}

// -----

func.func @foreign_use() {
  pallas.run_scoped (%a: !pallas.ref<8xf32, vmem>) {
    // expected-error @+1 {{'foreign.use' op has no form on CPUs: the refs that it uses are plain memory there}}
    "foreign.use"(%a) : (!pallas.ref<8xf32, vmem>) -> ()
    pallas.yield
  }
  return
}

// -----

func.func @multicast(%x: tensor<8xi32>) -> tensor<8xi32> {
  %o = pallas.pallas_call grid()
      in(%x : tensor<8xi32>) block<[8], gmem>
      out(tensor<8xi32>) block<[8], gmem>
      kernel(%xr: !pallas.ref<8xi32, gmem>, %or: !pallas.ref<8xi32, gmem>) {
    // expected-error @+1 {{'pallas.multicast_ref' op has no form on CPUs: the refs that it uses are plain memory there}}
    %r = pallas.multicast_ref %or axes ["x"] : !pallas.ref<8xi32, gmem>
    %v = pallas.get %xr[...] : !pallas.ref<8xi32, gmem>
    pallas.swap %r[...], %v : !pallas.ref<8xi32, gmem>, tensor<8xi32>
  }
  return %o : tensor<8xi32>
}

// -----

func.func @multimem_load_reduce(%x: tensor<8xi32>) -> tensor<8xi32> {
  %o = pallas.pallas_call grid()
      in(%x : tensor<8xi32>) block<[8], gmem>
      out(tensor<8xi32>) block<[8], gmem>
      kernel(%xr: !pallas.ref<8xi32, gmem>, %or: !pallas.ref<8xi32, gmem>) {
    // expected-error @+1 {{'pallas.multimem_load_reduce' op has no form on CPUs: the refs that it uses are plain memory there}}
    %v = pallas.multimem_load_reduce <add> %xr axes ["x"] : !pallas.ref<8xi32, gmem> -> tensor<8xi32>
    pallas.swap %or[...], %v : !pallas.ref<8xi32, gmem>, tensor<8xi32>
  }
  return %o : tensor<8xi32>
}

// -----

!done = !pallas.ref<!pallas.dma_semaphore, semaphore>

func.func @indices_on_both_sides(%x: tensor<8xi32>) {
  %r = pallas.new_ref %x : tensor<8xi32> -> !pallas.ref<8xi32, vmem>
  pallas.run_scoped (%i: !pallas.ref<4xi32, vmem>, %d: !done) {
    %a = pallas.slice_ref %r[gather(%i : !pallas.ref<4xi32, vmem>)] : !pallas.ref<8xi32, vmem>
    // expected-error @+1 {{selects elements of both its source and its target by index arrays; copy through a ref in between}}
    pallas.dma_start %a to %a signals %d : !pallas.ref<4xi32, vmem>, !pallas.ref<4xi32, vmem>, !done
  }
  return
}

// -----

func.func @dynamic_result(%x: tensor<8xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{has a result of type 'tensor<?xf32>'; on CPUs results are ranked tensors of static shape}}
  %o = pallas.pallas_call grid(1)
      in(%x : tensor<8xf32>) block<[8], vmem> map(%i) -> (%i)
      out(tensor<?xf32>) block<[8], vmem> map(%i) -> (%i)
      kernel(%xr: !pallas.ref<8xf32, vmem>, %or: !pallas.ref<8xf32, vmem>) {
  }
  return %o : tensor<?xf32>
}

// -----

func.func @number_of_indices(%x: tensor<8xi32>, %n: i32, %v: tensor<?xi32>) {
  %r = pallas.new_ref %x : tensor<8xi32> -> !pallas.ref<8xi32, vmem>
  pallas.run_scoped (%b: !pallas.ref<8xi32, vmem>, %d: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
    // expected-error @+1 {{takes a number of indices that is known at run time only, which refs of indices can have; slice the ref that holds them}}
    %a = pallas.slice_ref %r[gather(%v : tensor<?xi32>)] : !pallas.ref<8xi32, vmem>
    %to = pallas.slice_ref %b[ds(0, %n)] : !pallas.ref<8xi32, vmem>
    pallas.dma_start %a to %to signals %d : !pallas.ref<?xi32, vmem>, !pallas.ref<?xi32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    pallas.dma_wait %a to %to signals %d : !pallas.ref<?xi32, vmem>, !pallas.ref<?xi32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
  }
  return
}

// -----

func.func private @host(tensor<4xf32>) -> tensor<?xf32> attributes {pallas.host_call = 42 : i64}

func.func @dynamic_result_of_host(%x: tensor<4xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{has a result of type 'tensor<?xf32>'; functions of the process yield arrays of static shape}}
  %0 = func.call @host(%x) : (tensor<4xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @view_of_another_block() {
  pallas.core_map <gpu, [<grid "b" = 1>, <cluster "c" = 2>, <cluster "d" = 2>]> () {
    pallas.run_scoped (%s: !pallas.ref<8xi32, smem>) {
      %i = pallas.axis_index "c"
      %j = pallas.axis_index "d"
      %there = pallas.cluster_ref %s, "c" = %i : !pallas.ref<8xi32, smem>
      %part = pallas.slice_ref %there[ds(0, 4)] : !pallas.ref<8xi32, smem>
      // expected-error @below {{names another block of memory of another block behind a view; name all axes, then make the view}}
      %r = pallas.cluster_ref %part, "d" = %j : !pallas.ref<4xi32, smem>
      pallas.swap %r[0], %i : !pallas.ref<4xi32, smem>, i32
    }
  }
  return
}

// -----

// The other core would not see the copy of the view.
!words = !pallas.ref<2x8xi32, vmem>
!sem = !pallas.ref<!pallas.dma_semaphore, semaphore>
func.func @copy_to_packed_view() {
  %o = pallas.pallas_call grid() out(tensor<4x8xi16>) block<[4, 8], hbm> kernel(%o: !pallas.ref<4x8xi16, hbm>) {
    pallas.core_map <tensorcore, [<core "core" = 2>]> (%r: !pallas.ref<4x8xi16, vmem>, %x: !words, %s: !sem) {
      %core = pallas.axis_index "core"
      %view = pallas.bitcast_ref %r : !pallas.ref<4x8xi16, vmem> -> !words
      // expected-error @+1 {{'pallas.dma_start' op copies to another core through '!pallas.ref<2x8xi32, vmem>', a view of elements of another width; such a copy adds nothing, has static sizes, and rows that are known to be whole rows of the ref behind the view}}
      pallas.dma_start %x to %view signals %s core %core {add} : !words, !words, !sem
    }
  }
  return
}
