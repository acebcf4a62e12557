//===- WindowMotion.h - How results of index maps move ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_DIALECT_PALLAS_ANALYSIS_WINDOWMOTION_H
#define PALLAS_LIB_DIALECT_PALLAS_ANALYSIS_WINDOWMOTION_H

#include "pallas/Dialect/Pallas/Analysis/IndexTables.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"

namespace mlir::pallas {

/// In part `j` a value is `stride * j` more than in the first part of its step,
/// where it is a multiple of `multiple`, or zero if that is zero.
struct Motion {
  int64_t stride = 0, multiple = 1;
  /// The least and the greatest value in the grid, if they are known.
  std::optional<std::pair<int64_t, int64_t>> range = std::nullopt;
};

/// Follows the id of a dimension, of which steps are joined, through index
/// maps.
class MotionAnalysis {
public:
  MotionAnalysis(GridMappingOpInterface grid, unsigned dim, int64_t factor,
                 IndexTables &tables)
      : grid(grid), shape(grid.getGridShape()), tables(tables), dim(dim),
        factor(factor) {}

  /// None if the value moves in another way, or nothing is known.
  std::optional<Motion> get(Value value) {
    std::optional<Motion> motion = trace(value);
    if (!motion)
      return evaluate(value);
    if (motion->stride && !motion->range)
      if (std::optional<Motion> evaluated = evaluate(value))
        motion->range = evaluated->range;
    return motion;
  }

private:
  std::optional<Motion> trace(Value value);
  Motion traceArgument(BlockArgument argument);
  std::optional<Motion> evaluate(Value value);
  bool addPart(ArrayRef<int64_t> ids, const ProgramTable &table,
               Motion &motion);

  GridMappingOpInterface grid;
  SmallVector<int64_t> shape;
  IndexTables &tables;
  unsigned dim;
  int64_t factor;
};

} // namespace mlir::pallas

#endif // PALLAS_LIB_DIALECT_PALLAS_ANALYSIS_WINDOWMOTION_H
