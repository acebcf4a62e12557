//===- ForwardToResults.cpp - Results without a copy ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has the pass pallas-cpu-forward-to-results:
//   %r = memref.alloc() : memref<8xf32>
//   linalg.exp ins(%x : memref<8xf32>) outs(%r : memref<8xf32>)
//   memref.copy %r, %result : memref<8xf32> to memref<8xf32>
// becomes
//   linalg.exp ins(%x : memref<8xf32>) outs(%result : memref<8xf32>)
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "pallas/CPU/Transforms/Passes.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASCPUFORWARDTORESULTS
#include "pallas/CPU/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

/// The copy to an argument that ends the use of `alloc`, if there is one and
/// nothing else touches the argument.
static memref::CopyOp findFinalCopy(memref::AllocOp alloc) {
  memref::CopyOp last;
  for (Operation *user : alloc->getUsers()) {
    auto copy = dyn_cast<memref::CopyOp>(user);
    auto target = copy && copy.getSource() == alloc.getResult()
                      ? dyn_cast<BlockArgument>(copy.getTarget())
                      : BlockArgument();
    if (target && target.getOwner() == alloc->getBlock() &&
        copy->getBlock() == alloc->getBlock() && target.hasOneUse() &&
        target.getType() == alloc.getType())
      last = copy;
  }
  if (!last)
    return {};
  // Views are used through their results, all of which come before it, too.
  SmallVector<Value> worklist{alloc};
  while (!worklist.empty())
    for (Operation *user : worklist.pop_back_val().getUsers()) {
      Operation *ancestor = last->getBlock()->findAncestorOpInBlock(*user);
      if (ancestor != last && !ancestor->isBeforeInBlock(last))
        return {};
      for (Value result : user->getResults())
        if (isa<MemRefType>(result.getType()))
          worklist.push_back(result);
    }
  return last;
}

namespace {
struct ForwardToResults
    : public pallas::impl::PallasCPUForwardToResultsBase<ForwardToResults> {
  void runOnOperation() override {
    for (auto alloc : llvm::make_early_inc_range(
             getOperation().getBody().getOps<memref::AllocOp>())) {
      memref::CopyOp copy = findFinalCopy(alloc);
      if (!copy)
        continue;
      alloc.replaceAllUsesWith(copy.getTarget());
      copy.erase();
      alloc.erase();
    }
  }
};
} // namespace
