//===- VectorMath.cpp - Functions of vectors of floats --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file expands functions of vectors that no target has, and that a C
// library takes one element at a time. MLIR's own expansions of hyperbolic
// functions lose small arguments; docs/Upstream.md compares them.
//
//===----------------------------------------------------------------------===//

#include "pallas/Support/VectorMath.h"

using namespace mlir;
using namespace mlir::pallas;

using P = arith::CmpFPredicate;

/// e^(x / 2) of the magnitude does not overflow before the result does.
static Value computeCosh(VectorMath &a, Value x) {
  Value half =
      a.call<math::ExpOp>(a.mul(a.call<math::AbsFOp>(x), a.number(0.5)));
  Value down = a.div(a.div(a.number(0.5), half), half);
  return a.add(a.mul(a.mul(a.number(0.5), half), half), down);
}

/// (e + e / (e + 1)) / 2 with e = e^x - 1, which keeps small arguments exact.
static Value computeSinh(VectorMath &a, Value x) {
  Value magnitude = a.call<math::AbsFOp>(x);
  Value e = a.call<math::ExpM1Op>(magnitude);
  Value small = a.mul(a.add(e, a.div(e, a.add(e, a.number(1)))), a.number(0.5));
  Value half = a.call<math::ExpOp>(a.mul(magnitude, a.number(0.5)));
  Value large = a.mul(a.mul(a.number(0.5), half), half);
  Value isLarge = a.compare(P::OGT, magnitude, a.number(20));
  return a.call<math::CopySignOp>(a.select(isLarge, large, small), x);
}

static Value computeTan(VectorMath &a, Value x) {
  return a.div(a.call<math::SinOp>(x), a.call<math::CosOp>(x));
}

/// Two steps of Halley's method from a third of the exponent. Numbers whose
/// cubes leave the range are scaled before and their roots behind.
static Value computeCbrt(VectorMath &a, Value x) {
  Value m = a.call<math::AbsFOp>(x), one = a.number(1);
  Value isSmall = a.compare(P::OLT, m, a.number(0x1p-60));
  Value isLarge = a.compare(P::OGT, m, a.number(0x1p60));
  auto scale = [&](double up, double down) {
    return a.select(isSmall, a.number(up),
                    a.select(isLarge, a.number(down), one));
  };
  Value scaled = a.mul(m, scale(0x1p66, 0x1p-66));
  Value third = arith::DivUIOp::create(a.b, a.toBits(scaled), a.integer(3));
  Value root =
      a.fromBits(arith::AddIOp::create(a.b, third, a.integer(709921077)));
  for (int step = 0; step < 2; ++step) {
    Value cube = a.mul(a.mul(root, root), root);
    Value change = a.div(a.sub(cube, scaled), a.add(a.add(cube, cube), scaled));
    root = a.sub(root, a.mul(root, change));
  }
  root = a.mul(root, scale(0x1p-22, 0x1p22));
  // Zero, infinity and NaN are their own roots.
  Value isRegular = a.both(a.compare(P::OGT, m, a.number(0)),
                           a.compare(P::OLT, m, a.number(INFINITY)));
  return a.call<math::CopySignOp>(a.select(isRegular, root, m), x);
}

/// The arc sine of a magnitude of at most 1/2, by the polynomial of Cephes; of
/// others pi / 2 - 2 * asin(root), with the root of (1 - m) / 2.
template <bool isCosine> static Value computeArc(VectorMath &a, Value x) {
  Value m = a.call<math::AbsFOp>(x), half = a.number(0.5);
  Value isLarge = a.compare(P::OGT, m, half);
  Value rest = a.mul(a.sub(a.number(1), m), half);
  Value square = a.select(isLarge, rest, a.mul(m, m));
  Value base = a.select(isLarge, a.call<math::SqrtOp>(rest), m);
  Value sum = a.number(4.2163199048e-2);
  for (double factor :
       {2.4181311049e-2, 4.5470025998e-2, 7.4953002686e-2, 1.6666752422e-1})
    sum = a.add(a.mul(sum, square), a.number(factor));
  Value arc = a.add(a.mul(a.mul(sum, square), base), base);
  Value twice = a.add(arc, arc), quarter = a.number(M_PI / 2);
  if (!isCosine)
    return a.call<math::CopySignOp>(
        a.select(isLarge, a.sub(quarter, twice), arc), x);
  Value isNegative = a.compare(P::OLT, x, a.number(0));
  Value large = a.select(isNegative, a.sub(a.number(M_PI), twice), twice);
  Value small = a.sub(quarter, a.call<math::CopySignOp>(arc, x));
  return a.select(isLarge, large, small);
}

static Value computeAtanh(VectorMath &a, Value x) {
  Value up = a.call<math::Log1pOp>(x);
  Value down = a.call<math::Log1pOp>(a.sub(a.number(0), x));
  return a.mul(a.sub(up, down), a.number(0.5));
}

/// Squares of larger numbers overflow, and 1 is nothing beside them.
static Value chooseLogOfTwice(VectorMath &a, Value x, Value otherwise) {
  Value isLarge = a.compare(P::OGT, x, a.number(0x1p28));
  Value twice = a.add(a.call<math::LogOp>(x), a.number(0.6931471805599453));
  return a.select(isLarge, twice, otherwise);
}

/// log1p(m + m^2 / (1 + sqrt(1 + m^2))) of the magnitude m.
static Value computeAsinh(VectorMath &a, Value x) {
  Value m = a.call<math::AbsFOp>(x), one = a.number(1);
  Value square = a.mul(m, m);
  Value root = a.call<math::SqrtOp>(a.add(square, one));
  Value ratio = a.div(square, a.add(root, one));
  Value result = a.call<math::Log1pOp>(a.add(m, ratio));
  return a.call<math::CopySignOp>(chooseLogOfTwice(a, m, result), x);
}

/// log1p(t + sqrt(2t + t^2)) with t = x - 1, which is not negative.
static Value computeAcosh(VectorMath &a, Value x) {
  Value one = a.number(1);
  Value t = a.select(a.compare(P::OGE, x, one), a.sub(x, one), a.number(NAN));
  Value root = a.call<math::SqrtOp>(a.add(a.add(t, t), a.mul(t, t)));
  return chooseLogOfTwice(a, x, a.call<math::Log1pOp>(a.add(t, root)));
}

template <typename OpTy, Value (*compute)(VectorMath &, Value)>
static void expand(RewritePatternSet &patterns) {
  patterns.add<ExpandFunction<OpTy>>(
      patterns.getContext(),
      [](VectorMath &a, ValueRange x) { return compute(a, x[0]); },
      /*isKnownInF32=*/false);
}

void pallas::populateHyperbolicPatterns(RewritePatternSet &patterns) {
  expand<math::AcosOp, computeArc</*isCosine=*/true>>(patterns);
  expand<math::AcoshOp, computeAcosh>(patterns);
  expand<math::AsinOp, computeArc</*isCosine=*/false>>(patterns);
  expand<math::AsinhOp, computeAsinh>(patterns);
  expand<math::AtanhOp, computeAtanh>(patterns);
  expand<math::CbrtOp, computeCbrt>(patterns);
  expand<math::CoshOp, computeCosh>(patterns);
  expand<math::SinhOp, computeSinh>(patterns);
  expand<math::TanOp, computeTan>(patterns);
}
