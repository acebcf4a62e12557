// RUN: pallas-opt %s --convert-pallas-to-linalg --split-input-file | FileCheck %s

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
