// RUN: pallas-opt %s --convert-pallas-to-mosaic-tpu | FileCheck %s

// Operations that move elements, one at a time.

module attributes {tpu.target = "v5e"} {

// A column gets its unit dimension before it is repeated along lanes.
// CHECK-LABEL: func.func @broadcast_column(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<8xf32>
// CHECK-NEXT: %[[V0:.*]] = vector.shape_cast %[[ARG0]] : vector<8xf32> to vector<8x1xf32>
// CHECK-NEXT: %[[V1:.*]] = vector.broadcast %[[V0]] : vector<8x1xf32> to vector<8x128xf32>
// CHECK-NEXT: return %[[V1]] : vector<8x128xf32>
func.func @broadcast_column(%x: vector<8xf32>) -> vector<8x128xf32> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<8xf32> to tensor<8xf32>
  %0 = pallas.broadcast %x_t dims [0] : tensor<8xf32> -> tensor<8x128xf32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<8x128xf32> to vector<8x128xf32>
  return %r : vector<8x128xf32>
}

// CHECK-LABEL: func.func @broadcast_row(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<128xf32>
// CHECK-NEXT: %[[V0:.*]] = vector.shape_cast %[[ARG0]] : vector<128xf32> to vector<1x128xf32>
// CHECK-NEXT: %[[V1:.*]] = vector.broadcast %[[V0]] : vector<1x128xf32> to vector<8x128xf32>
// CHECK-NEXT: return %[[V1]] : vector<8x128xf32>
func.func @broadcast_row(%x: vector<128xf32>) -> vector<8x128xf32> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<128xf32> to tensor<128xf32>
  %0 = pallas.broadcast %x_t dims [1] : tensor<128xf32> -> tensor<8x128xf32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<8x128xf32> to vector<8x128xf32>
  return %r : vector<8x128xf32>
}

// Masks are moved as words.
// CHECK-LABEL: func.func @broadcast_mask(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<8x1xi1>
// CHECK-NEXT: %[[V0:.*]] = arith.extui %[[ARG0]] : vector<8x1xi1> to vector<8x1xi32>
// CHECK-NEXT: %[[V1:.*]] = vector.broadcast %[[V0]] : vector<8x1xi32> to vector<8x128xi32>
// CHECK-NEXT: %[[V2:.*]] = arith.constant dense<0> : vector<8x128xi32>
// CHECK-NEXT: %[[V3:.*]] = arith.cmpi ne, %[[V1]], %[[V2]] : vector<8x128xi32>
// CHECK-NEXT: return %[[V3]] : vector<8x128xi1>
func.func @broadcast_mask(%x: vector<8x1xi1>) -> vector<8x128xi1> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<8x1xi1> to tensor<8x1xi1>
  %0 = pallas.broadcast %x_t dims [0, 1] : tensor<8x1xi1> -> tensor<8x128xi1>
  %r = builtin.unrealized_conversion_cast %0 : tensor<8x128xi1> to vector<8x128xi1>
  return %r : vector<8x128xi1>
}

// CHECK-LABEL: func.func @broadcast_scalar(
// CHECK-SAME: %[[ARG0:[^:]*]]: f32
// CHECK-NEXT: %[[V0:.*]] = vector.broadcast %[[ARG0]] : f32 to vector<8x128xf32>
// CHECK-NEXT: return %[[V0]] : vector<8x128xf32>
func.func @broadcast_scalar(%x: f32) -> vector<8x128xf32> {
  %0 = pallas.broadcast %x : f32 -> tensor<8x128xf32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<8x128xf32> to vector<8x128xf32>
  return %r : vector<8x128xf32>
}

// Copies of rows side by side are joined, so that nothing moves between lanes.
// CHECK-LABEL: func.func @repeat_rows(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<8x1x128xf32>
// CHECK: %[[V0:.*]] = vector.shape_cast %[[ARG0]] : vector<8x1x128xf32> to vector<8x128xf32>
// CHECK-NEXT: %[[V1:.*]] = tpu.concatenate %[[V0]], %[[V0]] in 1 : vector<8x128xf32>, vector<8x128xf32> -> vector<8x256xf32>
// CHECK-NEXT: return %[[V1]] : vector<8x256xf32>
func.func @repeat_rows(%x: vector<8x1x128xf32>) -> vector<8x256xf32> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<8x1x128xf32> to tensor<8x1x128xf32>
  %0 = pallas.broadcast %x_t dims [0, 1, 2] : tensor<8x1x128xf32> -> tensor<8x2x128xf32>
  %1 = pallas.reshape %0 : tensor<8x2x128xf32> -> tensor<8x256xf32>
  %r = builtin.unrealized_conversion_cast %1 : tensor<8x256xf32> to vector<8x256xf32>
  return %r : vector<8x256xf32>
}

