//===- FloatCodec.h - Floats of few bits and f32 ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TPUs and CPUs convert few of the floats of at most 16 bits themselves, so
// both lowerings emit integer arithmetic for the others. The codec is a
// template over this arithmetic. Lowerings instantiate it with a class that
// creates operations, and the unit test with one that computes numbers, so the
// test compares the formulas of the lowerings with APFloat. The header needs no
// MLIR.
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_SUPPORT_FLOATCODEC_H
#define PALLAS_SUPPORT_FLOATCODEC_H

#include "llvm/ADT/APFloat.h"
#include <cmath>
#include <cstdint>

namespace mlir::pallas {

/// The number of a format that is nearest to `value`, ties to even.
llvm::APFloat roundTo(const llvm::fltSemantics &semantics, llvm::APFloat value);

/// The fields of a format of at most 16 bits. Codes are bits without the sign,
/// unless they are called whole.
struct FloatFormat {
  explicit FloatFormat(const llvm::fltSemantics &semantics);

  /// Bits of all fields together and of the stored mantissa.
  int64_t width, mantissa;
  int64_t signBit, bias;
  /// The code of the largest finite number.
  int64_t largest;
  /// A quiet NaN, if there is any. It is a whole code: formats with one zero
  /// have NaN where others have the negative zero.
  int64_t nan = 0;
  bool hasInfinity, hasNaN, hasSignedZero;
  /// No sign and no mantissa: powers of two.
  bool isPower;

