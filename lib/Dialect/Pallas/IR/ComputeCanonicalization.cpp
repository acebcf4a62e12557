//===- ComputeCanonicalization.cpp - Simpler operations on values ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folders and patterns of operations on values. They work on all stages, so
// none depends on a target.
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

///   %0 = pallas.broadcast %x dims [0, 1] : tensor<8x128xf32>
///       -> tensor<8x128xf32>
///
/// is %x, and the broadcast of a splat is a larger splat.
OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getInput().getType() == getResult().getType())
    return getInput();
  return getSplat(adaptor.getInput(), getResult().getType());
}

/// Constants keep their order of elements, so only the shape changes.
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

/// Constants are folded only if all elements are equal: others would be copied
/// in the compiler, and would make the program larger.
OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  if (isIdentityPermutation(getPermutation()))
    return getInput();
  return getSplat(adaptor.getInput(), getResult().getType());
}

/// A reduction over no dimensions yields its operand.
OpFoldResult ReduceOp::fold(FoldAdaptor) {
  return getDimensions().empty() && getInput().getType() == getType()
             ? getInput()
             : Value();
}

/// A dimension of one element, or none, is its own reverse.
OpFoldResult RevOp::fold(FoldAdaptor) {
  bool isIdentity = llvm::all_of(getDimensions(), [&](int64_t dim) {
    int64_t size = getInput().getType().getDimSize(dim);
    return size == 0 || size == 1;
  });
  return isIdentity ? getInput() : Value();
}

/// With a stride, rows are rotated by different amounts, so a shift of zero
/// still moves elements.
OpFoldResult RollOp::fold(FoldAdaptor) {
  return !getStride() && getConstantInteger(getShift()) == 0 ? getInput()
                                                             : Value();
}

/// All integers are multiples of one.
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

/// Composes two broadcasts into one. For example:
///
///   %0 = pallas.broadcast %x dims [0] : tensor<8xf32> -> tensor<8x16xf32>
///   %1 = pallas.broadcast %0 dims [1, 2]
///       : tensor<8x16xf32> -> tensor<4x8x16xf32>
///
/// becomes
///
///   %1 = pallas.broadcast %x dims [1] : tensor<8xf32> -> tensor<4x8x16xf32>
///
/// Dimension i of %x is dimension inner[i] of %0, which is outer[inner[i]] of
/// %1. A dimension of size 1 that either of them repeats is repeated by the new
/// one.
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

/// Two reversals of the same dimensions cancel each other out. The order in
/// which they are listed has no meaning:
///
///   %0 = pallas.rev %x dims [0, 1] : tensor<8x16xf32>
///   %1 = pallas.rev %0 dims [1, 0] : tensor<8x16xf32>
///
/// is %x.
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

/// A product without an accumulator starts at zero, so one that is zero is
/// dropped:
///
///   %0 = pallas.dot_general %a, %b acc %zeros contract [1] x [0]
///
/// becomes
///
///   %0 = pallas.dot_general %a, %b contract [1] x [0]
///
/// A negative zero stays, because -0 + 0 is 0, but -0 + -0 is -0.
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

/// A check that always holds has no effect.
///
///   pallas.check %true, "in bounds"
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
