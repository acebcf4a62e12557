// RUN: pallas-opt %s --convert-pallas-to-mosaic-tpu | FileCheck %s

// Arithmetic: as it is, in 32 bits, or by other operations.

module attributes {tpu.target = "v5e"} {

// CHECK-LABEL: func.func @native(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<8x128xf32>
// CHECK-NEXT: %[[V0:.*]] = arith.addf %[[ARG0]], %[[ARG0]] : vector<8x128xf32>
// CHECK-NEXT: return %[[V0]] : vector<8x128xf32>
func.func @native(%x: vector<8x128xf32>) -> vector<8x128xf32> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<8x128xf32> to tensor<8x128xf32>
  %0 = arith.addf %x_t, %x_t : tensor<8x128xf32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<8x128xf32> to vector<8x128xf32>
  return %r : vector<8x128xf32>
}

// Bytes are multiplied in 32 bits.
// CHECK-LABEL: func.func @widened(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<32x128xi8>
// CHECK-NEXT: %[[V0:.*]] = arith.extsi %[[ARG0]] : vector<32x128xi8> to vector<32x128xi32>
// CHECK-NEXT: %[[V1:.*]] = arith.extsi %[[ARG0]] : vector<32x128xi8> to vector<32x128xi32>
// CHECK-NEXT: %[[V2:.*]] = arith.muli %[[V0]], %[[V1]] : vector<32x128xi32>
// CHECK-NEXT: %[[V3:.*]] = arith.trunci %[[V2]] : vector<32x128xi32> to vector<32x128xi8>
// CHECK-NEXT: return %[[V3]] : vector<32x128xi8>
func.func @widened(%x: vector<32x128xi8>) -> vector<32x128xi8> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<32x128xi8> to tensor<32x128xi8>
  %0 = arith.muli %x_t, %x_t : tensor<32x128xi8>
  %r = builtin.unrealized_conversion_cast %0 : tensor<32x128xi8> to vector<32x128xi8>
  return %r : vector<32x128xi8>
}

// Zeros extend what has no sign.
// CHECK-LABEL: func.func @widened_without_sign(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<32x128xi8>
// CHECK-NEXT: %[[V0:.*]] = arith.extui %[[ARG0]] : vector<32x128xi8> to vector<32x128xi32>
// CHECK-NEXT: %[[V1:.*]] = arith.extui %[[ARG0]] : vector<32x128xi8> to vector<32x128xi32>
// CHECK-NEXT: %[[V2:.*]] = arith.divui %[[V0]], %[[V1]] : vector<32x128xi32>
// CHECK-NEXT: %[[V3:.*]] = arith.trunci %[[V2]] : vector<32x128xi32> to vector<32x128xi8>
// CHECK-NEXT: return %[[V3]] : vector<32x128xi8>
func.func @widened_without_sign(%x: vector<32x128xi8>) -> vector<32x128xi8> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<32x128xi8> to tensor<32x128xi8>
  %0 = arith.divui %x_t, %x_t : tensor<32x128xi8>
  %r = builtin.unrealized_conversion_cast %0 : tensor<32x128xi8> to vector<32x128xi8>
  return %r : vector<32x128xi8>
}

// A comparison is not narrowed again.
// CHECK-LABEL: func.func @compare_bytes(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<32x128xi8>, %[[ARG1:[^:]*]]: vector<32x128xi8>
// CHECK-NEXT: %[[V0:.*]] = arith.extsi %[[ARG0]] : vector<32x128xi8> to vector<32x128xi32>
// CHECK-NEXT: %[[V1:.*]] = arith.extsi %[[ARG1]] : vector<32x128xi8> to vector<32x128xi32>
// CHECK-NEXT: %[[V2:.*]] = arith.cmpi slt, %[[V0]], %[[V1]] : vector<32x128xi32>
// CHECK-NEXT: return %[[V2]] : vector<32x128xi1>
func.func @compare_bytes(%x: vector<32x128xi8>, %y: vector<32x128xi8>) -> vector<32x128xi1> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<32x128xi8> to tensor<32x128xi8>
  %y_t = builtin.unrealized_conversion_cast %y : vector<32x128xi8> to tensor<32x128xi8>
  %0 = arith.cmpi slt, %x_t, %y_t : tensor<32x128xi8>
  %r = builtin.unrealized_conversion_cast %0 : tensor<32x128xi1> to vector<32x128xi1>
  return %r : vector<32x128xi1>
}

