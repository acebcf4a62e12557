//===- Functions.cpp - Functions of vectors that the compiler lacks -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler has exponentials, logarithms, sines and tangents of vectors, and
// upstream approximates some more. Others are computed of these, in f32.
//
//===----------------------------------------------------------------------===//

#include "Functions.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "pallas/Support/VectorMath.h"
#include <limits>

using namespace mlir;
using pallas::ExpandFunction;
using pallas::VectorMath;

using P = arith::CmpFPredicate;

namespace {
/// A number as the sum of two, of which the first has 12 bits.
struct Pair {
  Value high, low;
};
} // namespace

//===----------------------------------------------------------------------===//
// Roots
//===----------------------------------------------------------------------===//

/// s = x * rsqrt(x), and a step of Newton's iteration: (s + x / s) / 2. Zero
/// and infinity are their own roots.
static Value computeSqrt(VectorMath &a, Value x) {
  Value guess = a.mul(x, a.call<math::RsqrtOp>(x));
  Value root = a.mul(a.add(guess, a.div(x, guess)), a.number(0.5));
  for (double end : {0.0, std::numeric_limits<double>::infinity()})
    root = a.select(a.compare(P::OEQ, x, a.number(end)), x, root);
  return root;
}

//===----------------------------------------------------------------------===//
// Powers
//===----------------------------------------------------------------------===//

/// An error of the exponent is a relative error of the power, and the exponent
/// may be 128, so the logarithm of 2^e * m has 31 bits, in two numbers. It is
/// 2 / ln(2) * (s + s^3 / 3 + s^5 / 5 + ...) with s = (m - 1) / (m + 1), as in
/// the powf of FreeBSD, whose products of cut numbers are exact.
static Pair computeLog2(VectorMath &a, Value x) {
  Value isTiny = a.compare(P::OLT, x, a.number(0x1p-126));
  x = a.select(isTiny, a.mul(x, a.number(0x1p24)), x);
  Value word = a.toBits(x);
  Value e = arith::ShRSIOp::create(
      a.b, arith::SubIOp::create(a.b, word, a.integer(0x3f3504f3)),
      a.integer(23));
  Value m = a.fromBits(arith::SubIOp::create(
      a.b, word, arith::ShLIOp::create(a.b, e, a.integer(23))));
  Value exponent = a.sub(arith::SIToFPOp::create(a.b, a.type, e),
                         a.select(isTiny, a.number(24), a.number(0)));
  Value one = a.number(1), three = a.number(3);
  Value u = a.sub(m, one), v = a.div(one, a.add(m, one));
  Value s = a.mul(u, v), sHigh = a.cut(s);
  Value tHigh = a.cut(a.add(m, one)), tLow = a.sub(m, a.sub(tHigh, one));
  Value sLow =
      a.mul(v, a.sub(a.sub(u, a.mul(sHigh, tHigh)), a.mul(sHigh, tLow)));
  // 3 / 2 * (log(m) / s - 2 - 2 / 3 * s^2), of s^2.
  Value square = a.mul(s, s), r = a.number(2.0697501302e-01);
  for (double factor : {2.3066075146e-01, 2.7272811532e-01, 3.3333334327e-01,
                        4.2857143283e-01, 6.0000002384e-01})
    r = a.add(a.mul(r, square), a.number(factor));
  r = a.add(a.mul(a.mul(square, square), r), a.mul(sLow, a.add(sHigh, s)));
  square = a.mul(sHigh, sHigh);
  tHigh = a.cut(a.add(a.add(three, square), r));
  tLow = a.sub(r, a.sub(a.sub(tHigh, three), square));
  u = a.mul(sHigh, tHigh);
  v = a.add(a.mul(sLow, tHigh), a.mul(tLow, s));
  // Times 2 / (3 ln(2)), in two parts, and plus e.
  Value high = a.cut(a.add(u, v)), low = a.sub(v, a.sub(high, u));
  Value zHigh = a.mul(a.number(9.6191406250e-01), high);
  Value zLow = a.add(a.mul(a.number(-1.1736857402e-04), high),
                     a.mul(low, a.number(9.6179670095e-01)));
  Value result = a.cut(a.add(a.add(zHigh, zLow), exponent));
  return {result, a.sub(zLow, a.sub(a.sub(result, exponent), zHigh))};
}

