//===- OperationModels.h - What the context keeps of operations -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_DIALECT_PALLAS_IR_OPERATIONMODELS_H
#define PALLAS_LIB_DIALECT_PALLAS_IR_OPERATIONMODELS_H

namespace mlir {
class Dialect;
} // namespace mlir

namespace mlir::pallas {

/// Adds the operations of PallasOps.td to the dialect. Their models take a
/// minute to compile, so the dialect does not wait for them when the operations
/// of another table change.
void registerOperations(Dialect &dialect);

} // namespace mlir::pallas

#endif // PALLAS_LIB_DIALECT_PALLAS_IR_OPERATIONMODELS_H