// A comparison that holds for NaN is the negation of an ordered one.
// CHECK-LABEL: func.func @unordered_compare(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<8x128xf32>, %[[ARG1:[^:]*]]: vector<8x128xf32>
// CHECK-NEXT: %[[V0:.*]] = arith.cmpf oge, %[[ARG0]], %[[ARG1]] : vector<8x128xf32>
// CHECK-NEXT: %[[V1:.*]] = arith.constant dense<true> : vector<8x128xi1>
// CHECK-NEXT: %[[V2:.*]] = arith.xori %[[V0]], %[[V1]] : vector<8x128xi1>
// CHECK-NEXT: return %[[V2]] : vector<8x128xi1>
func.func @unordered_compare(%x: vector<8x128xf32>, %y: vector<8x128xf32>) -> vector<8x128xi1> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<8x128xf32> to tensor<8x128xf32>
  %y_t = builtin.unrealized_conversion_cast %y : vector<8x128xf32> to tensor<8x128xf32>
  %0 = arith.cmpf ult, %x_t, %y_t : tensor<8x128xf32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<8x128xi1> to vector<8x128xi1>
  return %r : vector<8x128xi1>
}

// CHECK-LABEL: func.func @floor_division(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<8x128xi32>, %[[ARG1:[^:]*]]: vector<8x128xi32>
// CHECK-NEXT: %[[V0:.*]] = arith.constant dense<0> : vector<8x128xi32>
// CHECK-NEXT: %[[V1:.*]] = arith.constant dense<1> : vector<8x128xi32>
// CHECK-NEXT: %[[V2:.*]] = arith.divsi %[[ARG0]], %[[ARG1]] : vector<8x128xi32>
// CHECK-NEXT: %[[V3:.*]] = arith.muli %[[V2]], %[[ARG1]] : vector<8x128xi32>
// CHECK-NEXT: %[[V4:.*]] = arith.subi %[[ARG0]], %[[V3]] : vector<8x128xi32>
// CHECK-NEXT: %[[V5:.*]] = arith.cmpi ne, %[[V4]], %[[V0]] : vector<8x128xi32>
// CHECK-NEXT: %[[V6:.*]] = arith.xori %[[ARG0]], %[[ARG1]] : vector<8x128xi32>
// CHECK-NEXT: %[[V7:.*]] = arith.cmpi slt, %[[V6]], %[[V0]] : vector<8x128xi32>
// CHECK-NEXT: %[[V8:.*]] = arith.andi %[[V5]], %[[V7]] : vector<8x128xi1>
// CHECK-NEXT: %[[V9:.*]] = arith.subi %[[V2]], %[[V1]] : vector<8x128xi32>
// CHECK-NEXT: %[[V10:.*]] = arith.select %[[V8]], %[[V9]], %[[V2]] : vector<8x128xi1>, vector<8x128xi32>
// CHECK-NEXT: return %[[V10]] : vector<8x128xi32>
func.func @floor_division(%x: vector<8x128xi32>, %y: vector<8x128xi32>) -> vector<8x128xi32> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<8x128xi32> to tensor<8x128xi32>
  %y_t = builtin.unrealized_conversion_cast %y : vector<8x128xi32> to tensor<8x128xi32>
  %0 = arith.floordivsi %x_t, %y_t : tensor<8x128xi32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<8x128xi32> to vector<8x128xi32>
  return %r : vector<8x128xi32>
}