// Rows of whole registers are cut at once.
// CHECK-LABEL: func.func @reshape_rows(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<8x256xf32>
// CHECK-NEXT: %[[V0:.*]] = vector.shape_cast %[[ARG0]] : vector<8x256xf32> to vector<16x128xf32>
// CHECK-NEXT: return %[[V0]] : vector<16x128xf32>
func.func @reshape_rows(%x: vector<8x256xf32>) -> vector<16x128xf32> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<8x256xf32> to tensor<8x256xf32>
  %0 = pallas.reshape %x_t : tensor<8x256xf32> -> tensor<16x128xf32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<16x128xf32> to vector<16x128xf32>
  return %r : vector<16x128xf32>
}

// Others go by way of one row. Casts of bits keep the steps apart.
// CHECK-LABEL: func.func @reshape_through_row(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<4x6xf32>
// CHECK-NEXT: %[[V0:.*]] = vector.shape_cast %[[ARG0]] : vector<4x6xf32> to vector<1x4x6xf32>
// CHECK-NEXT: %[[V1:.*]] = tpu.bitcast %[[V0]] : vector<1x4x6xf32> -> vector<1x4x6xi32>
// CHECK-NEXT: %[[V2:.*]] = vector.shape_cast %[[V1]] : vector<1x4x6xi32> to vector<1x24xi32>
// CHECK-NEXT: %[[V3:.*]] = tpu.bitcast %[[V2]] : vector<1x24xi32> -> vector<1x24xf32>
// CHECK-NEXT: %[[V4:.*]] = vector.shape_cast %[[V3]] : vector<1x24xf32> to vector<1x8x3xf32>
// CHECK-NEXT: %[[V5:.*]] = tpu.bitcast %[[V4]] : vector<1x8x3xf32> -> vector<1x8x3xi32>
// CHECK-NEXT: %[[V6:.*]] = vector.shape_cast %[[V5]] : vector<1x8x3xi32> to vector<8x3xi32>
// CHECK-NEXT: %[[V7:.*]] = tpu.bitcast %[[V6]] : vector<8x3xi32> -> vector<8x3xf32>
// CHECK-NEXT: return %[[V7]] : vector<8x3xf32>
func.func @reshape_through_row(%x: vector<4x6xf32>) -> vector<8x3xf32> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<4x6xf32> to tensor<4x6xf32>
  %0 = pallas.reshape %x_t : tensor<4x6xf32> -> tensor<8x3xf32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<8x3xf32> to vector<8x3xf32>
  return %r : vector<8x3xf32>
}

// CHECK-LABEL: func.func @transpose(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<8x128xf32>
// CHECK-NEXT: %[[V0:.*]] = tpu.transpose %[[ARG0]], [1, 0] : vector<8x128xf32> -> vector<128x8xf32>
// CHECK-NEXT: return %[[V0]] : vector<128x8xf32>
func.func @transpose(%x: vector<8x128xf32>) -> vector<128x8xf32> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<8x128xf32> to tensor<8x128xf32>
  %0 = pallas.transpose %x_t, [1, 0] : tensor<8x128xf32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<128x8xf32> to vector<128x8xf32>
  return %r : vector<128x8xf32>
}

// CHECK-LABEL: func.func @transpose_mask(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<8x128xi1>
// CHECK-NEXT: %[[V0:.*]] = arith.extui %[[ARG0]] : vector<8x128xi1> to vector<8x128xi32>
// CHECK-NEXT: %[[V1:.*]] = tpu.transpose %[[V0]], [1, 0] : vector<8x128xi32> -> vector<128x8xi32>
// CHECK-NEXT: %[[V2:.*]] = arith.constant dense<0> : vector<128x8xi32>
// CHECK-NEXT: %[[V3:.*]] = arith.cmpi ne, %[[V1]], %[[V2]] : vector<128x8xi32>
// CHECK-NEXT: return %[[V3]] : vector<128x8xi1>
func.func @transpose_mask(%x: vector<8x128xi1>) -> vector<128x8xi1> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<8x128xi1> to tensor<8x128xi1>
  %0 = pallas.transpose %x_t, [1, 0] : tensor<8x128xi1>
  %r = builtin.unrealized_conversion_cast %0 : tensor<128x8xi1> to vector<128x8xi1>
  return %r : vector<128x8xi1>
}

