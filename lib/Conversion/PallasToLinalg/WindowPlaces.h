//===- WindowPlaces.h - Windows at computed places --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOLINALG_WINDOWPLACES_H
#define PALLAS_LIB_CONVERSION_PALLASTOLINALG_WINDOWPLACES_H

#include "Tensors.h"

namespace mlir::pallas::linalgconv {

/// Where the windows of a gather or scatter lie in the operand.
struct WindowPlaces {
  /// Integers; the last dimension holds the tuples.
  Value indices;
  /// The operand dimension that each index of a tuple is for.
  ArrayRef<int64_t> indexedDims;
  /// Operand dimensions that run along with dimensions of the indices.
  ArrayRef<int64_t> batchingDims, indexBatchingDims;
  SmallVector<int64_t> windowSizes;
  ArrayRef<int64_t> operandShape;

  /// Start of the window along each operand dimension, as the indices give it.
  /// `batch` selects a tuple.
  SmallVector<Value> createStarts(OpBuilder &builder, Location loc,
                                  ValueRange batch) const;
  /// The same where something else has the components of the tuple.
  SmallVector<Value>
  createStarts(OpBuilder &builder, Location loc, ValueRange batch,
               function_ref<Value(unsigned)> getComponent) const;
  /// A tensor of the first components of all tuples, one of the second, ...
  SmallVector<Value> createComponents(OpBuilder &builder, Location loc) const;
  /// The starts, moved so that the window is inside.
  SmallVector<Value> createClamped(OpBuilder &builder, Location loc,
                                   ArrayRef<Value> starts) const;
  /// Whether the whole window is inside.
  Value createIsInside(OpBuilder &builder, Location loc,
                       ArrayRef<Value> starts) const;
  /// The window at `starts`, without the dimensions in `dropped`.
  Rectangle createWindow(OpBuilder &builder, ArrayRef<Value> starts,
                         ArrayRef<int64_t> dropped) const;
};

} // namespace mlir::pallas::linalgconv

#endif // PALLAS_LIB_CONVERSION_PALLASTOLINALG_WINDOWPLACES_H