// CHECK-LABEL: func.func @unsigned_maximum(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<8x128xi32>, %[[ARG1:[^:]*]]: vector<8x128xi32>
// CHECK-NEXT: %[[SIGN:.*]] = arith.constant dense<-2147483648> : vector<8x128xi32>
// CHECK-NEXT: %[[X:.*]] = arith.xori %[[ARG0]], %[[SIGN]] : vector<8x128xi32>
// CHECK-NEXT: %[[Y:.*]] = arith.xori %[[ARG1]], %[[SIGN]] : vector<8x128xi32>
// CHECK-NEXT: %[[V0:.*]] = arith.cmpi sgt, %[[X]], %[[Y]] : vector<8x128xi32>
// CHECK-NEXT: %[[V1:.*]] = arith.select %[[V0]], %[[ARG0]], %[[ARG1]] : vector<8x128xi1>, vector<8x128xi32>
// CHECK-NEXT: return %[[V1]] : vector<8x128xi32>
func.func @unsigned_maximum(%x: vector<8x128xi32>, %y: vector<8x128xi32>) -> vector<8x128xi32> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<8x128xi32> to tensor<8x128xi32>
  %y_t = builtin.unrealized_conversion_cast %y : vector<8x128xi32> to tensor<8x128xi32>
  %0 = arith.maxui %x_t, %y_t : tensor<8x128xi32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<8x128xi32> to vector<8x128xi32>
  return %r : vector<8x128xi32>
}

// A NaN counts as missing.
// CHECK-LABEL: func.func @maximum_of_numbers(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<8x128xf32>, %[[ARG1:[^:]*]]: vector<8x128xf32>
// CHECK-NEXT: %[[V0:.*]] = arith.maximumf %[[ARG0]], %[[ARG1]] : vector<8x128xf32>
// CHECK-NEXT: %[[V1:.*]] = arith.cmpf oeq, %[[ARG0]], %[[ARG0]] : vector<8x128xf32>
// CHECK-NEXT: %[[V2:.*]] = arith.cmpf oeq, %[[ARG1]], %[[ARG1]] : vector<8x128xf32>
// CHECK-NEXT: %[[V3:.*]] = arith.select %[[V2]], %[[V0]], %[[ARG0]] : vector<8x128xi1>, vector<8x128xf32>
// CHECK-NEXT: %[[V4:.*]] = arith.select %[[V1]], %[[V3]], %[[ARG1]] : vector<8x128xi1>, vector<8x128xf32>
// CHECK-NEXT: return %[[V4]] : vector<8x128xf32>
func.func @maximum_of_numbers(%x: vector<8x128xf32>, %y: vector<8x128xf32>) -> vector<8x128xf32> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<8x128xf32> to tensor<8x128xf32>
  %y_t = builtin.unrealized_conversion_cast %y : vector<8x128xf32> to tensor<8x128xf32>
  %0 = arith.maxnumf %x_t, %y_t : tensor<8x128xf32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<8x128xf32> to vector<8x128xf32>
  return %r : vector<8x128xf32>
}

