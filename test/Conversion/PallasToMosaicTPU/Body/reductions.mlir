// RUN: pallas-opt %s --convert-pallas-to-mosaic-tpu | FileCheck %s

// Reductions, positions of extremes, and running combinations. A TensorCore adds
// and takes extremes of f32 and i32; everything else is brought to these.

module attributes {tpu.target = "v5e"} {

// A native kind starts from its neutral element.
// CHECK-LABEL: func.func @sum(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<8x128xf32>
// CHECK-NEXT: %[[V0:.*]] = arith.constant dense<0.000000e+00> : vector<8xf32>
// CHECK-NEXT: %[[V1:.*]] = vector.multi_reduction <add>, %[[ARG0]], %[[V0]] [1] : vector<8x128xf32> to vector<8xf32>
// CHECK-NEXT: return %[[V1]] : vector<8xf32>
func.func @sum(%x: vector<8x128xf32>) -> vector<8xf32> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<8x128xf32> to tensor<8x128xf32>
  %0 = pallas.reduce <add> %x_t dims [1] : tensor<8x128xf32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<8xf32> to vector<8xf32>
  return %r : vector<8xf32>
}

// Dimensions come in their order, with those of lanes last.
// CHECK-LABEL: func.func @sum_of_two_dimensions(
// CHECK: vector.multi_reduction <add>, %{{.*}}, %{{.*}} [1, 3] : vector<2x8x8x128xf32> to vector<2x8xf32>
func.func @sum_of_two_dimensions(%x: vector<2x8x8x128xf32>) -> vector<2x8xf32> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<2x8x8x128xf32> to tensor<2x8x8x128xf32>
  %0 = pallas.reduce <add> %x_t dims [3, 1] : tensor<2x8x8x128xf32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<2x8xf32> to vector<2x8xf32>
  return %r : vector<2x8xf32>
}

// CHECK-LABEL: func.func @maximum_of_floats(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<8x128xf32>
// CHECK-NEXT: %[[V0:.*]] = arith.constant dense<0xFF800000> : vector<128xf32>
// CHECK-NEXT: %[[V1:.*]] = vector.multi_reduction <maximumf>, %[[ARG0]], %[[V0]] [0] : vector<8x128xf32> to vector<128xf32>
// CHECK-NEXT: return %[[V1]] : vector<128xf32>
func.func @maximum_of_floats(%x: vector<8x128xf32>) -> vector<128xf32> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<8x128xf32> to tensor<8x128xf32>
  %0 = pallas.reduce <max> %x_t dims [0] : tensor<8x128xf32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<128xf32> to vector<128xf32>
  return %r : vector<128xf32>
}

// CHECK-LABEL: func.func @minimum_of_integers(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<8x128xi32>
// CHECK-NEXT: %[[V0:.*]] = arith.constant dense<2147483647> : vector<8xi32>
// CHECK-NEXT: %[[V1:.*]] = vector.multi_reduction <minsi>, %[[ARG0]], %[[V0]] [1] : vector<8x128xi32> to vector<8xi32>
// CHECK-NEXT: return %[[V1]] : vector<8xi32>
func.func @minimum_of_integers(%x: vector<8x128xi32>) -> vector<8xi32> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<8x128xi32> to tensor<8x128xi32>
  %0 = pallas.reduce <min> %x_t dims [1] : tensor<8x128xi32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<8xi32> to vector<8xi32>
  return %r : vector<8xi32>
}

// With the sign flipped, signed order is unsigned order.
// CHECK-LABEL: func.func @unsigned_maximum(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<8x128xi32>
// CHECK-NEXT: %[[V0:.*]] = arith.constant dense<-2147483648> : vector<8x128xi32>
// CHECK-NEXT: %[[V1:.*]] = arith.xori %[[ARG0]], %[[V0]] : vector<8x128xi32>
// CHECK-NEXT: %[[V2:.*]] = arith.constant dense<-2147483648> : vector<8xi32>
// CHECK-NEXT: %[[V3:.*]] = vector.multi_reduction <maxsi>, %[[V1]], %[[V2]] [1] : vector<8x128xi32> to vector<8xi32>
// CHECK-NEXT: %[[V4:.*]] = arith.xori %[[V3]], %[[V2]] : vector<8xi32>
// CHECK-NEXT: return %[[V4]] : vector<8xi32>
func.func @unsigned_maximum(%x: vector<8x128xi32>) -> vector<8xi32> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<8x128xi32> to tensor<8x128xi32>
  %0 = pallas.reduce <umax> %x_t dims [1] : tensor<8x128xi32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<8xi32> to vector<8xi32>
  return %r : vector<8xi32>
}

