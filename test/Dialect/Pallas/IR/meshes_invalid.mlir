// RUN: pallas-opt %s --verify-diagnostics --split-input-file

func.func @coordinates(%i: i32) {
  // V28
  // expected-error @+1 {{has 1 coordinates for a mesh of 2 axes; give one per axis}}
  pallas.on_core <sc_vector, [<core "c" = 2>, <subcore "s" = 16>]>(%i) {
  }
  return
}

// -----

func.func @half_a_task(%i: i32) {
  // V28
  // expected-error @+1 {{is on a mesh of 1 axes; a task needs a first_axis of at most that, and a first_task}}
  pallas.on_core <tensorcore, [<core "c" = 2>]>(%i) first_axis 0 {
  }
  return
}

// -----

func.func @far_axis(%i: i32) {
  // V28
  // expected-error @+1 {{is on a mesh of 1 axes; a task needs a first_axis of at most that}}
  pallas.on_core <tensorcore, [<core "c" = 2>]>(%i) first_axis 2 first_task 0 {
  }
  return
}

// -----

func.func @number() {
  // V28
  // expected-error @+1 {{argument 0 has type 'i32', which is no memory; use a ref or an accumulator}}
  pallas.task_scope first_axis 0 (%s: i32 of <tensorcore, [<core "c" = 2>]>) {
  }
  return
}

// -----

func.func @owners() {
  // V28
  // expected-error @+1 {{has 1 refs, but 0 meshes whose cores have them; give one for each}}
  "pallas.task_scope"() <{firstAxis = 0 : i64, owners = []}> ({
  ^bb0(%s: !pallas.ref<8xf32, vmem>):
  }) : () -> ()
  return
}

// -----

func.func @far_owner() {
  // V28
  // expected-error @+1 {{has tasks from axis 2 on, but #pallas.mesh<tensorcore, [<core "c" = 2>]> has 1 axes}}
  pallas.task_scope first_axis 2 (%s: !pallas.ref<8xf32, vmem> of <tensorcore, [<core "c" = 2>]>) {
  }
  return
}

// -----

func.func @scratch_of_all() {
  // expected-note @+1 {{argument 0 of this scope}}
  pallas.task_scope first_axis 0 (%s: !pallas.ref<8xf32, vmem> of <tensorcore, [<core "c" = 2>]>) {
    // V28
    // expected-error @+1 {{uses the scratch of all cores; each core sees its own by pallas.core_scratch}}
    %v = pallas.get %s[...] : !pallas.ref<8xf32, vmem>
  }
  return
}

// -----

func.func @no_scope(%s: !pallas.ref<8xf32, vmem>, %i: i32) {
  pallas.on_core <tensorcore, [<core "c" = 2>]>(%i) {
    // V28
    // expected-error @+1 {{is an instance of '!pallas.ref<8xf32, vmem>', which cores don't have one each of; use an argument of a pallas.task_scope}}
    %own = pallas.core_scratch %s : !pallas.ref<8xf32, vmem>
  }
  return
}

// -----

func.func @no_core() {
  pallas.task_scope first_axis 0 (%s: !pallas.ref<8xf32, vmem> of <tensorcore, [<core "c" = 2>]>) {
    // V28
    // expected-error @+1 {{belongs to a core, but none is around; move it into a pallas.on_core}}
    %own = pallas.core_scratch %s : !pallas.ref<8xf32, vmem>
  }
  return
}

// -----

func.func @no_mesh() {
  // expected-error @+1 {{expected 'of'}}
  pallas.task_scope first_axis 0 (%s: !pallas.ref<8xf32, vmem>) {
  }
  return
}

// -----

func.func @cluster_outside() {
  // expected-error @+1 {{is in no pallas.on_core, whose mesh has the blocks; put it into one}}
  pallas.cluster_sync
  return
}
