//===- DistinctVerifier.h - Verification without repetition -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_MOSAICTPU_IR_DISTINCTVERIFIER_H
#define PALLAS_DIALECT_MOSAICTPU_IR_DISTINCTVERIFIER_H

#include "mlir/Support/LLVM.h"

namespace mlir {
class Operation;

namespace tpu {

/// Verifies all that `mlir::verify` does. Of the operations that look alike in
/// a function it verifies one, when its checks see no more than types,
/// attributes and the function: that is most of a kernel.
LogicalResult verifyDistinct(Operation *root);

} // namespace tpu
} // namespace mlir

#endif // PALLAS_DIALECT_MOSAICTPU_IR_DISTINCTVERIFIER_H
