// RUN: pallas-opt %s --convert-pallas-to-linalg --split-input-file --verify-diagnostics

func.func @dynamic(%a: tensor<?x8xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{needs static shapes to become loops, but works on 'tensor<?x8xf32>'; cast it to a static shape first}}
  %0 = pallas.reduce <add> %a dims [1] : tensor<?x8xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @dynamic_reciprocal(%a: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-error @+1 {{needs static shapes to become loops, but works on 'tensor<?x8xf32>'; cast it to a static shape first}}
  %0 = pallas.reciprocal %a : tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// -----

func.func @complex(%a: tensor<8xcomplex<f32>>, %s: i32) -> tensor<8xcomplex<f32>> {
  // expected-error @+1 {{works on 'tensor<8xcomplex<f32>>', but loops compute on signless integers and floats; split or convert the elements first}}
  %0 = pallas.roll %a by %s dim 0 : tensor<8xcomplex<f32>>
  return %0 : tensor<8xcomplex<f32>>
}
