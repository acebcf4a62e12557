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
// The analysis of one-shot bufferize does not alias the yields of a switch with
// its results, so it would let other operations write to their memory.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "pallas/CPU/Transforms/Passes.h"
#include "pallas/Support/Switches.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASCPUEXPANDSWITCHES
#include "pallas/CPU/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

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
