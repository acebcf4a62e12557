//===- GPULowering.h - What only GPUs have ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOCPU_GPULOWERING_H
#define PALLAS_LIB_CONVERSION_PALLASTOCPU_GPULOWERING_H

#include "AsyncLowering.h"

namespace mlir::pallas {

/// Products of warpgroups, tensor memory, and copies of boxes.
class GPULowering : ThemeLowering {
public:
  GPULowering(FunctionState &state, AsyncLowering &async)
      : ThemeLowering(state), async(async) {}

  LogicalResult lowerGPUOp(Operation *op);

  // TensorCopyChecks.cpp
  LogicalResult lowerCheck(CheckCopyGmemToSmemOp op);
  LogicalResult lowerCheck(CheckCopySmemToGmemOp op);

private:
  LogicalResult lowerProduct(Operation *op);
  void lowerTensorCopy(AsyncCopyToTmemOp op);
  Value readMatrix(Location loc, Value matrix);

  // TensorCopies.cpp
  struct TensorBox;
  TensorBox createBox(Location loc, Value box, Value shared);
  void copyBox(Location loc, Value box, Value shared, function_ref<void()> fill,
               function_ref<void(Value, Value)> copy);
  LogicalResult copyToShared(CopyGmemToSmemOp op);
  LogicalResult lowerTensorLoad(CopyGmemToSmemOp op);
  LogicalResult lowerTensorStore(CopySmemToGmemOp op);

  LogicalResult checkRows(Operation *check, Value source, Value target);

  AsyncLowering &async;
};

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOCPU_GPULOWERING_H
