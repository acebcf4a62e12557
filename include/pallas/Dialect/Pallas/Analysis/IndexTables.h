//===- IndexTables.h - Results of index maps in all programs ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_PALLAS_ANALYSIS_INDEXTABLES_H
#define PALLAS_DIALECT_PALLAS_ANALYSIS_INDEXTABLES_H

#include "pallas/Dialect/Pallas/Analysis/ProgramEvaluator.h"

namespace mlir::pallas {

/// Results of index maps in all programs, by trying them out. Windows often
/// have the same map, as those of keys and values do, and so do the analyses of
/// several dimensions. They hold as long as the index maps stay as they are.
class IndexTables {
public:
  explicit IndexTables(GridMappingOpInterface grid)
      : IndexTables(grid, grid.getGridShape()) {}
  /// As if the grid had this shape.
  IndexTables(GridMappingOpInterface grid, ArrayRef<int64_t> shape)
      : grid(grid), shape(shape) {}

  /// Null if the value isn't known in all programs. Tables move when others are
  /// added.
  const ProgramTable *get(Value value);

private:
  struct Entry {
    Region *map;
    unsigned result;
    std::optional<ProgramTable> table;
  };

  GridMappingOpInterface grid;
  SmallVector<int64_t> shape;
  SmallVector<Entry, 0> entries;
};

} // namespace mlir::pallas

#endif // PALLAS_DIALECT_PALLAS_ANALYSIS_INDEXTABLES_H
