//===- Grid.h - A grid while it becomes loops -------------------*- C++ -*-===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOCPU_GRID_H
#define PALLAS_LIB_CONVERSION_PALLASTOCPU_GRID_H

#include "Lowering.h"

namespace mlir::pallas {

struct Lowering::Grid {
  GridMappingOpInterface op;
  /// Memory of the arrays that blocks are cut from, padded where necessary.
  SmallVector<Value> arrays;
  /// Memory of the index operands.
  SmallVector<Value> indexMemory;
  /// What the first program gets from a program before it.
  SmallVector<Value> carried;
  /// How many leading dimensions run in parallel.
  unsigned numParallel = 0;
  /// Sizes of the grid, and coordinates of the program, as indices.
  SmallVector<Value> sizes, ids;
};

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOCPU_GRID_H