// Bytes are added up in 32 bits.
// CHECK-LABEL: func.func @sum_of_bytes(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<32x128xi8>
// CHECK-NEXT: %[[V0:.*]] = arith.extsi %[[ARG0]] : vector<32x128xi8> to vector<32x128xi32>
// CHECK-NEXT: %[[V1:.*]] = arith.constant dense<0> : vector<32xi32>
// CHECK-NEXT: %[[V2:.*]] = vector.multi_reduction <add>, %[[V0]], %[[V1]] [1] : vector<32x128xi32> to vector<32xi32>
// CHECK-NEXT: %[[V3:.*]] = arith.trunci %[[V2]] : vector<32xi32> to vector<32xi8>
// CHECK-NEXT: return %[[V3]] : vector<32xi8>
func.func @sum_of_bytes(%x: vector<32x128xi8>) -> vector<32xi8> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<32x128xi8> to tensor<32x128xi8>
  %0 = pallas.reduce <add> %x_t dims [1] : tensor<32x128xi8>
  %r = builtin.unrealized_conversion_cast %0 : tensor<32xi8> to vector<32xi8>
  return %r : vector<32xi8>
}

// They are extended with zeros where their order is unsigned.
// CHECK-LABEL: func.func @unsigned_minimum_of_bytes(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<32x128xi8>
// CHECK-NEXT: %[[V0:.*]] = arith.extui %[[ARG0]] : vector<32x128xi8> to vector<32x128xi32>
// CHECK-NEXT: %[[V1:.*]] = arith.constant dense<-2147483648> : vector<32x128xi32>
// CHECK-NEXT: %[[V2:.*]] = arith.xori %[[V0]], %[[V1]] : vector<32x128xi32>
// CHECK-NEXT: %[[V3:.*]] = arith.constant dense<2147483647> : vector<32xi32>
// CHECK-NEXT: %[[V4:.*]] = vector.multi_reduction <minsi>, %[[V2]], %[[V3]] [1] : vector<32x128xi32> to vector<32xi32>
// CHECK-NEXT: %[[V5:.*]] = arith.constant dense<-2147483648> : vector<32xi32>
// CHECK-NEXT: %[[V6:.*]] = arith.xori %[[V4]], %[[V5]] : vector<32xi32>
// CHECK-NEXT: %[[V7:.*]] = arith.trunci %[[V6]] : vector<32xi32> to vector<32xi8>
// CHECK-NEXT: return %[[V7]] : vector<32xi8>
func.func @unsigned_minimum_of_bytes(%x: vector<32x128xi8>) -> vector<32xi8> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<32x128xi8> to tensor<32x128xi8>
  %0 = pallas.reduce <umin> %x_t dims [1] : tensor<32x128xi8>
  %r = builtin.unrealized_conversion_cast %0 : tensor<32xi8> to vector<32xi8>
  return %r : vector<32xi8>
}

// A product has no reduction: one half is multiplied with the other.
// CHECK-LABEL: func.func @product(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<4x128xf32>
// CHECK-NEXT: %[[V0:.*]] = vector.extract_strided_slice %[[ARG0]] {offsets = [0, 0], sizes = [2, 128], strides = [1, 1]} : vector<4x128xf32> to vector<2x128xf32>
// CHECK-NEXT: %[[V1:.*]] = vector.extract_strided_slice %[[ARG0]] {offsets = [2, 0], sizes = [2, 128], strides = [1, 1]} : vector<4x128xf32> to vector<2x128xf32>
// CHECK-NEXT: %[[V2:.*]] = arith.mulf %[[V0]], %[[V1]] : vector<2x128xf32>
// CHECK-NEXT: %[[V3:.*]] = vector.extract_strided_slice %[[V2]] {offsets = [0, 0], sizes = [1, 128], strides = [1, 1]} : vector<2x128xf32> to vector<1x128xf32>
// CHECK-NEXT: %[[V4:.*]] = vector.extract_strided_slice %[[V2]] {offsets = [1, 0], sizes = [1, 128], strides = [1, 1]} : vector<2x128xf32> to vector<1x128xf32>
// CHECK-NEXT: %[[V5:.*]] = arith.mulf %[[V3]], %[[V4]] : vector<1x128xf32>
// CHECK-NEXT: %[[V6:.*]] = vector.shape_cast %[[V5]] : vector<1x128xf32> to vector<128xf32>
// CHECK-NEXT: return %[[V6]] : vector<128xf32>
func.func @product(%x: vector<4x128xf32>) -> vector<128xf32> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<4x128xf32> to tensor<4x128xf32>
  %0 = pallas.reduce <mul> %x_t dims [0] : tensor<4x128xf32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<128xf32> to vector<128xf32>
  return %r : vector<128xf32>
}

