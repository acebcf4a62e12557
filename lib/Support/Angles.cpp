//===- Angles.cpp - Arctangents by polynomials ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pallas/Support/Angles.h"
#include "pallas/Support/VectorMath.h"
#include <limits>

using namespace mlir;
using namespace mlir::pallas;

using P = arith::CmpFPredicate;

/// Of an arctangent up to 1, divided by its argument: the least greatest error
/// for the degree. From the highest power of the square on.
static constexpr float kArctangent[] = {
    -0x1.d62ba6p-10f, 0x1.65a3f4p-7f,  -0x1.fecf2p-6f,
    0x1.dac8c2p-5f,   -0x1.58343cp-4f, 0x1.c099e2p-4f,
    -0x1.2421b2p-3f,  0x1.9991fcp-3f,  -0x1.55553ep-2f};

namespace {
/// The arctangent of the smaller by the greater magnitude, moved to the right
/// eighth of the circle. Neither zeros nor infinities are divided by each
/// other, and the signs of zeros count.
///
///   %small = arith.minimumf %height, %width : f32
///   %great = arith.maximumf %height, %width : f32
///   %ratio = arith.divf %small, %great : f32
///   %square = arith.mulf %ratio, %ratio : f32
///   %angle = %ratio + %ratio * %square * polynomial(%square)
///
/// then pi/2 minus the angle if the height is greater, pi minus it on the left
/// side, and the sign of the height. `math.atan` has a width of 1.
template <typename Op> struct ExpandAngle : public OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!getElementTypeOrSelf(type).isF32())
      return failure();
    VectorMath a(rewriter, op.getLoc(), type);
    // Both parts of the constant together have more digits than one number.
    auto subtractFrom = [&](float high, float low, Value x) {
      return a.sub(a.number(high), a.sub(x, a.number(low)));
    };

    constexpr bool isOfRatio = std::is_same_v<Op, math::Atan2Op>;
    Value y = op->getOperand(0), one = a.number(1), zero = a.number(0);
    Value x = isOfRatio ? op->getOperands().back() : one;
    Value height = a.call<math::AbsFOp>(y), width = a.call<math::AbsFOp>(x);
    Value small = a.call<arith::MinimumFOp>(height, width);
    Value great = a.call<arith::MaximumFOp>(height, width);
    if (isOfRatio)
      great = a.select(a.compare(P::OEQ, great, zero), one, great);
    Value ratio = a.div(small, great);
    if (isOfRatio)
      ratio =
          a.select(a.compare(P::OEQ, small,
                             a.number(std::numeric_limits<float>::infinity())),
                   one, ratio);
    Value square = a.mul(ratio, ratio), sum = a.number(kArctangent[0]);
    for (float next : ArrayRef(kArctangent).drop_front())
      sum = a.call<math::FmaOp>(sum, square, a.number(next));
    Value angle = a.call<math::FmaOp>(a.mul(sum, square), ratio, ratio);
    angle =
        a.select(a.compare(P::OGT, height, width),
                 subtractFrom(0x1.921fb6p+0f, -0x1.777a5cp-25f, angle), angle);
    // A negative zero lies to the left, too.
    if (isOfRatio)
      angle = a.select(
          a.compare(P::OLT, a.call<math::CopySignOp>(one, x), zero),
          subtractFrom(0x1.921fb6p+1f, -0x1.777a5cp-24f, angle), angle);
    rewriter.replaceOp(op, a.call<math::CopySignOp>(angle, y));
    return success();
  }
};
} // namespace

void mlir::pallas::populateExpandAnglePatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandAngle<math::AtanOp>, ExpandAngle<math::Atan2Op>>(
      patterns.getContext());
}
