//===- DimensionNumbers.h - Numbers for dimensions --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_DIMENSIONNUMBERS_H
#define PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_DIMENSIONNUMBERS_H

#include "mlir/IR/Operation.h"

namespace mlir::pallas {

/// One number for each dimension, by an option or an attribute of an operation.
/// Messages call a number `name`; `owner` has the dimensions.
struct DimensionNumbers {
  StringRef name, plural, owner, attribute;

  /// Takes the attribute from `op` if it is there, else reads the option, a
  /// list such as `d0=4,d2=2`. Numbers that are not given are 1.
  FailureOr<SmallVector<int64_t>>
  take(Operation *op, ArrayRef<std::string> option, int64_t rank) const;

private:
  LogicalResult read(Operation *op, StringRef text,
                     MutableArrayRef<int64_t> numbers) const;
};

} // namespace mlir::pallas

#endif // PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_DIMENSIONNUMBERS_H
