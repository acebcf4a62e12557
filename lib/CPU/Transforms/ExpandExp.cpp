//===- ExpandExp.cpp - Exponentials by arithmetic -------------------------===//
//
// exp(x) = 2^n * exp(r), where n is the integer nearest to x / ln 2, and r is
// at most ln 2 / 2 away from zero. The loops that need it, softmax above all,
// are bound by these operations, so there are as few of them as 1 ULP allows.
//
//===----------------------------------------------------------------------===//

#include "ExpandMath.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::pallas;

namespace {
class Emitter {
public:
  Emitter(OpBuilder &b, Location loc, Type type) : b(b), loc(loc), type(type) {}

  Value number(float value) { return constant(type, b.getF32FloatAttr(value)); }
  Value fma(Value x, Value y, Value z) {
    return math::FmaOp::create(b, loc, x, y, z);
  }
  Value select(arith::CmpFPredicate predicate, Value x, Value bound, Value then,
               Value otherwise) {
    Value condition = arith::CmpFOp::create(b, loc, predicate, x, bound);
    return arith::SelectOp::create(b, loc, condition, then, otherwise);
  }

  /// exp(r) for |r| <= ln 2 / 2, with a relative error of 3e-9 before rounding.
  Value polynomial(Value r) {
    Value sum = number(0x1.6a23d6p-10f);
    for (float next : {0x1.123a20p-7f, 0x1.5558f2p-5f, 0x1.555492p-3f,
                       0x1.fffffcp-2f, 1.0f, 1.0f})
      sum = fma(sum, r, number(next));
    return sum;
  }

  /// value * 2^n, where the low bits of `shifted` are n.
  Value scale(Value value, Value shifted) {
    Type word = b.getI32Type();
    Type words = word;
    if (auto shaped = dyn_cast<ShapedType>(type))
      words = shaped.clone(word);
    Value n = arith::BitcastOp::create(b, loc, words, shifted);
    Value exponent = arith::ShLIOp::create(
        b, loc, n, constant(words, b.getI32IntegerAttr(23)));
    Value bits = arith::BitcastOp::create(b, loc, words, value);
    Value sum = arith::AddIOp::create(b, loc, bits, exponent);
    return arith::BitcastOp::create(b, loc, type, sum);
  }

private:
  Value constant(Type type, TypedAttr value) {
    if (auto shaped = dyn_cast<ShapedType>(type))
      value = DenseElementsAttr::get(shaped, value);
    return arith::ConstantOp::create(b, loc, value);
  }

  OpBuilder &b;
  Location loc;
  Type type;
};

template <typename OpTy> struct ExpandExp : public OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    constexpr bool isExp2 = std::is_same_v<OpTy, math::Exp2Op>;
    Location loc = op.getLoc();
    Value x = op.getOperand();
    Emitter emit(rewriter, loc, op.getType());
    // Adding 1.5 * 2^23 rounds to an integer, which then is in the low bits.
    Value round = emit.number(0x1.8p23f);
    Value shifted =
        isExp2 ? arith::AddFOp::create(rewriter, loc, x, round).getResult()
               : emit.fma(x, emit.number(0x1.715476p0f), round);
    Value n = arith::SubFOp::create(rewriter, loc, shifted, round);
    Value r;
    if (isExp2) {
      Value fraction = arith::SubFOp::create(rewriter, loc, x, n);
      r = arith::MulFOp::create(rewriter, loc, fraction,
                                emit.number(0x1.62e430p-1f));
    } else {
      // ln 2 in two parts, the first of which has so few bits that its
      // multiples are exact.
      r = emit.fma(n, emit.number(-0x1.63p-1f), x);
      r = emit.fma(n, emit.number(0x1.bd0106p-13f), r);
    }
    Value result = emit.scale(emit.polynomial(r), shifted);
    float lowest = isExp2 ? -126.0f : -0x1.5d589ep6f;
    float highest = isExp2 ? 0x1.fffffep6f : 0x1.62e42ep6f;
    result = emit.select(arith::CmpFPredicate::OLT, x, emit.number(lowest),
                         emit.number(0), result);
    // NaN goes this way too and stays what it is.
    Value above = arith::MulFOp::create(
        rewriter, loc, x, emit.number(std::numeric_limits<float>::infinity()));
    rewriter.replaceOp(op, emit.select(arith::CmpFPredicate::UGT, x,
                                       emit.number(highest), above, result));
    return success();
  }
};
} // namespace

void cpu::populateExpandExpPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandExp<math::ExpOp>, ExpandExp<math::Exp2Op>>(
      patterns.getContext(), /*benefit=*/2);
}
