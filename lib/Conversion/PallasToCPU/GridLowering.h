//===- GridLowering.h - Grids to loops --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOCPU_GRIDLOWERING_H
#define PALLAS_LIB_CONVERSION_PALLASTOCPU_GRIDLOWERING_H

#include "Grid.h"
#include "MemorySharing.h"
#include "pallas/Dialect/Pallas/IR/WindowOps.h"

namespace mlir::pallas {

/// Calls, whose programs become loops, and windows of grids that are loops.
class GridLowering : ThemeLowering {
public:
  GridLowering(FunctionState &state, MemorySharing &sharing)
      : ThemeLowering(state), state(state), sharing(sharing) {}

  LogicalResult lowerCall(PallasCallOp call);
  LogicalResult lowerWindow(WindowOp op);
  LogicalResult lowerPad(PadRefOp op);
  LogicalResult lowerUnpad(UnpadRefOp op);

private:
  LogicalResult bindOperands(PallasCallOp call, Grid &grid,
                             SmallVectorImpl<Value> &operands);
  LogicalResult createOutputs(PallasCallOp call, Grid &grid,
                              ArrayRef<Value> operands,
                              SmallVectorImpl<Value> &outputs);
  void replaceCall(PallasCallOp call, Grid &grid, ArrayRef<Value> outputs);
  LogicalResult runGrid(Grid &grid);
  void bindKernelArguments(Grid &grid);
  void answerGridQueries(Grid &grid);

  // Windows.cpp
  SmallVector<Value> evaluateIndexMap(Grid &grid, unsigned index);
  Value createWindow(Grid &grid, unsigned index);
  Value padArray(Value array, BlockMappingAttr mapping, bool copyContents);
  void cropArray(Value padded, Value array, BlockMappingAttr mapping);
  Value padMemory(Location loc, Value memory, ArrayRef<int64_t> shape,
                  ArrayRef<int64_t> low, bool copyContents);
  void cropMemory(Location loc, Value padded, Value memory,
                  ArrayRef<int64_t> low);

  // EdgeWindows.cpp
  EdgeKind chooseEdges(GridMappingOpInterface op, unsigned index,
                       Value array) const;
  Value createEdgeWindow(Grid &grid, unsigned index, ArrayRef<Value> starts);
  void copyEdge(const EdgeWindow &edge, bool writesBack);

  FunctionState &state;
  MemorySharing &sharing;
};

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOCPU_GRIDLOWERING_H
