//===- BlockPairs.h - Work of two blocks of a cluster -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_PALLAS_UTILS_BLOCKPAIRS_H
#define PALLAS_DIALECT_PALLAS_UTILS_BLOCKPAIRS_H

#include "mlir/IR/Operation.h"

namespace mlir::pallas {

/// Whether two blocks of a cluster do an operation together: a product, a
/// commit, or a copy that both take part in.
bool isOfBlockPair(Operation *op);

} // namespace mlir::pallas

#endif // PALLAS_DIALECT_PALLAS_UTILS_BLOCKPAIRS_H
