//===- Elements.h - Arithmetic on elements ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_PALLAS_UTILS_ELEMENTS_H
#define PALLAS_DIALECT_PALLAS_UTILS_ELEMENTS_H

#include "mlir/IR/Builders.h"
#include "pallas/Dialect/Pallas/IR/PallasAttributes.h"

namespace mlir::pallas {

/// The element that `kind` combines with any other one into that other one.
Value createNeutral(OpBuilder &builder, Location loc, CombiningKind kind,
                    Type type);

/// The type that sums of such elements are kept in: f32 for narrower floats.
Type getSumType(Type type);

/// Widens or rounds a float, or tensor of floats, to the element type.
Value convertFloat(OpBuilder &builder, Location loc, Value value,
                   Type elementType);

/// log(exp(lhs) + exp(rhs)), also for infinities.
Value createLogAddExp(OpBuilder &builder, Location loc, Value lhs, Value rhs);

/// `value < other` in the order that sorts use: NaN is greater than all.
Value createLess(OpBuilder &builder, Location loc, Value value, Value other,
                 bool isUnsigned);
/// Neither is less than the other.
Value createEquivalent(OpBuilder &builder, Location loc, Value value,
                       Value other);

Value createZero(OpBuilder &builder, Location loc, Type type);

/// Whether a type is that of an array without elements, which no vector is.
bool isEmptyArray(Type type);
/// Whether an operation yields one.
bool yieldsEmptyArray(Operation *op);

/// Whether `index` is in [0, limit].
Value isIndexInside(OpBuilder &builder, Location loc, Value index,
                    int64_t limit);

} // namespace mlir::pallas

#endif // PALLAS_DIALECT_PALLAS_UTILS_ELEMENTS_H
