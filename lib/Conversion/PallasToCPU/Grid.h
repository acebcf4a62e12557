//===- Grid.h - A grid while it becomes loops -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOCPU_GRID_H
#define PALLAS_LIB_CONVERSION_PALLASTOCPU_GRID_H

#include "MemoryBuilder.h"

namespace mlir::pallas {

/// How windows that extend past the end of an array are made: parts of a padded
/// array, copies of what the array has, or, if programs find nothing in the
/// array, fresh memory.
enum class EdgeKind { Padded, Copied, Fresh };

/// A window that is a copy where it extends past the end of the array.
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
  /// How windows of each block are made that extend past the end.
  SmallVector<EdgeKind> edges;
  /// Windows that may have to be written back.
  SmallVector<EdgeWindow> written;
  /// Memory of the index operands.
  SmallVector<Value> indexMemory;
  /// How many leading dimensions run in parallel.
  unsigned numParallel = 0;
  /// Sizes of the grid, and coordinates of the program, as indices.
  SmallVector<Value> sizes, ids;
};

/// The element at which the window of a block starts, as the index map has it.
Value createWindowStart(MemoryBuilder &b, Location loc, BlockDimAttr dim,
                        Value index);

/// Whether programs that differ along this grid dimension never share a window
/// of this block: the index map yields the id as a block index.
bool separatesWindows(GridMappingOpInterface op, unsigned index, unsigned dim);

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOCPU_GRID_H
