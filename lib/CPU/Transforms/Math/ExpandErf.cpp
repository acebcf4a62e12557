//===- ExpandErf.cpp - The error function and its complement --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file expands erf and erfc, the heart of the exact gelu, on CPUs that
// round sums of products once.
//
// erf(x) / x is a quotient of polynomials of x^2. erfc(a) = exp(-a^2) * (a + 2)
// * erfcx(a) / (a + 2) for a >= 0, where (a + 2) * erfcx(a) goes from 2 to 0.6
// so gently that ten coefficients in (a - 2) / (a + 2) give it within 2e-8.
//
//===----------------------------------------------------------------------===//

#include "ExpandMath.h"
#include "MathEmitter.h"

using namespace mlir;
using namespace mlir::pallas;
using cpu::MathEmitter;

namespace {
/// `erf(x) = x * p(x^2) / q(x^2)`, which is 1 from 3.92 on. Below, its rounding
/// errors may reach beyond 1. NaN passes all comparisons.
struct ExpandErf : public OpRewritePattern<math::ErfOp> {
  ExpandErf(MLIRContext *context) : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(math::ErfOp op,
                                PatternRewriter &b) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    Location loc = op.getLoc();
    MathEmitter emit(b, loc, op.getType());
    auto limited = [&](Value value, double bound) {
      Value low = emit.number(-bound), high = emit.number(bound);
      value = emit.select(arith::CmpFPredicate::OLT, value, low, low, value);
      return emit.select(arith::CmpFPredicate::OLT, high, value, high, value);
    };
    Value x = limited(op.getOperand(), 3.92);
    Value square = arith::MulFOp::create(b, loc, x, x);
    Value p =
        emit.polynomial(square, {0x1.1b893ep-19, 0x1.2b9fcep-12, 0x1.e0bae2p-9,
                                 0x1.adc3e4p-5, 0x1.8075f2p-3, 0x1.20dd74p+0});
    Value q =
        emit.polynomial(square, {0x1.454d1cp-15, 0x1.2bfcecp-10, 0x1.e40fa0p-7,
                                 0x1.cf19e8p-4, 0x1.ffb14ep-2, 1});
    Value result = arith::DivFOp::create(
        b, loc, arith::MulFOp::create(b, loc, x, p).getResult(), q);
    b.replaceOp(op, limited(result, 1));
    return success();
  }
};

/// The square of a is rounded, and its exponential is off by as much as that
/// error; the last product corrects it. Below zero the result is 2 - erfc(-x).
struct ExpandErfc : public OpRewritePattern<math::ErfcOp> {
  ExpandErfc(MLIRContext *context) : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(math::ErfcOp op,
                                PatternRewriter &b) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    Location loc = op.getLoc();
    MathEmitter emit(b, loc, op.getType());
    Value x = op.getOperand(), a = math::AbsFOp::create(b, loc, x);
    // Beyond, the result is 0, and an infinite square would leave NaN. NaN is
    // not beyond.
    Value limit = emit.number(10.5);
    a = emit.select(arith::CmpFPredicate::OLT, limit, a, limit, a);
    Value reciprocal =
        arith::DivFOp::create(b, loc, emit.number(1),
                              arith::AddFOp::create(b, loc, a, emit.number(2)));
    Value ratio = emit.fma(reciprocal, emit.number(-4), emit.number(1));
    Value scaled = emit.polynomial(
        ratio, {-0x1.88d6f0p-15, -0x1.1571f0p-11, -0x1.7ccf48p-11,
                0x1.8ed868p-9, 0x1.a5bcdcp-8, -0x1.604d62p-6, -0x1.2a7ba0p-5,
                0x1.1e2dc8p-2, -0x1.5fd38ep-1, 0x1.058672p0});
    scaled = arith::MulFOp::create(b, loc, scaled, reciprocal);

    Value square = arith::MulFOp::create(b, loc, a, a);
    Value rest = emit.fma(arith::NegFOp::create(b, loc, a), a, square);
    auto power = math::ExpOp::create(
        b, loc, arith::NegFOp::create(b, loc, square).getResult());
    power->setDiscardableAttr(cpu::atMostZeroAttrName, b.getUnitAttr());
    Value result = arith::MulFOp::create(b, loc, scaled, power);
    result = emit.fma(result, rest, result);
    Value mirrored = arith::SubFOp::create(b, loc, emit.number(2), result);
    b.replaceOp(op, emit.select(arith::CmpFPredicate::OLT, x, emit.number(0),
                                mirrored, result));
    return success();
  }
};
} // namespace

void cpu::populateExpandErfPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandErf, ExpandErfc>(patterns.getContext());
}
