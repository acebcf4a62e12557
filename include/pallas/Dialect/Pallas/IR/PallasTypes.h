//===- PallasTypes.h - Types of the pallas dialect -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_PALLAS_IR_PALLASTYPES_H
#define PALLAS_DIALECT_PALLAS_IR_PALLASTYPES_H

#include "pallas/Dialect/Pallas/IR/PallasAttributes.h"

#define GET_TYPEDEF_CLASSES
#include "pallas/Dialect/Pallas/IR/PallasTypes.h.inc"

namespace mlir::pallas {

/// The value type of this shape: a ranked tensor, or the element itself when
/// there are no dimensions.
Type getValueType(ArrayRef<int64_t> shape, Type elementType);

/// Number of elements of a static shape; nothing when 64 bits cannot count
/// them.
std::optional<int64_t> countElements(ArrayRef<int64_t> shape);

/// A shape as messages show it, such as `[8, ?]`.
std::string describeShape(ArrayRef<int64_t> shape);

/// Shape of a value: that of the tensor, or none for a scalar.
ArrayRef<int64_t> getValueShape(Type type);

} // namespace mlir::pallas

#endif // PALLAS_DIALECT_PALLAS_IR_PALLASTYPES_H
