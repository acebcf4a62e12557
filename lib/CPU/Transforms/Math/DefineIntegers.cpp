//===- DefineIntegers.cpp - Integer operations as XLA defines them --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has the pass pallas-cpu-define-integers. In XLA every integer
// operation has a result for every operand; in LLVM shifts by the width,
// divisions by zero and overflowing divisions are undefined.
//   %y = arith.shli %a, %b : i32
// becomes
//   %in = arith.cmpi ult, %b, %c32 : i32
//   %s = arith.select %in, %b, %c31 : i32
//   %t = arith.shli %a, %s : i32
//   %y = arith.select %in, %t, %c0 : i32
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "pallas/CPU/Transforms/Passes.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASCPUDEFINEINTEGERS
#include "pallas/CPU/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

/// A constant of `type`, which may be a tensor or vector.
static Value createConstant(OpBuilder &builder, Location loc, Type type,
                            const APInt &value) {
  TypedAttr attr = builder.getIntegerAttr(getElementTypeOrSelf(type), value);
  if (auto shaped = dyn_cast<ShapedType>(type))
    attr = DenseElementsAttr::get(shaped, Attribute(attr));
  return arith::ConstantOp::create(builder, loc, attr);
}

/// Index arithmetic is that of loops, which this conversion emits itself.
static bool isIntegerOp(Operation *op) {
  return isa<IntegerType>(getElementTypeOrSelf(op->getResult(0).getType()));
}

namespace {
/// Defines a shift by the width or more: zero, or the sign for an arithmetic
/// shift. The rewritten operation would match again, so these patterns run in
/// one walk.
template <typename OpTy> struct DefineShift : public OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!isIntegerOp(op))
      return failure();
    Location loc = op.getLoc();
    Type type = op.getType();
    unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
    APInt amount;
    if (matchPattern(op.getRhs(), m_ConstantInt(&amount)) && amount.ult(width))
      return failure();
    Value limit =
        createConstant(rewriter, loc, type, APInt(width, width, false, true));
    Value last = createConstant(rewriter, loc, type, APInt(width, width - 1));
    // One bit can't hold its own width; the least bound that it has is zero.
    Value isInside =
        width == 1
            ? arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq,
                                    op.getRhs(), last)
            : arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ult,
                                    op.getRhs(), limit);
    Value bounded =
        arith::SelectOp::create(rewriter, loc, isInside, op.getRhs(), last);
    Value shifted = OpTy::create(rewriter, loc, op.getLhs(), bounded);
    if (!std::is_same_v<OpTy, arith::ShRSIOp>)
      shifted = arith::SelectOp::create(
          rewriter, loc, isInside, shifted,
          createConstant(rewriter, loc, type, APInt::getZero(width)));
    rewriter.replaceOp(op, shifted);
    return success();
  }
};

/// Defines a division by zero, as all ones, and that of the least integer by
/// minus one, as the least integer:
///
///   %zero = arith.cmpi eq, %b, %c0 : i32
///   %least = arith.cmpi eq, %a, %c-2147483648 : i32
///   %minus = arith.cmpi eq, %b, %c-1 : i32
///   %overflows = arith.andi %least, %minus : i1
///   %unsafe = arith.ori %zero, %overflows : i1
///   %safe = arith.select %unsafe, %c1, %b : i32
///   %quotient = arith.divsi %a, %safe : i32
///   %y = arith.select %zero, %c-1, %quotient : i32
///
/// A remainder by zero is the dividend.
template <typename OpTy, bool isSigned, bool isRemainder>
struct DefineDivision : public OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    APInt divisor;
    if (!isIntegerOp(op) ||
        (matchPattern(op.getRhs(), m_ConstantInt(&divisor)) &&
         !divisor.isZero() && !(isSigned && divisor.isAllOnes())))
      return failure();
    Location loc = op.getLoc();
    Type type = op.getType();
    unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
    Value zero = createConstant(rewriter, loc, type, APInt::getZero(width));
    Value one = createConstant(rewriter, loc, type, APInt(width, 1));
    Value ones = createConstant(rewriter, loc, type, APInt::getAllOnes(width));
    auto equals = [&](Value value, Value other) -> Value {
      return arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq,
                                   value, other);
    };
    Value isZero = equals(op.getRhs(), zero), isUnsafe = isZero, overflows;
    if (isSigned) {
      Value least =
          createConstant(rewriter, loc, type, APInt::getSignedMinValue(width));
      overflows = arith::AndIOp::create(
          rewriter, loc, equals(op.getLhs(), least), equals(op.getRhs(), ones));
      isUnsafe = arith::OrIOp::create(rewriter, loc, isZero, overflows);
    }
    Value safe =
        arith::SelectOp::create(rewriter, loc, isUnsafe, one, op.getRhs());
    Value result = OpTy::create(rewriter, loc, op.getLhs(), safe);
    // Divided by one, the least integer gives itself and leaves nothing: that
    // is what it does when it is divided by minus one.
    rewriter.replaceOpWithNewOp<arith::SelectOp>(
        op, isZero, isRemainder ? op.getLhs() : ones, result);
    return success();
  }
};

struct DefineIntegers
    : public pallas::impl::PallasCPUDefineIntegersBase<DefineIntegers> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<DefineShift<arith::ShLIOp>, DefineShift<arith::ShRSIOp>,
                 DefineShift<arith::ShRUIOp>,
                 DefineDivision<arith::DivSIOp, true, false>,
                 DefineDivision<arith::DivUIOp, false, false>,
                 DefineDivision<arith::RemSIOp, true, true>,
                 DefineDivision<arith::RemUIOp, false, true>>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};
} // namespace
