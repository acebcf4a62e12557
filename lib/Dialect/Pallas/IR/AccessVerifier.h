//===- AccessVerifier.h - What accesses of refs check alike -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_DIALECT_PALLAS_IR_ACCESSVERIFIER_H
#define PALLAS_LIB_DIALECT_PALLAS_IR_ACCESSVERIFIER_H

#include "pallas/Dialect/Pallas/IR/PallasInterfaces.h"

namespace mlir::pallas {

/// Checks the indexer, and that the ref holds values that can be accessed.
LogicalResult verifyAccess(RefAccessOpInterface op);

/// Checks that a mask is i1 and fits the access; `exact` forbids broadcasting.
LogicalResult verifyMask(RefAccessOpInterface op, Type mask, bool exact);

} // namespace mlir::pallas

#endif // PALLAS_LIB_DIALECT_PALLAS_IR_ACCESSVERIFIER_H
