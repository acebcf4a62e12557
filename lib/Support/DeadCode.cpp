//===- DeadCode.cpp - Operations that nothing needs -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pallas/Support/DeadCode.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

/// Whether an operation has regions with nothing in them but terminators.
static bool isEmpty(Operation &op) {
  return op.getNumRegions() &&
         llvm::all_of(op.getRegions(), [](Region &region) {
           return region.empty() || (region.hasOneBlock() &&
                                     llvm::hasNItemsOrLess(region.front(), 1));
         });
}

/// From the last to the first; what stands in an operation comes before it.
void mlir::pallas::eraseDeadCode(Operation *root) {
  for (Region &region : root->getRegions())
    for (Block &block : llvm::reverse(region))
      for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
        eraseDeadCode(&op);
        // What has no results is there for its effects, or holds nothing.
        if ((op.getNumResults() || isEmpty(op)) && op.use_empty() &&
            isOpTriviallyDead(&op))
          op.erase();
      }
}