// An odd number of rows gets one of ones.
// CHECK-LABEL: func.func @product_of_three(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<3x128xf32>
// CHECK-NEXT: %[[V0:.*]] = arith.constant dense<1.000000e+00> : vector<1x128xf32>
// CHECK-NEXT: %[[V1:.*]] = tpu.concatenate %[[ARG0]], %[[V0]] in 0 : vector<3x128xf32>, vector<1x128xf32> -> vector<4x128xf32>
// CHECK-NEXT: %[[V2:.*]] = vector.extract_strided_slice %[[V1]] {offsets = [0, 0], sizes = [2, 128], strides = [1, 1]} : vector<4x128xf32> to vector<2x128xf32>
// CHECK-NEXT: %[[V3:.*]] = vector.extract_strided_slice %[[V1]] {offsets = [2, 0], sizes = [2, 128], strides = [1, 1]} : vector<4x128xf32> to vector<2x128xf32>
// CHECK-NEXT: %[[V4:.*]] = arith.mulf %[[V2]], %[[V3]] : vector<2x128xf32>
// CHECK-NEXT: %[[V5:.*]] = vector.extract_strided_slice %[[V4]] {offsets = [0, 0], sizes = [1, 128], strides = [1, 1]} : vector<2x128xf32> to vector<1x128xf32>
// CHECK-NEXT: %[[V6:.*]] = vector.extract_strided_slice %[[V4]] {offsets = [1, 0], sizes = [1, 128], strides = [1, 1]} : vector<2x128xf32> to vector<1x128xf32>
// CHECK-NEXT: %[[V7:.*]] = arith.mulf %[[V5]], %[[V6]] : vector<1x128xf32>
// CHECK-NEXT: %[[V8:.*]] = vector.shape_cast %[[V7]] : vector<1x128xf32> to vector<128xf32>
// CHECK-NEXT: return %[[V8]] : vector<128xf32>
func.func @product_of_three(%x: vector<3x128xf32>) -> vector<128xf32> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<3x128xf32> to tensor<3x128xf32>
  %0 = pallas.reduce <mul> %x_t dims [0] : tensor<3x128xf32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<128xf32> to vector<128xf32>
  return %r : vector<128xf32>
}

// CHECK-LABEL: func.func @bitwise_or(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<2x128xi32>
// CHECK-NEXT: %[[V0:.*]] = vector.extract_strided_slice %[[ARG0]] {offsets = [0, 0], sizes = [1, 128], strides = [1, 1]} : vector<2x128xi32> to vector<1x128xi32>
// CHECK-NEXT: %[[V1:.*]] = vector.extract_strided_slice %[[ARG0]] {offsets = [1, 0], sizes = [1, 128], strides = [1, 1]} : vector<2x128xi32> to vector<1x128xi32>
// CHECK-NEXT: %[[V2:.*]] = arith.ori %[[V0]], %[[V1]] : vector<1x128xi32>
// CHECK-NEXT: %[[V3:.*]] = vector.shape_cast %[[V2]] : vector<1x128xi32> to vector<128xi32>
// CHECK-NEXT: return %[[V3]] : vector<128xi32>
func.func @bitwise_or(%x: vector<2x128xi32>) -> vector<128xi32> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<2x128xi32> to tensor<2x128xi32>
  %0 = pallas.reduce <or> %x_t dims [0] : tensor<2x128xi32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<128xi32> to vector<128xi32>
  return %r : vector<128xi32>
}

