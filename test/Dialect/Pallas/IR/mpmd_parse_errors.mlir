// RUN: pallas-opt %s --verify-diagnostics --split-input-file

func.func @no_mesh() {
  // expected-error @+1 {{expected 'on'}}
  pallas.mpmd_map kernel () {}
  return
}

// -----

func.func @mesh_kind() {
  // expected-error @+1 {{for kind of mesh, got: cpu}}
  pallas.mpmd_map kernel on <cpu, [<core "c" = 2>]> () {}
  return
}

// -----

func.func @axis_role() {
  // expected-error @+1 {{a gpu mesh has at most 0 axes of role warp, but this one has 1}}
  pallas.mpmd_map kernel on <gpu, [<warp "w" = 2>]> () {}
  return
}

// -----

func.func @input_type(%x: tensor<8xf32>) {
  // expected-error @+1 {{expected ':'}}
  pallas.mpmd_map in(%x) kernel on <tensorcore, [<core "c" = 2>]> (%a: !pallas.ref<8xf32, hbm>) {}
  return
}

// -----

func.func @aliases(%x: tensor<8xf32>) {
  // expected-error @+1 {{expected '->'}}
  %0 = pallas.mpmd_map in(%x : tensor<8xf32>) out(tensor<8xf32>) aliases [0, 0] kernel on <tensorcore, [<core "c" = 2>]> () {}
  return
}
