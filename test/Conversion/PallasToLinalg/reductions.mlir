// RUN: pallas-opt %s --convert-pallas-to-linalg --split-input-file | FileCheck %s
// RUN: pallas-opt %s --convert-pallas-to-linalg=ops=pallas.reduce --split-input-file | FileCheck %s --check-prefix=ALONE

// A sum of narrow floats is kept in f32 and rounded once.

// CHECK-LABEL: func.func @reduce(
// CHECK: %[[CONSTANT:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[FILL:.*]] = linalg.fill ins(%[[CONSTANT]] : f32) outs(%{{.*}} : tensor<4xf32>) -> tensor<4xf32>
// CHECK: %[[GENERIC:.*]] = linalg.generic {indexing_maps = [#{{.*}}, #{{.*}}], iterator_types = ["parallel", "reduction"]} ins(%{{.*}} : tensor<4x8xbf16>) outs(%[[FILL]] : tensor<4xf32>) {
// CHECK: %[[EXTF:.*]] = arith.extf %{{.*}} : bf16 to f32
// CHECK: %[[ADDF:.*]] = arith.addf %[[EXTF]], %{{.*}} : f32
// CHECK: linalg.yield %[[ADDF]] : f32
// CHECK: arith.truncf %[[GENERIC]] : tensor<4xf32> to tensor<4xbf16>
func.func @reduce(%a: tensor<4x8xbf16>) -> tensor<4xbf16> {
  %0 = pallas.reduce <add> %a dims [1] : tensor<4x8xbf16>
  return %0 : tensor<4xbf16>
}

// -----

// A reduction over all dimensions yields an element.

// CHECK-LABEL: func.func @reduce_all(
// CHECK: %[[CONSTANT:.*]] = arith.constant -2147483648 : i32
// CHECK: %[[FILL:.*]] = linalg.fill ins(%[[CONSTANT]] : i32) outs(%{{.*}} : tensor<i32>) -> tensor<i32>
// CHECK: %[[GENERIC:.*]] = linalg.generic {indexing_maps = [#{{.*}}, #{{.*}}], iterator_types = ["reduction", "reduction"]} ins(%{{.*}} : tensor<4x8xi32>) outs(%[[FILL]] : tensor<i32>) {
// CHECK: arith.maxsi %{{.*}}, %{{.*}} : i32
// CHECK: %[[EXTRACT:.*]] = tensor.extract %[[GENERIC]][] : tensor<i32>
// CHECK: return %[[EXTRACT]] : i32
func.func @reduce_all(%a: tensor<4x8xi32>) -> i32 {
  %0 = pallas.reduce <max> %a dims [0, 1] : tensor<4x8xi32>
  return %0 : i32
}

// -----

// Value and index are reduced together; NaN wins, and of equal values the first.

// CHECK-LABEL: func.func @arg_reduce(
// CHECK: %[[GENERIC:.*]]:2 = linalg.generic {indexing_maps = [#{{.*}}, #{{.*}}, #{{.*}}], iterator_types = ["parallel", "reduction"]} ins(%{{.*}} : tensor<4x8xf32>) outs(%{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4xi32>) {
// CHECK: %[[INDEX:.*]] = linalg.index 1 : index
// CHECK: %[[INDEX_CAST:.*]] = arith.index_cast %[[INDEX]] : index to i32
// CHECK: arith.cmpf ult, %[[V:.*]], %{{.*}} : f32
// CHECK: arith.cmpf ord, %[[V]], %[[V]] : f32
// CHECK: arith.cmpf oeq, %[[V2:.*]], %[[V3:.*]] : f32
// CHECK: arith.cmpf uno, %[[V2]], %[[V2]] : f32
// CHECK: arith.cmpf uno, %[[V3]], %[[V3]] : f32
// CHECK: arith.cmpi ult, %[[INDEX_CAST]], %[[V4:.*]] : i32
// CHECK: arith.select %[[V5:.*]], %[[V2]], %[[V3]] : f32
// CHECK: arith.select %[[V5]], %[[INDEX_CAST]], %[[V4]] : i32
// CHECK: return %[[GENERIC]]#1 : tensor<4xi32>
func.func @arg_reduce(%a: tensor<4x8xf32>) -> tensor<4xi32> {
  %0 = pallas.arg_reduce <min> %a dim 1 to i32 : tensor<4x8xf32>
  return %0 : tensor<4xi32>
}

// -----

// The greatest of rounded numbers needs no rounding, so bf16 stays.

// CHECK-LABEL: func.func @reduce_max_bf16(
// CHECK: %[[LEAST:.*]] = arith.constant 0xFF80 : bf16
// CHECK: linalg.fill ins(%[[LEAST]] : bf16)
// CHECK: arith.maximumf %{{.*}}, %{{.*}} : bf16
// CHECK-NOT: arith.truncf
func.func @reduce_max_bf16(%a: tensor<4x8xbf16>) -> tensor<4xbf16> {
  %0 = pallas.reduce <max> %a dims [1] : tensor<4x8xbf16>
  return %0 : tensor<4xbf16>
}

// -----

// f8E4M3FN has no infinity to start from.

