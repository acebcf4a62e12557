// RUN: pallas-opt %s --pallas-cpu-generalize --pallas-cpu-fuse-reshapes | FileCheck %s

// Operations that read the repeated values take their shape, one after the other.
// CHECK-LABEL: func.func @repeated
// CHECK-SAME: %[[X:.*]]: tensor<8x64xf32>, %[[SCALE:.*]]: tensor<8x16xf32>
// CHECK: %[[PARTS:.*]] = tensor.expand_shape %[[X]] {{.*}} into tensor<8x16x4xf32>
// CHECK: arith.mulf
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<8x16x4xf32>)
// CHECK: arith.addf
// CHECK: %[[R:.*]] = tensor.collapse_shape {{.*}} into tensor<8x64xf32>
// CHECK: return %[[R]]
func.func @repeated(%x: tensor<8x64xf32>, %scale: tensor<8x16xf32>) -> tensor<8x64xf32> {
  %empty = tensor.empty() : tensor<8x16x4xf32>
  %wide = linalg.broadcast ins(%scale : tensor<8x16xf32>) outs(%empty : tensor<8x16x4xf32>) dimensions = [2]
  %s = tensor.collapse_shape %wide [[0], [1, 2]] : tensor<8x16x4xf32> into tensor<8x64xf32>
  %n = arith.negf %x : tensor<8x64xf32>
  %y = arith.mulf %n, %s : tensor<8x64xf32>
  %one = arith.constant dense<1.0> : tensor<8x64xf32>
  %z = arith.addf %y, %one : tensor<8x64xf32>
  return %z : tensor<8x64xf32>
}

// Rows of ten elements would leave a rest in each.
// CHECK-LABEL: func.func @repeated_ten_times
// CHECK-NOT: tensor.expand_shape
// CHECK: return
func.func @repeated_ten_times(%x: tensor<8x160xf32>, %scale: tensor<8x16xf32>) -> tensor<8x160xf32> {
  %empty = tensor.empty() : tensor<8x16x10xf32>
  %wide = linalg.broadcast ins(%scale : tensor<8x16xf32>) outs(%empty : tensor<8x16x10xf32>) dimensions = [2]
  %s = tensor.collapse_shape %wide [[0], [1, 2]] : tensor<8x16x10xf32> into tensor<8x160xf32>
  %y = arith.mulf %x, %s : tensor<8x160xf32>
  return %y : tensor<8x160xf32>
}
