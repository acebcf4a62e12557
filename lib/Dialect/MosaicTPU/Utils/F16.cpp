//===- F16.cpp - 16-bit IEEE floats ---------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No unit computes on f16, so registers hold the numbers as f32, and memory
// holds their bits as i16. The conversions are bit arithmetic in 32 bits.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/MosaicTPU/Utils/F16.h"
#include "pallas/Dialect/MosaicTPU/Utils/MathExpansion.h"

using namespace mlir;
using namespace mlir::tpu;

using arith::CmpIPredicate;

/// How many more bits the fraction of an f32 has, and by how much its exponents
/// are larger.
static constexpr int64_t kMoreBits = 13;
static constexpr int64_t kMoreExponent = 112;
/// The bits of f32 numbers: the smallest f16 that is not subnormal, the first
/// number that is rounded to infinity (65520), and infinity.
static constexpr int64_t kSmallestNormal = (kMoreExponent + 1) << 23;
static constexpr int64_t kTooLarge = 0x477FF000;
static constexpr int64_t kInfinity = 255ll << 23;
/// The sum of 0.5 and a smaller number has steps of the smallest f16.
static constexpr int64_t kOneHalf = 126ll << 23;
static constexpr int64_t kHalfInfinity = 31 << 10;
static constexpr int64_t kHalfNaN = kHalfInfinity | 1 << 9;

namespace {

/// Integer arithmetic with constants.
/// Operators keep the formulas below readable.
struct Bits {
  Emitter &emit;
  Value value;

  Value constant(int64_t number) const {
    return emit.integer(value.getType(), number);
  }
  Bits operator+(int64_t n) const {
    return {emit, emit.add(value, constant(n))};
  }
  Bits operator+(const Bits &other) const {
    return {emit, emit.add(value, other.value)};
  }
  Bits operator&(int64_t n) const {
    return {emit, emit.create<arith::AndIOp>(value, constant(n))};
  }
  Bits operator|(const Bits &other) const {
    return {emit, emit.create<arith::OrIOp>(value, other.value)};
  }
  Bits operator<<(int64_t n) const {
    return {emit, emit.create<arith::ShLIOp>(value, constant(n))};
  }
  Bits operator>>(int64_t n) const {
    return {emit, emit.create<arith::ShRUIOp>(value, constant(n))};
  }
  Value isBelow(int64_t n) const {
    return emit.compare(CmpIPredicate::slt, value, constant(n));
  }
  Bits choose(Value condition, const Bits &other) const {
    return {emit, emit.select(condition, value, other.value)};
  }
  Value asFloat() const {
    return bitcastElements(emit, value, emit.getBuilder().getF32Type());
  }
};

} // namespace

/// The bits of an f32 number.
static Bits getBits(Emitter &emit, Value real) {
  return {emit, bitcastElements(emit, real, emit.getBuilder().getI32Type())};
}

/// f16 bits in 32 bits to the number as f32.
static Value widenBits(Bits bits) {
  Emitter &emit = bits.emit;
  Bits sign = (bits & 0x8000) << 16, magnitude = bits & 0x7FFF;
  // The exponent of f32 is larger by a constant, and twice that for infinities.
  Bits normal = (magnitude << kMoreBits) + (kMoreExponent << 23);
  Bits special = normal + (kMoreExponent << 23);
  // Subnormals are multiples of the smallest f16; f32 has all of them.
  Type f32 =
      withElementType(bits.value.getType(), emit.getBuilder().getF32Type());
  Value steps = emit.create<arith::SIToFPOp>(f32, magnitude.value);
  Bits small = getBits(emit, emit.mul(steps, emit.real(f32, 0x1p-24)));
  Bits result =
      small.choose(magnitude.isBelow(1 << 10),
                   normal.choose(magnitude.isBelow(kHalfInfinity), special));
  return (result | sign).asFloat();
}

/// The nearest f16 bits, ties to even, in 32 bits.
static Bits narrowBits(Emitter &emit, Value real) {
  Bits bits = getBits(emit, real);
  Bits sign = (bits >> 16) & 0x8000, magnitude = bits & 0x7FFFFFFF;
  // Adding half of the last bit, or just less for even numbers, rounds to
  // nearest.
  Bits odd = (magnitude >> kMoreBits) & 1;
  Bits rounded = magnitude + ((1 << (kMoreBits - 1)) - 1) + odd;
  Bits normal = (rounded >> kMoreBits) + -(kMoreExponent << 10);
  // The addition rounds small numbers to multiples of the smallest f16: their
  // steps are the last bit of the sum.
  Value sum = emit.add(magnitude.asFloat(), emit.real(real.getType(), 0.5));
  Bits small = getBits(emit, sum) + -kOneHalf;
  Bits infinity{emit, bits.constant(kHalfInfinity)};
  Bits nan{emit, bits.constant(kHalfNaN)};
  Bits large = infinity.choose(magnitude.isBelow(kInfinity + 1), nan);
  Bits result =
      small.choose(magnitude.isBelow(kSmallestNormal),
                   normal.choose(magnitude.isBelow(kTooLarge), large));
  return result | sign;
}

Value mlir::tpu::halfBitsToFloat(Emitter &emit, Value bits) {
  return widenBits({emit, emit.resize(bits, emit.getBuilder().getI32Type(),
                                      /*isSigned=*/false)});
}

Value mlir::tpu::floatToHalfBits(Emitter &emit, Value value) {
  return emit.resize(narrowBits(emit, value).value,
                     emit.getBuilder().getI16Type(), /*isSigned=*/false);
}

/// The nearest f16 number, held as f32. An operation on f16 rounds in this way.
Value mlir::tpu::roundToHalf(Emitter &emit, Value value) {
  return widenBits(narrowBits(emit, value));
}

/// Casts between f16, held as f32, and elements of 16 bits.
Value mlir::tpu::castHalfBits(Emitter &emit, Value value, bool fromHalf,
                              bool toHalf, Type element) {
  if (fromHalf && toHalf)
    return value;
  if (fromHalf)
    return bitcastElements(emit, floatToHalfBits(emit, value), element);
  Type i16 = emit.getBuilder().getI16Type();
  return halfBitsToFloat(emit, bitcastElements(emit, value, i16));
}
