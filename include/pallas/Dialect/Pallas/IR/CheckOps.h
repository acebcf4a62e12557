//===- CheckOps.h - Operations of checked code ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_PALLAS_IR_CHECKOPS_H
#define PALLAS_DIALECT_PALLAS_IR_CHECKOPS_H

#include "pallas/Dialect/Pallas/IR/PallasOps.h"

#include "pallas/Dialect/Pallas/IR/PallasCheckEnums.h.inc"

#define GET_OP_CLASSES
#include "pallas/Dialect/Pallas/IR/PallasCheckOps.h.inc"

namespace mlir::pallas {

/// Whether an operation checks an access, instead of making one.
inline bool isCheck(Operation *op) {
  return isa<CheckAccessOp, CheckBoundsOp, CheckContentsOp,
             CheckTensorBoundsOp>(op);
}

/// On a module: checks of accesses have been inserted.
inline constexpr llvm::StringLiteral kHasChecksAttrName = "pallas.has_checks";

} // namespace mlir::pallas

#endif // PALLAS_DIALECT_PALLAS_IR_CHECKOPS_H
