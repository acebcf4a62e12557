//===- PipelineWindow.h - What a pipeline copies and when -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_PIPELINEWINDOW_H
#define PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_PIPELINEWINDOW_H

#include "pallas/Dialect/Pallas/Transforms/ExpandPipelines.h"

namespace mlir::pallas {

/// The results of the index map of a window at one point of the grid.
using BlockPosition = SmallVector<Value>;

/// One input or output of a pipeline: the array, the blocks that it is cut
/// into, and the memory that holds some of them.
class PipelineWindow {
public:
  PipelineWindow(EmitPipelineOp op, unsigned index, TileSize tile);

  /// Reports an error for windows that have no form here.
  LogicalResult verify();

  /// Whether all points see the same block, so that one copy is enough.
  bool isInvariant() { return invariant; }
  /// Whether no two points that follow each other see the same block.
  bool alwaysChanges() { return changing; }

  /// How many blocks the memory holds. Windows whose block may stay for some
  /// points take turns between two at most.
  int64_t getNumBuffers() { return numBuffers; }

  /// Reserves the memory in a block of a scope, and what tells that copies
  /// ended.
  void addMemory(Block *scope);

  /// Where the block lies that the point `ids` sees.
  BlockPosition createPosition(OpBuilder &builder, ValueRange ids);
  /// Whether two positions differ.
  Value createDiffer(OpBuilder &builder, const BlockPosition &lhs,
                     const BlockPosition &rhs);
  /// All of the memory that holds the blocks of this turn.
  Value createWindow(OpBuilder &builder, Value slot);

  void startCopy(OpBuilder &builder, const BlockPosition &position, Value slot);
  void waitForCopy(OpBuilder &builder, const BlockPosition &position,
                   Value slot);

private:
  /// Source and target of a copy: the block as far as it lies in the array, and
  /// as much of the window.
  std::pair<Value, Value> createEnds(OpBuilder &builder,
                                     const BlockPosition &position, Value slot);
  Value createSemaphore(OpBuilder &builder, Value slot);
  /// How many elements along a dimension the block with this number has, where
  /// not all have the same.
  Value createEdgeSize(OpBuilder &builder, unsigned dim, Value block);
  bool hasEdge(unsigned dim);
  /// Elements that are moved together along a dimension of the array.
  int64_t getTile(unsigned dim);
  bool isFixed();
  bool changesAlways();
  int64_t countBuffers();

  EmitPipelineOp op;
  GridMappingOpInterface grid;
  Location loc;
  unsigned index;
  bool isInput;
  BlockMappingAttr mapping;
  Value array;
  TileSize tile;
  bool invariant, changing;
  int64_t numBuffers;
  Value memory, semaphore;
};

} // namespace mlir::pallas

#endif // PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_PIPELINEWINDOW_H
