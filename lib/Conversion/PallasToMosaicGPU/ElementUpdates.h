//===- ElementUpdates.h - Atomic updates of elements ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOMOSAICGPU_ELEMENTUPDATES_H
#define PALLAS_LIB_CONVERSION_PALLASTOMOSAICGPU_ELEMENTUPDATES_H

#include "ElementLoops.h"

namespace mlir::pallas {

/// Writes code that updates one element atomically, and yields what was there.
/// `write` gets the memref of the element, and `scalars`.
Value updateElement(
    KernelEmitter &emit, const ElementArray &array, ValueRange position,
    ValueRange scalars,
    function_ref<Value(Value memref, ValueRange scalars)> write);

/// Adds to elements that arrays name, perhaps twice, or that lie apart.
LogicalResult addToElements(AddUpdateOp op, KernelEmitter &emit);

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOMOSAICGPU_ELEMENTUPDATES_H
