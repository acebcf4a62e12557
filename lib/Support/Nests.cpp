//===- Nests.cpp - Operations that hold others ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file visits the operations that have regions. Most operations have none,
// so passes that only change loops skip nearly all of a kernel.
//
//===----------------------------------------------------------------------===//

#include "pallas/Support/Nests.h"

using namespace mlir;

void mlir::pallas::walkNests(Operation *root,
                             function_ref<void(Operation *)> visit) {
  for (Region &region : root->getRegions())
    for (Block &block : region)
      for (Operation &op : llvm::make_early_inc_range(block))
        if (op.getNumRegions()) {
          // Inner operations first: `visit` may replace `op` and its regions.
          walkNests(&op, visit);
          visit(&op);
        }
}
