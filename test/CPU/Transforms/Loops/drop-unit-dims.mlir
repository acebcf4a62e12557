// RUN: pallas-opt %s --pallas-cpu-generalize --pallas-cpu-drop-unit-dims | FileCheck %s

// CHECK-LABEL: func.func @keep_dims
// CHECK-NOT: tensor<8x1xf32>
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<8xf32>)
// CHECK: arith.divf
// CHECK-NOT: tensor<8x1xf32>
// CHECK: return
func.func @keep_dims(%sums: tensor<8xf32>, %x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %n = arith.constant dense<64.0> : tensor<8x1xf32>
  %s = tensor.expand_shape %sums [[0, 1]] output_shape [8, 1] : tensor<8xf32> into tensor<8x1xf32>
  %mean = arith.divf %s, %n : tensor<8x1xf32>
  %flat = tensor.collapse_shape %mean [[0, 1]] : tensor<8x1xf32> into tensor<8xf32>
  %empty = tensor.empty() : tensor<8x64xf32>
  %means = linalg.broadcast ins(%flat : tensor<8xf32>) outs(%empty : tensor<8x64xf32>) dimensions = [1]
  %d = arith.subf %x, %means : tensor<8x64xf32>
  return %d : tensor<8x64xf32>
}

// A reduction of one element reads its neutral element as an input.
// CHECK-LABEL: func.func @one_element
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%{{.*}}, %{{.*}} : tensor<8xf32>, tensor<8xf32>)
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[Z:.*]]: f32,
// CHECK-NEXT: arith.addf %[[A]], %[[Z]]
func.func @one_element(%x: tensor<8x1xf32>) -> tensor<8x1xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x1xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x1xf32>) -> tensor<8x1xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<8x1xf32>) outs(%f : tensor<8x1xf32>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.addf %a, %o : f32
      linalg.yield %s : f32
  } -> tensor<8x1xf32>
  return %r : tensor<8x1xf32>
}

// Rows of more elements keep other dimensions of one.
// CHECK-LABEL: func.func @rows
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<1x64xf32>)
func.func @rows(%x: tensor<1x64xf32>) -> tensor<1x64xf32> {
  %e = math.exp %x : tensor<1x64xf32>
  return %e : tensor<1x64xf32>
}
