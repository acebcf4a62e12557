//===- TensorChecks.h - Accesses of tensors by index ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_TENSORCHECKS_H
#define PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_TENSORCHECKS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::pallas {

/// Checks that elements and slices which operands select lie in their tensors,
/// and keeps those that don't from touching what is outside. Bodies of linalg
/// operations stay as they are.
void checkTensorAccesses(func::FuncOp func);

} // namespace mlir::pallas

#endif // PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_TENSORCHECKS_H
