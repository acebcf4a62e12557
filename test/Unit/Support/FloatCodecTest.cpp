//===- FloatCodecTest.cpp - The codec of narrow floats against APFloat ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The codec runs on numbers here, and on operations in the lowerings.
//
//===----------------------------------------------------------------------===//

#include "pallas/Support/FloatCodec.h"
#include "gtest/gtest.h"

using namespace mlir::pallas;
using llvm::APFloat;
using llvm::APInt;

namespace {

/// Computes what the lowerings emit.
struct HostArithmetic {
  using Word = uint32_t;
  using Flag = bool;

  Word constant(int64_t number) { return static_cast<Word>(number); }
  Word add(Word lhs, Word rhs) { return lhs + rhs; }
  Word bitAnd(Word lhs, Word rhs) { return lhs & rhs; }
  Word bitOr(Word lhs, Word rhs) { return lhs | rhs; }
  Word shiftLeft(Word word, Word amount) { return word << amount; }
  Word shiftRight(Word word, Word amount) { return word >> amount; }
  Flag isBelow(Word lhs, Word rhs) { return int32_t(lhs) < int32_t(rhs); }
  Flag isEqual(Word lhs, Word rhs) { return lhs == rhs; }
  Flag isNaN(Word word) { return std::isnan(llvm::bit_cast<float>(word)); }
  Word select(Flag condition, Word yes, Word no) {
    return condition ? yes : no;
  }
  Word addFloat(Word word, float number) {
    return llvm::bit_cast<Word>(llvm::bit_cast<float>(word) + number);
  }
  Word scaleInteger(Word word, float factor) {
    return llvm::bit_cast<Word>(float(int32_t(word)) * factor);
  }
};

class FloatCodecTest : public ::testing::TestWithParam<APFloat::Semantics> {
protected:
  const llvm::fltSemantics &semantics = APFloat::EnumToSemantics(GetParam());
  const FloatFormat format{semantics};
  HostArithmetic arithmetic;
  FloatCodec<HostArithmetic> codec{arithmetic, format};

  /// The number of a whole code, by APFloat.
  APFloat read(uint32_t code) const {
    return APFloat(semantics, APInt(format.width, code));
  }

  /// Compares the code of an f32 with that of APFloat. Messages are made where
  /// something differs only, as this runs millions of times.
  void expectEncoding(uint32_t word) {
    float number = llvm::bit_cast<float>(word);
    uint32_t code = codec.encode(word);
    ASSERT_EQ(code >> format.width, 0u) << number;
    if (format.isPower && !(number > 0)) {
      ASSERT_EQ(code, format.nan) << number;
      return;
    }
    if (!std::isfinite(number) && !format.hasNaN) {
      uint32_t sign = word >> 31 ? format.signBit : 0;
      ASSERT_EQ(code,
                std::isnan(number) ? format.signBit : format.largest | sign)
          << number;
      return;
    }
    APFloat expected = roundTo(semantics, APFloat(number));
    if (expected.isNaN())
      ASSERT_TRUE(read(code).isNaN()) << number;
    else
      ASSERT_EQ(code, expected.bitcastToAPInt().getZExtValue()) << number;
  }
};

} // namespace

TEST_P(FloatCodecTest, DecodesEveryCode) {
  for (uint32_t code = 0; code < 1u << format.width; ++code) {
    APFloat expected = roundTo(APFloat::IEEEsingle(), read(code));
    float number = llvm::bit_cast<float>(codec.decode(code));
    if (expected.isNaN())
      ASSERT_TRUE(std::isnan(number)) << code;
    else
      ASSERT_EQ(llvm::bit_cast<uint32_t>(number),
                expected.bitcastToAPInt().getZExtValue())
          << code;
  }
}

TEST_P(FloatCodecTest, EncodesWhatItDecodes) {
  for (uint32_t code = 0; code < 1u << format.width; ++code) {
    uint32_t back = codec.encode(codec.decode(code));
    if (!read(code).isNaN())
      ASSERT_EQ(back, code);
    else
      ASSERT_TRUE(read(back).isNaN()) << code;
  }
}

/// The middle of two neighbors, and the two f32 beside that.
TEST_P(FloatCodecTest, RoundsTiesToEven) {
  for (int64_t code = 0; code < format.largest; ++code) {
    double low = read(code).convertToDouble();
    double high = read(code + 1).convertToDouble();
    auto middle = static_cast<float>((low + high) / 2);
    auto word = llvm::bit_cast<uint32_t>(middle);
    for (uint32_t sign : {0u, 1u << 31})
      for (int step : {-1, 0, 1})
        expectEncoding((word + step) | sign);
  }
}

/// Every sign, exponent and start of a mantissa, with rests around a half.
TEST_P(FloatCodecTest, EncodesEveryMagnitude) {
  for (uint32_t upper = 0; upper < 1u << 16; ++upper)
    for (uint32_t lower : {0u, 1u, 0x0FFFu, 0x1000u, 0x7FFFu, 0x8000u, 0x8001u,
                           0xEFFFu, 0xF000u, 0xFFFFu})
      expectEncoding(upper << 16 | lower);
}

INSTANTIATE_TEST_SUITE_P(
    Formats, FloatCodecTest,
    ::testing::Values(APFloat::S_IEEEhalf, APFloat::S_BFloat,
                      APFloat::S_Float8E5M2, APFloat::S_Float8E5M2FNUZ,
                      APFloat::S_Float8E4M3, APFloat::S_Float8E4M3FN,
                      APFloat::S_Float8E4M3FNUZ, APFloat::S_Float8E4M3B11FNUZ,
                      APFloat::S_Float8E3M4, APFloat::S_Float8E8M0FNU,
                      APFloat::S_Float6E3M2FN, APFloat::S_Float6E2M3FN,
                      APFloat::S_Float4E2M1FN));
