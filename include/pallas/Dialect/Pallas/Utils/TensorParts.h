//===- TensorParts.h - Reading and writing parts of tensors -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_PALLAS_UTILS_TENSORPARTS_H
#define PALLAS_DIALECT_PALLAS_UTILS_TENSORPARTS_H

#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/SmallBitVector.h"

namespace mlir::pallas {

/// A rectangle of a tensor.
struct Rectangle {
  SmallVector<OpFoldResult> offsets, sizes, strides;
  /// Dimensions of size 1 that a value of the rectangle doesn't have.
  llvm::SmallBitVector dropped;

  Rectangle() = default;
  /// All of a tensor of static shape.
  Rectangle(ArrayRef<int64_t> shape, MLIRContext *context);

  /// Selects one index along `dim` and drops the dimension.
  void select(unsigned dim, Value index);
  /// Shape of a value of the rectangle, dynamic where an operand gives it.
  SmallVector<int64_t> getShape() const;
  /// Whether upstream may take other dimensions of size 1 for the dropped ones:
  /// slices don't record which ones they drop.
  bool isAmbiguous() const;
  /// Which dimensions of the rectangle make one dimension of its value.
  SmallVector<ReassociationIndices> getGroups() const;
};

/// The elements in a rectangle: a tensor, or a scalar if it drops everything.
Value createExtract(OpBuilder &builder, Location loc, Value base,
                    const Rectangle &part);
/// `base` with `value` in a rectangle.
Value createInsert(OpBuilder &builder, Location loc, Value base, Value value,
                   const Rectangle &part);

/// The element at a position of what `value` broadcasts to.
Value createElementAt(OpBuilder &builder, Location loc, Value value,
                      ValueRange position);

/// Where a slice whose length is given at run time starts in a dimension of
/// `size` elements, and how many it has: those that are there, in place. Only
/// a start in front of all elements moves.
struct CutSlice {
  OpFoldResult start;
  Value length;
};
CutSlice createCutSlice(OpBuilder &builder, Location loc, OpFoldResult start,
                        Value length, int64_t stride, Value size);

/// An index made from a signed integer, or the index itself.
Value toIndex(OpBuilder &builder, Location loc, Value value);
/// The length that an operand gives a view along a dimension, not below zero;
/// null if none does. A copy counts it as it is given.
Value createGivenLength(OpBuilder &builder, Location loc, Value ref,
                        unsigned dim);
/// `index`, counted from the end where it is negative, as NumPy does.
Value createWrapped(OpBuilder &builder, Location loc, Value index, Value size);
Value createWrapped(OpBuilder &builder, Location loc, Value index,
                    int64_t size);
/// `index`, or the nearest one in [0, last].
Value createClamped(OpBuilder &builder, Location loc, Value index, Value last);
Value createClamped(OpBuilder &builder, Location loc, Value index,
                    int64_t last);

} // namespace mlir::pallas

#endif // PALLAS_DIALECT_PALLAS_UTILS_TENSORPARTS_H
