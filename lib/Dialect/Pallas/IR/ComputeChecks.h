//===- ComputeChecks.h - What operations on values check alike --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_DIALECT_PALLAS_IR_COMPUTECHECKS_H
#define PALLAS_LIB_DIALECT_PALLAS_IR_COMPUTECHECKS_H

#include "pallas/Dialect/Pallas/IR/PallasOps.h"

namespace mlir::pallas {

/// Checks that dimensions are distinct and in range.
LogicalResult verifyDimensions(Operation *op, ArrayRef<int64_t> dims,
                               int64_t rank, StringRef what);

/// Checks that the result has the type that the operands imply.
LogicalResult verifyResultType(Operation *op, Type actual, Type expected);

/// Checks that elements of this type can be combined in this way.
LogicalResult verifyCombination(Operation *op, CombiningKind kind,
                                Type element);

/// Checks that elements of this type can be updated in this way.
LogicalResult verifyAtomicKind(Operation *op, AtomicKind kind, Type element);

} // namespace mlir::pallas

#endif // PALLAS_LIB_DIALECT_PALLAS_IR_COMPUTECHECKS_H