// Two rows of narrow elements make one of wide ones.
// CHECK-LABEL: func.func @bitcast_to_halves(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<8x128xf32>
// CHECK-NEXT: %[[V0:.*]] = tpu.bitcast %[[ARG0]] : vector<8x128xf32> -> vector<16x128xbf16>
// CHECK-NEXT: return %[[V0]] : vector<16x128xbf16>
func.func @bitcast_to_halves(%x: vector<8x128xf32>) -> vector<16x128xbf16> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<8x128xf32> to tensor<8x128xf32>
  %0 = pallas.bitcast %x_t dim 0 : tensor<8x128xf32> -> tensor<16x128xbf16>
  %r = builtin.unrealized_conversion_cast %0 : tensor<16x128xbf16> to vector<16x128xbf16>
  return %r : vector<16x128xbf16>
}

// CHECK-LABEL: func.func @bitcast_of_scalar(
// CHECK-SAME: %[[ARG0:[^:]*]]: f32
// CHECK-NEXT: %[[V0:.*]] = arith.bitcast %[[ARG0]] : f32 to i32
// CHECK-NEXT: return %[[V0]] : i32
func.func @bitcast_of_scalar(%x: f32) -> i32 {
  %0 = pallas.bitcast %x : f32 -> i32
  return %0 : i32
}

// The hardware counts in two dimensions.
// CHECK-LABEL: func.func @iota_of_row(
// CHECK-NEXT: %[[V0:.*]] = tpu.iota {dimensions = array<i32: 1>} : vector<1x128xi32>
// CHECK-NEXT: %[[V1:.*]] = vector.shape_cast %[[V0]] : vector<1x128xi32> to vector<128xi32>
// CHECK-NEXT: return %[[V1]] : vector<128xi32>
func.func @iota_of_row() -> vector<128xi32> {
  %0 = pallas.iota 0 : tensor<128xi32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<128xi32> to vector<128xi32>
  return %r : vector<128xi32>
}

// CHECK-LABEL: func.func @iota_of_floats(
// CHECK-NEXT: %[[V0:.*]] = tpu.iota {dimensions = array<i32: 1>} : vector<8x128xi32>
// CHECK-NEXT: %[[V1:.*]] = arith.sitofp %[[V0]] : vector<8x128xi32> to vector<8x128xf32>
// CHECK-NEXT: return %[[V1]] : vector<8x128xf32>
func.func @iota_of_floats() -> vector<8x128xf32> {
  %0 = pallas.iota 1 : tensor<8x128xf32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<8x128xf32> to vector<8x128xf32>
  return %r : vector<8x128xf32>
}

// Padding is joined to the sides of a dimension.
// CHECK-LABEL: func.func @pad(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<8x120xf32>, %[[ARG1:[^:]*]]: f32
// CHECK-NEXT: %[[V0:.*]] = vector.broadcast %[[ARG1]] : f32 to vector<8x2xf32>
// CHECK-NEXT: %[[V1:.*]] = vector.broadcast %[[ARG1]] : f32 to vector<8x6xf32>
// CHECK-NEXT: %[[V2:.*]] = tpu.concatenate %[[V0]], %[[ARG0]], %[[V1]] in 1 : vector<8x2xf32>, vector<8x120xf32>, vector<8x6xf32> -> vector<8x128xf32>
// CHECK-NEXT: return %[[V2]] : vector<8x128xf32>
func.func @pad(%x: vector<8x120xf32>, %p: f32) -> vector<8x128xf32> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<8x120xf32> to tensor<8x120xf32>
  %0 = tensor.pad %x_t low[0, 2] high[0, 6] {
  ^bb0(%i: index, %j: index):
  tensor.yield %p : f32
  } : tensor<8x120xf32> to tensor<8x128xf32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<8x128xf32> to vector<8x128xf32>
  return %r : vector<8x128xf32>
}

// CHECK-LABEL: func.func @slice_at_constant(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<8x128xf32>
// CHECK-NEXT: %[[V0:.*]] = vector.extract_strided_slice %[[ARG0]] {offsets = [0, 64], sizes = [8, 64], strides = [1, 1]} : vector<8x128xf32> to vector<8x64xf32>
// CHECK-NEXT: return %[[V0]] : vector<8x64xf32>
func.func @slice_at_constant(%x: vector<8x128xf32>) -> vector<8x64xf32> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<8x128xf32> to tensor<8x128xf32>
  %0 = tensor.extract_slice %x_t[0, 64] [8, 64] [1, 1] : tensor<8x128xf32> to tensor<8x64xf32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<8x64xf32> to vector<8x64xf32>
  return %r : vector<8x64xf32>
}

