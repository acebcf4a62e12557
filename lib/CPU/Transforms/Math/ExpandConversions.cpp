//===- ExpandConversions.cpp - Floats to integers -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file expands conversions of floats to integers. They saturate, and NaN
// becomes zero, as in JAX. LLVM's intrinsic for this goes through vectors
// element by element.
//
//===----------------------------------------------------------------------===//

#include "ExpandMath.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::pallas;

/// A vector of the same shape, or the element itself.
static Type withElement(Type type, Type element) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(vector.clone(element)) : element;
}

static Value createConstant(OpBuilder &b, Location loc, Type type,
                            TypedAttr value) {
  if (auto vector = dyn_cast<VectorType>(type))
    value = DenseElementsAttr::get(vector, value);
  return arith::ConstantOp::create(b, loc, value);
}

/// The float nearest to `bound` on the side of zero.
static APFloat getFloat(const APInt &bound, bool isSigned, FloatType type) {
  APFloat result(type.getFloatSemantics());
  result.convertFromAPInt(bound, isSigned, APFloat::rmTowardZero);
  return result;
}

namespace {
///   %above = arith.cmpf ogt, %x, %low : f32
///   %1 = arith.select %above, %x, %low : f32
///   %below = arith.cmpf olt, %1, %high : f32
///   %2 = arith.select %below, %1, %high : f32
///   %3 = llvm.fptosi %2 : f32 to i32
///
/// The conversion itself is an operation of the LLVM dialect: `arith.fptosi`
/// would match again.
template <typename OpTy, typename PlainOpTy>
struct SaturateConversion : public OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op, PatternRewriter &b) const override {
    constexpr bool isSigned = std::is_same_v<OpTy, arith::FPToSIOp>;
    using Predicate = arith::CmpFPredicate;
    Location loc = op.getLoc();
    Value x = op.getIn();
    if (getElementTypeOrSelf(x.getType()).getIntOrFloatBitWidth() < 32)
      x = arith::ExtFOp::create(b, loc,
                                withElement(x.getType(), b.getF32Type()), x);
    Type type = x.getType(), result = op.getType();
    auto floatType = cast<FloatType>(getElementTypeOrSelf(type));
    unsigned width = getElementTypeOrSelf(result).getIntOrFloatBitWidth();
    APInt least =
        isSigned ? APInt::getSignedMinValue(width) : APInt::getMinValue(width);
    APInt most =
        isSigned ? APInt::getSignedMaxValue(width) : APInt::getMaxValue(width);
    APFloat highest = getFloat(most, isSigned, floatType);
    auto number = [&](const APFloat &value) {
      return createConstant(b, loc, type, b.getFloatAttr(floatType, value));
    };
    auto integer = [&](const APInt &value) {
      return createConstant(
          b, loc, result,
          b.getIntegerAttr(getElementTypeOrSelf(result), value));
    };
    auto compare = [&](Predicate predicate, Value lhs, Value rhs) {
      return arith::CmpFOp::create(b, loc, predicate, lhs, rhs);
    };
    // In this form each bound is one instruction.
    Value low = number(getFloat(least, isSigned, floatType)),
          high = number(highest);
    Value inside = arith::SelectOp::create(
        b, loc, compare(Predicate::OGT, x, low), x, low);
    inside = arith::SelectOp::create(
        b, loc, compare(Predicate::OLT, inside, high), inside, high);
    Value converted;
    // Narrow integers are converted through i32, for which CPUs have
    // instructions.
    if (width < 32) {
      Type word = withElement(result, b.getI32Type());
      converted = arith::TruncIOp::create(
          b, loc, result, LLVM::FPToSIOp::create(b, loc, word, inside));
    } else {
      converted = PlainOpTy::create(b, loc, result, inside);
    }
    // The integer next to the bound need not be a float.
    APSInt rounded(width, !isSigned);
    bool isExact;
    highest.convertToInteger(rounded, APFloat::rmTowardZero, &isExact);
    if (static_cast<const APInt &>(rounded) != most)
      converted = arith::SelectOp::create(
          b, loc, compare(Predicate::OGT, x, high), integer(most), converted);
    b.replaceOpWithNewOp<arith::SelectOp>(op, compare(Predicate::UNO, x, x),
                                          integer(APInt::getZero(width)),
                                          converted);
    return success();
  }
};
} // namespace

void cpu::populateExpandConversionPatterns(RewritePatternSet &patterns) {
  patterns.add<SaturateConversion<arith::FPToSIOp, LLVM::FPToSIOp>,
               SaturateConversion<arith::FPToUIOp, LLVM::FPToUIOp>>(
      patterns.getContext());
}
