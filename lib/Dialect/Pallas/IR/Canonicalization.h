//===- Canonicalization.h - Patterns that files share -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_DIALECT_PALLAS_IR_CANONICALIZATION_H
#define PALLAS_LIB_DIALECT_PALLAS_IR_CANONICALIZATION_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::pallas {

/// Folds chains of casts, of which only the type of the last one matters.
template <typename Op> struct ComposeCasts : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    auto inner = op->getOperand(0).template getDefiningOp<Op>();
    if (!inner)
      return failure();
    rewriter.modifyOpInPlace(op,
                             [&] { op->setOperand(0, inner->getOperand(0)); });
    return success();
  }
};

/// Two permutations in a row are one.
template <typename Op> struct ComposePermutations : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    auto inner = op->getOperand(0).template getDefiningOp<Op>();
    if (!inner)
      return failure();
    SmallVector<int64_t> permutation =
        llvm::map_to_vector(op.getPermutation(), [&](int64_t dim) {
          return inner.getPermutation()[dim];
        });
    rewriter.modifyOpInPlace(op, [&] {
      op->setOperand(0, inner->getOperand(0));
      op.setPermutation(permutation);
    });
    return success();
  }
};

/// Adds the patterns that take operands away which `Op` does not use, or which
/// it takes twice. There are instances for `pallas_call`, `mpmd_map` and
/// `emit_pipeline`.
template <typename Op> void addOperandPatterns(RewritePatternSet &patterns);

/// Adds the patterns of semaphores, barriers and copies.
void addAsyncPatterns(RewritePatternSet &patterns);

/// Adds the patterns of ids of programs.
void addGridPatterns(RewritePatternSet &patterns);

/// Adds the patterns of `run_state`.
void addStatePatterns(RewritePatternSet &patterns);

} // namespace mlir::pallas

#endif // PALLAS_LIB_DIALECT_PALLAS_IR_CANONICALIZATION_H
