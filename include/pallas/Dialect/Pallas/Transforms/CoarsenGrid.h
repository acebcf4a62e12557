//===- CoarsenGrid.h - Fewer, larger steps ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_PALLAS_TRANSFORMS_COARSENGRID_H
#define PALLAS_DIALECT_PALLAS_TRANSFORMS_COARSENGRID_H

#include "pallas/Dialect/Pallas/IR/PallasOps.h"

namespace mlir::pallas {

/// How many dimensions took which form, and how many branches of the first or
/// last part left a loop over parts.
struct CoarsenedDims {
  unsigned numGrown = 0, numLoops = 0, numRefused = 0, numSplit = 0;
};

/// Joins steps of a call by a coarsening factor for each dimension of its grid,
/// none more than its size. Dimensions whose steps stay apart are left as they
/// are; remarks tell why if they are wanted. With `reassociate`, sums may be
/// added up in another order.
CoarsenedDims coarsenGrid(PallasCallOp call, ArrayRef<int64_t> factors,
                          bool emitRemarks, bool reassociate);

} // namespace mlir::pallas

#endif // PALLAS_DIALECT_PALLAS_TRANSFORMS_COARSENGRID_H
