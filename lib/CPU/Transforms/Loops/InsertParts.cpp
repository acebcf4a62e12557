//===- InsertParts.cpp - Insertion of concatenated tensors ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has the pass pallas-cpu-insert-parts. It turns concatenations into
// insertions of one operand after the other, so that operands can be computed
// where the whole is stored.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "pallas/CPU/Transforms/Passes.h"
#include "pallas/Support/DeadCode.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASCPUINSERTPARTS
#include "pallas/CPU/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

/// Insertions of operands that read the same memory are safe: the conversion to
/// linalg copies values that are read ahead of a store to their memory. An
/// operand that has a unit dimension more than it is computed with loses it:
///
///   %p = tensor.expand_shape %x [[0, 1]] ...
///       : tensor<8xf32> into tensor<1x8xf32>
///   %c = tensor.concat dim(0) %p, %q
///       : (tensor<1x8xf32>, tensor<1x8xf32>) -> tensor<2x8xf32>
///
/// becomes
///
///   %0 = tensor.insert_slice %x into %empty[0, 0] [1, 8] [1, 1]
///       : tensor<8xf32> into tensor<2x8xf32>
///   %1 = tensor.insert_slice %q into %0[1, 0] [1, 8] [1, 1]
///       : tensor<1x8xf32> into tensor<2x8xf32>
static LogicalResult insertParts(RewriterBase &rewriter, Operation *root) {
  SmallVector<tensor::ConcatOp> ops;
  root->walk([&](tensor::ConcatOp op) { ops.push_back(op); });
  for (tensor::ConcatOp op : ops) {
    rewriter.setInsertionPoint(op);
    FailureOr<SmallVector<Value>> whole = op.decomposeOperation(rewriter);
    if (failed(whole))
      return failure();
    rewriter.replaceOp(op, *whole);
  }
  if (!ops.empty()) {
    RewritePatternSet patterns(root->getContext());
    tensor::populateReassociativeReshapeFoldingPatterns(patterns);
    walkAndApplyPatterns(root, std::move(patterns));
  }
  return success();
}

namespace {
struct InsertParts
    : public pallas::impl::PallasCPUInsertPartsBase<InsertParts> {
  using PallasCPUInsertPartsBase::PallasCPUInsertPartsBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    if (failed(insertParts(rewriter, getOperation())))
      return signalPassFailure();
    eraseDeadCode(getOperation());
  }
};
} // namespace