// Masks are reduced as floats.
// CHECK-LABEL: func.func @all_true(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<8x128xi1>
// CHECK-NEXT: %[[V0:.*]] = arith.extui %[[ARG0]] : vector<8x128xi1> to vector<8x128xi32>
// CHECK-NEXT: %[[V1:.*]] = arith.sitofp %[[V0]] : vector<8x128xi32> to vector<8x128xf32>
// CHECK-NEXT: %[[V2:.*]] = arith.constant dense<0x7F800000> : vector<8xf32>
// CHECK-NEXT: %[[V3:.*]] = vector.multi_reduction <minimumf>, %[[V1]], %[[V2]] [1] : vector<8x128xf32> to vector<8xf32>
// CHECK-NEXT: %[[V4:.*]] = arith.constant dense<0.000000e+00> : vector<8xf32>
// CHECK-NEXT: %[[V5:.*]] = arith.cmpf ogt, %[[V3]], %[[V4]] : vector<8xf32>
// CHECK-NEXT: return %[[V5]] : vector<8xi1>
func.func @all_true(%x: vector<8x128xi1>) -> vector<8xi1> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<8x128xi1> to tensor<8x128xi1>
  %0 = pallas.reduce <and> %x_t dims [1] : tensor<8x128xi1>
  %r = builtin.unrealized_conversion_cast %0 : tensor<8xi1> to vector<8xi1>
  return %r : vector<8xi1>
}

// CHECK-LABEL: func.func @any_true(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<8x128xi1>
// CHECK-NEXT: %[[V0:.*]] = arith.extui %[[ARG0]] : vector<8x128xi1> to vector<8x128xi32>
// CHECK-NEXT: %[[V1:.*]] = arith.sitofp %[[V0]] : vector<8x128xi32> to vector<8x128xf32>
// CHECK-NEXT: %[[V2:.*]] = arith.constant dense<0xFF800000> : vector<8xf32>
// CHECK-NEXT: %[[V3:.*]] = vector.multi_reduction <maximumf>, %[[V1]], %[[V2]] [1] : vector<8x128xf32> to vector<8xf32>
// CHECK-NEXT: %[[V4:.*]] = arith.constant dense<0.000000e+00> : vector<8xf32>
// CHECK-NEXT: %[[V5:.*]] = arith.cmpf ogt, %[[V3]], %[[V4]] : vector<8xf32>
// CHECK-NEXT: return %[[V5]] : vector<8xi1>
func.func @any_true(%x: vector<8x128xi1>) -> vector<8xi1> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<8x128xi1> to tensor<8x128xi1>
  %0 = pallas.reduce <or> %x_t dims [1] : tensor<8x128xi1>
  %r = builtin.unrealized_conversion_cast %0 : tensor<8xi1> to vector<8xi1>
  return %r : vector<8xi1>
}

// The parity of a mask is the lowest bit of its sum.
// CHECK-LABEL: func.func @parity(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<8x128xi1>
// CHECK-NEXT: %[[V0:.*]] = arith.extui %[[ARG0]] : vector<8x128xi1> to vector<8x128xi32>
// CHECK-NEXT: %[[V1:.*]] = arith.constant dense<0> : vector<8xi32>
// CHECK-NEXT: %[[V2:.*]] = vector.multi_reduction <add>, %[[V0]], %[[V1]] [1] : vector<8x128xi32> to vector<8xi32>
// CHECK-NEXT: %[[V3:.*]] = arith.constant dense<1> : vector<8xi32>
// CHECK-NEXT: %[[V4:.*]] = arith.andi %[[V2]], %[[V3]] : vector<8xi32>
// CHECK-NEXT: %[[V5:.*]] = arith.cmpi ne, %[[V4]], %[[V1]] : vector<8xi32>
// CHECK-NEXT: return %[[V5]] : vector<8xi1>
func.func @parity(%x: vector<8x128xi1>) -> vector<8xi1> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<8x128xi1> to tensor<8x128xi1>
  %0 = pallas.reduce <xor> %x_t dims [1] : tensor<8x128xi1>
  %r = builtin.unrealized_conversion_cast %0 : tensor<8xi1> to vector<8xi1>
  return %r : vector<8xi1>
}

// One element is its own sum.
// CHECK-LABEL: func.func @unit_dimension(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<8x1x128xf32>
// CHECK-NEXT: %[[V0:.*]] = vector.shape_cast %[[ARG0]] : vector<8x1x128xf32> to vector<8x128xf32>
// CHECK-NEXT: return %[[V0]] : vector<8x128xf32>
func.func @unit_dimension(%x: vector<8x1x128xf32>) -> vector<8x128xf32> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<8x1x128xf32> to tensor<8x1x128xf32>
  %0 = pallas.reduce <add> %x_t dims [1] : tensor<8x1x128xf32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<8x128xf32> to vector<8x128xf32>
  return %r : vector<8x128xf32>
}

