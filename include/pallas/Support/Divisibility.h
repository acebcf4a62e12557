//===- Divisibility.h - What divides computed numbers -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_SUPPORT_DIVISIBILITY_H
#define PALLAS_SUPPORT_DIVISIBILITY_H

#include "mlir/IR/Value.h"

namespace mlir::pallas {

/// The largest power of two up to `limit` that divides `value`.
int64_t getPowerOfTwoDivisor(int64_t value, int64_t limit = 1024);

/// Returns the number whose multiple an operation promises its first operand,
/// which is its result, to be; zero for operations without a promise.
using MultipleFn = llvm::function_ref<int64_t(Operation *)>;

/// The largest power of two up to `limit` that is known to divide a computed
/// value.
int64_t getKnownMultiple(Value value, int64_t limit = 1024,
                         MultipleFn promised = nullptr);

} // namespace mlir::pallas

#endif // PALLAS_SUPPORT_DIVISIBILITY_H