  /// By how many bits the mantissa of f32 is longer, and by how much its
  /// exponents are larger.
  int64_t getShift() const { return 23 - mantissa; }
  int64_t getRebias() const { return 127 - bias; }
};

/// Converts between codes and f32, both as words of 32 bits.
///
/// `ArithmeticT` has the types `Word` and `Flag`, and the operations on them.
/// Words wrap around; comparisons are signed, shifts are not.
/// - `constant(int64_t)`
/// - `add`, `bitAnd`, `bitOr`, `shiftLeft`, `shiftRight` of two words
/// - `isBelow`, `isEqual` of two words, which give a flag
/// - `isNaN` of the bits of an f32
/// - `select(Flag, Word, Word)`
/// - `addFloat(Word, float)`: the sum of f32, rounded to nearest, ties to even
/// - `scaleInteger(Word, float)`: `float(word) * scale`, as the bits of an f32
template <typename ArithmeticT> class FloatCodec {
public:
  using Word = typename ArithmeticT::Word;
  using Flag = typename ArithmeticT::Flag;

  FloatCodec(ArithmeticT &arithmetic, const FloatFormat &format)
      : arith(arithmetic), format(format) {}

  /// The f32 that is the number of a whole code, whose upper bits are zero.
  Word decode(Word code) {
    if (format.isPower)
      return decodePower({arith, code}).word;
    if (isUpperHalf())
      return (Bits{arith, code} << format.getShift()).word;
    return decodeFields({arith, code}).word;
  }

  /// The code of the number nearest to an f32, ties to even, extended by zeros.
  /// Overflow gives infinity, or NaN in formats without infinity, or the
  /// largest number in formats without both, where NaN is the negative zero.
  Word encode(Word number) {
    if (format.isPower)
      return encodePower({arith, number}).word;
    if (isUpperHalf())
      return encodeUpperHalf({arith, number}).word;
    return encodeFields({arith, number}).word;
  }

private:
  /// A word with operators, which keep the formulas readable.
  struct Bits {
    ArithmeticT *arith;
    Word word;

    Bits(ArithmeticT &arithmetic, Word word) : arith(&arithmetic), word(word) {}

    Bits operator+(int64_t n) const {
      return {*arith, arith->add(word, arith->constant(n))};
    }
    Bits operator+(const Bits &other) const {
      return {*arith, arith->add(word, other.word)};
    }
    Bits operator&(int64_t n) const {
      return {*arith, arith->bitAnd(word, arith->constant(n))};
    }
    Bits operator|(int64_t n) const {
      return {*arith, arith->bitOr(word, arith->constant(n))};
    }
    Bits operator|(const Bits &other) const {
      return {*arith, arith->bitOr(word, other.word)};
    }
    Bits operator<<(int64_t n) const {
      return {*arith, arith->shiftLeft(word, arith->constant(n))};
    }
    Bits operator>>(int64_t n) const {
      return {*arith, arith->shiftRight(word, arith->constant(n))};
    }
    Flag isBelow(int64_t n) const {
      return arith->isBelow(word, arith->constant(n));
    }
    Flag isEqual(int64_t n) const {
      return arith->isEqual(word, arith->constant(n));
    }
    Bits choose(Flag condition, const Bits &other) const {
      return {*arith, arith->select(condition, word, other.word)};
    }
  };

  static constexpr int64_t kInfinity = 255ll << 23;
  static constexpr int64_t kQuiet = 1ll << 22;

  Bits constant(int64_t n) { return {arith, arith.constant(n)}; }

  /// True for bf16, whose exponent is that of f32: its numbers are the upper
  /// halves of words, subnormal ones included.
  bool isUpperHalf() const { return format.width == 16 && format.bias == 127; }

  /// Shifting moves exponent and mantissa to the fields of f32, and an addition
  /// corrects the bias; infinities and NaN need it twice:
  ///
  ///   %fields = arith.shli %magnitude, %shift : i32
  ///   %normal = arith.addi %fields, %rebias : i32
  ///   %special = arith.addi %normal, %rebias : i32
  Bits decodeFields(Bits code) {
    int64_t rebias = format.getRebias();
    Bits sign = (code & format.signBit) << (32 - format.width);
    Bits magnitude = code & (format.signBit - 1);
    Bits result = (magnitude << format.getShift()) + (rebias << 23);
    if (format.hasInfinity) {
      Bits special = result + (rebias << 23);
      Bits small = decodeSubnormal(magnitude);
      Flag isSmall = magnitude.isBelow(1ll << format.mantissa);
      Flag isFinite = magnitude.isBelow(format.largest + 1);
      return small.choose(isSmall, result.choose(isFinite, special)) | sign;
    }
    Bits small = decodeSubnormal(magnitude);
    Flag isSmall = magnitude.isBelow(1ll << format.mantissa);
    result = small.choose(isSmall, result);
    if (format.hasNaN) {
      Bits nan = constant(kInfinity | kQuiet);
      Bits place = format.hasSignedZero ? magnitude : code;
      result = nan.choose(place.isEqual(format.nan), result);
    }
    return result | sign;
  }

  /// Subnormal numbers are multiples of the smallest one. Chips that take
  /// subnormal operands as zero meet none: f32 has all of these as normal ones.
  Bits decodeSubnormal(Bits magnitude) {
    return {arith, arith.scaleInteger(magnitude.word,
                                      std::ldexp(1.0f, int(1 - format.bias -
                                                           format.mantissa)))};
  }

  /// Adds half of the last place that stays, or just less to reach an even
  /// code, and drops the rest. A carry into the exponent is right:
  ///
  ///   %almost_half = arith.addi %magnitude, %half_minus_one : i32
  ///   %rounded = arith.addi %almost_half, %is_odd : i32
  Bits roundToEven(Bits magnitude) {
    int64_t shift = format.getShift();
    Bits isOdd = (magnitude >> shift) & 1;
    return magnitude + ((1ll << (shift - 1)) - 1) + isOdd;
  }

  Bits encodeFields(Bits number) {
    int64_t shift = format.getShift(), rebias = format.getRebias();
    Bits sign = (number >> (32 - format.width)) & format.signBit;
    Bits magnitude = number & 0x7FFFFFFF;
    Bits rounded = roundToEven(magnitude);
    Bits normal = (rounded >> shift) + -(rebias << format.mantissa);
    // The last place of this power of two is the smallest number of the format,
    // so that the addition rounds to a multiple of it, the code.
    int64_t aligner = (rebias + 24 - format.mantissa) << 23;
    Bits sum{arith, arith.addFloat(magnitude.word,
                                   std::ldexp(1.0f, int(24 - format.bias -
                                                        format.mantissa)))};
    Bits small = sum + -aligner;
    Bits large = encodeLarge(magnitude);
    Flag isSmall = magnitude.isBelow((rebias + 1) << 23);
    // From here on, rounding goes beyond the largest number; a tie does so if
    // that is odd.
    int64_t tooLarge =
        ((format.largest + (rebias << format.mantissa)) << shift) +
        (1ll << (shift - 1)) + 1 - (format.largest & 1);
    Flag isFinite = magnitude.isBelow(tooLarge);
    Bits code = small.choose(isSmall, normal.choose(isFinite, large));
    Bits result = code | sign;
    if (!format.hasNaN) {
      Bits zero = constant(format.signBit);
      result = zero.choose(arith.isNaN(number.word), result);
    }
    return format.hasSignedZero ? result : code.choose(code.isEqual(0), result);
  }

  /// The code of NaN, and of numbers beyond the largest one.
  Bits encodeLarge(Bits magnitude) {
    if (!format.hasInfinity)
      return constant(format.hasNaN ? format.nan : format.largest);
    Bits infinity = constant(format.largest + 1), nan = constant(format.nan);
    return infinity.choose(magnitude.isBelow(kInfinity + 1), nan);
  }

  /// The bits that are rounded away may be all that tells NaN from infinity, so
  /// one of those that stay is set.
  Bits encodeUpperHalf(Bits number) {
    Bits rounded = roundToEven(number);
    Bits quiet = number | kQuiet;
    return quiet.choose(arith.isNaN(number.word), rounded) >> format.getShift();
  }

  /// The code is the exponent of f32. Only the smallest power is subnormal
  /// there, and all ones would be infinity instead of NaN.
  Bits decodePower(Bits code) {
    Bits normal = code << 23;
    Bits smallest = constant(1ll << 22), nan = constant(kInfinity | kQuiet);
    Bits result = smallest.choose(code.isEqual(0), normal);
    return nan.choose(code.isEqual(format.nan), result);
  }

  /// The code of the nearest power of two; ties go to the larger one. Numbers
  /// that are negative, zero or too large become NaN.
  Bits encodePower(Bits number) {
    Bits code = (number + (1ll << 22)) >> 23;
    // No number is below 2^-127, but 3 * 2^-128 is in the middle of the two
    // smallest ones and its fields are those of a subnormal number.
    Bits zero = constant(0), nan = constant(format.nan);
    code = zero.choose(number.isBelow(0x00600000), code);
    code = code.choose(number.isBelow(kInfinity), nan);
    return nan.choose(number.isBelow(1), code);
  }

  ArithmeticT &arith;
  const FloatFormat format;
};

} // namespace mlir::pallas

#endif // PALLAS_SUPPORT_FLOATCODEC_H
