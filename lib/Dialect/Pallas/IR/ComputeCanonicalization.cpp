//===- ComputeCanonicalization.cpp - Simpler operations on values ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Canonicalization.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Matchers.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Folders
//===----------------------------------------------------------------------===//

/// A constant of `type` whose elements are all that of `operand`, which is a
/// scalar or a splat; null when it is neither.
static Attribute getSplat(Attribute operand, Type type) {
  Attribute element = operand;
  if (auto splat = dyn_cast_or_null<SplatElementsAttr>(operand))
    element = splat.getSplatValue<Attribute>();
  else if (!isa_and_nonnull<IntegerAttr, FloatAttr>(operand))
    return {};
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? Attribute(DenseElementsAttr::get(tensor, element)) : element;
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getInput().getType() == getResult().getType())
    return getInput();
  return getSplat(adaptor.getInput(), getResult().getType());
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  Type type = getResult().getType();
  if (getInput().getType() == type)
    return getInput();
  if (Attribute splat = getSplat(adaptor.getInput(), type))
    return splat;
  auto dense = dyn_cast_or_null<DenseElementsAttr>(adaptor.getInput());
  auto tensor = dyn_cast<RankedTensorType>(type);
  return dense && tensor ? dense.reshape(tensor) : Attribute();
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  if (isIdentityPermutation(getPermutation()))
    return getInput();
  return getSplat(adaptor.getInput(), getResult().getType());
}

OpFoldResult ReduceOp::fold(FoldAdaptor) {
  return getDimensions().empty() && getInput().getType() == getType()
             ? getInput()
             : Value();
}

OpFoldResult RevOp::fold(FoldAdaptor) {
  bool isIdentity = llvm::all_of(getDimensions(), [&](int64_t dim) {
    int64_t size = getInput().getType().getDimSize(dim);
    return size == 0 || size == 1;
  });
  return isIdentity ? getInput() : Value();
}

OpFoldResult RollOp::fold(FoldAdaptor) {
  return !getStride() && getConstantInteger(getShift()) == 0 ? getInput()
                                                             : Value();
}

OpFoldResult MultipleOfOp::fold(FoldAdaptor) {
  return llvm::all_of(getMultiples(),
                      [](int64_t number) { return number == 1; })
             ? getValue()
             : Value();
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {

struct ComposeBroadcasts : OpRewritePattern<BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BroadcastOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getInput().getDefiningOp<BroadcastOp>();
    if (!inner)
      return failure();
    SmallVector<int64_t> dims =
        llvm::map_to_vector(inner.getDimensions(), [&](int64_t dim) {
          return op.getDimensions()[dim];
        });
    rewriter.replaceOpWithNewOp<BroadcastOp>(
        op, op.getType(), inner.getInput(),
        rewriter.getDenseI64ArrayAttr(dims));
    return success();
  }
};

struct CancelReversals : OpRewritePattern<RevOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(RevOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getInput().getDefiningOp<RevOp>();
    auto sorted = [](ArrayRef<int64_t> dims) {
      SmallVector<int64_t> copy(dims);
      llvm::sort(copy);
      return copy;
    };
    if (!inner || sorted(op.getDimensions()) != sorted(inner.getDimensions()))
      return failure();
    rewriter.replaceOp(op, inner.getInput());
    return success();
  }
};

/// Sums start at zero anyway.
struct DropZeroAccumulator : OpRewritePattern<DotGeneralOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DotGeneralOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getAcc() || !(matchPattern(op.getAcc(), m_Zero()) ||
                          matchPattern(op.getAcc(), m_PosZeroFloat())))
      return failure();
    rewriter.modifyOpInPlace(op, [&] { op.getAccMutable().clear(); });
    return success();
  }
};

struct DropTrueCheck : OpRewritePattern<CheckOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CheckOp op,
                                PatternRewriter &rewriter) const override {
    if (!matchPattern(op.getCondition(), m_One()))
      return failure();
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

#define PALLAS_CANONICALIZE(Op, Pattern)                                       \
  void Op::getCanonicalizationPatterns(RewritePatternSet &patterns,            \
                                       MLIRContext *context) {                 \
    patterns.add<Pattern>(context);                                            \
  }
PALLAS_CANONICALIZE(BroadcastOp, ComposeBroadcasts)
PALLAS_CANONICALIZE(ReshapeOp, ComposeCasts<ReshapeOp>)
PALLAS_CANONICALIZE(TransposeOp, ComposePermutations<TransposeOp>)
PALLAS_CANONICALIZE(RevOp, CancelReversals)
PALLAS_CANONICALIZE(DotGeneralOp, DropZeroAccumulator)
PALLAS_CANONICALIZE(CheckOp, DropTrueCheck)
#undef PALLAS_CANONICALIZE
