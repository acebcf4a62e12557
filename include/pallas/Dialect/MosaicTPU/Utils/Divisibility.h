//===- Divisibility.h - What divides computed numbers -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_MOSAICTPU_UTILS_DIVISIBILITY_H
#define PALLAS_DIALECT_MOSAICTPU_UTILS_DIVISIBILITY_H

#include "mlir/IR/Value.h"

namespace mlir::tpu {

/// The largest power of two up to `limit` that divides `value`.
int64_t getPowerOfTwoDivisor(int64_t value, int64_t limit = 1024);

/// The largest one that is known to divide a computed value.
int64_t getKnownMultiple(Value value, int64_t limit = 1024);

} // namespace mlir::tpu

#endif // PALLAS_DIALECT_MOSAICTPU_UTILS_DIVISIBILITY_H
