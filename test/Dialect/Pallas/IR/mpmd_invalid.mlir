// RUN: pallas-opt %s --verify-diagnostics --split-input-file

func.func @no_mesh() {
  // X1
  // expected-error @+1 {{has no mesh; give at least one mesh with a kernel}}
  pallas.mpmd_map
  return
}

// -----

func.func @mesh_count() {
  // X1
  // expected-error @+1 {{has 1 meshes, but 0 kernels; give one kernel per mesh}}
  "pallas.mpmd_map"() <{meshes = [#pallas.mesh<tensorcore, [<core "c" = 1>]>]}> : () -> ()
  return
}

// -----

func.func @names() {
  // V4
  // expected-error @+1 {{has the kernel names ["a", "b"], but 1 kernels; give one string for each}}
  "pallas.mpmd_map"() <{meshes = [#pallas.mesh<tensorcore, [<core "c" = 1>]>], kernelNames = ["a", "b"]}> ({
    pallas.yield
  }) : () -> ()
  return
}

// -----

func.func @scratch_core() {
  // X2
  // expected-error @+1 {{scratch argument 0 of kernel 0 has type '!pallas.ref<8xf32, vmem>', but with several meshes it must name a core; write the core behind the space, as in vmem@sc_vector, or use hbm or vmem_shared}}
  pallas.mpmd_map
    kernel on <sc_scalar, [<core "c" = 2>]> (%s: !pallas.ref<8xf32, vmem>) {}
    kernel on <sc_vector, [<core "c" = 2>, <subcore "s" = 16>]> (%s: !pallas.ref<8xf32, vmem>) {}
  return
}

// -----

func.func @two_scalar_meshes() {
  // X3
  // expected-error @+1 {{meshes 0 and 1 do not go together, #pallas.mesh<sc_scalar, [<core "c" = 2>]> and #pallas.mesh<sc_scalar, [<core "d" = 2>]>: each kind of core takes one mesh}}
  pallas.mpmd_map kernel on <sc_scalar, [<core "c" = 2>]> () {} kernel on <sc_scalar, [<core "d" = 2>]> () {}
  return
}

// -----

func.func @core_axis() {
  // X3
  // expected-error @+1 {{the scalar and vector subcores of a SparseCore share their core axis; give both the same name and size}}
  pallas.mpmd_map kernel on <sc_scalar, [<core "c" = 2>]> () {} kernel on <sc_vector, [<core "d" = 2>, <subcore "s" = 16>]> () {}
  return
}

// -----

func.func @tensorcore_name() {
  // X3
  // expected-error @+1 {{both name an axis "c"; a TensorCore mesh needs names of its own}}
  pallas.mpmd_map kernel on <tensorcore, [<core "c" = 2>]> () {} kernel on <sc_scalar, [<core "c" = 2>]> () {}
  return
}

// -----

func.func @tensorcore_name_behind() {
  // X3; in the other order too
  // expected-error @+1 {{both name an axis "c"; a TensorCore mesh needs names of its own}}
  pallas.mpmd_map kernel on <sc_scalar, [<core "c" = 2>]> () {} kernel on <tensorcore, [<core "c" = 2>]> () {}
  return
}

// -----

func.func @gpu_alone() {
  // X3
  // expected-error @+1 {{a GPU mesh runs alone}}
  pallas.mpmd_map kernel on <gpu, [<grid "x" = 2>]> () {} kernel on <sc_scalar, [<core "c" = 2>]> () {}
  return
}

// -----

func.func @axis_size() {
  // X4
  // expected-error @+1 {{axis "c" has size 2 in mesh 0 and 1 in mesh 1; an axis has one size}}
  pallas.mpmd_map external [#pallas.mesh<sc_vector, [<core "c" = 1>, <subcore "s" = 16>]>]
    kernel on <sc_scalar, [<core "c" = 2>]> () {}
  return
}

// -----

func.func @warp_mesh() {
  // X6
  // expected-error @+1 {{but warps exist only inside of a GPU kernel; use pallas.core_map there}}
  pallas.mpmd_map kernel on <warp, [<warp "w" = 4>]> () {}
  return
}

// -----

// X6
// expected-error @+1 {{a sc_vector mesh has at least 1 axes of role subcore, but this one has 0}}
func.func private @mesh_axes() attributes {mesh = #pallas.mesh<sc_vector, [<core "c" = 2>]>}

// -----

// X6
// expected-error @+1 {{a gpu mesh has at most 1 axes of role thread, but this one has 2}}
func.func private @mesh_threads() attributes {mesh = #pallas.mesh<gpu, [<thread "a" = 2>, <thread "b" = 2>]>}

// -----

// X4
// expected-error @+1 {{mesh axis "c" appears twice; name each axis once}}
func.func private @axis_twice() attributes {mesh = #pallas.mesh<sc_vector, [<core "c" = 2>, <subcore "c" = 2>]>}

// -----

func.func @results() {
  // X5
  // expected-error @+1 {{kernel must return nothing, but returns 1 values}}
  pallas.mpmd_map kernel on <tensorcore, [<core "c" = 1>]> () {
    %0 = arith.constant 0 : i32
    // expected-note @+1 {{yielded here}}
    pallas.yield %0 : i32
  }
  return
}

// -----

func.func @alias(%x: tensor<8xf32>) {
  // X11
  // expected-error @+1 {{alias 1 -> 0 names an input that does not exist}}
  %0 = pallas.mpmd_map in(%x : tensor<8xf32>) out(tensor<8xf32>) aliases [1 -> 0]
    kernel on <tensorcore, [<core "c" = 1>]> (%a: !pallas.ref<8xf32, any>, %b: !pallas.ref<8xf32, any>) {}
  return
}

// -----

func.func @alias_types(%x: tensor<8xf32>) {
  // X11
  // expected-error @+1 {{alias 0 -> 0 joins arrays of different types}}
  %0 = pallas.mpmd_map in(%x : tensor<8xf32>) out(tensor<4xf32>) aliases [0 -> 0]
    kernel on <tensorcore, [<core "c" = 1>]> (%a: !pallas.ref<8xf32, any>, %b: !pallas.ref<4xf32, any>) {}
  return
}

// -----

func.func @ref_twice(%r: !pallas.ref<8xf32, any>) {
  // W4
  // expected-error @+1 {{input 1 is a ref that is an input already; pass each ref once and use its argument twice}}
  pallas.mpmd_map in(%r : !pallas.ref<8xf32, any>) in(%r : !pallas.ref<8xf32, any>)
    kernel on <tensorcore, [<core "c" = 1>]> (%a: !pallas.ref<8xf32, any>, %b: !pallas.ref<8xf32, any>) {}
  return
}

// -----

func.func @input_type(%x: tensor<?xf32>) {
  // V2
  // expected-error @+1 {{input 0 has type 'tensor<?xf32>', but must be an array of static shape, with at least one element that a ref can hold, a ref or a scalar}}
  pallas.mpmd_map in(%x : tensor<?xf32>) kernel on <tensorcore, [<core "c" = 1>]> (%a: !pallas.ref<?xf32, any>) {}
  return
}

// -----

func.func @empty_output() {
  // V2
  // expected-error @+1 {{output 0 has type 'tensor<0xf32>', but must be an array of static shape}}
  %0 = pallas.mpmd_map out(tensor<0xf32>) kernel on <tensorcore, [<core "c" = 1>]> (%a: !pallas.ref<0xf32, any>) {}
  return
}

// -----

func.func @arity(%x: tensor<8xf32>) {
  // B16
  // expected-error @+1 {{kernel 0 takes 0 arguments, but needs at least 1: 1 inputs and 0 outputs}}
  pallas.mpmd_map in(%x : tensor<8xf32>) kernel on <tensorcore, [<core "c" = 1>]> () {}
  return
}

// -----

func.func @argument(%x: tensor<8xf32>) {
  // V5
  // expected-error @+1 {{argument 0 of kernel 0 has type '!pallas.ref<4xf32, any>', but must be a ref to the whole 'tensor<8xf32>'}}
  pallas.mpmd_map in(%x : tensor<8xf32>) kernel on <tensorcore, [<core "c" = 1>]> (%a: !pallas.ref<4xf32, any>) {}
  return
}

// -----

func.func @scalar(%n: i32) {
  // V5
  // expected-error @+1 {{argument 0 of kernel 0 has type 'i64', but must be the captured scalar of type 'i32'}}
  pallas.mpmd_map in(%n : i32) kernel on <tensorcore, [<core "c" = 1>]> (%a: i64) {}
  return
}

// -----

func.func @scratch() {
  // A8
  // expected-error @+1 {{scratch argument 0 of kernel 0 must be a ref, but has type 'i32'}}
  pallas.mpmd_map kernel on <tensorcore, [<core "c" = 1>]> (%a: i32) {}
  return
}

// -----

func.func @same_arguments() {
  // V5
  // expected-error @+1 {{kernels 0 and 1 take different arguments, ('!pallas.ref<8xf32, hbm>') and (); all kernels take the same list}}
  pallas.mpmd_map
    kernel on <sc_scalar, [<core "c" = 2>]> (%s: !pallas.ref<8xf32, hbm>) {}
    kernel on <sc_vector, [<core "c" = 2>, <subcore "s" = 16>]> () {}
  return
}
