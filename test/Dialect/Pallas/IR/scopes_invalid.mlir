// RUN: pallas-opt %s --verify-diagnostics --split-input-file

func.func @ref_result() {
  // V9
  // expected-error @+1 {{result 0 has type '!pallas.ref<8xf32, vmem>', but no ref may leave its scope; yield the value that it holds}}
  %0 = pallas.run_scoped (%a: !pallas.ref<8xf32, vmem>) -> !pallas.ref<8xf32, vmem> {
    pallas.yield %a : !pallas.ref<8xf32, vmem>
  }
  return
}

// -----

func.func @collective_accumulator() {
  // V9
  // expected-error @+1 {{argument 0 is an accumulator, which lives in the registers of one warpgroup, but the scope is collective over ["wg"]; reserve it in a scope of its own}}
  pallas.run_scoped (%a: !pallas.accumulator<64x8xf32>) collective ["wg"] {}
  return
}

// -----

func.func @collective_axis() {
  // expected-note @+1 {{the kernel belongs to this}}
  pallas.mpmd_map kernel on <gpu, [<thread "wg" = 2>]> () {
    // V9
    // expected-error @+1 {{is collective over the axis "core", which the kernel around does not have; name an axis of its mesh or grid}}
    pallas.run_scoped (%a: !pallas.ref<8xf32, smem>) collective ["core"] {}
  }
  return
}

// -----

func.func @scope_argument() {
  // A8
  // expected-error @+1 {{argument 0 must be a ref or an accumulator, but has type 'i32'; use values of the surroundings directly}}
  pallas.run_scoped (%a: i32) {}
  return
}

// -----

func.func @scope_shape() {
  // J8
  // expected-error @+1 {{argument 0 has type '!pallas.ref<?xf32, vmem>', but memory of unknown size cannot be reserved; use a static shape}}
  pallas.run_scoped (%a: !pallas.ref<?xf32, vmem>) {}
  return
}

// -----

func.func @scope_yield() {
  // V3
  // expected-error @+1 {{body must yield values of types 'i32', but yields nothing; end it with pallas.yield and the values}}
  %0 = pallas.run_scoped () -> i32 {
    // expected-note @+1 {{yielded here}}
    pallas.yield
  }
  return
}

// -----

func.func @core_map_yield() {
  // X5
  // expected-error @+1 {{body must return nothing, but returns 1 values}}
  pallas.core_map <tensorcore, [<core "c" = 2>]> () {
    %0 = arith.constant 0 : i32
    // expected-note @+1 {{yielded here}}
    pallas.yield %0 : i32
  }
  return
}

// -----

func.func @state_count(%v: f32) {
  // V10
  // expected-error @+1 {{has 1 initial values, but 0 region arguments and 1 results; each ref needs one of each}}
  %0 = "pallas.run_state"(%v) ({ pallas.yield }) : (f32) -> f32
  return
}

// -----

func.func @state_results(%v: f32) {
  // V10
  // expected-error @+1 {{has 1 initial values, but 1 region arguments and 0 results; each ref needs one of each}}
  "pallas.run_state"(%v) ({
  ^bb0(%a: !pallas.ref<f32, smem>):
    pallas.yield
  }) : (f32) -> ()
  return
}

// -----

func.func @state_semaphore(%v: f32) {
  // V10
  // expected-error @+1 {{argument 0 has type '!pallas.ref<!pallas.semaphore, semaphore>', which holds no value; reserve semaphores with pallas.run_scoped}}
  %0 = pallas.run_state (%a: !pallas.ref<!pallas.semaphore, semaphore> = %v : f32) {}
  return
}

// -----

func.func @state_type(%v: f32) {
  // V10
  // expected-error @+1 {{argument 0 holds 'tensor<8xf32>', but starts as 'f32' and ends as 'f32'}}
  %0 = pallas.run_state (%a: !pallas.ref<8xf32, vmem> = %v : f32) {}
  return
}

// -----

func.func @two_blocks() {
  // V3
  // expected-error @+1 {{region #0 ('body') failed to verify constraint: region with 1 blocks}}
  "pallas.run_scoped"() ({}) : () -> ()
  return
}

// -----

func.func @axis_twice() {
  // expected-note @+1 {{the axis around belongs here}}
  pallas.core_map <tensorcore, [<core "core" = 2>]> () {
    // V25
    // expected-error @+1 {{runs over the axis "core", but so do the surroundings; name one of them otherwise}}
    pallas.core_map <tensorcore, [<core "core" = 4>]> () {
    }
  }
  return
}

// -----

func.func @no_yield() -> f32 {
  // V3
  // expected-error @+2 {{body must yield values of types 'f32', but yields nothing; end it with pallas.yield and the values}}
  // expected-note @+1 {{yielded here}}
  %0 = pallas.run_scoped (%a: !pallas.ref<8xf32, vmem>) -> f32 {
    %1 = pallas.get %a[0] : !pallas.ref<8xf32, vmem>
  }
  return %0 : f32
}

// -----

func.func @barrier_axis() {
  // expected-note @+1 {{the kernel belongs to this}}
  pallas.core_map <sc_vector, [<core "core" = 2>, <subcore "subcore" = 16>]> () {
    // V25
    // expected-error @+1 {{waits along the axis "cores", which the kernel around does not have; name an axis of its mesh or grid}}
    pallas.core_barrier "cores"
  }
  return
}

// -----

func.func @cluster_axis(%s: !pallas.ref<8xf32, smem>, %i: i32) {
  // expected-note @+1 {{the kernel belongs to this}}
  pallas.core_map <gpu, [<grid "x" = 2>, <cluster "c" = 2>]> () {
    // V25
    // expected-error @+1 {{goes to a block along the axis "d", which the kernel around does not have; name an axis of its mesh or grid}}
    %0 = pallas.cluster_ref %s, "d" = %i : !pallas.ref<8xf32, smem>
  }
  return
}
