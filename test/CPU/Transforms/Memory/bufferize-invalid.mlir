// RUN: pallas-opt %s --pallas-cpu-bufferize --verify-diagnostics

func.func @switch(%i: index, %x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'scf.index_switch' op yields tensors, which only branches may; run --pallas-cpu-expand-switches first}}
  %r = scf.index_switch %i -> tensor<8xf32>
  case 0 {
    scf.yield %x : tensor<8xf32>
  }
  default {
    scf.yield %y : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}
