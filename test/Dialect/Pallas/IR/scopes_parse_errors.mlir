// RUN: pallas-opt %s --verify-diagnostics --split-input-file

func.func @no_arguments() {
  // expected-error @+1 {{expected '(' in argument list}}
  pallas.run_scoped {}
  return
}

// -----

func.func @argument_type() {
  // expected-error @+1 {{expected}}
  pallas.run_scoped (%a) {}
  return
}

// -----

func.func @initial_value(%v: tensor<8xf32>) {
  // expected-error @+1 {{expected '='}}
  %0 = pallas.run_state (%a: !pallas.ref<8xf32, vmem>) {}
  return
}

// -----

func.func @no_mesh() {
  // expected-error @+1 {{expected '<'}}
  pallas.core_map () {}
  return
}

// -----

func.func @collective() {
  // expected-error @+1 {{invalid kind of attribute}}
  pallas.run_scoped (%a: !pallas.ref<8xf32, smem>) collective "x" {}
  return
}
