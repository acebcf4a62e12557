//===- ExpandSwitches.cpp - Branches instead of switches ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has the pass pallas-cpu-expand-switches:
//   %r = scf.index_switch %i -> tensor<8xf32>
//   case 3 { scf.yield %x : tensor<8xf32> }
//   default { scf.yield %y : tensor<8xf32> }
// becomes
//   %is = arith.cmpi eq, %i, %c3 : index
//   %r = scf.if %is -> (tensor<8xf32>) { scf.yield %x } else { scf.yield %y }
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "pallas/CPU/Transforms/Passes.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASCPUEXPANDSWITCHES
#include "pallas/CPU/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

/// Turns a switch that yields tensors into branches: the analysis does not know
/// that what a case yields is the result of the switch, so it would let others
/// write to it.
static void expandSwitch(RewriterBase &rewriter, scf::IndexSwitchOp op) {
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

namespace {
struct ExpandSwitches
    : public pallas::impl::PallasCPUExpandSwitchesBase<ExpandSwitches> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<scf::IndexSwitchOp> switches;
    getOperation()->walk([&](scf::IndexSwitchOp op) {
      if (llvm::any_of(op.getResultTypes(), llvm::IsaPred<TensorType>))
        switches.push_back(op);
    });
    for (scf::IndexSwitchOp op : switches)
      expandSwitch(rewriter, op);
  }
};
} // namespace
