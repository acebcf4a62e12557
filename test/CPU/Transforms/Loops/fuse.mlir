// RUN: pallas-opt %s --pallas-cpu-generalize --pallas-cpu-generalize-concats --pallas-cpu-drop-unit-dims --pallas-cpu-fuse-reshapes --pallas-cpu-fuse | FileCheck %s

// A reduction that keeps its dimension leaves values of one element per row;
// what computes with them and what repeats them work on one shape.
// CHECK-LABEL: func.func @keep_dims
// CHECK-NOT: tensor<8x1xf32>
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<8xf32>)
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

// Rows times a vector, summed up: the vector is not repeated in memory.
// CHECK-LABEL: func.func @rows_times_vector
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "reduction"]
// CHECK-SAME: ins(%{{.*}}, %{{.*}} : tensor<8x64xf32>, tensor<64xf32>) outs(%{{.*}} : tensor<8xf32>)
// CHECK-NEXT: ^bb0
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: arith.addf
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @rows_times_vector(%x: tensor<8x64xf32>, %v: tensor<64xf32>) -> tensor<8xf32> {
  %empty = tensor.empty() : tensor<8x64xf32>
  %rows = linalg.broadcast ins(%v : tensor<64xf32>) outs(%empty : tensor<8x64xf32>) dimensions = [0]
  %products = arith.mulf %x, %rows : tensor<8x64xf32>
  %zero = arith.constant 0.0 : f32
  %sums = tensor.empty() : tensor<8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%sums : tensor<8xf32>) -> tensor<8xf32>
  %sum = linalg.reduce {arith.addf} ins(%products : tensor<8x64xf32>) outs(%init : tensor<8xf32>) dimensions = [1]
  return %sum : tensor<8xf32>
}

// What is computed for each element of the vector is not computed for each row.
// CHECK-LABEL: func.func @rows_times_exp
// CHECK: math.exp
// CHECK: linalg.generic {{.*}}"reduction"
// CHECK-NOT: math.exp
// CHECK: return
func.func @rows_times_exp(%x: tensor<8x64xf32>, %v: tensor<64xf32>) -> tensor<8xf32> {
  %e = math.exp %v : tensor<64xf32>
  %zero = arith.constant 0.0 : f32
  %sums = tensor.empty() : tensor<8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%sums : tensor<8xf32>) -> tensor<8xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x, %e : tensor<8x64xf32>, tensor<64xf32>) outs(%init : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %sum : tensor<8xf32>
}

// The sum of all products of columns and rows is a product of matrices, whose
// factors stay in memory.
// CHECK-LABEL: func.func @columns_times_rows
// CHECK-NOT: tensor<8x16x32xf32>
// CHECK: linalg.generic
// CHECK-SAME: ins(%{{.*}}, %{{.*}} : tensor<8x16xf32>, tensor<16x32xf32>) outs(%{{.*}} : tensor<8x32xf32>)
// CHECK-NOT: tensor<8x16x32xf32>
// CHECK: return
func.func @columns_times_rows(%x: tensor<8x16xf32>, %y: tensor<16x32xf32>) -> tensor<8x32xf32> {
  %empty = tensor.empty() : tensor<8x16x32xf32>
  %columns = linalg.broadcast ins(%x : tensor<8x16xf32>) outs(%empty : tensor<8x16x32xf32>) dimensions = [2]
  %rows = linalg.broadcast ins(%y : tensor<16x32xf32>) outs(%empty : tensor<8x16x32xf32>) dimensions = [0]
  %products = arith.mulf %columns, %rows : tensor<8x16x32xf32>
  %zero = arith.constant 0.0 : f32
  %sums = tensor.empty() : tensor<8x32xf32>
  %init = linalg.fill ins(%zero : f32) outs(%sums : tensor<8x32xf32>) -> tensor<8x32xf32>
  %sum = linalg.reduce {arith.addf} ins(%products : tensor<8x16x32xf32>) outs(%init : tensor<8x32xf32>) dimensions = [1]
  return %sum : tensor<8x32xf32>
}

