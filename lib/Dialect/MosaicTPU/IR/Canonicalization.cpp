//===- Canonicalization.cpp - Canonical forms -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Patterns for operations of other dialects on operations of tpu. Operations of
// tpu fold by their own hooks.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/MosaicTPU/IR/TPU.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::tpu;

namespace {

/// memref.dim of a slice: the static size, or the operand that gives it.
///
///   %0 = tpu.memref_slice %m[%i, %c0] <%n>
///        : memref<64x128xf32> -> memref<?x128xf32>
///   %1 = memref.dim %0, %c0
///
/// becomes
///
///   %1 = arith.index_cast %n : i32 to index
struct DimOfSlice : OpRewritePattern<memref::DimOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(memref::DimOp op,
                                PatternRewriter &rewriter) const override {
    auto slice = op.getSource().getDefiningOp<MemRefSliceOp>();
    std::optional<int64_t> dim = op.getConstantIndex();
    if (!slice || !dim || *dim < 0 || *dim >= slice.getType().getRank())
      return failure();
    MemRefType type = slice.getType();
    if (!type.isDynamicDim(*dim))
      return failure(); // The folder of memref.dim knows the static size.
    Value size = slice.getDynamicSizes()[type.getDynamicDimIndex(*dim)];
    rewriter.replaceOpWithNewOp<arith::IndexCastOp>(op, rewriter.getIndexType(),
                                                    size);
    return success();
  }
};

/// memref.dim of a squeezed memref: that of the memref before.
///
///   %0 = tpu.memref_squeeze %m : memref<1x?x128xf32> -> memref<?x128xf32>
///   %1 = memref.dim %0, %c0
///
/// becomes
///
///   %1 = memref.dim %m, %c1
struct DimOfSqueeze : OpRewritePattern<memref::DimOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(memref::DimOp op,
                                PatternRewriter &rewriter) const override {
    auto squeeze = op.getSource().getDefiningOp<MemRefSqueezeOp>();
    std::optional<int64_t> dim = op.getConstantIndex();
    if (!squeeze || !dim || *dim < 0 || *dim >= squeeze.getType().getRank())
      return failure();
    // Matched from the right, as the verifier does.
    ArrayRef<int64_t> from =
        cast<MemRefType>(squeeze.getInput().getType()).getShape();
    ArrayRef<int64_t> to = squeeze.getType().getShape();
    int64_t result = to.size() - 1, source = from.size() - 1;
    for (; source >= 0 && result >= 0; --source) {
      if (from[source] != to[result])
        continue;
      if (result == *dim)
        break;
      --result;
    }
    if (result != *dim || source < 0)
      return failure();
    rewriter.replaceOpWithNewOp<memref::DimOp>(op, squeeze.getInput(), source);
    return success();
  }
};

/// acc + (0 + lhs * rhs) -> acc + lhs * rhs, one operation of the matrix unit.
///
///   %0 = tpu.matmul %a, %b, %zero
///   %1 = arith.addf %0, %c : vector<16x256xf32>
///
/// becomes
///
///   %1 = tpu.matmul %a, %b, %c
///
/// With further uses of %0 there would be two products instead of one. In
/// another block, such as the body of a loop, the product would run more often.
template <typename AddOp> struct AddToMatmul : OpRewritePattern<AddOp> {
  using OpRewritePattern<AddOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(AddOp op,
                                PatternRewriter &rewriter) const override {
    for (auto [product, addend] : {std::pair(op.getLhs(), op.getRhs()),
                                   std::pair(op.getRhs(), op.getLhs())}) {
      auto matmul = product.template getDefiningOp<MatmulOp>();
      if (!matmul || !matmul->hasOneUse() ||
          matmul->getBlock() != op->getBlock() ||
          !(matchPattern(matmul.getAcc(), m_AnyZeroFloat()) ||
            matchPattern(matmul.getAcc(), m_Zero())))
        continue;
      // The addend may be computed after the product, so the product moves.
      auto fused = cast<MatmulOp>(rewriter.clone(*matmul));
      fused.getAccMutable().assign(addend);
      fused->setLoc(rewriter.getFusedLoc({matmul.getLoc(), op.getLoc()}));
      rewriter.replaceOp(op, fused.getResult());
      rewriter.eraseOp(matmul);
      return success();
    }
    return failure();
  }
};

} // namespace

void TPUDialect::getCanonicalizationPatterns(
    RewritePatternSet &patterns) const {
  patterns.add<DimOfSlice, DimOfSqueeze, AddToMatmul<arith::AddFOp>,
               AddToMatmul<arith::AddIOp>>(getContext());
}
