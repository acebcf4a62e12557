//===- PallasToLinalg.cpp - Operations on values to linalg ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has the pass convert-pallas-to-linalg. It lowers the operations of
// `pallas` on values, in tensors, to linalg, scf and tensor operations. It runs
// before or after convert-pallas-to-cpu, which lowers the operations on refs.
//
//===----------------------------------------------------------------------===//

#include "pallas/Conversion/PallasToLinalg/PallasToLinalg.h"
#include "Patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_CONVERTPALLASTOLINALG
#include "pallas/Conversion/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

void pallas::populatePallasToLinalgPatterns(RewritePatternSet &patterns) {
  linalgconv::populateBitPatterns(patterns);
  linalgconv::populateContractionPatterns(patterns);
  linalgconv::populateCumulativePatterns(patterns);
  linalgconv::populateGatherPatterns(patterns);
  linalgconv::populateHintPatterns(patterns);
  linalgconv::populateMaskPatterns(patterns);
  linalgconv::populatePackingPatterns(patterns);
  linalgconv::populateReductionPatterns(patterns);
  linalgconv::populateRollPatterns(patterns);
  linalgconv::populateScatterPatterns(patterns);
  linalgconv::populateShapePatterns(patterns);
  linalgconv::populateSortPatterns(patterns);
}

/// Operations on values become loops over their elements; hints pass any value
/// through.
static bool becomesLoops(Operation *op) {
  return isa_and_present<PallasDialect>(op->getDialect()) && isPure(op) &&
         !isa<LayoutCastOp, MaxContiguousOp, MultipleOfOp,
              OptimizationBarrierOp>(op);
}

/// Loop bounds are constants, and scalar arithmetic needs types of `arith`.
static LogicalResult verifyValues(Operation *root,
                                  function_ref<bool(StringRef)> isChosen) {
  WalkResult result = root->walk([&](Operation *op) {
    if (!becomesLoops(op) || !isChosen(op->getName().getStringRef()))
      return WalkResult::advance();
    SmallVector<Type> types(op->getOperandTypes());
    llvm::append_range(types, op->getResultTypes());
    for (Type type : types) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor)
        continue;
      if (!tensor.hasStaticShape())
        return WalkResult(op->emitOpError()
                          << "needs static shapes to become loops, but works "
                             "on "
                          << tensor << "; cast it to a static shape first");
      if (!tensor.getElementType().isSignlessIntOrIndexOrFloat())
        return WalkResult(op->emitOpError()
                          << "works on " << tensor
                          << ", but loops compute on signless integers and "
                             "floats; split or convert the elements first");
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

namespace {
struct ConvertPallasToLinalg
    : public pallas::impl::ConvertPallasToLinalgBase<ConvertPallasToLinalg> {
  using ConvertPallasToLinalgBase::ConvertPallasToLinalgBase;

  void runOnOperation() override {
    auto isChosen = [&](StringRef name) {
      return ops.empty() || llvm::is_contained(ops, name);
    };
    if (failed(verifyValues(getOperation(), isChosen)))
      return signalPassFailure();
    RewritePatternSet all(&getContext()), patterns(&getContext());
    populatePallasToLinalgPatterns(all);
    for (std::unique_ptr<RewritePattern> &pattern : all.getNativePatterns())
      if (isChosen(pattern->getRootKind()->getStringRef()))
        patterns.add(std::move(pattern));
    // Nothing that a pattern creates needs another one, so one walk is enough.
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    if (!generic)
      return;
    RewritePatternSet named(&getContext());
    linalg::populateLinalgNamedOpsGeneralizationPatterns(named);
    walkAndApplyPatterns(getOperation(), std::move(named));
  }
};
} // namespace
