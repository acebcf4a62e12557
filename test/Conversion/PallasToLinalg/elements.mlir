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

// -----

// Rows that lie one above the other become the halves of a word.

// CHECK-LABEL: func.func @bitcast_to_wider(
// CHECK: %[[PAIRS:.*]] = tensor.expand_shape %{{.*}} {{\[\[}}0, 1], [2]] output_shape [4, 2, 8]
// CHECK: %[[WORDS:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "reduction", "parallel"]} ins(%[[PAIRS]] : tensor<4x2x8xbf16>) outs(%{{.*}} : tensor<4x8xi32>)
// CHECK: ^bb0(%[[HALF:.*]]: bf16, %[[WORD:.*]]: i32):
// CHECK: %[[BITS:.*]] = arith.bitcast %[[HALF]] : bf16 to i16
// CHECK: %[[WIDE:.*]] = arith.extui %[[BITS]] : i16 to i32
// CHECK: %[[PLACED:.*]] = arith.shli %[[WIDE]], %{{.*}} : i32
// CHECK: arith.ori %[[PLACED]], %[[WORD]] : i32
// CHECK: arith.bitcast %[[WORDS]] : tensor<4x8xi32> to tensor<4x8xf32>
func.func @bitcast_to_wider(%a: tensor<8x8xbf16>) -> tensor<4x8xf32> {
  %0 = pallas.bitcast %a dim 0 : tensor<8x8xbf16> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// Without a dimension to widen, the parts of an element get one of their own.

// CHECK-LABEL: func.func @bitcast_of_scalars(
// CHECK: tensor.from_elements %{{.*}} : tensor<f32>
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel"]} ins(%{{.*}} : tensor<f32>) outs(%{{.*}} : tensor<4xi8>)
// CHECK: %[[WORD:.*]] = linalg.generic {{.*}}iterator_types = ["reduction"]} ins(%{{.*}} : tensor<4xi8>) outs(%{{.*}} : tensor<i32>)
// CHECK: tensor.extract %[[WORD]][] : tensor<i32>
func.func @bitcast_of_scalars(%a: f32, %b: tensor<4xi8>) -> (tensor<4xi8>, i32) {
  %0 = pallas.bitcast %a dim -1 : f32 -> tensor<4xi8>
  %1 = pallas.bitcast %b dim -1 : tensor<4xi8> -> i32
  return %0, %1 : tensor<4xi8>, i32
}

// -----

// CHECK-LABEL: func.func @bitcast_to_nibbles(
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<4x8x2xi4>)
// CHECK: arith.constant 4 : i8
// CHECK: arith.trunci %{{.*}} : i8 to i4
// CHECK: tensor.collapse_shape %{{.*}} {{\[\[}}0], [1, 2]]
func.func @bitcast_to_nibbles(%a: tensor<4x8xi8>) -> tensor<4x16xi4> {
  %0 = pallas.bitcast %a dim 1 : tensor<4x8xi8> -> tensor<4x16xi4>
  return %0 : tensor<4x16xi4>
}

// -----

// The quotient of narrow floats is computed in f32, that of others in their type.

// CHECK-LABEL: func.func @exact_reciprocal(
// CHECK: %[[WIDE:.*]] = arith.extf %{{.*}} : tensor<8xbf16> to tensor<8xf32>
// CHECK: %[[Q:.*]] = arith.divf %{{.*}}, %[[WIDE]] : tensor<8xf32>
// CHECK: arith.truncf %[[Q]] : tensor<8xf32> to tensor<8xbf16>
// CHECK: %[[ONE:.*]] = arith.constant 1.000000e+00 : f64
// CHECK: %[[R:.*]] = arith.divf %[[ONE]], %{{.*}} : f64
// CHECK: return %{{.*}}, %[[R]]
func.func @exact_reciprocal(%a: tensor<8xbf16>, %b: f64) -> (tensor<8xbf16>, f64) {
  %0 = pallas.reciprocal %a : tensor<8xbf16>
  %1 = pallas.reciprocal %b : f64
  return %0, %1 : tensor<8xbf16>, f64
}

// -----

// There is no cast between two floats of 16 bits: f16 becomes bf16 by way of f32.

// CHECK-LABEL: func.func @reciprocal_of_f16(
// CHECK-SAME: %[[A:.*]]: f16
// CHECK: %[[WIDE:.*]] = arith.extf %[[A]] : f16 to f32
// CHECK: arith.truncf %[[WIDE]] : f32 to bf16
// CHECK: %[[Q:.*]] = arith.divf
// CHECK: %[[ROUNDED:.*]] = arith.truncf %[[Q]] : f32 to bf16
// CHECK: %[[BACK:.*]] = arith.extf %[[ROUNDED]] : bf16 to f32
// CHECK: arith.truncf %[[BACK]] : f32 to f16
func.func @reciprocal_of_f16(%a: f16) -> f16 {
  %0 = pallas.reciprocal %a approx : f16
  return %0 : f16
}

// -----

// The mask covers the bits that the target lacks: 13 for f16.

// CHECK-LABEL: func.func @stochastic_round_scalar(
// CHECK: %[[X:.*]] = tensor.from_elements %{{.*}} : tensor<f32>
// CHECK: %[[BITS:.*]] = tensor.from_elements %{{.*}} : tensor<i32>
// CHECK: %[[R:.*]] = linalg.generic {{.*}}iterator_types = []} ins(%[[X]], %[[BITS]] : tensor<f32>, tensor<i32>)
// CHECK: arith.constant 8191 : i32
// CHECK: arith.constant -8192 : i32
// CHECK: arith.truncf %{{.*}} : f32 to f16
// CHECK: tensor.extract %[[R]][] : tensor<f16>
func.func @stochastic_round_scalar(%a: f32, %bits: i32) -> f16 {
  %0 = pallas.stochastic_round %a bits %bits : f32, i32 -> f16
  return %0 : f16
}

// -----

// Integers are cut when packed, and keep their sign when unpacked.

// CHECK-LABEL: func.func @packed_integers(
// CHECK: arith.trunci %{{.*}} : i32 to i16
// CHECK: arith.extui %{{.*}} : i16 to i32
// CHECK: %[[SHIFT:.*]] = arith.constant 24 : i32
// CHECK: %[[SHIFTED:.*]] = arith.shrui %{{.*}}, %[[SHIFT]] : i32
// CHECK: %[[BYTE:.*]] = arith.trunci %[[SHIFTED]] : i32 to i8
// CHECK: arith.extsi %[[BYTE]] : i8 to i32
func.func @packed_integers(%a: tensor<4x8xi32>, %b: tensor<4x8xi32>) -> tensor<4x8xi32> {
  %0 = pallas.pack_elementwise %a, %b as i16 : tensor<4x8xi32>, tensor<4x8xi32> -> tensor<4x8xi32>
  %1 = pallas.unpack_elementwise %0[3] as i8 : tensor<4x8xi32> -> tensor<4x8xi32>
  return %1 : tensor<4x8xi32>
}