// A slice at a value is clamped to the array and rotated to the front.
// CHECK-LABEL: func.func @slice_at_value(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<8x128xf32>, %[[ARG1:[^:]*]]: index
// CHECK-NEXT: %[[V0:.*]] = arith.index_cast %[[ARG1]] : index to i32
// CHECK-NEXT: %[[V1:.*]] = arith.constant 0 : i32
// CHECK-NEXT: %[[V2:.*]] = arith.maxsi %[[V0]], %[[V1]] : i32
// CHECK-NEXT: %[[V3:.*]] = arith.constant 64 : i32
// CHECK-NEXT: %[[V4:.*]] = arith.minsi %[[V2]], %[[V3]] : i32
// CHECK-NEXT: %[[V5:.*]] = arith.constant 128 : i32
// CHECK-NEXT: %[[V6:.*]] = arith.subi %[[V5]], %[[V4]] : i32
// CHECK-NEXT: %[[V7:.*]] = tpu.dynamic_rotate %[[ARG0]] by %[[V6]] dim 1 : vector<8x128xf32>, i32 -> vector<8x128xf32>
// CHECK-NEXT: %[[V8:.*]] = vector.extract_strided_slice %[[V7]] {offsets = [0, 0], sizes = [8, 64], strides = [1, 1]} : vector<8x128xf32> to vector<8x64xf32>
// CHECK-NEXT: return %[[V8]] : vector<8x64xf32>
func.func @slice_at_value(%x: vector<8x128xf32>, %i: index) -> vector<8x64xf32> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<8x128xf32> to tensor<8x128xf32>
  %0 = tensor.extract_slice %x_t[0, %i] [8, 64] [1, 1] : tensor<8x128xf32> to tensor<8x64xf32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<8x64xf32> to vector<8x64xf32>
  return %r : vector<8x64xf32>
}

// A part is rotated to its place, and selected there.
// CHECK-LABEL: func.func @insert_at_value(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<8x128xf32>, %[[ARG1:[^:]*]]: vector<8x64xf32>, %[[ARG2:[^:]*]]: index
// CHECK-NEXT: %[[V0:.*]] = arith.index_cast %[[ARG2]] : index to i32
// CHECK-NEXT: %[[V1:.*]] = arith.constant 0 : i32
// CHECK-NEXT: %[[V2:.*]] = arith.maxsi %[[V0]], %[[V1]] : i32
// CHECK-NEXT: %[[V3:.*]] = arith.constant 64 : i32
// CHECK-NEXT: %[[V4:.*]] = arith.minsi %[[V2]], %[[V3]] : i32
// CHECK-NEXT: %[[V5:.*]] = arith.constant dense<0.000000e+00> : vector<8x64xf32>
// CHECK-NEXT: %[[V6:.*]] = tpu.concatenate %[[ARG1]], %[[V5]] in 1 : vector<8x64xf32>, vector<8x64xf32> -> vector<8x128xf32>
// CHECK-NEXT: %[[V7:.*]] = tpu.dynamic_rotate %[[V6]] by %[[V4]] dim 1 : vector<8x128xf32>, i32 -> vector<8x128xf32>
// CHECK-NEXT: %[[V8:.*]] = tpu.iota {dimensions = array<i32: 1>} : vector<8x128xi32>
// CHECK-NEXT: %[[V9:.*]] = vector.broadcast %[[V4]] : i32 to vector<8x128xi32>
// CHECK-NEXT: %[[V10:.*]] = arith.subi %[[V8]], %[[V9]] : vector<8x128xi32>
// CHECK-NEXT: %[[V11:.*]] = arith.constant dense<0> : vector<8x128xi32>
// CHECK-NEXT: %[[V12:.*]] = arith.cmpi sge, %[[V10]], %[[V11]] : vector<8x128xi32>
// CHECK-NEXT: %[[V13:.*]] = arith.constant dense<64> : vector<8x128xi32>
// CHECK-NEXT: %[[V14:.*]] = arith.cmpi slt, %[[V10]], %[[V13]] : vector<8x128xi32>
// CHECK-NEXT: %[[V15:.*]] = arith.andi %[[V12]], %[[V14]] : vector<8x128xi1>
// CHECK-NEXT: %[[V16:.*]] = arith.select %[[V15]], %[[V7]], %[[ARG0]] : vector<8x128xi1>, vector<8x128xf32>
// CHECK-NEXT: return %[[V16]] : vector<8x128xf32>
func.func @insert_at_value(%x: vector<8x128xf32>, %p: vector<8x64xf32>, %i: index) -> vector<8x128xf32> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<8x128xf32> to tensor<8x128xf32>
  %p_t = builtin.unrealized_conversion_cast %p : vector<8x64xf32> to tensor<8x64xf32>
  %0 = tensor.insert_slice %p_t into %x_t[0, %i] [8, 64] [1, 1] : tensor<8x64xf32> into tensor<8x128xf32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<8x128xf32> to vector<8x128xf32>
  return %r : vector<8x128xf32>
}

