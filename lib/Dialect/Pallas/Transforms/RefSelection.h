//===- RefSelection.h - Parts of the value of a ref -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_REFSELECTION_H
#define PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_REFSELECTION_H

#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "pallas/Dialect/Pallas/Utils/TensorParts.h"

namespace mlir::pallas {

/// Converts between an array and the contents of a ref to it. A ref to one
/// element holds a scalar, not a tensor.
Value createHeld(OpBuilder &builder, Location loc, Value array);
Value createArray(OpBuilder &builder, Location loc, Value held);

/// Whether only single elements can be selected: there are index arrays, a
/// stride of zero, or elements that stay in place beside others outside.
bool isScattered(RefAccessOpInterface op);

/// The part of `base` that the access selects. Slices outside are moved inside,
/// or only their elements where the others stay in place.
Value createSelection(OpBuilder &builder, RefAccessOpInterface op, Value base);
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

} // namespace mlir::pallas

#endif // PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_REFSELECTION_H
