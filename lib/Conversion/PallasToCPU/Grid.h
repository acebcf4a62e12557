//===- Grid.h - A grid while it becomes loops -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOCPU_GRID_H
#define PALLAS_LIB_CONVERSION_PALLASTOCPU_GRID_H

#include "pallas/Dialect/Pallas/IR/PallasOps.h"

namespace mlir::pallas {

/// What becomes of windows that reach over the end of an array: parts of a
/// padded array, copies of what the array has, or, where programs find nothing
/// in the array, just memory.
enum class EdgeKind { Padded, Copied, Fresh };

/// A window that is a copy where it reaches over the end of the array.
struct EdgeWindow {
  Value window, array;
  BlockMappingAttr mapping;
  /// Null where the window is always a copy.
  Value isInside;
  /// Where the block starts, and how much of it the array has.
  SmallVector<OpFoldResult> offsets, sizes;
};

struct Grid {
  GridMappingOpInterface op;
  /// Memory of the arrays that blocks are cut from, padded where necessary.
  SmallVector<Value> arrays;
  /// What becomes of windows that reach over the end of their array.
  SmallVector<EdgeKind> edges;
  /// Windows that may have to be written back.
  SmallVector<EdgeWindow> written;
  /// Memory of the index operands.
  SmallVector<Value> indexMemory;
  /// What the first program gets from a program before it.
  SmallVector<Value> carried;
  /// How many leading dimensions run in parallel.
  unsigned numParallel = 0;
  /// Sizes of the grid, and coordinates of the program, as indices.
  SmallVector<Value> sizes, ids;
};

/// Whether programs that differ along this grid dimension never share a window
/// of this block: the index map yields the id as a block index.
bool separatesWindows(GridMappingOpInterface op, unsigned index, unsigned dim);

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOCPU_GRID_H
