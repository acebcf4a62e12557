//===- MathExpansion.h - Functions of other functions -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_MOSAICTPU_UTILS_MATHEXPANSION_H
#define PALLAS_DIALECT_MOSAICTPU_UTILS_MATHEXPANSION_H

#include "pallas/Dialect/MosaicTPU/Utils/Emitter.h"
#include "pallas/Dialect/MosaicTPU/Utils/TargetInfo.h"

namespace mlir::tpu {

/// Expands an operation of arith or math into operations that the target has;
/// returns a null value when it can stay as it is. `operands` and `type` are
/// those of the target.
FailureOr<Value> expandElementwise(Emitter &emit, Operation *op,
                                   ValueRange operands, Type type,
                                   TPUSupport support);

/// The upper half of a product of 32-bit integers.
Value multiplyHigh(Emitter &emit, Value lhs, Value rhs, bool isSigned);

/// The bits as another type of the same width.
Value bitcastElements(Emitter &emit, Value value, Type element);

/// The larger or smaller of two vectors of integers below 32 bits. The compiler
/// brings extremes of widened operands back to narrow ones, which releases that
/// read wire version 18 refuse. It leaves these:
///
///   max(a, b)  ->  a + max(b - a, 0)
Value expandNarrowExtreme(Emitter &emit, Operation *op, Value lhs, Value rhs);

/// The larger or smaller of two numbers without a sign.
Value expandUnsignedExtreme(Emitter &emit, Operation *op, Value lhs, Value rhs);

/// The condition of a select that chooses between the two integers that it
/// compares. Widened ones are compared by their difference, for the same
/// reason, and those of 32 bits without a sign by flipped ones, since libtpu
/// 0.0.50.1 refuses the extreme that it makes of them:
///
///   select(a < b, a, b)  ->  select(a - b < 0, a, b)
Value compareDifference(Emitter &emit, Value condition, Value lhs, Value rhs);

} // namespace mlir::tpu

#endif // PALLAS_DIALECT_MOSAICTPU_UTILS_MATHEXPANSION_H
