//===- BlockPairs.h - Work of two blocks of a cluster -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_PALLAS_UTILS_BLOCKPAIRS_H
#define PALLAS_DIALECT_PALLAS_UTILS_BLOCKPAIRS_H

#include "mlir/IR/Operation.h"

namespace mlir::pallas {

/// Makes the products, commits and copies under `root` that two blocks of a
/// cluster do together such that the first block does alone, through refs to
/// the memory of the other one.
LogicalResult expandBlockPairs(Operation *root);

} // namespace mlir::pallas

#endif // PALLAS_DIALECT_PALLAS_UTILS_BLOCKPAIRS_H
