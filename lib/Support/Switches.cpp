//===- Switches.cpp - Branches instead of switches ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pallas/Support/Switches.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

/// Each case is compared in the else branch of the one before:
///
///   scf.index_switch %i
///   case 0 { A }
///   case 1 { B }
///   default { C }
///
/// becomes
///
///   %0 = arith.cmpi eq, %i, %c0
///   scf.if %0 { A } else {
///     %1 = arith.cmpi eq, %i, %c1
///     scf.if %1 { B } else { C }
///   }
void mlir::pallas::expandSwitch(RewriterBase &rewriter, scf::IndexSwitchOp op) {
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  scf::IfOp outermost, branch;
  for (auto [value, region] :
       llvm::zip_equal(op.getCases(), op.getCaseRegions())) {
    Value isCase = arith::CmpIOp::create(
        rewriter, loc, arith::CmpIPredicate::eq, op.getArg(),
        arith::ConstantIndexOp::create(rewriter, loc, value));
    auto inner =
        scf::IfOp::create(rewriter, loc, op.getResultTypes(), isCase,
                          /*addThenBlock=*/false, /*addElseBlock=*/false);
    if (branch)
      scf::YieldOp::create(rewriter, loc, inner.getResults());
    else
      outermost = inner;
    branch = inner;
    branch.getThenRegion().takeBody(region);
    rewriter.createBlock(&branch.getElseRegion());
  }
  if (branch) {
    branch.getElseRegion().takeBody(op.getDefaultRegion());
    rewriter.replaceOp(op, outermost);
    return;
  }
  Block &only = op.getDefaultBlock();
  SmallVector<Value> results(only.getTerminator()->getOperands());
  rewriter.eraseOp(only.getTerminator());
  rewriter.inlineBlockBefore(&only, op);
  rewriter.replaceOp(op, results);
}
