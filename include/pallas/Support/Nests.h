//===- Nests.h - Operations that hold others --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_SUPPORT_NESTS_H
#define PALLAS_SUPPORT_NESTS_H

#include "mlir/IR/Operation.h"

namespace mlir::pallas {

/// Visits the operations in `root` that have regions, inner ones first. That is
/// much faster than visiting all. What is visited may be replaced.
void walkNests(Operation *root, function_ref<void(Operation *)> visit);

} // namespace mlir::pallas

#endif // PALLAS_SUPPORT_NESTS_H