/// 2^(high + low), of which high may be anything but a NaN.
static Value computeExp2(VectorMath &a, Value high, Value low) {
  Value whole = a.add(high, low), rest = a.clamp(high, 200);
  Value n = a.call<math::RoundEvenOp>(a.clamp(whole, 200));
  Value power = a.call<math::Exp2Op>(a.add(a.sub(rest, n), low));
  Value count = arith::FPToSIOp::create(a.b, a.bits, n);
  Value half = arith::ShRSIOp::create(a.b, count, a.integer(1));
  for (Value part : {half, Value(arith::SubIOp::create(a.b, count, half))}) {
    Value biased = arith::AddIOp::create(a.b, part, a.integer(127));
    power = a.mul(
        power, a.fromBits(arith::ShLIOp::create(a.b, biased, a.integer(23))));
  }
  Value isLarge = a.compare(P::OGE, whole, a.number(128));
  Value isSmall = a.compare(P::OLE, whole, a.number(-151));
  power = a.select(isLarge, a.number(INFINITY), power);
  return a.select(isSmall, a.number(0), power);
}

/// The power of a magnitude: an exponent beyond 2^34 makes 0, 1 or infinity.
static Value computePowerOfMagnitude(VectorMath &a, Value x, Value y) {
  Value bounded = a.clamp(y, 0x1p34);
  Pair logarithm = computeLog2(a, x);
  Value yHigh = a.cut(bounded);
  Value low = a.add(a.mul(a.sub(bounded, yHigh), logarithm.high),
                    a.mul(bounded, logarithm.low));
  Value power = computeExp2(a, a.mul(yHigh, logarithm.high), low);
  Value zero = a.number(0), infinity = a.number(INFINITY);
  Value isGrowing = a.compare(P::OGT, y, zero);
  power = a.select(a.compare(P::OEQ, x, zero),
                   a.select(isGrowing, zero, infinity), power);
  return a.select(a.compare(P::OEQ, x, infinity),
                  a.select(isGrowing, infinity, zero), power);
}

/// Exceptions are those of the C library: x^0 and 1^y are 1, even of a NaN.
static Value computePow(VectorMath &a, Value x, Value y) {
  Value zero = a.number(0), one = a.number(1), infinity = a.number(INFINITY);
  Value magnitude = a.call<math::AbsFOp>(x);
  Value power = computePowerOfMagnitude(a, magnitude, y);
  // From 2^24 on, all numbers are even.
  Value bounded = a.clamp(y, 0x1p24);
  Value whole = arith::FPToSIOp::create(a.b, a.bits, bounded);
  Value isWhole =
      a.compare(P::OEQ, arith::SIToFPOp::create(a.b, a.type, whole), bounded);
  Value isOdd = arith::CmpIOp::create(
      a.b, arith::CmpIPredicate::ne,
      arith::AndIOp::create(a.b, whole, a.integer(1)), a.integer(0));
  Value isSigned = a.both(isWhole, isOdd);
  power = a.select(isSigned, a.call<math::CopySignOp>(power, x), power);
  Value isNegative = a.both(a.compare(P::OLT, x, zero),
                            a.compare(P::OLT, magnitude, infinity));
  Value nan = a.number(NAN);
  power = a.select(isWhole, power, a.select(isNegative, nan, power));
  Value isNaN = a.either(a.compare(P::UNE, x, x), a.compare(P::UNE, y, y));
  power = a.select(isNaN, nan, power);
  Value isOne = a.either(a.compare(P::OEQ, x, one), a.compare(P::OEQ, y, zero));
  return a.select(isOne, one, power);
}