// A reduction to a scalar keeps a leading dimension until the end.
// CHECK-LABEL: func.func @everything(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<8x128xf32>
// CHECK-NEXT: %[[V0:.*]] = vector.shape_cast %[[ARG0]] : vector<8x128xf32> to vector<1x8x128xf32>
// CHECK-NEXT: %[[V1:.*]] = arith.constant dense<0.000000e+00> : vector<1xf32>
// CHECK-NEXT: %[[V2:.*]] = vector.multi_reduction <add>, %[[V0]], %[[V1]] [1, 2] : vector<1x8x128xf32> to vector<1xf32>
// CHECK-NEXT: %[[V3:.*]] = vector.shape_cast %[[V2]] : vector<1xf32> to vector<1x1x1xf32>
// CHECK-NEXT: %[[V4:.*]] = vector.extract %[[V3]][0, 0, 0] : f32 from vector<1x1x1xf32>
// CHECK-NEXT: return %[[V4]] : f32
func.func @everything(%x: vector<8x128xf32>) -> f32 {
  %x_t = builtin.unrealized_conversion_cast %x : vector<8x128xf32> to tensor<8x128xf32>
  %0 = pallas.reduce <add> %x_t dims [0, 1] : tensor<8x128xf32>
  return %0 : f32
}

// Positions in floats have an operation.
// CHECK-LABEL: func.func @position_of_maximum(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<8x128xf32>
// CHECK-NEXT: %[[V0:.*]] = tpu.reduce_index %[[ARG0]] {axis = 1 : i32, kind = #tpu.reduction_kind<arg_max>} : vector<8x128xf32> -> vector<8xi32>
// CHECK-NEXT: return %[[V0]] : vector<8xi32>
func.func @position_of_maximum(%x: vector<8x128xf32>) -> vector<8xi32> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<8x128xf32> to tensor<8x128xf32>
  %0 = pallas.arg_reduce <max> %x_t dim 1 to i32 : tensor<8x128xf32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<8xi32> to vector<8xi32>
  return %r : vector<8xi32>
}

// It needs a second dimension.
// CHECK-LABEL: func.func @position_in_row(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<128xf32>
// CHECK-NEXT: %[[V0:.*]] = vector.shape_cast %[[ARG0]] : vector<128xf32> to vector<1x128xf32>
// CHECK-NEXT: %[[V1:.*]] = tpu.reduce_index %[[V0]] {axis = 1 : i32, kind = #tpu.reduction_kind<arg_min>} : vector<1x128xf32> -> vector<1xi32>
// CHECK-NEXT: %[[V2:.*]] = vector.extract %[[V1]][0] : i32 from vector<1xi32>
// CHECK-NEXT: return %[[V2]] : i32
func.func @position_in_row(%x: vector<128xf32>) -> i32 {
  %x_t = builtin.unrealized_conversion_cast %x : vector<128xf32> to tensor<128xf32>
  %0 = pallas.arg_reduce <min> %x_t dim 0 to i32 : tensor<128xf32>
  return %0 : i32
}