// Small arguments go by the tangent, which cancels nothing.
// CHECK-LABEL: func.func @exponential_minus_one(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<8x128xf32>
// CHECK-NEXT: %[[V0:.*]] = math.exp %[[ARG0]] : vector<8x128xf32>
// CHECK-NEXT: %[[V1:.*]] = arith.constant dense<5.000000e-01> : vector<8x128xf32>
// CHECK-NEXT: %[[V2:.*]] = arith.mulf %[[ARG0]], %[[V1]] : vector<8x128xf32>
// CHECK-NEXT: %[[V3:.*]] = arith.constant dense<1.000000e+00> : vector<8x128xf32>
// CHECK-NEXT: %[[V4:.*]] = arith.addf %[[V0]], %[[V3]] : vector<8x128xf32>
// CHECK-NEXT: %[[V5:.*]] = math.tanh %[[V2]] : vector<8x128xf32>
// CHECK-NEXT: %[[V6:.*]] = arith.mulf %[[V4]], %[[V5]] : vector<8x128xf32>
// CHECK-NEXT: %[[V7:.*]] = math.absf %[[ARG0]] : vector<8x128xf32>
// CHECK-NEXT: %[[V8:.*]] = arith.cmpf olt, %[[V7]], %[[V3]] : vector<8x128xf32>
// CHECK-NEXT: %[[V9:.*]] = arith.subf %[[V0]], %[[V3]] : vector<8x128xf32>
// CHECK-NEXT: %[[V10:.*]] = arith.select %[[V8]], %[[V6]], %[[V9]] : vector<8x128xi1>, vector<8x128xf32>
// CHECK-NEXT: return %[[V10]] : vector<8x128xf32>
func.func @exponential_minus_one(%x: vector<8x128xf32>) -> vector<8x128xf32> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<8x128xf32> to tensor<8x128xf32>
  %0 = math.expm1 %x_t : tensor<8x128xf32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<8x128xf32> to vector<8x128xf32>
  return %r : vector<8x128xf32>
}

// A constant power is a product of squares.
// CHECK-LABEL: func.func @power(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<8x128xi32>
// CHECK-NEXT: %[[V0:.*]] = arith.constant dense<5> : vector<8x128xi32>
// CHECK-NEXT: %[[V1:.*]] = arith.muli %[[ARG0]], %[[ARG0]] : vector<8x128xi32>
// CHECK-NEXT: %[[V2:.*]] = arith.muli %[[V1]], %[[V1]] : vector<8x128xi32>
// CHECK-NEXT: %[[V3:.*]] = arith.muli %[[ARG0]], %[[V2]] : vector<8x128xi32>
// CHECK-NEXT: return %[[V3]] : vector<8x128xi32>
func.func @power(%x: vector<8x128xi32>) -> vector<8x128xi32> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<8x128xi32> to tensor<8x128xi32>
  %c5 = arith.constant dense<5> : tensor<8x128xi32>
  %0 = math.ipowi %x_t, %c5 : tensor<8x128xi32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<8x128xi32> to vector<8x128xi32>
  return %r : vector<8x128xi32>
}

// CHECK-LABEL: func.func @logic_of_booleans(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<8x128xi1>, %[[ARG1:[^:]*]]: vector<8x128xi1>
// CHECK-NEXT: %[[V0:.*]] = arith.andi %[[ARG0]], %[[ARG1]] : vector<8x128xi1>
// CHECK-NEXT: return %[[V0]] : vector<8x128xi1>
func.func @logic_of_booleans(%x: vector<8x128xi1>, %y: vector<8x128xi1>) -> vector<8x128xi1> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<8x128xi1> to tensor<8x128xi1>
  %y_t = builtin.unrealized_conversion_cast %y : vector<8x128xi1> to tensor<8x128xi1>
  %0 = arith.muli %x_t, %y_t : tensor<8x128xi1>
  %r = builtin.unrealized_conversion_cast %0 : tensor<8x128xi1> to vector<8x128xi1>
  return %r : vector<8x128xi1>
}

