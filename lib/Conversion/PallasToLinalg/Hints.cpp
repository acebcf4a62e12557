//===- Hints.cpp - Hints and reciprocals ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file removes hints, which have done their work by now, and lowers
// `pallas.reciprocal`.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "pallas/Dialect/Pallas/Utils/Elements.h"

using namespace mlir;
using namespace mlir::pallas;
using namespace mlir::pallas::linalgconv;

namespace {
/// Replaces operations that state something about their operands, or order
/// them, by these operands.
template <typename OpTy> struct DropHint : public OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, op->getOperands());
    return success();
  }
};

/// Converts `pallas.reciprocal`. For example, of bf16:
///
///   %wide = arith.extf %x : tensor<8xbf16> to tensor<8xf32>
///   %quotient = arith.divf %one, %wide : tensor<8xf32>
///   %r = arith.truncf %quotient : tensor<8xf32> to tensor<8xbf16>
struct ConvertReciprocal : public OpRewritePattern<ReciprocalOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReciprocalOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value input = op.getInput();
    Type type = input.getType(), element = getElementTypeOrSelf(type);
    Type single = rewriter.getF32Type(), narrow = rewriter.getBF16Type();
    Type wide = element.getIntOrFloatBitWidth() < 32 ? single : element;
    // An approximation has the precision of bf16, on every target.
    if (op.getApprox())
      input = convertFloat(rewriter, loc,
                           convertFloat(rewriter, loc, input, narrow), single);
    else
      input = convertFloat(rewriter, loc, input, wide);
    TypedAttr one =
        rewriter.getFloatAttr(getElementTypeOrSelf(input.getType()), 1.0);
    if (auto tensor = dyn_cast<RankedTensorType>(input.getType()))
      one = DenseElementsAttr::get(tensor, Attribute(one));
    Value quotient = arith::DivFOp::create(
        rewriter, loc, arith::ConstantOp::create(rewriter, loc, one), input);
    if (op.getApprox())
      quotient = convertFloat(rewriter, loc, quotient, narrow);
    rewriter.replaceOp(op, convertFloat(rewriter, loc, quotient, element));
    return success();
  }
};
} // namespace

void linalgconv::populateHintPatterns(RewritePatternSet &patterns) {
  patterns.add<DropHint<MultipleOfOp>, DropHint<MaxContiguousOp>,
               DropHint<OptimizationBarrierOp>, ConvertReciprocal>(
      patterns.getContext());
}
