// Modules that access tensors by index themselves.

// RUN: not pallas-run %s --no-cache --check --entry element 2>&1 | FileCheck %s --check-prefix=ELEMENT
// RUN: not pallas-run %s --no-cache --check --entry negative 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not pallas-run %s --no-cache --check --entry slice 2>&1 | FileCheck %s --check-prefix=SLICE
// RUN: not pallas-run %s --no-cache --check --entry update 2>&1 | FileCheck %s --check-prefix=UPDATE
// RUN: pallas-run %s --no-cache --check --entry element --allow=access-out-of-bounds
// RUN: pallas-run %s --no-cache --check --entry inside

func.func private @at(%n: i32) -> index {
  %i = arith.index_cast %n : i32 to index
  return %i : index
}

func.func @element() -> tensor<1xf32> {
  %x = arith.constant dense<1.0> : tensor<8xf32>
  %table = arith.constant dense<[8]> : tensor<1xi32>
  %c0 = arith.constant 0 : index
  %n = tensor.extract %table[%c0] : tensor<1xi32>
  %i = func.call @at(%n) : (i32) -> index
  // ELEMENT: tensors.mlir:[[@LINE+1]]:8: error: access out of bounds: 'tensor.extract' leaves its tensor
  %v = tensor.extract %x[%i] : tensor<8xf32>
  %r = tensor.from_elements %v : tensor<1xf32>
  return %r : tensor<1xf32>
}

func.func @negative() -> tensor<8xf32> {
  %x = arith.constant dense<1.0> : tensor<8xf32>
  %one = arith.constant 1.0 : f32
  %table = arith.constant dense<[-1]> : tensor<1xi32>
  %c0 = arith.constant 0 : index
  %n = tensor.extract %table[%c0] : tensor<1xi32>
  %i = func.call @at(%n) : (i32) -> index
  // NEGATIVE: tensors.mlir:[[@LINE+1]]:8: error: access out of bounds: 'tensor.insert' leaves its tensor
  %r = tensor.insert %one into %x[%i] : tensor<8xf32>
  return %r : tensor<8xf32>
}

func.func @slice() -> tensor<4x2xf32> {
  %x = arith.constant dense<1.0> : tensor<8x8xf32>
  %table = arith.constant dense<[2147483647]> : tensor<1xi32>
  %c0 = arith.constant 0 : index
  %n = tensor.extract %table[%c0] : tensor<1xi32>
  %i = func.call @at(%n) : (i32) -> index
  // SLICE: tensors.mlir:[[@LINE+1]]:8: error: access out of bounds: 'tensor.extract_slice' leaves its tensor
  %r = tensor.extract_slice %x[%i, 0] [4, 2] [1, 1] : tensor<8x8xf32> to tensor<4x2xf32>
  return %r : tensor<4x2xf32>
}

// The last one of four elements with a stride of 2 starts at 11.
func.func @update() -> tensor<11xf32> {
  %x = arith.constant dense<1.0> : tensor<11xf32>
  %y = arith.constant dense<2.0> : tensor<4xf32>
  %table = arith.constant dense<[5]> : tensor<1xi32>
  %c0 = arith.constant 0 : index
  %n = tensor.extract %table[%c0] : tensor<1xi32>
  %i = func.call @at(%n) : (i32) -> index
  // UPDATE: tensors.mlir:[[@LINE+1]]:8: error: access out of bounds: 'tensor.insert_slice' leaves its tensor
  %r = tensor.insert_slice %y into %x[%i] [4] [2] : tensor<4xf32> into tensor<11xf32>
  return %r : tensor<11xf32>
}

func.func @inside() -> (tensor<11xf32>, tensor<4xf32>) {
  %x = arith.constant dense<1.0> : tensor<11xf32>
  %y = arith.constant dense<2.0> : tensor<4xf32>
  %table = arith.constant dense<[4]> : tensor<1xi32>
  %c0 = arith.constant 0 : index
  %n = tensor.extract %table[%c0] : tensor<1xi32>
  %i = func.call @at(%n) : (i32) -> index
  %v = tensor.extract %x[%i] : tensor<11xf32>
  %w = tensor.insert %v into %x[%i] : tensor<11xf32>
  %s = tensor.extract_slice %w[%i] [4] [2] : tensor<11xf32> to tensor<4xf32>
  %r = tensor.insert_slice %y into %w[%i] [4] [2] : tensor<4xf32> into tensor<11xf32>
  return %r, %s : tensor<11xf32>, tensor<4xf32>
}
