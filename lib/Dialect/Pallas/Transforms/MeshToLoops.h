//===- MeshToLoops.h - Meshes while they become loops -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_MESHTOLOOPS_H
#define PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_MESHTOLOOPS_H

#include "KernelDependences.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "pallas/Dialect/Pallas/IR/MeshOps.h"

namespace mlir::pallas {

/// A kernel with the core of its mesh that it runs on.
struct CoreKernel : MeshKernel {
  StringRef name;
  /// Coordinates of the core, as i32.
  SmallVector<Value> ids = {};
  /// The first axis whose cores are tasks, and the number of the first core
  /// among the tasks of all kernels.
  unsigned firstConcurrent = 0;
  int64_t firstTask = 0;

  Block::BlockArgListType getScratch() const {
    return region->getArguments().drop_front(numKnown);
  }
  ArrayRef<MeshAxisAttr> getConcurrentAxes() const {
    return mesh.getAxes().drop_front(firstConcurrent);
  }
};

/// Turns the kernels of one `mpmd_map` or `core_map` into loops over the cores
/// of their meshes, and the arrays of a map into memory around them.
class MeshToLoops {
public:
  /// `namesOthers` is whether tasks or devices name each other's memory.
  MeshToLoops(Operation *op, bool checked, bool namesOthers);

  LogicalResult run();
  bool isConcurrent() const { return asTasks; }

private:
  LogicalResult bindArrays(MpmdMapOp map);
  Value bindInput(MpmdMapOp map, unsigned index);
  void bindArgument(BlockArgument argument, Value array);
  void replaceResults(MpmdMapOp map);

  void nameScratch(Operation *scope, ArrayRef<BlockArgument> scratch);
  RunScopedOp createScope(ArrayRef<BlockArgument> scratch);
  void leaveScope(RunScopedOp scope);
  void addId(CoreKernel &kernel, Value id);
  void createLoop(CoreKernel &kernel, MeshAxisAttr axis);
  void runCore(CoreKernel &kernel, ArrayRef<Type> ownInstances,
               ArrayRef<BlockArgument> ownScratch);
  void runInOrder(CoreKernel &kernel);

  // MeshTasks.cpp
  LogicalResult numberTasks(int64_t &numTasks);
  TaskScopeOp createTaskScope();
  void addConcurrentIds(CoreKernel &kernel, Value task);
  void runTask(CoreKernel &kernel, TaskScopeOp scope);
  LogicalResult runTasks();

  Operation *op;
  bool checked, namesOthers, asTasks;
  OpBuilder b;
  Location loc;
  SmallVector<CoreKernel, 1> kernels;
  /// Memory of inputs and outputs. Scalar inputs have none.
  SmallVector<Value> arrays, outputs;
};

} // namespace mlir::pallas

#endif // PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_MESHTOLOOPS_H