// Among integers, the least index of an element that equals the extreme is
// found.
// CHECK-LABEL: func.func @position_in_integers(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<8x128xi32>
// CHECK-NEXT: %[[V0:.*]] = arith.constant dense<-2147483648> : vector<8xi32>
// CHECK-NEXT: %[[V1:.*]] = vector.multi_reduction <maxsi>, %[[ARG0]], %[[V0]] [1] : vector<8x128xi32> to vector<8xi32>
// CHECK-NEXT: %[[V2:.*]] = vector.shape_cast %[[V1]] : vector<8xi32> to vector<8x1xi32>
// CHECK-NEXT: %[[V3:.*]] = vector.broadcast %[[V2]] : vector<8x1xi32> to vector<8x128xi32>
// CHECK-NEXT: %[[V4:.*]] = arith.cmpi eq, %[[ARG0]], %[[V3]] : vector<8x128xi32>
// CHECK-NEXT: %[[V5:.*]] = tpu.iota {dimensions = array<i32: 1>} : vector<8x128xi32>
// CHECK-NEXT: %[[V6:.*]] = arith.constant dense<128> : vector<8x128xi32>
// CHECK-NEXT: %[[V7:.*]] = arith.select %[[V4]], %[[V5]], %[[V6]] : vector<8x128xi1>, vector<8x128xi32>
// CHECK-NEXT: %[[V8:.*]] = arith.constant dense<2147483647> : vector<8xi32>
// CHECK-NEXT: %[[V9:.*]] = vector.multi_reduction <minsi>, %[[V7]], %[[V8]] [1] : vector<8x128xi32> to vector<8xi32>
// CHECK-NEXT: return %[[V9]] : vector<8xi32>
func.func @position_in_integers(%x: vector<8x128xi32>) -> vector<8xi32> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<8x128xi32> to tensor<8x128xi32>
  %0 = pallas.arg_reduce <max> %x_t dim 1 to i32 : tensor<8x128xi32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<8xi32> to vector<8xi32>
  return %r : vector<8xi32>
}

// After the step with distance d, each element has the sum of 2 d elements.
// CHECK-LABEL: func.func @running_sum(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<8x4xf32>
// CHECK-NEXT: %[[V0:.*]] = arith.constant dense<0.000000e+00> : vector<8x1xf32>
// CHECK-NEXT: %[[V1:.*]] = vector.extract_strided_slice %[[ARG0]] {offsets = [0, 0], sizes = [8, 3], strides = [1, 1]} : vector<8x4xf32> to vector<8x3xf32>
// CHECK-NEXT: %[[V2:.*]] = tpu.concatenate %[[V0]], %[[V1]] in 1 : vector<8x1xf32>, vector<8x3xf32> -> vector<8x4xf32>
// CHECK-NEXT: %[[V3:.*]] = arith.addf %[[ARG0]], %[[V2]] : vector<8x4xf32>
// CHECK-NEXT: %[[V4:.*]] = arith.constant dense<0.000000e+00> : vector<8x2xf32>
// CHECK-NEXT: %[[V5:.*]] = vector.extract_strided_slice %[[V3]] {offsets = [0, 0], sizes = [8, 2], strides = [1, 1]} : vector<8x4xf32> to vector<8x2xf32>
// CHECK-NEXT: %[[V6:.*]] = tpu.concatenate %[[V4]], %[[V5]] in 1 : vector<8x2xf32>, vector<8x2xf32> -> vector<8x4xf32>
// CHECK-NEXT: %[[V7:.*]] = arith.addf %[[V3]], %[[V6]] : vector<8x4xf32>
// CHECK-NEXT: return %[[V7]] : vector<8x4xf32>
func.func @running_sum(%x: vector<8x4xf32>) -> vector<8x4xf32> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<8x4xf32> to tensor<8x4xf32>
  %0 = pallas.cumulative <sum> %x_t dim 1 : tensor<8x4xf32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<8x4xf32> to vector<8x4xf32>
  return %r : vector<8x4xf32>
}

// CHECK-LABEL: func.func @running_maximum_backwards(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<8x2xf32>
// CHECK-NEXT: %[[V0:.*]] = arith.constant dense<0xFF800000> : vector<8x1xf32>
// CHECK-NEXT: %[[V1:.*]] = vector.extract_strided_slice %[[ARG0]] {offsets = [0, 1], sizes = [8, 1], strides = [1, 1]} : vector<8x2xf32> to vector<8x1xf32>
// CHECK-NEXT: %[[V2:.*]] = tpu.concatenate %[[V1]], %[[V0]] in 1 : vector<8x1xf32>, vector<8x1xf32> -> vector<8x2xf32>
// CHECK-NEXT: %[[V3:.*]] = arith.maximumf %[[ARG0]], %[[V2]] : vector<8x2xf32>
// CHECK-NEXT: return %[[V3]] : vector<8x2xf32>
func.func @running_maximum_backwards(%x: vector<8x2xf32>) -> vector<8x2xf32> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<8x2xf32> to tensor<8x2xf32>
  %0 = pallas.cumulative <max> %x_t dim 1 reverse : tensor<8x2xf32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<8x2xf32> to vector<8x2xf32>
  return %r : vector<8x2xf32>
}