// CHECK-LABEL: func.func @element(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<8x128xf32>
// CHECK-NEXT: %[[V0:.*]] = arith.constant 3 : index
// CHECK-NEXT: %[[V1:.*]] = vector.extract %[[ARG0]][3, 3] : f32 from vector<8x128xf32>
// CHECK-NEXT: return %[[V1]] : f32
func.func @element(%x: vector<8x128xf32>) -> f32 {
  %x_t = builtin.unrealized_conversion_cast %x : vector<8x128xf32> to tensor<8x128xf32>
  %c3 = arith.constant 3 : index
  %0 = tensor.extract %x_t[%c3, %c3] : tensor<8x128xf32>
  return %0 : f32
}

// Elements are selected by their positions.
// CHECK-LABEL: func.func @from_elements(
// CHECK-SAME: %[[ARG0:[^:]*]]: f32, %[[ARG1:[^:]*]]: f32
// CHECK-NEXT: %[[V0:.*]] = tpu.iota {dimensions = array<i32: 1>} : vector<1x2xi32>
// CHECK-NEXT: %[[V1:.*]] = vector.broadcast %[[ARG0]] : f32 to vector<1x2xf32>
// CHECK-NEXT: %[[V2:.*]] = arith.constant dense<0> : vector<1x2xi32>
// CHECK-NEXT: %[[V3:.*]] = arith.cmpi eq, %[[V0]], %[[V2]] : vector<1x2xi32>
// CHECK-NEXT: %[[V4:.*]] = vector.broadcast %[[ARG1]] : f32 to vector<1x2xf32>
// CHECK-NEXT: %[[V5:.*]] = arith.constant dense<1> : vector<1x2xi32>
// CHECK-NEXT: %[[V6:.*]] = arith.cmpi eq, %[[V0]], %[[V5]] : vector<1x2xi32>
// CHECK-NEXT: %[[V7:.*]] = arith.select %[[V6]], %[[V4]], %[[V1]] : vector<1x2xi1>, vector<1x2xf32>
// CHECK-NEXT: %[[V8:.*]] = vector.shape_cast %[[V7]] : vector<1x2xf32> to vector<2xf32>
// CHECK-NEXT: return %[[V8]] : vector<2xf32>
func.func @from_elements(%a: f32, %b: f32) -> vector<2xf32> {
  %0 = tensor.from_elements %a, %b : tensor<2xf32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<2xf32> to vector<2xf32>
  return %r : vector<2xf32>
}

// Rows are reversed by a gather.
// CHECK-LABEL: func.func @reverse(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<8x128xf32>
// CHECK-NEXT: %[[V0:.*]] = tpu.iota {dimensions = array<i32: 1>} : vector<8x128xi32>
// CHECK-NEXT: %[[V1:.*]] = arith.constant dense<127> : vector<8x128xi32>
// CHECK-NEXT: %[[V2:.*]] = arith.subi %[[V1]], %[[V0]] : vector<8x128xi32>
// CHECK-NEXT: %[[V3:.*]] = tpu.dynamic_gather %[[ARG0]][%[[V2]]] in [1] : vector<8x128xf32>, vector<8x128xi32> -> vector<8x128xf32>
// CHECK-NEXT: return %[[V3]] : vector<8x128xf32>
func.func @reverse(%x: vector<8x128xf32>) -> vector<8x128xf32> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<8x128xf32> to tensor<8x128xf32>
  %0 = pallas.rev %x_t dims [1] : tensor<8x128xf32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<8x128xf32> to vector<8x128xf32>
  return %r : vector<8x128xf32>
}

// Leading dimensions are reversed by their slices.
// CHECK-LABEL: func.func @reverse_slices(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<2x8x128xf32>
// CHECK-NEXT: %[[V0:.*]] = vector.extract_strided_slice %[[ARG0]] {offsets = [1, 0, 0], sizes = [1, 8, 128], strides = [1, 1, 1]} : vector<2x8x128xf32> to vector<1x8x128xf32>
// CHECK-NEXT: %[[V1:.*]] = vector.extract_strided_slice %[[ARG0]] {offsets = [0, 0, 0], sizes = [1, 8, 128], strides = [1, 1, 1]} : vector<2x8x128xf32> to vector<1x8x128xf32>
// CHECK-NEXT: %[[V2:.*]] = tpu.concatenate %[[V0]], %[[V1]] in 0 : vector<1x8x128xf32>, vector<1x8x128xf32> -> vector<2x8x128xf32>
// CHECK-NEXT: return %[[V2]] : vector<2x8x128xf32>
func.func @reverse_slices(%x: vector<2x8x128xf32>) -> vector<2x8x128xf32> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<2x8x128xf32> to tensor<2x8x128xf32>
  %0 = pallas.rev %x_t dims [0] : tensor<2x8x128xf32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<2x8x128xf32> to vector<2x8x128xf32>
  return %r : vector<2x8x128xf32>
}