// CHECK-LABEL: func.func @reduce_max_f8(
// CHECK: %[[LEAST:.*]] = arith.constant 0xFF800000 : f32
// CHECK: linalg.fill ins(%[[LEAST]] : f32)
// CHECK: ^bb0(%[[IN:.*]]: f8E4M3FN, %[[BEST:.*]]: f32):
// CHECK: %[[WIDE:.*]] = arith.extf %[[IN]] : f8E4M3FN to f32
// CHECK: arith.maximumf %[[WIDE]], %[[BEST]] : f32
// CHECK: arith.truncf %{{.*}} : tensor<4xf32> to tensor<4xf8E4M3FN>
func.func @reduce_max_f8(%a: tensor<4x8xf8E4M3FN>) -> tensor<4xf8E4M3FN> {
  %0 = pallas.reduce <max> %a dims [1] : tensor<4x8xf8E4M3FN>
  return %0 : tensor<4xf8E4M3FN>
}

// -----

// A sum of booleans saturates: it is their `or`, and their product is their `and`.

// CHECK-LABEL: func.func @reduce_booleans(
// CHECK: arith.constant false
// CHECK: arith.ori %{{.*}}, %{{.*}} : i1
// CHECK: arith.constant true
// CHECK: arith.andi %{{.*}}, %{{.*}} : i1
func.func @reduce_booleans(%a: tensor<4x8xi1>) -> (tensor<4xi1>, tensor<4xi1>) {
  %0 = pallas.reduce <add> %a dims [1] : tensor<4x8xi1>
  %1 = pallas.reduce <mul> %a dims [1] : tensor<4x8xi1>
  return %0, %1 : tensor<4xi1>, tensor<4xi1>
}

// -----

// Each kind starts from its neutral element.

// CHECK-LABEL: func.func @reduce_kinds(
// CHECK: arith.constant 1.000000e+00 : f64
// CHECK: arith.mulf %{{.*}}, %{{.*}} : f64
// CHECK: arith.constant 0 : i32
// CHECK: arith.maxui
// CHECK: arith.constant -1 : i32
// CHECK: arith.minui
// CHECK: arith.constant 2147483647 : i32
// CHECK: arith.minsi
// CHECK: arith.constant -1 : i32
// CHECK: arith.andi
// CHECK: arith.constant 0 : i32
// CHECK: arith.xori
func.func @reduce_kinds(%a: tensor<8xf64>, %b: tensor<8xi32>) -> (f64, i32, i32, i32, i32, i32) {
  %0 = pallas.reduce <mul> %a dims [0] : tensor<8xf64>
  %1 = pallas.reduce <umax> %b dims [0] : tensor<8xi32>
  %2 = pallas.reduce <umin> %b dims [0] : tensor<8xi32>
  %3 = pallas.reduce <min> %b dims [0] : tensor<8xi32>
  %4 = pallas.reduce <and> %b dims [0] : tensor<8xi32>
  %5 = pallas.reduce <xor> %b dims [0] : tensor<8xi32>
  return %0, %1, %2, %3, %4, %5 : f64, i32, i32, i32, i32, i32
}

// -----

// The kept dimension need not be the first.

// CHECK: #[[KEPT:.*]] = affine_map<(d0, d1, d2) -> (d1)>
// CHECK-LABEL: func.func @reduce_around(
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #[[KEPT]]], iterator_types = ["reduction", "parallel", "reduction"]}
func.func @reduce_around(%a: tensor<2x4x8xf32>) -> tensor<4xf32> {
  %0 = pallas.reduce <add> %a dims [0, 2] : tensor<2x4x8xf32>
  return %0 : tensor<4xf32>
}

// -----

// Nothing is summed, so all sums are zero: the loop has no iterations.

