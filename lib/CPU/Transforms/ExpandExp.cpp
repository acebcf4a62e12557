//===- ExpandExp.cpp - Exponentials by arithmetic -------------------------===//
//
// exp(x) = 2^n * exp(r), where n is the integer nearest to x / ln 2, and r is
// at most ln 2 / 2 away from zero. The loops that need it, softmax above all,
// are bound by these operations, so there are as few of them as 1 ULP allows.
//
//===----------------------------------------------------------------------===//

#include "ExpandMath.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::pallas;

/// Of a register of AVX-512.
static constexpr int64_t registerLanes = 16;

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

  /// value * 2^n, register by register.
  Value scaleByInstruction(Value value, Value n) {
    auto registerType = VectorType::get({registerLanes}, b.getF32Type());
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(registerType));
    // All lanes, and the rounding mode at hand.
    Value all = arith::ConstantIntOp::create(b, loc, -1, 16);
    Value rounding = arith::ConstantIntOp::create(b, loc, 4, 32);
    auto cut = [&](Value from, int64_t at) {
      return vector::ExtractStridedSliceOp::create(b, loc, from, ArrayRef(at),
                                                   ArrayRef(registerLanes),
                                                   ArrayRef<int64_t>(1));
    };
    Value result = value;
    int64_t lanes = cast<VectorType>(type).getNumElements();
    for (int64_t at = 0; at < lanes; at += registerLanes) {
      auto scaled = LLVM::CallIntrinsicOp::create(
          b, loc, registerType,
          b.getStringAttr("llvm.x86.avx512.mask.scalef.ps.512"),
          {cut(value, at), cut(n, at), zero, all, rounding});
      result = vector::InsertStridedSliceOp::create(b, loc, scaled.getResult(0),
                                                    result, ArrayRef(at),
                                                    ArrayRef<int64_t>(1));
    }
    return result;
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

/// An exponential as n, rounded by adding 1.5 * 2^23 so that it is in the low
/// bits of `shifted` too, and the rest r.
struct Reduced {
  Value n, shifted, r;
};

template <typename OpTy>
constexpr bool isExp2 = std::is_same_v<OpTy, math::Exp2Op>;
} // namespace

template <typename OpTy>
static Reduced reduce(OpBuilder &b, Location loc, Emitter &emit, Value x) {
  Reduced result;
  Value round = emit.number(0x1.8p23f);
  result.shifted = isExp2<OpTy>
                       ? arith::AddFOp::create(b, loc, x, round).getResult()
                       : emit.fma(x, emit.number(0x1.715476p0f), round);
  result.n = arith::SubFOp::create(b, loc, result.shifted, round);
  if (isExp2<OpTy>) {
    Value fraction = arith::SubFOp::create(b, loc, x, result.n);
    result.r =
        arith::MulFOp::create(b, loc, fraction, emit.number(0x1.62e430p-1f));
  } else {
    // ln 2 in two parts, the first of which has so few bits that its multiples
    // are exact.
    result.r = emit.fma(result.n, emit.number(-0x1.63p-1f), x);
    result.r = emit.fma(result.n, emit.number(0x1.bd0106p-13f), result.r);
  }
  return result;
}

namespace {
template <typename OpTy> struct ExpandExp : public OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    Location loc = op.getLoc();
    Value x = op.getOperand();
    Emitter emit(rewriter, loc, op.getType());
    Reduced reduced = reduce<OpTy>(rewriter, loc, emit, x);
    Value result = emit.scale(emit.polynomial(reduced.r), reduced.shifted);
    float lowest = isExp2<OpTy> ? -126.0f : -0x1.5d589ep6f;
    float highest = isExp2<OpTy> ? 0x1.fffffep6f : 0x1.62e42ep6f;
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

/// The instruction overflows and underflows as it should, so that the argument
/// only needs bounds within which n is exact.
template <typename OpTy> struct ScaleExp : public OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    if (!type || !type.getElementType().isF32() || type.getRank() != 1 ||
        type.getNumElements() % registerLanes != 0)
      return failure();
    Location loc = op.getLoc();
    Emitter emit(rewriter, loc, type);
    Value lowest = emit.number(isExp2<OpTy> ? -160.0f : -110.0f);
    Value highest = emit.number(isExp2<OpTy> ? 130.0f : 90.0f);
    // NaN is neither beyond the one nor beyond the other.
    Value x = op.getOperand();
    x = emit.select(arith::CmpFPredicate::OGT, lowest, x, lowest, x);
    x = emit.select(arith::CmpFPredicate::OLT, highest, x, highest, x);
    Reduced reduced = reduce<OpTy>(rewriter, loc, emit, x);
    rewriter.replaceOp(
        op, emit.scaleByInstruction(emit.polynomial(reduced.r), reduced.n));
    return success();
  }
};
} // namespace

void cpu::populateExpandExpPatterns(RewritePatternSet &patterns,
                                    bool hasScale) {
  MLIRContext *context = patterns.getContext();
  patterns.add<ExpandExp<math::ExpOp>, ExpandExp<math::Exp2Op>>(context,
                                                                /*benefit=*/2);
  if (hasScale)
    patterns.add<ScaleExp<math::ExpOp>, ScaleExp<math::Exp2Op>>(context,
                                                                /*benefit=*/3);
}