// A shift may be negative or larger than the dimension.
// CHECK-LABEL: func.func @roll_by_value(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<8x128xf32>, %[[ARG1:[^:]*]]: i32
// CHECK-NEXT: %[[V0:.*]] = arith.constant 128 : i32
// CHECK-NEXT: %[[V1:.*]] = arith.remsi %[[ARG1]], %[[V0]] : i32
// CHECK-NEXT: %[[V2:.*]] = arith.addi %[[V1]], %[[V0]] : i32
// CHECK-NEXT: %[[V3:.*]] = arith.remsi %[[V2]], %[[V0]] : i32
// CHECK-NEXT: %[[V4:.*]] = tpu.dynamic_rotate %[[ARG0]] by %[[V3]] dim 1 : vector<8x128xf32>, i32 -> vector<8x128xf32>
// CHECK-NEXT: return %[[V4]] : vector<8x128xf32>
func.func @roll_by_value(%x: vector<8x128xf32>, %n: i32) -> vector<8x128xf32> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<8x128xf32> to tensor<8x128xf32>
  %0 = pallas.roll %x_t by %n dim 1 : tensor<8x128xf32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<8x128xf32> to vector<8x128xf32>
  return %r : vector<8x128xf32>
}

// A dimension that fills no registers is rolled by joining two parts.
// CHECK-LABEL: func.func @roll_part_of_register(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<8x100xf32>
// CHECK-NEXT: %[[V0:.*]] = arith.constant 3 : i32
// CHECK-NEXT: %[[V1:.*]] = vector.extract_strided_slice %[[ARG0]] {offsets = [0, 97], sizes = [8, 3], strides = [1, 1]} : vector<8x100xf32> to vector<8x3xf32>
// CHECK-NEXT: %[[V2:.*]] = vector.extract_strided_slice %[[ARG0]] {offsets = [0, 0], sizes = [8, 97], strides = [1, 1]} : vector<8x100xf32> to vector<8x97xf32>
// CHECK-NEXT: %[[V3:.*]] = tpu.concatenate %[[V1]], %[[V2]] in 1 : vector<8x3xf32>, vector<8x97xf32> -> vector<8x100xf32>
// CHECK-NEXT: return %[[V3]] : vector<8x100xf32>
func.func @roll_part_of_register(%x: vector<8x100xf32>) -> vector<8x100xf32> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<8x100xf32> to tensor<8x100xf32>
  %c3 = arith.constant 3 : i32
  %0 = pallas.roll %x_t by %c3 dim 1 : tensor<8x100xf32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<8x100xf32> to vector<8x100xf32>
  return %r : vector<8x100xf32>
}

// CHECK-LABEL: func.func @roll_with_stride(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<8x128xf32>, %[[ARG1:[^:]*]]: i32
// CHECK-NEXT: %[[V0:.*]] = tpu.dynamic_rotate %[[ARG0]] by %[[ARG1]] dim 1 {stride = 2 : si32, stride_dimension = 0 : si32} : vector<8x128xf32>, i32 -> vector<8x128xf32>
// CHECK-NEXT: return %[[V0]] : vector<8x128xf32>
func.func @roll_with_stride(%x: vector<8x128xf32>, %n: i32) -> vector<8x128xf32> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<8x128xf32> to tensor<8x128xf32>
  %0 = pallas.roll %x_t by %n dim 1 stride 2 along 0 : tensor<8x128xf32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<8x128xf32> to vector<8x128xf32>
  return %r : vector<8x128xf32>
}

