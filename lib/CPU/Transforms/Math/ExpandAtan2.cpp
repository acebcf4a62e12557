//===- ExpandAtan2.cpp - Angles by arctangents ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file expands `math.atan2` into `math.atan`, which has a polynomial.
//
//===----------------------------------------------------------------------===//

#include "ExpandMath.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include <limits>

using namespace mlir;
using namespace mlir::pallas;

namespace {
/// The arctangent of the smaller by the greater magnitude, moved to the right
/// eighth of the circle. Neither zeros nor infinities are divided by each
/// other, and the signs of zeros count.
///
///   %small = arith.minimumf %height, %width : f32
///   %great = arith.maximumf %height, %width : f32
///   %ratio = arith.divf %small, %great : f32
///   %angle = math.atan %ratio : f32
///
/// then pi/2 minus the angle if the height is greater, pi minus it on the left
/// side, and the sign of the height.
struct ExpandAtan2 : public OpRewritePattern<math::Atan2Op> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::Atan2Op op,
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
    Value y = op.getLhs(), x = op.getRhs();
    Value height = math::AbsFOp::create(b, y),
          width = math::AbsFOp::create(b, x);
    Value small = arith::MinimumFOp::create(b, height, width);
    Value great = arith::MaximumFOp::create(b, height, width);
    Value one = number(1), zero = number(0);
    Value ratio = arith::DivFOp::create(
        b, small, select(arith::CmpFPredicate::OEQ, great, zero, one, great));
    ratio = select(arith::CmpFPredicate::OEQ, small,
                   number(std::numeric_limits<float>::infinity()), one, ratio);
    Value angle = math::AtanOp::create(b, ratio);
    angle =
        select(arith::CmpFPredicate::OGT, height, width,
               arith::SubFOp::create(b, number(0x1.921fb6p+0f), angle), angle);
    // A negative zero lies to the left, too.
    Value side = math::CopySignOp::create(b, one, x);
    angle =
        select(arith::CmpFPredicate::OLT, side, zero,
               arith::SubFOp::create(b, number(0x1.921fb6p+1f), angle), angle);
    rewriter.replaceOpWithNewOp<math::CopySignOp>(op, angle, y);
    return success();
  }
};
} // namespace

void cpu::populateExpandAtan2Patterns(RewritePatternSet &patterns) {
  patterns.add<ExpandAtan2>(patterns.getContext());
}
