//===- GridChecks.h - Checks of grids that become loops ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_GRIDCHECKS_H
#define PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_GRIDCHECKS_H

#include "mlir/IR/Builders.h"
#include "pallas/Dialect/Pallas/IR/CheckOps.h"

namespace mlir::pallas {

/// Inserts the checks of a grid while it becomes loops, where `b` builds them:
/// afterwards nothing tells what was a program. Does nothing in plain code.
class GridChecks {
public:
  GridChecks(GridMappingOpInterface grid, OpBuilder &b, bool checked)
      : grid(grid), b(b), checked(checked) {}

  /// Keeps the names that scratch has in messages.
  void nameScratch(RunScopedOp scope);
  void begin(ValueRange arrays);
  /// The scope has the scratch of the grid, if there is any.
  void program(ValueRange ids, RunScopedOp scope);
  /// The window of block `index`, of which the index map yielded `indices`.
  void window(unsigned index, Value array, ValueRange indices, Value window);
  void end();
  /// The array of an output, behind the last program.
  void output(unsigned index, Value array);

  /// Whether an output starts without what its array holds.
  bool hidesArray(unsigned index);
  /// Whether the kernel uses the barrier semaphore, asked while it is there.
  bool usesBarrier();
  void barrierEnd();

private:
  ArrayAttr getWindowTypes();
  SmallVector<unsigned> getParallelDims();
  SmallVector<Value> getParallelIds(ValueRange ids);
  void aliases(ValueRange arrays);
  StringAttr getAccessor() { return grid->getName().getIdentifier(); }

  GridMappingOpInterface grid;
  OpBuilder &b;
  bool checked;
  /// Programs may run on different cores.
  bool isParallel = false;
};

} // namespace mlir::pallas

#endif // PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_GRIDCHECKS_H