// The hardware has the strided form for registers only: elsewhere the numbers of rows are taken bit by bit.
// CHECK-LABEL: func.func @roll_part_of_register_with_stride(
// CHECK: %[[ALL:.*]] = tpu.concatenate
// CHECK: %[[ROW:.*]] = tpu.iota {dimensions = array<i32: 0>} : vector<3x16xi32>
// CHECK: %[[BITS:.*]] = arith.andi %[[ROW]], %{{.*}} : vector<3x16xi32>
// CHECK: %[[ODD:.*]] = arith.cmpi ne, %[[BITS]]
// CHECK: vector.extract_strided_slice %[[ALL]] {offsets = [0, 13], sizes = [3, 3]
// CHECK: %[[BY3:.*]] = tpu.concatenate
// CHECK: %[[THREE:.*]] = arith.select %[[ODD]], %[[BY3]], %[[ALL]]
// CHECK: %[[BITS2:.*]] = arith.andi %[[ROW]]
// CHECK: %[[SECOND:.*]] = arith.cmpi ne, %[[BITS2]]
// CHECK: vector.extract_strided_slice %[[THREE]] {offsets = [0, 10], sizes = [3, 6]
// CHECK: %[[BY6:.*]] = tpu.concatenate
// CHECK: %[[SIX:.*]] = arith.select %[[SECOND]], %[[BY6]], %[[THREE]]
// CHECK: return %[[SIX]]
func.func @roll_part_of_register_with_stride(%x: vector<3x16xf32>) -> vector<3x16xf32> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<3x16xf32> to tensor<3x16xf32>
  %c1 = arith.constant 1 : i32
  %0 = pallas.roll %x_t by %c1 dim 1 stride 3 along 0 : tensor<3x16xf32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<3x16xf32> to vector<3x16xf32>
  return %r : vector<3x16xf32>
}

// Indices that are promised to be in bounds are used as they are.
// CHECK-LABEL: func.func @take_in_bounds(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<8x128xf32>, %[[ARG1:[^:]*]]: vector<8x128xi32>
// CHECK-NEXT: %[[V0:.*]] = tpu.dynamic_gather %[[ARG0]][%[[ARG1]]] in [1] : vector<8x128xf32>, vector<8x128xi32> -> vector<8x128xf32>
// CHECK-NEXT: return %[[V0]] : vector<8x128xf32>
func.func @take_in_bounds(%x: vector<8x128xf32>, %i: vector<8x128xi32>) -> vector<8x128xf32> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<8x128xf32> to tensor<8x128xf32>
  %i_t = builtin.unrealized_conversion_cast %i : vector<8x128xi32> to tensor<8x128xi32>
  %0 = pallas.take_along %x_t at %i_t dim 1 mode promise_in_bounds : tensor<8x128xf32>, tensor<8x128xi32> -> tensor<8x128xf32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<8x128xf32> to vector<8x128xf32>
  return %r : vector<8x128xf32>
}

// Others are moved to the border.
// CHECK-LABEL: func.func @take_clipped(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<8x128xf32>, %[[ARG1:[^:]*]]: vector<8x128xi32>
// CHECK-NEXT: %[[V0:.*]] = arith.constant dense<0> : vector<8x128xi32>
// CHECK-NEXT: %[[V1:.*]] = arith.maxsi %[[ARG1]], %[[V0]] : vector<8x128xi32>
// CHECK-NEXT: %[[V2:.*]] = arith.constant dense<127> : vector<8x128xi32>
// CHECK-NEXT: %[[V3:.*]] = arith.minsi %[[V1]], %[[V2]] : vector<8x128xi32>
// CHECK-NEXT: %[[V4:.*]] = tpu.dynamic_gather %[[ARG0]][%[[V3]]] in [1] : vector<8x128xf32>, vector<8x128xi32> -> vector<8x128xf32>
// CHECK-NEXT: return %[[V4]] : vector<8x128xf32>
func.func @take_clipped(%x: vector<8x128xf32>, %i: vector<8x128xi32>) -> vector<8x128xf32> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<8x128xf32> to tensor<8x128xf32>
  %i_t = builtin.unrealized_conversion_cast %i : vector<8x128xi32> to tensor<8x128xi32>
  %0 = pallas.take_along %x_t at %i_t dim 1 mode clip : tensor<8x128xf32>, tensor<8x128xi32> -> tensor<8x128xf32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<8x128xf32> to vector<8x128xf32>
  return %r : vector<8x128xf32>
}

// Where elements out of bounds are replaced, any place will do before: one
// operation is enough.
// CHECK-LABEL: func.func @take_filled(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<8x128xf32>, %[[ARG1:[^:]*]]: vector<8x128xi32>
// CHECK-NEXT: %[[V0:.*]] = arith.constant dense<127> : vector<8x128xi32>
// CHECK-NEXT: %[[V1:.*]] = arith.andi %[[ARG1]], %[[V0]] : vector<8x128xi32>
// CHECK-NEXT: %[[V2:.*]] = tpu.dynamic_gather %[[ARG0]][%[[V1]]] in [1] : vector<8x128xf32>, vector<8x128xi32> -> vector<8x128xf32>
// CHECK-NEXT: %[[V3:.*]] = arith.cmpi eq, %[[ARG1]], %[[V1]] : vector<8x128xi32>
// CHECK-NEXT: %[[V4:.*]] = arith.constant dense<0x7FC00000> : vector<8x128xf32>
// CHECK-NEXT: %[[V5:.*]] = arith.select %[[V3]], %[[V2]], %[[V4]] : vector<8x128xi1>, vector<8x128xf32>
// CHECK-NEXT: return %[[V5]] : vector<8x128xf32>
func.func @take_filled(%x: vector<8x128xf32>, %i: vector<8x128xi32>) -> vector<8x128xf32> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<8x128xf32> to tensor<8x128xf32>
  %i_t = builtin.unrealized_conversion_cast %i : vector<8x128xi32> to tensor<8x128xi32>
  %0 = pallas.take_along %x_t at %i_t dim 1 mode fill : tensor<8x128xf32>, tensor<8x128xi32> -> tensor<8x128xf32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<8x128xf32> to vector<8x128xf32>
  return %r : vector<8x128xf32>
}

