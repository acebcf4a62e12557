//===- Combining.h - How kinds of the dialect combine -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_PALLAS_UTILS_COMBINING_H
#define PALLAS_DIALECT_PALLAS_UTILS_COMBINING_H

#include "mlir/IR/Builders.h"
#include "pallas/Dialect/Pallas/IR/PallasAttributes.h"
#include "pallas/Support/Combining.h"

namespace mlir::pallas {

/// The kind as upstream has it for elements of this type. A boolean is a number
/// of one bit without a sign, and its sum saturates.
vector::CombiningKind getVectorKind(CombiningKind kind, Type element);
/// The way back, from any type.
CombiningKind getCombiningKind(vector::CombiningKind kind);
/// Nothing for an exchange, which does not combine.
std::optional<CombiningKind> getCombiningKind(AtomicKind kind);

/// Combines scalars, tensors or vectors element by element.
Value createCombined(OpBuilder &builder, Location loc, CombiningKind kind,
                     Value lhs, Value rhs);
/// The value that an atomic update of `old` by `value` writes.
Value createCombined(OpBuilder &builder, Location loc, AtomicKind kind,
                     Value old, Value value);
/// The value that a compare-and-swap writes: `value` where `old` has the bits
/// of `expected`. As on hardware, zeros differ, and a NaN equals itself.
Value createCompareAndSwap(OpBuilder &builder, Location loc, Value old,
                           Value expected, Value value);

} // namespace mlir::pallas

#endif // PALLAS_DIALECT_PALLAS_UTILS_COMBINING_H
