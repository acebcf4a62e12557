//===- DeadCode.h - Operations that nothing needs ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_SUPPORT_DEADCODE_H
#define PALLAS_SUPPORT_DEADCODE_H

#include "mlir/IR/Operation.h"

namespace mlir::pallas {

/// Erases the operations in `root` whose results nothing uses and that have no
/// effects, in one walk.
void eraseDeadCode(Operation *root);

} // namespace mlir::pallas

#endif // PALLAS_SUPPORT_DEADCODE_H
