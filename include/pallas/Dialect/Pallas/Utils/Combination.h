//===- Combination.h - What an atomic update writes -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_PALLAS_UTILS_COMBINATION_H
#define PALLAS_DIALECT_PALLAS_UTILS_COMBINATION_H

#include "mlir/IR/Builders.h"
#include "pallas/Dialect/Pallas/IR/PallasAttributes.h"

namespace mlir::pallas {

/// What an atomic update of `old` by `value` writes, both of them scalars or
/// tensors.
Value createCombined(OpBuilder &builder, Location loc, AtomicKind kind,
                     Value old, Value value);

} // namespace mlir::pallas

#endif // PALLAS_DIALECT_PALLAS_UTILS_COMBINATION_H
