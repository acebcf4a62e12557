//===- DischargeAsync.h - Counts of semaphores and barriers -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_DISCHARGEASYNC_H
#define PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_DISCHARGEASYNC_H

#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "pallas/Dialect/Pallas/Transforms/Discharge.h"

namespace mlir::pallas {

/// A number as semaphores and barriers count.
Value createCount(OpBuilder &builder, Location loc, int64_t value);

/// Adds to the count of a semaphore or a barrier.
LogicalResult addToCount(OpBuilder &builder, DischargeState &state,
                         Location loc, Value semaphore, Value amount);

} // namespace mlir::pallas

#endif // PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_DISCHARGEASYNC_H
