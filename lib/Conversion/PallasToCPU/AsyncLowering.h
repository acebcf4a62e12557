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
  void arrive(Location loc, Value barrier);
  void arriveTogether(CopyGmemToSmemOp copy);
  SmallVector<Value> createGroupWords(Location loc, ArrayAttr collective);
  /// A copy of a GPU of rows that an index array names.
  LogicalResult copyRows(Location loc, Value source, Value target);
  using CopiedElementFn = function_ref<void(Value source, ValueRange from,
                                            Value target, ValueRange to)>;
  LogicalResult forEachCopiedRow(Location loc, Value source, Value target,
                                 CopiedElementFn copy);
  /// How many arrivals complete a phase.
  int64_t getNumArrivals(Value barrier) const;

  // AsyncChecks.cpp
  LogicalResult lowerCheck(CheckSemaphoreSignalOp op);
  LogicalResult lowerCheck(CheckSemaphoreWaitOp op);
  LogicalResult lowerCheck(CheckDMAStartOp op);
  LogicalResult lowerCheck(CheckDMAWaitOp op);
  LogicalResult lowerCheck(CheckCoreBarrierOp op);
  LogicalResult lowerCheck(CheckArrivalOp op);
  LogicalResult lowerCheck(CheckPhaseOp op);
  LogicalResult lowerCheck(CheckClusterSyncOp op);

private:
  /// The barrier of the points that differ along some axes only, and how many
  /// they are.
  struct Meeting {
    Value barrier;
    int64_t numMembers;
  };
  Meeting findMeeting(Location loc, function_ref<bool(MeshAxisAttr)> meets,
                      std::optional<int64_t> number = {});
  void checkMeeting(Location loc, const Meeting &meeting, BarrierSide side);
  /// The points wait for each other.
  void meet(Location loc, const Meeting &meeting);
  Meeting findClusterMeeting(Location loc, bool threads,
                             std::optional<int64_t> number = {});
  void signal(Location loc, Value semaphore, Value amount);
  void waitForCount(Operation *op, Value semaphore, Value amount,
                    bool decrement);
  LogicalResult lowerBarrier(Operation *op);
  void lowerBarrierTest(BarrierTestOp op);
  LogicalResult lowerCoreBarrier(CoreBarrierOp op);
  bool isAlongMesh(StringRef axisName) const;

  /// The refs that a copy reads, writes and signals, or their memory.
  struct CopyEnds {
    Value source, target, semaphore, sourceSemaphore;
  };
  CopyEnds findMemory(Operation *op, const CopyEnds &refs,
                      const MemorySharing::Peer &peer);
  LogicalResult startCopy(DMAStartOp start);
  void waitForCopy(DMAWaitOp wait);
  Value getByteCount(Value ref, Location loc);
  // IndexedCopies.cpp
  static bool isThroughIndices(const CopyEnds &refs);
  LogicalResult forEachCopiedElement(Operation *op, const CopyEnds &ends,
                                     Value target, CopiedElementFn copy);
  void copyElement(Location loc, Value source, ValueRange from, Value target,
                   ValueRange to, bool adds);

  MemorySharing &sharing;
  RefLowering &refs;
};

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOCPU_ASYNCLOWERING_H