//===----------------------------------------------------------------------===//
// Remainders
//===----------------------------------------------------------------------===//

/// The rest when 12 bits of the quotient are taken off. Both parts of the
/// product are exact, and so is the rest: it has fewer bits.
static Value takeQuotient(VectorMath &a, Value rest, Value divisor) {
  Value quotient = a.div(rest, divisor);
  Value whole = a.call<math::CopySignOp>(
      a.call<math::FloorOp>(a.call<math::AbsFOp>(quotient)), quotient);
  Value first = a.cut(whole), high = a.cut(divisor);
  rest = a.sub(rest, a.mul(first, high));
  return a.sub(rest, a.mul(first, a.sub(divisor, high)));
}

/// A long division. Quotients by numbers below 1 may be too large for f32, so
/// the first half of the steps divides by 2^127 times as much.
static Value computeRemainder(VectorMath &a, Value x, Value y) {
  constexpr int64_t steps = 24;
  Value zero = a.number(0), m = a.call<math::AbsFOp>(y);
  Value isSmall = a.compare(P::OLT, m, a.number(1));
  Value large = a.select(isSmall, a.mul(m, a.number(0x1p127)), m);
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(a.b, value);
  };
  Value rest = a.call<math::AbsFOp>(x);
  for (Value divisor : {large, m}) {
    auto loop = scf::ForOp::create(
        a.b, index(0), index(steps / 2), index(1), rest,
        [&](OpBuilder &b, Location loc, Value, ValueRange carried) {
          VectorMath inner(b, loc, a.type);
          scf::YieldOp::create(b, loc,
                               takeQuotient(inner, carried[0], divisor));
        });
    rest = loop.getResult(0);
  }
  // Quotients are rounded, perhaps to the next number.
  rest = a.select(a.compare(P::OLT, rest, zero), a.add(rest, m), rest);
  rest = a.select(a.compare(P::OGE, rest, m), a.sub(rest, m), rest);
  Value infinity = a.number(INFINITY);
  rest =
      a.select(a.compare(P::OEQ, m, infinity), a.call<math::AbsFOp>(x), rest);
  Value isWrong =
      a.either(a.compare(P::OEQ, m, zero),
               a.compare(P::OEQ, a.call<math::AbsFOp>(x), infinity));
  isWrong = a.either(isWrong, a.compare(P::UNE, y, y));
  return a.call<math::CopySignOp>(a.select(isWrong, a.number(NAN), rest), x);
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

/// Functions that are expanded by other patterns, in f32 alone.
template <typename... OpTys> static void widen(RewritePatternSet &patterns) {
  (patterns.add<ExpandFunction<OpTys>>(
       patterns.getContext(),
       [](VectorMath &a, ValueRange x) -> Value {
         return OpTys::create(a.b, a.type, x, ArrayRef<NamedAttribute>());
       },
       /*isKnownInF32=*/true),
   ...);
}

void mlir::mosaic_gpu::populateFunctionPatterns(RewritePatternSet &patterns) {
  pallas::populateHyperbolicPatterns(patterns);
  patterns.add<ExpandFunction<math::SqrtOp>>(
      patterns.getContext(),
      [](VectorMath &a, ValueRange x) { return computeSqrt(a, x[0]); },
      /*isKnownInF32=*/false);
  patterns.add<ExpandFunction<math::PowFOp>>(
      patterns.getContext(),
      [](VectorMath &a, ValueRange x) { return computePow(a, x[0], x[1]); },
      /*isKnownInF32=*/false);
  patterns.add<ExpandFunction<arith::RemFOp>>(
      patterns.getContext(),
      [](VectorMath &a, ValueRange x) {
        return computeRemainder(a, x[0], x[1]);
      },
      /*isKnownInF32=*/false);
  widen<math::AtanOp, math::Atan2Op, math::ErfOp, math::ErfcOp, math::ExpM1Op,
        math::Log1pOp>(patterns);
}
