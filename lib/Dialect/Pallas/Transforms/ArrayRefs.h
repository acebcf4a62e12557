//===- ArrayRefs.h - Refs that kernels had as arguments ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_ARRAYREFS_H
#define PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_ARRAYREFS_H

#include "mlir/IR/Builders.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"

namespace mlir::pallas {

/// Memory is allocated in front of an operation, or by a caller.
LogicalResult verifyArrays(Operation *op, TypeRange operands,
                           TypeRange results);

/// A ref to a copy of the array, as an operand never changes.
Value copyArray(OpBuilder &b, Location loc, Value ref);

/// Messages of checked code name `made` as the kernel does its argument.
void keepName(Operation *made, BlockArgument argument);
/// The same for a scope, made for an operation, whose refs were the scratch.
void keepNames(Operation *scope, ArrayRef<BlockArgument> scratch,
               StringAttr madeFor);

} // namespace mlir::pallas

#endif // PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_ARRAYREFS_H
