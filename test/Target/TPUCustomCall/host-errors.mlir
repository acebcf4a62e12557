// RUN: split-file %s %t

// An operation outside of kernels that has no form in StableHLO is an error.

//--- compare.mlir
// RUN: not pallas-translate --to-tpu-custom-call %t/compare.mlir 2>&1 | FileCheck %t/compare.mlir
// CHECK: error: 'arith.cmpi' op compares other than with zero by ne, which has no StableHLO form here; do it in a kernel
func.func @main(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi1> {
  %0 = arith.cmpi ne, %x, %y : tensor<8xi32>
  return %0 : tensor<8xi1>
}

//--- extend.mlir
// RUN: not pallas-translate --to-tpu-custom-call %t/extend.mlir 2>&1 | FileCheck %t/extend.mlir
// CHECK: error: 'arith.extui' op extends 'tensor<8xi8>' by zeros, which has no StableHLO form here; do it in a kernel
func.func @main(%x: tensor<8xi8>) -> tensor<8xi32> {
  %0 = arith.extui %x : tensor<8xi8> to tensor<8xi32>
  return %0 : tensor<8xi32>
}

//--- pad_by_places.mlir
// RUN: not pallas-translate --to-tpu-custom-call %t/pad_by_places.mlir 2>&1 | FileCheck %t/pad_by_places.mlir
// CHECK: error: 'tensor.pad' op needs constant amounts and one padding value to be written as StableHLO
func.func @main(%x: tensor<8xi32>) -> tensor<10xi32> {
  %0 = tensor.pad %x low[0] high[2] {
  ^bb0(%a: index):
    %i = arith.index_cast %a : index to i32
    tensor.yield %i : i32
  } : tensor<8xi32> to tensor<10xi32>
  return %0 : tensor<10xi32>
}

//--- pad_by_poison.mlir
// RUN: not pallas-translate --to-tpu-custom-call %t/pad_by_poison.mlir 2>&1 | FileCheck %t/pad_by_poison.mlir
// CHECK: error: 'tensor.pad' op pads with a value that it computes itself; compute it in front to have it written as StableHLO
func.func @main(%x: tensor<8xi32>) -> tensor<10xi32> {
  %0 = tensor.pad %x low[0] high[2] {
  ^bb0(%a: index):
    %p = ub.poison : i32
    tensor.yield %p : i32
  } : tensor<8xi32> to tensor<10xi32>
  return %0 : tensor<10xi32>
}

//--- callee.mlir
// RUN: not pallas-translate --to-tpu-custom-call %t/callee.mlir 2>&1 | FileCheck %t/callee.mlir
// CHECK: error: 'func.call' op calls @other, which is not a kernel; inline it
func.func private @other(tensor<8xi32>) -> tensor<8xi32>
func.func @main(%x: tensor<8xi32>) -> tensor<8xi32> {
  %0 = call @other(%x) : (tensor<8xi32>) -> tensor<8xi32>
  return %0 : tensor<8xi32>
}

//--- blocks.mlir
// RUN: not pallas-translate --to-tpu-custom-call %t/blocks.mlir 2>&1 | FileCheck %t/blocks.mlir
// CHECK: error: 'func.func' op has several blocks; kernels are called from straight-line functions
func.func @main(%x: tensor<8xi32>) -> tensor<8xi32> {
  cf.br ^next
^next:
  return %x : tensor<8xi32>
}

//--- operation.mlir
// RUN: not pallas-translate --to-tpu-custom-call %t/operation.mlir 2>&1 | FileCheck %t/operation.mlir
// CHECK: error: 'arith.addi' op is outside of kernels, where only reshapes, transposes, paddings, slices, casts and constants can be written as StableHLO
func.func @main(%x: tensor<8xi32>) -> tensor<8xi32> {
  %0 = arith.addi %x, %x : tensor<8xi32>
  return %0 : tensor<8xi32>
}
