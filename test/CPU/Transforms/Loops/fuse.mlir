// RUN: pallas-opt %s --pallas-cpu-fuse | FileCheck %s
// RUN: pallas-opt %s --pallas-cpu-fuse=fuse=false | FileCheck %s --check-prefix=APART

// Loops that do nothing go together with what is inside of them.
// CHECK-LABEL: func.func @empty
// CHECK-NEXT: return
func.func @empty() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %c1 step %c1 {
    %a = arith.index_cast %i : index to i32
    scf.for %j = %c0 to %c1 step %c1 {
      %b = arith.index_cast %j : index to i32
      %s = arith.addi %a, %b : i32
    }
  }
  return
}

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

// A constant of equal elements is made where it is used.
// CHECK-LABEL: func.func @branch
// APART-LABEL: func.func @branch
// APART: linalg.fill
// CHECK-NOT: linalg.fill
// CHECK: scf.if
// CHECK: linalg.fill
func.func @branch(%c: i1, %m: memref<8xf32>) {
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  scf.if %c {
    bufferization.materialize_in_destination %zero in restrict writable %m : (tensor<8xf32>, memref<8xf32>) -> ()
  }
  return
}

// Bodies of loops see no arrays: what they extract is the element.
// CHECK-LABEL: func.func @gathered_by_constant
// CHECK-DAG: %[[FIVE:.*]] = arith.constant 5 : i32
// CHECK-NOT: linalg.fill
// CHECK: linalg.generic
// CHECK-NEXT: ^bb0
// CHECK: arith.index_cast %[[FIVE]]
func.func @gathered_by_constant(%x: tensor<64xf32>) -> tensor<f32> {
  %indices = arith.constant dense<5> : tensor<1xi32>
  %c0 = arith.constant 0 : index
  %empty = tensor.empty() : tensor<f32>
  %element = linalg.generic {indexing_maps = [affine_map<() -> ()>], iterator_types = []} outs(%empty : tensor<f32>) {
  ^bb0(%out: f32):
    %index = tensor.extract %indices[%c0] : tensor<1xi32>
    %i = arith.index_cast %index : i32 to index
    %e = tensor.extract %x[%i] : tensor<64xf32>
    linalg.yield %e : f32
  } -> tensor<f32>
  return %element : tensor<f32>
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

// What reads a concatenated tensor element by element reads its parts: here all
// but the last row from one place, and the last one from another. The second
// operation reads the results of the first one in the same parts.
// CHECK-LABEL: func.func @rotated
// CHECK-SAME: %[[X:.*]]: tensor<64x128xf32>, %[[Y:.*]]: tensor<64x128xf32>
// CHECK-DAG: %[[FROM:.*]] = tensor.extract_slice %[[X]][1, 0] [63, 128] [1, 1]
// CHECK-DAG: %[[LAST:.*]] = tensor.extract_slice %[[X]][0, 0] [1, 128] [1, 1]
// CHECK-NOT: tensor.concat
// CHECK: %[[A:.*]] = linalg.generic {{.*}} ins(%[[LAST]], %{{.*}} : tensor<1x128xf32>, tensor<1x128xf32>)
// CHECK: linalg.index 0
// CHECK: arith.constant 63 : index
// CHECK: arith.addi
// CHECK: %[[B:.*]] = linalg.generic {{.*}} ins(%[[FROM]], %{{.*}} : tensor<63x128xf32>, tensor<63x128xf32>)
// CHECK: linalg.index 0
// CHECK: %[[C:.*]] = linalg.generic {{.*}} ins(%[[A]] : tensor<1x128xf32>)
// CHECK: tensor.insert_slice %[[C]] into %{{.*}}[63, 0] [1, 128] [1, 1]
// CHECK: %[[D:.*]] = linalg.generic {{.*}} ins(%[[B]] : tensor<63x128xf32>)
// CHECK: tensor.insert_slice %[[D]] into %{{.*}}[0, 0] [63, 128] [1, 1]
// CHECK: return
// APART-LABEL: func.func @rotated
// APART: tensor.concat
func.func @rotated(%x: tensor<64x128xf32>, %y: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %from = tensor.extract_slice %x[1, 0] [63, 128] [1, 1] : tensor<64x128xf32> to tensor<63x128xf32>
  %last = tensor.extract_slice %x[0, 0] [1, 128] [1, 1] : tensor<64x128xf32> to tensor<1x128xf32>
  %r = tensor.concat dim(0) %from, %last : (tensor<63x128xf32>, tensor<1x128xf32>) -> tensor<64x128xf32>
  %empty = tensor.empty() : tensor<64x128xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%r, %y : tensor<64x128xf32>, tensor<64x128xf32>) outs(%empty : tensor<64x128xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %row = linalg.index 0 : index
    %i = arith.index_cast %row : index to i32
    %f = arith.sitofp %i : i32 to f32
    %p = arith.mulf %b, %f : f32
    %s = arith.addf %a, %p : f32
    linalg.yield %s : f32
  } -> tensor<64x128xf32>
  %e = math.exp %sum : tensor<64x128xf32>
  return %e : tensor<64x128xf32>
}

