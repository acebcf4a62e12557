//===- WindowLowering.h - Windows of grids that are loops -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOCPU_WINDOWLOWERING_H
#define PALLAS_LIB_CONVERSION_PALLASTOCPU_WINDOWLOWERING_H

#include "MemorySharing.h"
#include "pallas/Dialect/Pallas/IR/WindowOps.h"

namespace mlir::pallas {

/// Arrays of calls, and windows of grids that are loops.
class WindowLowering : ThemeLowering {
public:
  WindowLowering(FunctionState &state, MemorySharing &sharing)
      : ThemeLowering(state), sharing(sharing) {}

  // CallArrays.cpp
  LogicalResult lower(OperandRefOp op);
  LogicalResult lower(ResultRefOp op);
  LogicalResult lower(RefValueOp op);
  LogicalResult lower(ShareRefsOp op);
  LogicalResult lower(UnshareRefsOp op);

  // Windows.cpp
  LogicalResult lower(WindowOp op);
  LogicalResult lower(PadRefOp op);
  LogicalResult lower(UnpadRefOp op);

  // EdgeWindows.cpp
  LogicalResult lower(EdgeWindowOp op);
  LogicalResult lower(WriteEdgeOp op);

private:
  /// A window that is a copy where it extends past the end of the array.
  struct EdgeWindow {
    Value window, array;
    BlockMappingAttr mapping;
    /// Null where the window is always a copy.
    Value isInside;
    /// Where the block starts, and how much of it the array has.
    SmallVector<OpFoldResult> offsets, sizes;
  };
  /// Where a window lies in an array.
  struct WindowPlace {
    /// As the indices have it, but moved inside of the array.
    SmallVector<Value> starts;
    Rectangle part;
  };

  WindowPlace placeWindow(Location loc, BlockMappingAttr mapping,
                          ValueRange indices, ArrayRef<int64_t> shape);
  void findEdge(EdgeWindow &edge, ArrayRef<Value> starts);
  Value createEdgeCopy(EdgeWindowOp op, EdgeWindow &edge);
  void copyEdge(const EdgeWindow &edge, bool writesBack);

  MemorySharing &sharing;
  DenseMap<Value, EdgeWindow> edges;
};

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOCPU_WINDOWLOWERING_H
