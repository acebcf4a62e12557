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

/// What an operation of arith or math is in terms of operations that the target
/// has; a null value when it can stay as it is. `operands` and `type` are those
/// of the target.
FailureOr<Value> expandElementwise(Emitter &emit, Operation *op,
                                   ValueRange operands, Type type,
                                   TPUSupport support);

/// The upper half of a product of 32-bit integers.
Value multiplyHigh(Emitter &emit, Value lhs, Value rhs, bool isSigned);

/// The bits as another type of the same width.
Value bitcastElements(Emitter &emit, Value value, Type element);

} // namespace mlir::tpu

#endif // PALLAS_DIALECT_MOSAICTPU_UTILS_MATHEXPANSION_H