// Narrow parts would take vectors apart, and the memory of few elements is in
// the cache.
// CHECK-LABEL: func.func @narrow_parts
// CHECK: tensor.insert_slice %arg0 into
// CHECK: tensor.insert_slice %arg1 into
// CHECK: math.exp
// CHECK-NOT: math.exp
// CHECK-LABEL: func.func @few_elements
// CHECK: tensor.insert_slice %arg0 into
// CHECK: tensor.insert_slice %arg1 into
// CHECK: math.exp
// CHECK-NOT: math.exp
// CHECK-LABEL: func.func @patches
func.func @narrow_parts(%x: tensor<4096x2xf32>, %y: tensor<4096x2xf32>) -> tensor<4096x4xf32> {
  %c = tensor.concat dim(1) %x, %y : (tensor<4096x2xf32>, tensor<4096x2xf32>) -> tensor<4096x4xf32>
  %e = math.exp %c : tensor<4096x4xf32>
  return %e : tensor<4096x4xf32>
}
func.func @few_elements(%x: tensor<8x64xf32>, %y: tensor<8x64xf32>) -> tensor<8x128xf32> {
  %c = tensor.concat dim(1) %x, %y : (tensor<8x64xf32>, tensor<8x64xf32>) -> tensor<8x128xf32>
  %e = math.exp %c : tensor<8x128xf32>
  return %e : tensor<8x128xf32>
}

// Parts are put together before they are collapsed, so that none is copied into
// the collapsed shape first.
// CHECK-SAME: %[[X:.*]]: tensor<10x8x4xf32>, %[[Y:.*]]: tensor<64x2xf32>
// CHECK-DAG: %[[A:.*]] = tensor.extract_slice %[[X]][0, 0, 0]
// CHECK-DAG: %[[B:.*]] = tensor.extract_slice %[[X]][2, 0, 0]
// CHECK-DAG: %[[C:.*]] = tensor.expand_shape %[[Y]] {{.*}} into tensor<8x8x2xf32>
// CHECK: tensor.insert_slice %[[A]] into %{{.*}}[0, 0, 0] [8, 8, 4] [1, 1, 1]
// CHECK: tensor.insert_slice %[[B]] into %{{.*}}[0, 0, 4] [8, 8, 4] [1, 1, 1]
// CHECK: %[[ALL:.*]] = tensor.insert_slice %[[C]] into %{{.*}}[0, 0, 8] [8, 8, 2] [1, 1, 1]
// CHECK: tensor.collapse_shape %[[ALL]] {{.*}} into tensor<64x10xf32>
func.func @patches(%x: tensor<10x8x4xf32>, %y: tensor<64x2xf32>) -> tensor<64x10xf32> {
  %a = tensor.extract_slice %x[0, 0, 0] [8, 8, 4] [1, 1, 1] : tensor<10x8x4xf32> to tensor<8x8x4xf32>
  %b = tensor.extract_slice %x[2, 0, 0] [8, 8, 4] [1, 1, 1] : tensor<10x8x4xf32> to tensor<8x8x4xf32>
  %flatA = tensor.collapse_shape %a [[0, 1], [2]] : tensor<8x8x4xf32> into tensor<64x4xf32>
  %flatB = tensor.collapse_shape %b [[0, 1], [2]] : tensor<8x8x4xf32> into tensor<64x4xf32>
  %c = tensor.concat dim(1) %flatA, %flatB, %y : (tensor<64x4xf32>, tensor<64x4xf32>, tensor<64x2xf32>) -> tensor<64x10xf32>
  return %c : tensor<64x10xf32>
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
// APART-LABEL: func.func @repeated
// APART-NOT: tensor.expand_shape
// APART: return
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
// APART-LABEL: func.func @interleaved
// APART: tensor.concat
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
