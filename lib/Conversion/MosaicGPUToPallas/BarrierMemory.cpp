//===- BarrierMemory.cpp - Which barriers a kernel has --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers are initialized by operations in the kernel; a ref to barriers has
// the number of arrivals in its type. This file reads the first and makes the
// second:
//   "mosaic_gpu.initialize_barrier"(%p) <{arrival_count = 2, num_barriers = 4}>
// makes the scratch argument
//   %b: !pallas.ref<4x!pallas.barrier<numArrivals = 2>, smem>
//
//===----------------------------------------------------------------------===//

#include "Barriers.h"

using namespace mlir;
using namespace mlir::pallas;

/// The pallas dialect has the count in the type of a barrier, so each barrier
/// is initialized once, at a position that is known here.
LogicalResult BarrierRaiser::initialize(Operation *op, Value pointer,
                                        int64_t numBarriers, int64_t count,
                                        bool countsThreads, bool orders) {
  FailureOr<Place> place = getPlace(op, pointer);
  if (failed(place))
    return failure();
  BarrierSlice &slice = *place->slice;
  if (!place->offsets.empty() ||
      place->index + numBarriers > int64_t(slice.counts.size()))
    return op->emitOpError()
           << "initializes " << numBarriers << " barriers of a slice that has "
           << slice.counts.size()
           << "; initialize those of one slice, at a constant "
              "position";
  slice.countsThreads |= countsThreads;
  slice.orders |= orders;
  for (int64_t i = 0; i < numBarriers; ++i) {
    if (slice.counts[place->index + i])
      return op->emitOpError() << "initializes barrier " << place->index + i
                               << " of its slice a second time";
    slice.counts[place->index + i] = count;
  }
  return success();
}

FailureOr<bool> BarrierRaiser::readInitialization(Operation *op) {
  LogicalResult result = success();
  if (auto init = dyn_cast<mosaic_gpu::InitializeBarrierOp>(op)) {
    result = initialize(op, init.getBasePointer(), init.getNumBarriers(),
                        init.getArrivalCount(), /*countsThreads=*/false,
                        init.getOrdersTensorCore());
  } else if (auto init = dyn_cast<NVVM::MBarrierInitOp>(op)) {
    std::optional<int64_t> count = getConstantIntValue(init.getCount());
    if (!count || *count <= 0)
      return op->emitOpError("counts a number of arrivals that is not a "
                             "positive constant");
    result = initialize(op, init.getAddr(), 1, *count, /*countsThreads=*/true,
                        /*orders=*/false);
  } else {
    return false;
  }
  if (failed(result))
    return failure();
  return true;
}

/// Goes first: uses need the counts. mosaic_gpu counts warpgroups at a barrier,
/// nvvm threads; which it was is kept to check arrivals.
LogicalResult BarrierRaiser::readInitializations() {
  return eraseRaised([&](Operation *op) { return readInitialization(op); });
}

LogicalResult
BarrierRaiser::eraseRaised(function_ref<FailureOr<bool>(Operation *)> raise) {
  SmallVector<Operation *> raised;
  WalkResult result = block.walk([&](Operation *op) -> WalkResult {
    FailureOr<bool> isRaised = raise(op);
    if (failed(isRaised))
      return failure();
    if (*isRaised)
      raised.push_back(op);
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  for (Operation *op : raised)
    op->erase();
  return success();
}

/// Barriers live as long as the kernel, so no other slice may have their bytes:
///   %s = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> 64x64xf32
///   %b = "mosaic_gpu.slice_smem"() <{offset = 16376 : i32}> : () -> barriers
/// is an error at %s, which ends at byte 16384.
LogicalResult BarrierRaiser::checkMemory() {
  auto check = [&](BarrierSlice &slice, mosaic_gpu::SliceSMEMOp other,
                   int64_t bytes) -> LogicalResult {
    int64_t begin = slice.op.getOffset(), first = other.getOffset();
    int64_t end = begin + slice.counts.size() * mosaic_gpu::kBarrierBytes;
    if (first >= end || begin >= first + bytes)
      return success();
    InFlightDiagnostic diag =
        other.emitOpError()
        << "holds bytes " << first << " to " << first + bytes
        << " of shared memory, of which barriers have " << begin << " to "
        << end << "; move it behind them";
    diag.attachNote(slice.op->getLoc()) << "the barriers are here";
    return diag;
  };
  for (auto &[offset, slice] : slices) {
    int64_t bytes = slice->counts.size() * mosaic_gpu::kBarrierBytes;
    if (failed(checkEnd(slice->op, offset, bytes, raiser.kernel.sharedBytes)))
      return failure();
    auto next = slices.upper_bound(offset);
    if (next != slices.end() &&
        failed(check(*slice, next->second->op,
                     next->second->counts.size() * mosaic_gpu::kBarrierBytes)))
      return failure();
  }
  WalkResult result = block.walk([&](mosaic_gpu::SliceSMEMOp op) -> WalkResult {
    auto type = cast<MemRefType>(op.getType());
    if (isa<mosaic_gpu::BarrierType>(type.getElementType()) ||
        !type.hasStaticShape() || !type.getElementType().isIntOrFloat())
      return WalkResult::advance();
    for (auto &[offset, slice] : slices)
      if (failed(check(*slice, op,
                       getBoxBytes(type.getElementType(), type.getShape()))))
        return failure();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// Adds the refs. All barriers of one slice have the same count.
LogicalResult BarrierRaiser::createRefs() {
  for (auto &[offset, slice] : slices) {
    ArrayRef<std::optional<int64_t>> counts = slice->counts;
    auto missing = llvm::find(counts, std::nullopt);
    if (missing != counts.end())
      return slice->op.emitOpError("holds ")
             << counts.size()
             << " barriers, of which nothing initializes number "
             << missing - counts.begin() << "; initialize all of them";
    int64_t count = *counts.front();
    auto other = llvm::find_if(counts, [&](auto c) { return c != count; });
    if (other != counts.end())
      return slice->op.emitOpError("holds barriers of which one counts ")
             << **other << " arrivals and one " << count
             << "; initialize all barriers of a slice with the same count";
    auto type = pallas::BarrierType::get(b.getContext(), count, slice->orders);
    slice->scratch = raiser.addScratch(
        RefType::get(int64_t(counts.size()), type, MemorySpace::Smem),
        slice->op.getLoc());
  }
  return success();
}