// An operation that reads a broadcast in another shape takes the shape that it
// is made in.
// Fusion leaves no memory for it.
// CHECK-LABEL: func.func @repeated
// CHECK-SAME: %[[X:.*]]: tensor<8x64xf32>, %[[SCALE:.*]]: tensor<8x16xf32>
// CHECK: %[[PARTS:.*]] = tensor.expand_shape %[[X]] {{.*}} into tensor<8x16x4xf32>
// CHECK-NOT: linalg.fill
// CHECK: linalg.generic
// CHECK: arith.addf %{{.*}}, %cst : f32
// CHECK: tensor.collapse_shape {{.*}} into tensor<8x64xf32>
// CHECK: return
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

// Elements of several tensors in turns are chosen by their place.
// CHECK-LABEL: func.func @interleaved
// CHECK-SAME: %[[X:.*]]: tensor<64xf32>, %[[Y:.*]]: tensor<64xf32>
// CHECK: linalg.generic {{.*}} ins(%[[X]], %[[Y]] : tensor<64xf32>, tensor<64xf32>)
// CHECK: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32,
// CHECK: %[[PLACE:.*]] = linalg.index 1 : index
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[PLACE]], %c0{{.*}} : index
// CHECK: arith.select %[[FIRST]], %[[A]], %[[B]] : f32
func.func @interleaved(%x: tensor<64xf32>, %y: tensor<64xf32>) -> tensor<128xf32> {
  %a = tensor.expand_shape %x [[0, 1]] output_shape [64, 1] : tensor<64xf32> into tensor<64x1xf32>
  %b = tensor.expand_shape %y [[0, 1]] output_shape [64, 1] : tensor<64xf32> into tensor<64x1xf32>
  %c = tensor.concat dim(1) %a, %b : (tensor<64x1xf32>, tensor<64x1xf32>) -> tensor<64x2xf32>
  %r = tensor.collapse_shape %c [[0, 1]] : tensor<64x2xf32> into tensor<128xf32>
  return %r : tensor<128xf32>
}

// Vectors of booleans have more elements than those of what they choose, so the
// operations would not share a loop later.
// CHECK-LABEL: func.func @narrow_conditions
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<8x64xi1>, tensor<8x64xi1>, tensor<8x64xf32>)
// CHECK: %[[BOTH:.*]] = arith.andi
// CHECK: arith.select %[[BOTH]]
// CHECK-NOT: linalg.generic
// CHECK-LABEL: func.func @wide_conditions
// CHECK: linalg.generic
// CHECK: arith.cmpf
// CHECK: linalg.generic
// CHECK: arith.select
func.func @narrow_conditions(%x: tensor<8x64xf32>, %a: tensor<8x64xi1>, %b: tensor<8x64xi1>) -> tensor<8x64xf32> {
  %one = arith.constant dense<1.0> : tensor<8x64xf32>
  %both = arith.andi %a, %b : tensor<8x64xi1>
  %y = arith.select %both, %x, %one : tensor<8x64xi1>, tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}
func.func @wide_conditions(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %one = arith.constant dense<1.0> : tensor<8x64xf32>
  %low = arith.cmpf olt, %x, %one : tensor<8x64xf32>
  %y = arith.select %low, %x, %one : tensor<8x64xi1>, tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}

// Rows of both operands are read along tiles, which a reduction has none of.
// CHECK-LABEL: func.func @sum_of_transposed_product
// CHECK: %[[T:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]
// CHECK: linalg.generic {{.*}}iterator_types = ["reduction", "reduction"]{{.*}} ins(%{{.*}}, %[[T]] :
// CHECK: arith.mulf
// CHECK: return
func.func @sum_of_transposed_product(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> tensor<f32> {
  %empty = tensor.empty() : tensor<64x64xf32>
  %t = linalg.transpose ins(%y : tensor<64x64xf32>) outs(%empty : tensor<64x64xf32>) permutation = [1, 0]
  %products = arith.mulf %x, %t : tensor<64x64xf32>
  %zero = arith.constant 0.0 : f32
  %sum = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%sum : tensor<f32>) -> tensor<f32>
  %all = linalg.reduce {arith.addf} ins(%products : tensor<64x64xf32>) outs(%init : tensor<f32>) dimensions = [0, 1]
  return %all : tensor<f32>
}

