//===- AsyncLowering.h - Semaphores, barriers and copies --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOCPU_ASYNCLOWERING_H
#define PALLAS_LIB_CONVERSION_PALLASTOCPU_ASYNCLOWERING_H

#include "RefLowering.h"

namespace mlir::pallas {

/// Semaphores, barriers and async copies.
class AsyncLowering : ThemeLowering {
public:
  AsyncLowering(FunctionState &state, MemorySharing &sharing, RefLowering &refs)
      : ThemeLowering(state), sharing(sharing), refs(refs) {}

  LogicalResult lowerAsync(Operation *op);
  void arrive(Operation *op, Value barrier);
  /// Whether checked code has to look at all blocks that the copy writes to.
  bool isMulticast(CopyGmemToSmemOp copy) const {
    return checked && concurrency.synchronizes && copy.getCollectiveAxes();
  }
  void arriveTogether(CopyGmemToSmemOp copy);
  /// A copy of a GPU of rows that an index array names. It signals the barrier,
  /// or belongs to the open group without one.
  LogicalResult copyRows(Operation *op, Value source, Value target,
                         Value barrier);
  /// Points that differ along these axes only wait for each other.
  void meetPoints(Location loc, function_ref<bool(MeshAxisAttr)> meets);

private:
  void signal(Location loc, Value semaphore, Value amount);
  void waitForCount(Operation *op, Value semaphore, Value amount,
                    bool decrement);
  LogicalResult lowerBarrier(Operation *op);
  void lowerBarrierTest(BarrierTestOp op);
  LogicalResult lowerCoreBarrier(CoreBarrierOp op);
  int64_t getNumArrivals(Value barrier) const;

  LogicalResult startCopy(DMAStartOp start);
  void waitForCopy(DMAWaitOp wait);
  Value getByteCount(Value ref, Location loc);
  // IndexedCopies.cpp
  static bool isThroughIndices(DMAStartOp start);
  LogicalResult copyElements(DMAStartOp start, Value target);
  /// The refs of a copy of elements, and their memory.
  struct ElementCopy {
    Operation *op;
    Value source, target, sourceMemory, targetMemory;
    bool adds;
  };
  void copyElement(const ElementCopy &copy, ValueRange sourceAt,
                   ValueRange targetAt);
  void checkIndices(DMAStartOp start);

  MemorySharing &sharing;
  RefLowering &refs;
};

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOCPU_ASYNCLOWERING_H