// Masks are selected as words.
// CHECK-LABEL: func.func @select_booleans(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<8x128xi1>, %[[ARG1:[^:]*]]: vector<8x128xi1>, %[[ARG2:[^:]*]]: vector<8x128xi1>
// CHECK-NEXT: %[[V0:.*]] = arith.extui %[[ARG1]] : vector<8x128xi1> to vector<8x128xi32>
// CHECK-NEXT: %[[V1:.*]] = arith.extui %[[ARG2]] : vector<8x128xi1> to vector<8x128xi32>
// CHECK-NEXT: %[[V2:.*]] = arith.select %[[ARG0]], %[[V0]], %[[V1]] : vector<8x128xi1>, vector<8x128xi32>
// CHECK-NEXT: %[[V3:.*]] = arith.constant dense<0> : vector<8x128xi32>
// CHECK-NEXT: %[[V4:.*]] = arith.cmpi ne, %[[V2]], %[[V3]] : vector<8x128xi32>
// CHECK-NEXT: return %[[V4]] : vector<8x128xi1>
func.func @select_booleans(%c: vector<8x128xi1>, %x: vector<8x128xi1>, %y: vector<8x128xi1>) -> vector<8x128xi1> {
  %c_t = builtin.unrealized_conversion_cast %c : vector<8x128xi1> to tensor<8x128xi1>
  %x_t = builtin.unrealized_conversion_cast %x : vector<8x128xi1> to tensor<8x128xi1>
  %y_t = builtin.unrealized_conversion_cast %y : vector<8x128xi1> to tensor<8x128xi1>
  %0 = arith.select %c_t, %x_t, %y_t : tensor<8x128xi1>, tensor<8x128xi1>
  %r = builtin.unrealized_conversion_cast %0 : tensor<8x128xi1> to vector<8x128xi1>
  return %r : vector<8x128xi1>
}

// Shorts are selected in 32 bits.
// CHECK-LABEL: func.func @select_shorts(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<16x128xi1>, %[[ARG1:[^:]*]]: vector<16x128xi16>, %[[ARG2:[^:]*]]: vector<16x128xi16>
// CHECK-NEXT: %[[V0:.*]] = arith.extsi %[[ARG1]] : vector<16x128xi16> to vector<16x128xi32>
// CHECK-NEXT: %[[V1:.*]] = arith.extsi %[[ARG2]] : vector<16x128xi16> to vector<16x128xi32>
// CHECK-NEXT: %[[V2:.*]] = arith.select %[[ARG0]], %[[V0]], %[[V1]] : vector<16x128xi1>, vector<16x128xi32>
// CHECK-NEXT: %[[V3:.*]] = arith.trunci %[[V2]] : vector<16x128xi32> to vector<16x128xi16>
// CHECK-NEXT: return %[[V3]] : vector<16x128xi16>
func.func @select_shorts(%c: vector<16x128xi1>, %x: vector<16x128xi16>, %y: vector<16x128xi16>) -> vector<16x128xi16> {
  %c_t = builtin.unrealized_conversion_cast %c : vector<16x128xi1> to tensor<16x128xi1>
  %x_t = builtin.unrealized_conversion_cast %x : vector<16x128xi16> to tensor<16x128xi16>
  %y_t = builtin.unrealized_conversion_cast %y : vector<16x128xi16> to tensor<16x128xi16>
  %0 = arith.select %c_t, %x_t, %y_t : tensor<16x128xi1>, tensor<16x128xi16>
  %r = builtin.unrealized_conversion_cast %0 : tensor<16x128xi16> to vector<16x128xi16>
  return %r : vector<16x128xi16>
}

// CHECK-LABEL: func.func @boolean_to_float(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<8x128xi1>
// CHECK-NEXT: %[[V0:.*]] = arith.extui %[[ARG0]] : vector<8x128xi1> to vector<8x128xi32>
// CHECK-NEXT: %[[V1:.*]] = arith.sitofp %[[V0]] : vector<8x128xi32> to vector<8x128xf32>
// CHECK-NEXT: return %[[V1]] : vector<8x128xf32>
func.func @boolean_to_float(%x: vector<8x128xi1>) -> vector<8x128xf32> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<8x128xi1> to tensor<8x128xi1>
  %0 = arith.uitofp %x_t : tensor<8x128xi1> to tensor<8x128xf32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<8x128xf32> to vector<8x128xf32>
  return %r : vector<8x128xf32>
}