// A broadcast goes where it is used, not along with an earlier copy.
// CHECK-LABEL: func.func @broadcast
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<8x64xf32>, tensor<64xf32>)
// CHECK-NEXT: ^bb0
// CHECK-NEXT: arith.mulf
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @broadcast(%x: tensor<8x64xf32>, %v: tensor<64xf32>) -> tensor<8x64xf32> {
  %empty = tensor.empty() : tensor<8x64xf32>
  %rows = linalg.broadcast ins(%v : tensor<64xf32>) outs(%empty : tensor<8x64xf32>) dimensions = [0]
  %products = arith.mulf %x, %rows : tensor<8x64xf32>
  return %products : tensor<8x64xf32>
}

// What reads a broadcast is not cheap, so both of its users share it.
// CHECK-LABEL: func.func @shared_difference
// CHECK: arith.subf
// CHECK-NOT: arith.subf
// CHECK: return
func.func @shared_difference(%x: tensor<8x64xf32>, %v: tensor<8xf32>) -> (tensor<8x64xf32>, tensor<8xf32>) {
  %empty = tensor.empty() : tensor<8x64xf32>
  %columns = linalg.broadcast ins(%v : tensor<8xf32>) outs(%empty : tensor<8x64xf32>) dimensions = [1]
  %difference = arith.subf %x, %columns : tensor<8x64xf32>
  %zero = arith.constant 0.0 : f32
  %sums = tensor.empty() : tensor<8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%sums : tensor<8xf32>) -> tensor<8xf32>
  %sum = linalg.reduce {arith.addf} ins(%difference : tensor<8x64xf32>) outs(%init : tensor<8xf32>) dimensions = [1]
  return %difference, %sum : tensor<8x64xf32>, tensor<8xf32>
}

// What columns need is computed once, not in each of the rows. Fused into the
// broadcast, it would make both users of that read an array.
// CHECK-LABEL: func.func @once_per_column
// CHECK: linalg.generic
// CHECK-SAME: outs(%{{.*}} : tensor<64xf32>)
// CHECK: math.rsqrt
// CHECK: linalg.generic
// CHECK-SAME: tensor<512x64xf32>
// CHECK: arith.mulf
// CHECK-LABEL: func.func @two_users
// CHECK: linalg.generic
// CHECK-SAME: outs(%{{.*}} : tensor<512xf32>)
// CHECK: math.rsqrt
// CHECK: linalg.generic
// CHECK-SAME: ins(%{{.*}}, %{{.*}} : tensor<512x64xf32>, tensor<512xf32>)
// CHECK: arith.mulf
// CHECK: linalg.generic
// CHECK-SAME: ins(%{{.*}}, %{{.*}} : tensor<512x64xf32>, tensor<512xf32>)
// CHECK: arith.subf
// CHECK-LABEL: func.func @once_per_row
// CHECK: linalg.generic
// CHECK: math.rsqrt
// CHECK: arith.mulf
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @once_per_column(%x: tensor<512x64xf32>, %variance: tensor<64xf32>) -> tensor<512x64xf32> {
  %r = math.rsqrt %variance : tensor<64xf32>
  %empty = tensor.empty() : tensor<512x64xf32>
  %b = linalg.broadcast ins(%r : tensor<64xf32>) outs(%empty : tensor<512x64xf32>) dimensions = [0]
  %y = arith.mulf %x, %b : tensor<512x64xf32>
  return %y : tensor<512x64xf32>
}
func.func @two_users(%x: tensor<512x64xf32>, %variance: tensor<512xf32>) -> (tensor<512x64xf32>, tensor<512x64xf32>) {
  %r = math.rsqrt %variance : tensor<512xf32>
  %empty = tensor.empty() : tensor<512x64xf32>
  %b = linalg.broadcast ins(%r : tensor<512xf32>) outs(%empty : tensor<512x64xf32>) dimensions = [1]
  %y = arith.mulf %x, %b : tensor<512x64xf32>
  %z = arith.subf %x, %b : tensor<512x64xf32>
  return %y, %z : tensor<512x64xf32>, tensor<512x64xf32>
}
func.func @once_per_row(%x: tensor<512x64xf32>, %variance: tensor<512xf32>) -> tensor<512x64xf32> {
  %r = math.rsqrt %variance : tensor<512xf32>
  %empty = tensor.empty() : tensor<512x64xf32>
  %b = linalg.broadcast ins(%r : tensor<512xf32>) outs(%empty : tensor<512x64xf32>) dimensions = [1]
  %y = arith.mulf %x, %b : tensor<512x64xf32>
  return %y : tensor<512x64xf32>
}
