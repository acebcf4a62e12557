//===- PallasAttributes.h - Attributes of the pallas dialect -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_PALLAS_IR_PALLASATTRIBUTES_H
#define PALLAS_DIALECT_PALLAS_IR_PALLASATTRIBUTES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectImplementation.h"

#include "pallas/Dialect/Pallas/IR/PallasEnums.h.inc"

namespace mlir::pallas {

class RefType;

/// One entry of an indexer. The start, the size or the scalar is
/// `ShapedType::kDynamic` where an operand gives it. Full entries have neither
/// start nor size: they take the dimension as it is. Gather entries take one
/// operand.
struct DimIndex {
  IndexKind kind = IndexKind::Full;
  int64_t start = 0;
  int64_t size = 0;
  int64_t stride = 1;

  static DimIndex full() { return {}; }
  static DimIndex slice(int64_t start, int64_t size, int64_t stride = 1) {
    return {IndexKind::Slice, start, size, stride};
  }
  static DimIndex scalar(int64_t index) {
    return {IndexKind::Scalar, index, 1, 1};
  }
  static DimIndex gather() { return {IndexKind::Gather, 0, 0, 1}; }

  bool hasDynamicStart() const { return ShapedType::isDynamic(start); }
  bool hasDynamicSize() const { return ShapedType::isDynamic(size); }
  /// The last index that it selects, where all is static.
  int64_t getLast() const { return start + (size - 1) * stride; }
  /// How many operands the entry takes.
  unsigned getNumOperands() const {
    return kind == IndexKind::Gather
               ? 1
               : unsigned(hasDynamicStart()) + unsigned(hasDynamicSize());
  }

  bool operator==(const DimIndex &other) const {
    return kind == other.kind && start == other.start && size == other.size &&
           stride == other.stride;
  }
};

inline llvm::hash_code hash_value(const DimIndex &entry) {
  return llvm::hash_combine(entry.kind, entry.start, entry.size, entry.stride);
}

} // namespace mlir::pallas

#define GET_ATTRDEF_CLASSES
#include "pallas/Dialect/Pallas/IR/PallasAttributes.h.inc"

#endif // PALLAS_DIALECT_PALLAS_IR_PALLASATTRIBUTES_H
