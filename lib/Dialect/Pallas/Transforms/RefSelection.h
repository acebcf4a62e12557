//===- RefSelection.h - Parts of the value of a ref -------------*- C++ -*-===//

#ifndef PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_REFSELECTION_H
#define PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_REFSELECTION_H

#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "llvm/ADT/SmallBitVector.h"

namespace mlir::pallas {

/// A rectangle of a tensor.
struct Rectangle {
  SmallVector<OpFoldResult> offsets, sizes, strides;
  /// Dimensions of size 1 that a value of the rectangle doesn't have.
  llvm::SmallBitVector dropped;
};

/// The elements in a rectangle: a tensor, or a scalar if it drops everything.
Value createExtract(OpBuilder &builder, Location loc, Value base,
                    const Rectangle &part);
/// `base` with `value` in a rectangle.
Value createInsert(OpBuilder &builder, Location loc, Value base, Value value,
                   const Rectangle &part);

/// Whether only single elements can be selected: there are index arrays, a
/// stride of zero, or, if masked, elements that may lie outside.
bool isScattered(RefAccessOpInterface op, bool isMasked);

/// The part of `base` that the access selects. Places outside are moved inside.
Value createSelection(OpBuilder &builder, RefAccessOpInterface op, Value base,
                      bool isMasked = false);
/// `base` with `value` in the part that the access selects.
Value createUpdate(OpBuilder &builder, RefAccessOpInterface op, Value base,
                   Value value);

/// Goes over the selected elements in order with `carried`. `body` gets the
/// indices in the base, those in the selection, and whether the element is
/// inside, and yields what is carried on.
SmallVector<Value> createElementLoops(
    OpBuilder &builder, RefAccessOpInterface op, ValueRange carried,
    function_ref<SmallVector<Value>(OpBuilder &, ValueRange, ValueRange, Value,
                                    ValueRange)>
        body);

/// What an atomic update of `old` by `value` writes.
Value createCombined(OpBuilder &builder, Location loc, AtomicKind kind,
                     Value old, Value value);

/// The element of `value`, which broadcasts to the selection, at a position.
Value createElementAt(OpBuilder &builder, Location loc, Value value,
                      ValueRange position);

} // namespace mlir::pallas

#endif // PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_REFSELECTION_H
