// RUN: pallas-opt %s --convert-pallas-to-linalg --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @bitcast(
// CHECK: %[[BITCAST:.*]] = arith.bitcast %{{.*}} : tensor<4x8xf32> to tensor<4x8xi32>
// CHECK: return %[[BITCAST]] : tensor<4x8xi32>
func.func @bitcast(%a: tensor<4x8xf32>) -> tensor<4x8xi32> {
  %0 = pallas.bitcast %a : tensor<4x8xf32> -> tensor<4x8xi32>
  return %0 : tensor<4x8xi32>
}

// -----

// A wide element becomes several narrow ones, lowest bits first.

// CHECK-LABEL: func.func @bitcast_to_narrower(
// CHECK: %[[GENERIC:.*]] = linalg.generic {indexing_maps = [#{{.*}}, #{{.*}}], iterator_types = ["parallel", "parallel", "parallel"]} ins(%{{.*}} : tensor<4x8xf32>) outs(%{{.*}} : tensor<4x2x8xbf16>) {
// CHECK: %[[BITCAST:.*]] = arith.bitcast %{{.*}} : f32 to i32
// CHECK: %[[INDEX:.*]] = linalg.index 1 : index
// CHECK: %[[INDEX_CAST:.*]] = arith.index_cast %[[INDEX]] : index to i32
// CHECK: %[[CONSTANT:.*]] = arith.constant 16 : i32
// CHECK: %[[MULI:.*]] = arith.muli %[[INDEX_CAST]], %[[CONSTANT]] : i32
// CHECK: %[[SHRUI:.*]] = arith.shrui %[[BITCAST]], %[[MULI]] : i32
// CHECK: %[[TRUNCI:.*]] = arith.trunci %[[SHRUI]] : i32 to i16
// CHECK: arith.bitcast %[[TRUNCI]] : i16 to bf16
// CHECK: %[[COLLAPSE_SHAPE:.*]] = tensor.collapse_shape %[[GENERIC]] {{\[\[}}0, 1], [2]] : tensor<4x2x8xbf16> into tensor<8x8xbf16>
// CHECK: return %[[COLLAPSE_SHAPE]] : tensor<8x8xbf16>
func.func @bitcast_to_narrower(%a: tensor<4x8xf32>) -> tensor<8x8xbf16> {
  %0 = pallas.bitcast %a dim 0 : tensor<4x8xf32> -> tensor<8x8xbf16>
  return %0 : tensor<8x8xbf16>
}

// -----

// An approximate reciprocal has the precision of bf16, as on TPUs.

// CHECK-LABEL: func.func @reciprocal(
// CHECK: %[[TRUNCF:.*]] = arith.truncf %{{.*}} : tensor<4x8xf32> to tensor<4x8xbf16>
// CHECK: %[[EXTF:.*]] = arith.extf %[[TRUNCF]] : tensor<4x8xbf16> to tensor<4x8xf32>
// CHECK: %[[CONSTANT:.*]] = arith.constant dense<1.000000e+00> : tensor<4x8xf32>
// CHECK: %[[DIVF:.*]] = arith.divf %[[CONSTANT]], %[[EXTF]] : tensor<4x8xf32>
// CHECK: %[[TRUNCF2:.*]] = arith.truncf %[[DIVF]] : tensor<4x8xf32> to tensor<4x8xbf16>
// CHECK: arith.extf %[[TRUNCF2]] : tensor<4x8xbf16> to tensor<4x8xf32>
func.func @reciprocal(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = pallas.reciprocal %a approx : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// Random bits are added below the bits that stay; NaN and infinity are not rounded.

// CHECK-LABEL: func.func @stochastic_round(
// CHECK: %[[BITCAST:.*]] = arith.bitcast %[[V:.*]] : f32 to i32
// CHECK: %[[CONSTANT:.*]] = arith.constant 65535 : i32
// CHECK: %[[ANDI:.*]] = arith.andi %{{.*}}, %[[CONSTANT]] : i32
// CHECK: %[[ADDI:.*]] = arith.addi %[[BITCAST]], %[[ANDI]] : i32
// CHECK: %[[CONSTANT2:.*]] = arith.constant -65536 : i32
// CHECK: %[[ANDI2:.*]] = arith.andi %[[ADDI]], %[[CONSTANT2]] : i32
// CHECK: %[[BITCAST2:.*]] = arith.bitcast %[[ANDI2]] : i32 to f32
// CHECK: %[[SUBF:.*]] = arith.subf %[[V]], %[[V]] : f32
// CHECK: %[[CMPF:.*]] = arith.cmpf ord, %[[SUBF]], %[[SUBF]] : f32
// CHECK: %[[SELECT:.*]] = arith.select %[[CMPF]], %[[BITCAST2]], %[[V]] : f32
// CHECK: arith.truncf %[[SELECT]] : f32 to bf16
func.func @stochastic_round(%a: tensor<4x8xf32>, %bits: tensor<4x8xi32>) -> tensor<4x8xbf16> {
  %0 = pallas.stochastic_round %a bits %bits : tensor<4x8xf32>, tensor<4x8xi32> -> tensor<4x8xbf16>
  return %0 : tensor<4x8xbf16>
}

// -----

// The first operand is in the low bits of the word.

// CHECK-LABEL: func.func @pack_elementwise(
// CHECK: %[[TRUNCF:.*]] = arith.truncf %{{.*}} : f32 to bf16
// CHECK: %[[BITCAST:.*]] = arith.bitcast %[[TRUNCF]] : bf16 to i16
// CHECK: %[[EXTUI:.*]] = arith.extui %[[BITCAST]] : i16 to i32
// CHECK: %[[CONSTANT:.*]] = arith.constant 0 : i32
// CHECK: %[[SHLI:.*]] = arith.shli %[[EXTUI]], %[[CONSTANT]] : i32
// CHECK: %[[TRUNCF2:.*]] = arith.truncf %{{.*}} : f32 to bf16
// CHECK: %[[BITCAST2:.*]] = arith.bitcast %[[TRUNCF2]] : bf16 to i16
// CHECK: %[[EXTUI2:.*]] = arith.extui %[[BITCAST2]] : i16 to i32
// CHECK: %[[CONSTANT2:.*]] = arith.constant 16 : i32
// CHECK: %[[SHLI2:.*]] = arith.shli %[[EXTUI2]], %[[CONSTANT2]] : i32
// CHECK: arith.ori %[[SHLI]], %[[SHLI2]] : i32
func.func @pack_elementwise(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>) -> tensor<4x8xi32> {
  %0 = pallas.pack_elementwise %a, %b as bf16 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xi32>
  return %0 : tensor<4x8xi32>
}

// -----

// CHECK-LABEL: func.func @unpack_elementwise(
// CHECK: %[[CONSTANT:.*]] = arith.constant 16 : i32
// CHECK: %[[SHRUI:.*]] = arith.shrui %{{.*}}, %[[CONSTANT]] : i32
// CHECK: %[[TRUNCI:.*]] = arith.trunci %[[SHRUI]] : i32 to i16
// CHECK: %[[BITCAST:.*]] = arith.bitcast %[[TRUNCI]] : i16 to bf16
// CHECK: arith.extf %[[BITCAST]] : bf16 to f32
func.func @unpack_elementwise(%a: tensor<4x8xi32>) -> tensor<4x8xf32> {
  %0 = pallas.unpack_elementwise %a[1] as bf16 : tensor<4x8xi32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
