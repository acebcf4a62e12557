//===- RefLowering.h - Accesses and views of refs ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOCPU_REFLOWERING_H
#define PALLAS_LIB_CONVERSION_PALLASTOCPU_REFLOWERING_H

#include "MemorySharing.h"

namespace mlir::pallas {

/// Accesses of refs, and views of them.
class RefLowering : ThemeLowering {
public:
  RefLowering(FunctionState &state, MemorySharing &sharing)
      : ThemeLowering(state), sharing(sharing) {}

  // RefAccess.cpp and Atomics.cpp
  LogicalResult lowerGet(GetOp op);
  LogicalResult lowerSwap(SwapOp op);
  LogicalResult lowerAddUpdate(AddUpdateOp op);
  LogicalResult lowerMaskedLoad(MaskedLoadOp op);
  LogicalResult lowerMaskedSwap(MaskedSwapOp op);
  LogicalResult lowerAtomicRMW(AtomicRMWOp op);
  LogicalResult lowerAtomicCAS(AtomicCASOp op);
  /// Runs `body` for each selected element in order, with its indices into the
  /// ref and into the value, and a condition that is false outside the ref, or
  /// no value where that can't be.
  LogicalResult forEachElement(
      RefAccessOpInterface op,
      function_ref<void(ValueRange at, ValueRange position, Value inside)>
          body);
  /// Sizes of what an access selects. Sizes known at run time only are given by
  /// operands and refs of indices, cut to what the ref has.
  SmallVector<Value> createAccessSizes(RefAccessOpInterface op);

  // AccessChecks.cpp
  LogicalResult lowerCheckAccess(CheckAccessOp op);
  LogicalResult lowerCheckBounds(CheckBoundsOp op);
  LogicalResult lowerCheckLeftOut(CheckLeftOutOp op);

  // Views.cpp and CopiedViews.cpp
  LogicalResult lowerView(Operation *op);
  /// Refreshes copied views before calling `lower`, and writes them back after.
  LogicalResult lowerOnCopies(Operation *op,
                              function_ref<LogicalResult(Operation *)> lower);

private:
  LogicalResult forEachPosition(RefAccessOpInterface op,
                                function_ref<void(ValueRange position)> body);
  ElementPlace createPlace(RefAccessOpInterface op, ValueRange position,
                           bool asNamed);
  LogicalResult checkElements(RefAccessOpInterface op, Value mask);
  FailureOr<Value> createView(RefAccessOpInterface op);
  struct ViewRange {
    OpFoldResult start, length, stride;
  };
  ViewRange createRange(RefAccessOpInterface op, unsigned dim,
                        const AccessDim &access);
  LogicalResult lowerClusterRef(ClusterRefOp op);
  LogicalResult lowerWideView(BitcastRefOp op);

  // SliceAccess.cpp
  Value areSlicesInside(RefAccessOpInterface op);
  LogicalResult accessSlice(RefAccessOpInterface op,
                            function_ref<void(Value view)> whole,
                            function_ref<LogicalResult()> each);

  MemorySharing &sharing;
  /// Copied views that a check has refreshed for the access behind it.
  SmallVector<BitcastRefOp> refreshed;
};

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOCPU_REFLOWERING_H