// Leading dimensions are searched slice by slice.
// CHECK-LABEL: func.func @take_from_slices(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<2x8x128xf32>, %[[ARG1:[^:]*]]: vector<1x8x128xi32>
// CHECK-NEXT: %[[V0:.*]] = vector.extract_strided_slice %[[ARG0]] {offsets = [0, 0, 0], sizes = [1, 8, 128], strides = [1, 1, 1]} : vector<2x8x128xf32> to vector<1x8x128xf32>
// CHECK-NEXT: %[[V1:.*]] = arith.constant dense<0> : vector<1x8x128xi32>
// CHECK-NEXT: %[[V2:.*]] = arith.cmpi eq, %[[ARG1]], %[[V1]] : vector<1x8x128xi32>
// CHECK-NEXT: %[[V3:.*]] = vector.extract_strided_slice %[[ARG0]] {offsets = [1, 0, 0], sizes = [1, 8, 128], strides = [1, 1, 1]} : vector<2x8x128xf32> to vector<1x8x128xf32>
// CHECK-NEXT: %[[V4:.*]] = arith.constant dense<1> : vector<1x8x128xi32>
// CHECK-NEXT: %[[V5:.*]] = arith.cmpi eq, %[[ARG1]], %[[V4]] : vector<1x8x128xi32>
// CHECK-NEXT: %[[V6:.*]] = arith.select %[[V5]], %[[V3]], %[[V0]] : vector<1x8x128xi1>, vector<1x8x128xf32>
// CHECK-NEXT: return %[[V6]] : vector<1x8x128xf32>
func.func @take_from_slices(%x: vector<2x8x128xf32>, %i: vector<1x8x128xi32>) -> vector<1x8x128xf32> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<2x8x128xf32> to tensor<2x8x128xf32>
  %i_t = builtin.unrealized_conversion_cast %i : vector<1x8x128xi32> to tensor<1x8x128xi32>
  %0 = pallas.take_along %x_t at %i_t dim 0 mode promise_in_bounds : tensor<2x8x128xf32>, tensor<1x8x128xi32> -> tensor<1x8x128xf32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<1x8x128xf32> to vector<1x8x128xf32>
  return %r : vector<1x8x128xf32>
}

// Lanes that repeat one are repeated after the rest has its shape.
// CHECK-LABEL: func.func @repeated_lanes_to_columns(
// CHECK-NOT: vector.shape_cast %{{.*}} : vector<7x4x4xf32>
// CHECK: vector.broadcast %{{.*}} : vector<28x1x1xf32> to vector<28x4x1xf32>
func.func @repeated_lanes_to_columns(%x: vector<7x4xf32>) -> vector<28x4x1xf32> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<7x4xf32> to tensor<7x4xf32>
  %0 = pallas.broadcast %x_t dims [0, 1] : tensor<7x4xf32> -> tensor<7x4x4xf32>
  %1 = pallas.reshape %0 : tensor<7x4x4xf32> -> tensor<28x4x1xf32>
  %r = builtin.unrealized_conversion_cast %1 : tensor<28x4x1xf32> to vector<28x4x1xf32>
  return %r : vector<28x4x1xf32>
}

// Narrow elements that change their shape twice are widened once, for the last one.
// CHECK-LABEL: func.func @narrow_column_to_row(
// CHECK: vector.shape_cast %{{.*}} : vector<8x128xbf16> to vector<1x1024xbf16>
func.func @narrow_column_to_row(%x: vector<8x128xbf16>) -> vector<1x1024xbf16> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<8x128xbf16> to tensor<8x128xbf16>
  %0 = pallas.reshape %x_t : tensor<8x128xbf16> -> tensor<8x128x1xbf16>
  %1 = pallas.reshape %0 : tensor<8x128x1xbf16> -> tensor<1x1024xbf16>
  %r = builtin.unrealized_conversion_cast %1 : tensor<1x1024xbf16> to vector<1x1024xbf16>
  return %r : vector<1x1024xbf16>
}
}
