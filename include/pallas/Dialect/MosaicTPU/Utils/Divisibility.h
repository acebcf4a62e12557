//===- Divisibility.h - What divides computed numbers -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_MOSAICTPU_UTILS_DIVISIBILITY_H
#define PALLAS_DIALECT_MOSAICTPU_UTILS_DIVISIBILITY_H

#include "pallas/Support/Divisibility.h"

namespace mlir::tpu {

using pallas::getPowerOfTwoDivisor;

/// The largest power of two up to `limit` that is known to divide a computed
/// value, with what `tpu.assume_multiple` promises.
int64_t getKnownMultiple(Value value, int64_t limit = 1024);

} // namespace mlir::tpu

#endif // PALLAS_DIALECT_MOSAICTPU_UTILS_DIVISIBILITY_H