// The lowest bit decides.
// CHECK-LABEL: func.func @integer_to_boolean(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<8x128xi32>
// CHECK-NEXT: %[[V0:.*]] = arith.constant dense<1> : vector<8x128xi32>
// CHECK-NEXT: %[[V1:.*]] = arith.andi %[[ARG0]], %[[V0]] : vector<8x128xi32>
// CHECK-NEXT: %[[V2:.*]] = arith.constant dense<0> : vector<8x128xi32>
// CHECK-NEXT: %[[V3:.*]] = arith.cmpi ne, %[[V1]], %[[V2]] : vector<8x128xi32>
// CHECK-NEXT: return %[[V3]] : vector<8x128xi1>
func.func @integer_to_boolean(%x: vector<8x128xi32>) -> vector<8x128xi1> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<8x128xi32> to tensor<8x128xi32>
  %0 = arith.trunci %x_t : tensor<8x128xi32> to tensor<8x128xi1>
  %r = builtin.unrealized_conversion_cast %0 : tensor<8x128xi1> to vector<8x128xi1>
  return %r : vector<8x128xi1>
}

// A carry is a sum below its operand.
// CHECK-LABEL: func.func @sum_with_carry(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<8x128xi32>, %[[ARG1:[^:]*]]: vector<8x128xi32>
// CHECK-NEXT: %[[V0:.*]] = arith.addi %[[ARG0]], %[[ARG1]] : vector<8x128xi32>
// CHECK-NEXT: %[[V1:.*]] = arith.cmpi ult, %[[V0]], %[[ARG0]] : vector<8x128xi32>
// CHECK-NEXT: return %[[V1]] : vector<8x128xi1>
func.func @sum_with_carry(%x: vector<8x128xi32>, %y: vector<8x128xi32>) -> vector<8x128xi1> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<8x128xi32> to tensor<8x128xi32>
  %y_t = builtin.unrealized_conversion_cast %y : vector<8x128xi32> to tensor<8x128xi32>
  %0, %carry = arith.addui_extended %x_t, %y_t : tensor<8x128xi32>, tensor<8x128xi1>
  %r = builtin.unrealized_conversion_cast %carry : tensor<8x128xi1> to vector<8x128xi1>
  return %r : vector<8x128xi1>
}

// Constants of f16 are held as f32.
// CHECK-LABEL: func.func @splat_of_half(
// CHECK-NEXT: %[[V0:.*]] = arith.constant dense<1.500000e+00> : vector<8x128xf32>
// CHECK-NEXT: return %[[V0]] : vector<8x128xf32>
func.func @splat_of_half() -> vector<8x128xf32> {
  %0 = arith.constant dense<1.5> : tensor<8x128xf16>
  %1 = arith.extf %0 : tensor<8x128xf16> to tensor<8x128xf32>
  %r = builtin.unrealized_conversion_cast %1 : tensor<8x128xf32> to vector<8x128xf32>
  return %r : vector<8x128xf32>
}

// A list is put together from its positions.
// CHECK-LABEL: func.func @list(
// CHECK-NEXT: %[[V0:.*]] = tpu.iota {dimensions = array<i32: 1>} : vector<1x3xi32>
// CHECK-NEXT: %[[V1:.*]] = arith.constant dense<3> : vector<1x3xi32>
// CHECK-NEXT: %[[V2:.*]] = arith.constant dense<0> : vector<1x3xi32>
// CHECK-NEXT: %[[V3:.*]] = arith.cmpi eq, %[[V0]], %[[V2]] : vector<1x3xi32>
// CHECK-NEXT: %[[V4:.*]] = arith.constant dense<5> : vector<1x3xi32>
// CHECK-NEXT: %[[V5:.*]] = arith.constant dense<1> : vector<1x3xi32>
// CHECK-NEXT: %[[V6:.*]] = arith.cmpi eq, %[[V0]], %[[V5]] : vector<1x3xi32>
// CHECK-NEXT: %[[V7:.*]] = arith.select %[[V6]], %[[V4]], %[[V1]] : vector<1x3xi1>, vector<1x3xi32>
// CHECK-NEXT: %[[V8:.*]] = arith.constant dense<7> : vector<1x3xi32>
// CHECK-NEXT: %[[V9:.*]] = arith.constant dense<2> : vector<1x3xi32>
// CHECK-NEXT: %[[V10:.*]] = arith.cmpi eq, %[[V0]], %[[V9]] : vector<1x3xi32>
// CHECK-NEXT: %[[V11:.*]] = arith.select %[[V10]], %[[V8]], %[[V7]] : vector<1x3xi1>, vector<1x3xi32>
// CHECK-NEXT: %[[V12:.*]] = vector.shape_cast %[[V11]] : vector<1x3xi32> to vector<3xi32>
// CHECK-NEXT: return %[[V12]] : vector<3xi32>
func.func @list() -> vector<3xi32> {
  %0 = arith.constant dense<[3, 5, 7]> : tensor<3xi32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<3xi32> to vector<3xi32>
  return %r : vector<3xi32>
}

