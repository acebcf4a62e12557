//===- ElementwiseExpansion.h - Functions of other functions ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_ELEMENTWISEEXPANSION_H
#define PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_ELEMENTWISEEXPANSION_H

#include "Emitter.h"
#include "pallas/Conversion/PallasToMosaicTPU/TargetInfo.h"

namespace mlir::pallas {

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

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_ELEMENTWISEEXPANSION_H
