// RUN: pallas-opt %s --verify-diagnostics --split-input-file

func.func @kind(%x: tensor<8xf32>) {
  // expected-error @+2 {{expected ::mlir::pallas::CombiningKind to be one of}}
  // expected-error @+1 {{failed to parse Pallas_CombiningKindAttr parameter 'value'}}
  %0 = pallas.reduce <sum> %x dims [0] : tensor<8xf32>
  return
}

// -----

func.func @no_rank(%x: tensor<*xf32>) {
  // expected-error @+1 {{invalid kind of type specified: expected builtin.tensor, but found 'tensor<*xf32>'}}
  %0 = pallas.reduce <add> %x dims [0] : tensor<*xf32>
  return
}

// -----

func.func @no_contraction(%x: tensor<8xf32>) {
  // expected-error @+1 {{expected 'contract'}}
  %0 = pallas.dot_general %x, %x : tensor<8xf32>, tensor<8xf32> -> f32
  return
}