// Along a leading dimension one slice is added after the other.
// CHECK-LABEL: func.func @running_sum_of_slices(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<3x8x128xf32>
// CHECK-NEXT: %[[V0:.*]] = vector.extract_strided_slice %[[ARG0]] {offsets = [0, 0, 0], sizes = [1, 8, 128], strides = [1, 1, 1]} : vector<3x8x128xf32> to vector<1x8x128xf32>
// CHECK-NEXT: %[[V1:.*]] = vector.extract_strided_slice %[[ARG0]] {offsets = [1, 0, 0], sizes = [1, 8, 128], strides = [1, 1, 1]} : vector<3x8x128xf32> to vector<1x8x128xf32>
// CHECK-NEXT: %[[V2:.*]] = arith.addf %[[V0]], %[[V1]] : vector<1x8x128xf32>
// CHECK-NEXT: %[[V3:.*]] = vector.extract_strided_slice %[[ARG0]] {offsets = [2, 0, 0], sizes = [1, 8, 128], strides = [1, 1, 1]} : vector<3x8x128xf32> to vector<1x8x128xf32>
// CHECK-NEXT: %[[V4:.*]] = arith.addf %[[V2]], %[[V3]] : vector<1x8x128xf32>
// CHECK-NEXT: %[[V5:.*]] = tpu.concatenate %[[V0]], %[[V2]], %[[V4]] in 0 : vector<1x8x128xf32>, vector<1x8x128xf32>, vector<1x8x128xf32> -> vector<3x8x128xf32>
// CHECK-NEXT: return %[[V5]] : vector<3x8x128xf32>
func.func @running_sum_of_slices(%x: vector<3x8x128xf32>) -> vector<3x8x128xf32> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<3x8x128xf32> to tensor<3x8x128xf32>
  %0 = pallas.cumulative <sum> %x_t dim 0 : tensor<3x8x128xf32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<3x8x128xf32> to vector<3x8x128xf32>
  return %r : vector<3x8x128xf32>
}

// Many slices are added in a loop, through memory.
// CHECK-LABEL: func.func @running_sum_in_memory(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<64x8x128xf32>
// CHECK-NEXT: %[[V0:.*]] = "tpu.region"() ({
// CHECK-NEXT: %[[V1:.*]] = memref.alloca() : memref<64x8x128xf32, #tpu.memory_space<vmem>>
// CHECK: tpu.vector_store %[[V1]][%{{.*}}, %{{.*}}, %{{.*}}], %[[ARG0]] {strides = array<i32>} : memref<64x8x128xf32, #tpu.memory_space<vmem>>, vector<64x8x128xf32>,
// CHECK: %[[V2:.*]] = vector.load %[[V1]][%{{.*}}, %{{.*}}, %{{.*}}] : memref<64x8x128xf32, #tpu.memory_space<vmem>>, vector<1x8x128xf32>
// CHECK: %[[V3:.*]] = scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%{{.*}} = %[[V2]]) -> (vector<1x8x128xf32>)  : i32 {
// CHECK: %[[V4:.*]] = vector.load %[[V1]][%{{.*}}, %{{.*}}, %{{.*}}] : memref<64x8x128xf32, #tpu.memory_space<vmem>>, vector<1x8x128xf32>
// CHECK-NEXT: %[[V5:.*]] = arith.addf %{{.*}}, %[[V4]] : vector<1x8x128xf32>
// CHECK: tpu.vector_store %[[V1]][%{{.*}}, %{{.*}}, %{{.*}}], %[[V5]] {strides = array<i32>} : memref<64x8x128xf32, #tpu.memory_space<vmem>>, vector<1x8x128xf32>,
// CHECK-NEXT: scf.yield %[[V5]] : vector<1x8x128xf32>
// CHECK: %[[V6:.*]] = vector.load %[[V1]][%{{.*}}, %{{.*}}, %{{.*}}] : memref<64x8x128xf32, #tpu.memory_space<vmem>>, vector<64x8x128xf32>
// CHECK-NEXT: tpu.yield %[[V6]] : vector<64x8x128xf32>
func.func @running_sum_in_memory(%x: vector<64x8x128xf32>) -> vector<64x8x128xf32> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<64x8x128xf32> to tensor<64x8x128xf32>
  %0 = pallas.cumulative <sum> %x_t dim 0 : tensor<64x8x128xf32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<64x8x128xf32> to vector<64x8x128xf32>
  return %r : vector<64x8x128xf32>
}
}