// CHECK-LABEL: func.func @reduce_empty(
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[INIT:.*]] = linalg.fill ins(%[[ZERO]] : f32) outs(%{{.*}} : tensor<4xf32>)
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<4x0xf32>) outs(%[[INIT]] : tensor<4xf32>)
func.func @reduce_empty(%a: tensor<4x0xf32>) -> tensor<4xf32> {
  %0 = pallas.reduce <add> %a dims [1] : tensor<4x0xf32>
  return %0 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @reduce_rank_zero(
// CHECK: linalg.generic {{.*}}iterator_types = []} ins(%{{.*}} : tensor<f32>)
// CHECK: tensor.extract
func.func @reduce_rank_zero(%a: tensor<f32>) -> f32 {
  %0 = pallas.reduce <add> %a dims [] : tensor<f32>
  return %0 : f32
}

// -----

// The order of unsigned numbers, and of booleans, which have no sign.

// CHECK-LABEL: func.func @arg_reduce_unsigned(
// CHECK: arith.constant 0 : i8
// CHECK: ^bb0(%[[IN:.*]]: i8, %[[BEST:.*]]: i8, %{{.*}}: i32):
// CHECK: arith.cmpi ult, %[[BEST]], %[[IN]] : i8
// CHECK: ^bb0(%[[BIT:.*]]: i1, %[[BEST_BIT:.*]]: i1, %{{.*}}: i32):
// CHECK: arith.cmpi ult, %[[BIT]], %[[BEST_BIT]] : i1
func.func @arg_reduce_unsigned(%a: tensor<4x8xi8>, %b: tensor<4x8xi1>) -> (tensor<4xi32>, tensor<4xi32>) {
  %0 = pallas.arg_reduce <umax> %a dim 1 to i32 : tensor<4x8xi8>
  %1 = pallas.arg_reduce <min> %b dim 1 to i32 : tensor<4x8xi1>
  return %0, %1 : tensor<4xi32>, tensor<4xi32>
}

// -----

// The greatest float needs no negation, and a reduction of a row yields an element.

// CHECK-LABEL: func.func @arg_reduce_row(
// CHECK-NOT: arith.negf
// CHECK: %[[R:.*]]:2 = linalg.generic {{.*}} outs(%{{.*}}, %{{.*}} : tensor<bf16>, tensor<i64>)
// CHECK: ^bb0(%[[IN:.*]]: bf16, %[[BEST:.*]]: bf16, %{{.*}}: i64):
// CHECK: arith.cmpf ult, %[[BEST]], %[[IN]] : bf16
// CHECK: arith.cmpf ord, %[[BEST]], %[[BEST]] : bf16
// CHECK: tensor.extract %[[R]]#1[] : tensor<i64>
func.func @arg_reduce_row(%a: tensor<8xbf16>) -> i64 {
  %0 = pallas.arg_reduce <max> %a dim 0 to i64 : tensor<8xbf16>
  return %0 : i64
}

// -----

// Stacked values are combined without the stack.

// CHECK-LABEL: func.func @stacked(
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>, %[[Y:.*]]: tensor<8xf32>
// CHECK: %[[FILL:.*]] = linalg.fill
// CHECK: %[[A:.*]] = arith.maximumf %[[X]], %[[FILL]]
// CHECK: %[[B:.*]] = arith.maximumf %[[Y]], %[[A]]
// CHECK: return %[[B]]
func.func @stacked(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = pallas.reshape %x : tensor<8xf32> -> tensor<8x1xf32>
  %1 = pallas.reshape %y : tensor<8xf32> -> tensor<8x1xf32>
  %2 = tensor.concat dim(1) %0, %1 : (tensor<8x1xf32>, tensor<8x1xf32>) -> tensor<8x2xf32>
  %3 = pallas.reduce <max> %2 dims [1] : tensor<8x2xf32>
  return %3 : tensor<8xf32>
}

// -----

// Sums of narrow floats are rounded once here, too.

// CHECK-LABEL: func.func @stacked_narrow(
// CHECK: arith.extf %{{.*}} : tensor<8xbf16> to tensor<8xf32>
// CHECK: arith.addf
// CHECK: arith.extf
// CHECK: %[[SUM:.*]] = arith.addf
// CHECK: arith.truncf %[[SUM]] : tensor<8xf32> to tensor<8xbf16>
func.func @stacked_narrow(%x: tensor<8xbf16>, %y: tensor<8xbf16>) -> tensor<8xbf16> {
  %0 = pallas.reshape %x : tensor<8xbf16> -> tensor<1x8xbf16>
  %1 = pallas.reshape %y : tensor<8xbf16> -> tensor<1x8xbf16>
  %2 = tensor.concat dim(0) %0, %1 : (tensor<1x8xbf16>, tensor<1x8xbf16>) -> tensor<2x8xbf16>
  %3 = pallas.reduce <add> %2 dims [0] : tensor<2x8xbf16>
  return %3 : tensor<8xbf16>
}

// -----

// A part of two rows, and a sum over another dimension as well, need the whole.

// CHECK-LABEL: func.func @not_stacked(
// CHECK-COUNT-2: linalg.generic
func.func @not_stacked(%x: tensor<2x8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, f32) {
  %0 = tensor.concat dim(0) %x, %x : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<4x8xf32>
  %1 = pallas.reduce <max> %0 dims [0] : tensor<4x8xf32>
  %2 = pallas.reshape %y : tensor<8xf32> -> tensor<1x8xf32>
  %3 = tensor.concat dim(0) %2, %2 : (tensor<1x8xf32>, tensor<1x8xf32>) -> tensor<2x8xf32>
  %4 = pallas.reduce <max> %3 dims [0, 1] : tensor<2x8xf32>
  return %1, %4 : tensor<8xf32>, f32
}

// -----

// Scalars have no shape that they could be combined in, also if reshapes stay.

// CHECK-LABEL: func.func @stacked_scalars(
// CHECK: linalg.generic {{.*}}"reduction"
// ALONE-LABEL: func.func @stacked_scalars(
// ALONE: pallas.reshape
// ALONE: linalg.generic {{.*}}"reduction"
func.func @stacked_scalars(%x: f32, %y: f32) -> f32 {
  %0 = pallas.reshape %x : f32 -> tensor<1xf32>
  %1 = pallas.reshape %y : f32 -> tensor<1xf32>
  %2 = tensor.concat dim(0) %0, %1 : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
  %3 = pallas.reduce <max> %2 dims [0] : tensor<2xf32>
  return %3 : f32
}
