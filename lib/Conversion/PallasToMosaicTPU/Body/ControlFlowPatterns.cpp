//===- ControlFlowPatterns.cpp - What scf has and the target has not ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "pallas/Dialect/MosaicTPU/IR/KernelAttributes.h"
#include "pallas/Support/Nests.h"

using namespace mlir;
using namespace mlir::pallas;

namespace {

/// A switch becomes a chain of ifs, the last case being the default.
struct ConvertIndexSwitch : TPUPattern<scf::IndexSwitchOp> {
  using TPUPattern::TPUPattern;
  Results convert(scf::IndexSwitchOp op, Adaptor adaptor,
                  Emitter &emit) const override {
    SmallVector<Type> results;
    if (failed(types.convertTypes(op.getResultTypes(), results)))
      return failure();
    Value selector = emit.toI32(adaptor.getArg());
    OpBuilder &builder = emit.getBuilder();
    OpBuilder::InsertionGuard guard(builder);
    Operation *outermost = nullptr;
    for (auto [value, region] :
         llvm::zip_equal(op.getCases(), op.getCaseRegions())) {
      Value isCase =
          emit.compare(arith::CmpIPredicate::eq, selector, emit.i32(value));
      auto branch = emit.create<scf::IfOp>(results, isCase,
                                           /*addThenBlock=*/false,
                                           /*addElseBlock=*/false);
      branch.getThenRegion().takeBody(region);
      if (outermost)
        emit.create<scf::YieldOp>(branch.getResults());
      else
        outermost = branch;
      if (&region == &op.getCaseRegions().back()) {
        branch.getElseRegion().takeBody(op.getDefaultRegion());
        break;
      }
      builder.createBlock(&branch.getElseRegion());
    }
    if (!outermost)
      return op.emitOpError("has no case; write its default region in place");
    return SmallVector<Value>(outermost->getResults());
  }
};

} // namespace

void mlir::pallas::populateControlFlowPatterns(const TPUTypeConverter &types,
                                               TPUPatternSet &patterns) {
  addTPUPatterns<ConvertIndexSwitch>(types, patterns);
}

//===----------------------------------------------------------------------===//
// Parallel loops
//===----------------------------------------------------------------------===//

void mlir::pallas::markParallelLoops(Operation *root, tpu::CoreType core) {
  root->walk([&](scf::ForOp loop) {
    Attribute factor = loop->removeAttr(kParallelLoopAttrName);
    if (!factor || core == tpu::CoreType::TensorCore)
      return;
    loop->setAttr(tpu::kParallelAccessAttrName,
                  UnitAttr::get(loop.getContext()));
    loop->setAttr(tpu::kUnrollFactorAttrName, factor);
  });
}

//===----------------------------------------------------------------------===//
// Short loops
//===----------------------------------------------------------------------===//

void mlir::pallas::inlineSingleIterations(Operation *root) {
  IRRewriter rewriter(root->getContext());
  walkNests(root, [&](Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      (void)loop.promoteIfSingleIteration(rewriter);
  });
}
