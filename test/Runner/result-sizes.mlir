// RUN: not pallas-run %s --no-cache --entry large 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not pallas-run %s --no-cache --entry countless 2>&1 | FileCheck %s --check-prefix=COUNTLESS
// RUN: not pallas-run %s --no-cache --entry large --devices=2 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not pallas-run %s --no-cache --entry large --diff-passes=canonicalize 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not pallas-run %s --no-cache --entry unknown --in %t.npy 2>&1 | FileCheck %s --check-prefix=FILE

// Results that no memory holds are an error of the call.

// LARGE: pallas-run: there is not enough memory for a result of type tensor<1000000000000000xf32>
func.func @large() -> tensor<1000000000000000xf32> {
  %0 = tensor.empty() : tensor<1000000000000000xf32>
  return %0 : tensor<1000000000000000xf32>
}

// COUNTLESS: pallas-run: there is not enough memory for a result of type tensor<4611686018427387904x4611686018427387904xf32>
func.func @countless() -> tensor<4611686018427387904x4611686018427387904xf32> {
  %0 = tensor.empty() : tensor<4611686018427387904x4611686018427387904xf32>
  return %0 : tensor<4611686018427387904x4611686018427387904xf32>
}

// FILE: {{.*}}.npy: No such file or directory
func.func @unknown(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
