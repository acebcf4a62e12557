//===- GridToLoops.h - A grid while it becomes loops ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_GRIDTOLOOPS_H
#define PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_GRIDTOLOOPS_H

#include "GridChecks.h"
#include "GridEdges.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::pallas {

/// The loops around a kernel, with its windows. The classes of pipelines and
/// calls make the arrays around them, and list the parts in the order in which
/// they execute.
class GridToLoops {
protected:
  GridToLoops(GridMappingOpInterface grid, bool checked)
      : grid(grid), b(grid), loc(grid.getLoc()), checks(grid, b, checked) {}

  LogicalResult verifyForm();
  /// Leaves the insertion point where programs go. Values that they pass on
  /// start as `init`.
  void createLoops(unsigned numParallel, ValueRange init);
  /// The id of the program along a dimension.
  Value getId(unsigned dim, Type type);
  /// Moves the kernel here, behind its windows, and returns what it yields.
  SmallVector<Value> runProgram();
  /// The values that the last program yields leave the loops.
  SmallVector<Value> leaveLoops(SmallVector<Value> carried);

  GridMappingOpInterface grid;
  OpBuilder b;
  Location loc;
  GridChecks checks;
  /// The array of each block: as it is, and with whole blocks that tile it.
  SmallVector<Value> unpadded, arrays;
  /// How partial blocks are made.
  SmallVector<EdgeKind> edges;
  /// The index operands.
  SmallVector<Value> indexRefs;
  /// Sizes of the grid, and ids of the program, as indices or i32.
  SmallVector<Value> sizes, ids;
  /// The values that a program gets from the one before.
  SmallVector<Value> carried;
  RunScopedOp scope;

private:
  void createScope(TypeRange results);
  SmallVector<Value> evaluateIndexMap(unsigned index);
  Value createWindow(unsigned index);

  scf::ParallelOp parallel;
  SmallVector<scf::ForOp> loops;
  /// Windows that are copies at the end of their array.
  SmallVector<Value> written;
};

/// Turns one grid into loops, in the function or kernel around it.
LogicalResult convertPipelineToLoops(EmitPipelineOp op, bool checked);

/// How the calls of a function may run.
struct CallContext {
  bool checked;
  /// Dimensions that are declared parallel may run on threads.
  bool parallel;
  /// Tasks or devices wait for each other, or name each other's memory.
  bool synchronizes, namesOthers;
};
LogicalResult convertCallToLoops(PallasCallOp op, const CallContext &context);

} // namespace mlir::pallas

#endif // PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_GRIDTOLOOPS_H
