//===- Barriers.h - Barriers in shared memory as refs -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_MOSAICGPUTOPALLAS_BARRIERS_H
#define PALLAS_LIB_CONVERSION_MOSAICGPUTOPALLAS_BARRIERS_H

#include "MemoryParts.h"

namespace mlir::pallas {

/// Replaces all operations on barriers of a kernel, and the copies that arrive
/// there.
class BarrierRaiser {
public:
  explicit BarrierRaiser(KernelRaiser &raiser)
      : raiser(raiser), b(raiser.b), block(*raiser.block) {}

  LogicalResult run();

private:
  /// Barriers that lie one behind the other.
  struct BarrierSlice {
    mosaic_gpu::SliceSMEMOp op;
    /// How many arrivals each one counts.
    SmallVector<std::optional<int64_t>> counts;
    /// Whether these are arrivals of threads, not of warpgroups.
    bool countsThreads = false;
    bool orders = false;
    Value scratch;
  };
  /// One barrier: at `index` plus all `offsets` of its slice. `block` tells
  /// along x, y and z whose it is, where that is another one.
  struct Place {
    BarrierSlice *slice = nullptr;
    int64_t index = 0;
    SmallVector<Value> offsets;
    std::array<Value, 3> block;

    bool operator==(const Place &other) const {
      return slice == other.slice && index == other.index &&
             offsets == other.offsets && block == other.block;
    }
  };
  /// Bytes of copies that an arrival waits for.
  struct Expectation {
    mosaic_gpu::ArriveExpectTxOp op;
    Place place;
    int64_t bytes = 0, missing = 0;
  };

  // Addresses
  Place findSlice(mosaic_gpu::SliceSMEMOp slice);
  Place resolve(Value value);
  Place resolveInteger(Value value);
  Place resolveElement(LLVM::GEPOp element);
  FailureOr<Place> getPlace(Operation *op, Value barrier);
  /// The ref to a barrier, made at the insertion point.
  FailureOr<Value> getBarrier(Operation *op, Value barrier);
  Value createRef(const Place &place, Location loc);
  /// The memref as a ref; the cast goes away with the conversion of the memref.
  Value getRefOf(Value memref, Location loc);

  LogicalResult initialize(Operation *op, Value pointer, int64_t numBarriers,
                           int64_t count, bool countsThreads, bool orders);
  LogicalResult readInitializations();
  /// Reads an initialization, if the operation is one.
  FailureOr<bool> readInitialization(Operation *op);
  /// Erases the operations of the kernel for which `raise` is true.
  LogicalResult eraseRaised(function_ref<FailureOr<bool>(Operation *)> raise);
  LogicalResult checkMemory();
  LogicalResult createRefs();

  /// Barriers count threads or warpgroups, and others may not arrive.
  LogicalResult checkArrival(Operation *op, const Place &place, bool isThread);
  LogicalResult arrive(Operation *op, Value barrier, bool isThread,
                       Value predicate);
  Value createParity(Location loc, Value phase);
  LogicalResult wait(Operation *op, Value barrier, Value parity);
  LogicalResult test(NVVM::MBarrierTestWaitOp op);
  LogicalResult followProducts(mosaic_gpu::TCGen05CommitArriveOp op);
  LogicalResult arriveAtBlock(LLVM::InlineAsmOp op);
  LogicalResult storeToBlock(mosaic_gpu::AsyncStoreSmemOp op);
  /// The barrier of this number that `count` warpgroups meet at.
  Value getMeeting(Location loc, int64_t id, int64_t count);
  void meet(Operation *op, int64_t id, int64_t numWarpgroups);
  LogicalResult meetNamed(LLVM::InlineAsmOp op);
  LogicalResult meetCluster(Operation *op, bool waits);
  FailureOr<bool> raise(Operation *op);

  // Loads.cpp
  LogicalResult raiseLoads();
  LogicalResult raiseLoadsOf(Block &block);
  FailureOr<Expectation> readExpectation(mosaic_gpu::ArriveExpectTxOp op);
  LogicalResult raiseLoad(mosaic_gpu::AsyncLoadOp load,
                          SmallVectorImpl<Expectation> &open);
  FailureOr<mosaic_gpu::ArriveExpectTxOp>
  findTrackedArrival(mosaic_gpu::AsyncLoadOp load, StringRef axis);
  LogicalResult raiseTrackedLoad(mosaic_gpu::AsyncLoadOp load);
  LogicalResult createCopy(mosaic_gpu::AsyncLoadOp load, bool isLast);

  // LaunchControl.cpp
  LogicalResult raiseLaunchControl();
  FailureOr<mosaic_gpu::ArriveExpectTxOp>
  findAnswerArrival(mosaic_gpu::TryClusterCancelOp ask);
  LogicalResult raiseQuestion(mosaic_gpu::TryClusterCancelOp ask);
  void raiseAnswer(mosaic_gpu::QueryClusterCancelOp answer);

  KernelRaiser &raiser;
  OpBuilder &b;
  Block &block;
  /// By their offset in shared memory.
  std::map<int64_t, std::unique_ptr<BarrierSlice>> slices;
  std::map<std::pair<int64_t, int64_t>, Value> meetings;
  Value clusterBarrier;
};

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_MOSAICGPUTOPALLAS_BARRIERS_H
