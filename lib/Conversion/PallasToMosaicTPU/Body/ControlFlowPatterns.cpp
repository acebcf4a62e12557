//===- ControlFlowPatterns.cpp - Control flow of kernels ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mosaic knows scf.for, scf.if and scf.while. Other control flow is converted
// to these, here and by the preparation of bodies.
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
///
///   scf.index_switch %i
///   case 0 { A }
///   case 1 { B }
///   default { C }
///
/// becomes
///
///   %0 = arith.cmpi eq, %i, 0
///   scf.if %0 { A } else {
///     %1 = arith.cmpi eq, %i, 1
///     scf.if %1 { B } else { C }
///   }
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
          // Each case is compared in the else branch of the previous one, where
          // the builder is now.
          emit.compare(arith::CmpIPredicate::eq, selector, emit.i32(value));
      auto branch = emit.create<scf::IfOp>(results, isCase,
                                           /*addThenBlock=*/false,
                                           /*addElseBlock=*/false);
      branch.getThenRegion().takeBody(region);
      if (outermost)
        // The terminator of the else branch that holds this if.
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

///   scf.for ... {pallas.parallel_loop = 4 : i64}
///
/// becomes, on SparseCores,
///
///   scf.for ... {sc.loop_unroll_factor = 4 : i64, sc.parallel_access}
///
/// On TensorCores the attribute is only removed.
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

/// Loops that run once become their bodies before conversion, so that their
/// induction variables fold into addresses.
void mlir::pallas::inlineSingleIterations(Operation *root) {
  IRRewriter rewriter(root->getContext());
  walkNests(root, [&](Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      (void)loop.promoteIfSingleIteration(rewriter);
  });
}
