//===- DeadCode.cpp - Operations that nothing needs -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file erases unused operations in one walk. Upstream's greedy driver does
// the same, but visits and folds everything on its way.
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

/// Walks backwards, so that all users of a value are visited, and erased,
/// before its definition. For example, one walk erases both of:
///
///   %0 = arith.addf %a, %b : tensor<8xf32>
///   %1 = arith.negf %0 : tensor<8xf32>
///
/// Regions are emptied before the operation that holds them is looked at.
void mlir::pallas::eraseDeadCode(Operation *root) {
  for (Region &region : root->getRegions())
    for (Block &block : llvm::reverse(region))
      for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
        eraseDeadCode(&op);
        // An operation without results is there for its effects, unless its
        // regions are empty.
        if ((op.getNumResults() || isEmpty(op)) && op.use_empty() &&
            isOpTriviallyDead(&op))
          op.erase();
      }
}