// CHECK-LABEL: func.func @reciprocal(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<8x128xf32>
// CHECK-NEXT: %[[V0:.*]] = tpu.reciprocal %[[ARG0]] {approx = true, full_range = false} : vector<8x128xf32> -> vector<8x128xf32>
// CHECK-NEXT: return %[[V0]] : vector<8x128xf32>
func.func @reciprocal(%x: vector<8x128xf32>) -> vector<8x128xf32> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<8x128xf32> to tensor<8x128xf32>
  %0 = pallas.reciprocal %x_t approx : tensor<8x128xf32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<8x128xf32> to vector<8x128xf32>
  return %r : vector<8x128xf32>
}

// Scalars divide.
// CHECK-LABEL: func.func @reciprocal_of_scalar(
// CHECK-SAME: %[[ARG0:[^:]*]]: f32
// CHECK-NEXT: %[[V0:.*]] = arith.constant 1.000000e+00 : f32
// CHECK-NEXT: %[[V1:.*]] = arith.divf %[[V0]], %[[ARG0]] : f32
// CHECK-NEXT: return %[[V1]] : f32
func.func @reciprocal_of_scalar(%x: f32) -> f32 {
  %0 = pallas.reciprocal %x : f32
  return %0 : f32
}

// An index has 32 bits and a sign; the largest numbers without one stay large.
// CHECK-LABEL: func.func @unsigned_index(
// CHECK-SAME: %[[ARG0:[^:]*]]: i32
// CHECK-DAG: %[[LARGEST:.*]] = arith.constant 2147483647 : i32
// CHECK: %[[LESS:.*]] = arith.cmpi ult, %[[ARG0]], %[[LARGEST]] : i32
// CHECK-NEXT: %[[MIN:.*]] = arith.select %[[LESS]], %[[ARG0]], %[[LARGEST]] : i32
// CHECK-NEXT: %[[INDEX:.*]] = arith.index_cast %[[MIN]] : i32 to index
// CHECK-NEXT: return %[[INDEX]]
func.func @unsigned_index(%n: i32) -> index {
  %0 = arith.index_castui %n : i32 to index
  return %0 : index
}

// CHECK-LABEL: func.func @unsigned_index_of_byte(
// CHECK: %[[WIDE:.*]] = arith.extui %{{.*}} : i8 to i32
// CHECK-NEXT: arith.index_cast %[[WIDE]] : i32 to index
func.func @unsigned_index_of_byte(%n: i8) -> index {
  %0 = arith.index_castui %n : i8 to index
  return %0 : index
}

// CHECK-LABEL: func.func @unsigned_number_of_index(
// CHECK: %[[NUMBER:.*]] = arith.index_cast %{{.*}} : index to i32
// CHECK-NEXT: arith.trunci %[[NUMBER]] : i32 to i16
func.func @unsigned_number_of_index(%i: index) -> i16 {
  %0 = arith.index_castui %i : index to i16
  return %0 : i16
}
}
