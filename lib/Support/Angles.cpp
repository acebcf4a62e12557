//===- Angles.cpp - Arctangents by polynomials ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pallas/Support/Angles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include <limits>

using namespace mlir;
using namespace mlir::pallas;

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
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto number = [&](float value) -> Value {
      TypedAttr attribute = b.getF32FloatAttr(value);
      if (auto shaped = dyn_cast<ShapedType>(type))
        attribute = DenseElementsAttr::get(shaped, attribute);
      return arith::ConstantOp::create(b, attribute);
    };
    auto select = [&](arith::CmpFPredicate predicate, Value x, Value y,
                      Value then, Value otherwise) -> Value {
      Value condition = arith::CmpFOp::create(b, predicate, x, y);
      return arith::SelectOp::create(b, condition, then, otherwise);
    };
    // Both parts of the constant together have more digits than one number.
    auto subtractFrom = [&](float high, float low, Value x) -> Value {
      return arith::SubFOp::create(b, number(high),
                                   arith::SubFOp::create(b, x, number(low)));
    };

    constexpr bool isOfRatio = std::is_same_v<Op, math::Atan2Op>;
    Value y = op->getOperand(0), one = number(1), zero = number(0);
    Value x = isOfRatio ? op->getOperands().back() : one;
    Value height = math::AbsFOp::create(b, y),
          width = math::AbsFOp::create(b, x);
    Value small = arith::MinimumFOp::create(b, height, width);
    Value great = arith::MaximumFOp::create(b, height, width);
    if (isOfRatio)
      great = select(arith::CmpFPredicate::OEQ, great, zero, one, great);
    Value ratio = arith::DivFOp::create(b, small, great);
    if (isOfRatio)
      ratio =
          select(arith::CmpFPredicate::OEQ, small,
                 number(std::numeric_limits<float>::infinity()), one, ratio);
    Value square = arith::MulFOp::create(b, ratio, ratio);
    Value sum = number(kArctangent[0]);
    for (float next : ArrayRef(kArctangent).drop_front())
      sum = math::FmaOp::create(b, sum, square, number(next));
    Value angle = math::FmaOp::create(b, arith::MulFOp::create(b, sum, square),
                                      ratio, ratio);
    angle =
        select(arith::CmpFPredicate::OGT, height, width,
               subtractFrom(0x1.921fb6p+0f, -0x1.777a5cp-25f, angle), angle);
    // A negative zero lies to the left, too.
    if (isOfRatio)
      angle = select(
          arith::CmpFPredicate::OLT, math::CopySignOp::create(b, one, x), zero,
          subtractFrom(0x1.921fb6p+1f, -0x1.777a5cp-24f, angle), angle);
    rewriter.replaceOpWithNewOp<math::CopySignOp>(op, angle, y);
    return success();
  }
};
} // namespace

void mlir::pallas::populateExpandAnglePatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandAngle<math::AtanOp>, ExpandAngle<math::Atan2Op>>(
      patterns.getContext());
}
