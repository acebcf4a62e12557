//===- BlockPairs.h - Products of two blocks of a cluster -------*- C++ -*-===//

#ifndef PALLAS_DIALECT_PALLAS_UTILS_BLOCKPAIRS_H
#define PALLAS_DIALECT_PALLAS_UTILS_BLOCKPAIRS_H

#include "mlir/IR/Operation.h"

namespace mlir::pallas {

/// Products of two blocks reach into the memory of the other one, so they have
/// a meaning neither as values of one block nor in native code. Fails with an
/// error if `op` works together with another block along `axis`.
LogicalResult verifyOwnBlock(Operation *op, std::optional<StringRef> axis);

} // namespace mlir::pallas

#endif // PALLAS_DIALECT_PALLAS_UTILS_BLOCKPAIRS_H
