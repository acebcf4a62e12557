// RUN: pallas-opt %s --pallas-to-llvm --split-input-file --verify-diagnostics

// expected-error @+1 {{is still used after inlining, so it calls itself, or has several blocks where a loop calls it; neither has a native form}}
func.func @around(%x: tensor<8xf32>) -> tensor<8xf32> {
  %r = func.call @around(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

func.func @entry(%x: tensor<8xf32>) -> tensor<8xf32> {
  %r = func.call @again(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}
// expected-error @+1 {{is still used after inlining, so it calls itself, or has several blocks where a loop calls it; neither has a native form}}
func.func private @again(%x: tensor<8xf32>) -> tensor<8xf32> {
  %r = func.call @again(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}
