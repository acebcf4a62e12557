//===- AsyncChecks.cpp - Checks of semaphores, barriers and copies --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file lowers the operations that pallas-insert-checks puts beside
// signals, waits and async copies. They find memory as the operations do that
// they are about: on a device, of a core, by the mesh around, through index
// arrays.
//
//===----------------------------------------------------------------------===//

#include "AsyncLowering.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Semaphores
//===----------------------------------------------------------------------===//

LogicalResult AsyncLowering::lowerCheck(CheckSemaphoreSignalOp op) {
  FailureOr<MemorySharing::Peer> peer = sharing.getPeer(
      op, op.getDeviceIds(), op.getDeviceAxesAttr(), op.getDeviceIdType(),
      op.getCoreIndex(), op.getSemaphore());
  if (failed(peer))
    return failure();
  Value semaphore = sharing.getAtPeer(op, getMemory(op.getSemaphore()), *peer);
  checker.checkSignal(op.getLoc(), semaphore, op.getIncrement());
  return success();
}

LogicalResult AsyncLowering::lowerCheck(CheckSemaphoreWaitOp op) {
  checker.checkWait(op.getLoc(), getMemory(op.getSemaphore()), op.getCount());
  return success();
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// The refs that hold the indices are read until the copy has ended. A copy
/// through indices has a part for each element:
///
///   llvm.call @pallas_check_copy_begin(%site, ...)
///   scf.for %k = %c0 to %c4 step %c1 {
///     %index = memref.load %i[%k] : memref<4xi32>
///     ...
///     llvm.call @pallas_check_copy_part(%site, ...)
///   }
///   llvm.call @pallas_check_copy_end(%semaphore, ...)
LogicalResult AsyncLowering::lowerCheck(CheckDMAStartOp op) {
  Location loc = op.getLoc();
  FailureOr<MemorySharing::Peer> peer =
      sharing.getPeer(op, op.getDeviceIds(), op.getDeviceAxesAttr(),
                      op.getDeviceIdType(), op.getCoreIndex(), op.getTarget());
  if (failed(peer))
    return failure();
  CopyEnds refs{op.getSource(), op.getTarget(), op.getSemaphore(),
                op.getSourceSemaphore()};
  CopyEnds ends = findMemory(op, refs, *peer);
  Value amount = getByteCount(op.getTarget(), loc);
  checker.checkCopyBegin(op);
  if (isThroughIndices(refs)) {
    for (auto [ref, name] :
         llvm::zip_equal(op.getIndexRefs(),
                         op.getIndexNames().getAsValueRange<StringAttr>()))
      checker.checkCopyIndices(op, ref, name);
    if (failed(forEachCopiedElement(
            op, refs, ends.target,
            [&](Value source, ValueRange from, Value target, ValueRange to) {
              checker.checkCopyPart(op, b.createElement(loc, source, from),
                                    b.createElement(loc, target, to),
                                    op.getAdd());
            })))
      return failure();
  } else {
    auto [source, target] = b.getCommonPart(loc, ends.source, ends.target);
    checker.checkCopyPart(op, source, target, op.getAdd());
  }
  checker.checkCopyEnd(loc, ends.semaphore, ends.sourceSemaphore, amount);
  return success();
}

LogicalResult AsyncLowering::lowerCheck(CheckDMAWaitOp op) {
  Location loc = op.getLoc();
  checker.checkWait(loc, getMemory(op.getSemaphore()),
                    getByteCount(op.getPlace(), loc));
  return success();
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

/// The checker knows a barrier by its address, as it does a semaphore.
void AsyncLowering::checkMeeting(Location loc, const Meeting &meeting,
                                 BarrierSide side) {
  Value place =
      b.wrapAddress(loc, meeting.barrier, MemRefType::get({}, b.getI32Type()));
  if (side == BarrierSide::Arrive)
    checker.checkSignal(loc, place);
  else
    checker.checkWait(loc, place, b.createInteger(loc, meeting.numMembers, 64));
}

/// The checks on both sides of a barrier name one of the runtime that nothing
/// else uses: sites of the lowering are not negative.
///
///   %b = llvm.call @pallas_rt_core_barrier(%c-1_i64, %group)
///   llvm.call @pallas_check_signal(%site, %b, %c1_i64)
///
/// Without such an axis there is nothing to report: the barrier is refused.
LogicalResult AsyncLowering::lowerCheck(CheckCoreBarrierOp op) {
  if (!isAlongMesh(op.getAxisName()))
    return success();
  Location loc = op.getLoc();
  Meeting meeting = findMeeting(
      loc,
      [&](MeshAxisAttr axis) { return axis.getName() == op.getAxisName(); },
      -1 - int64_t(op.getNumber()));
  checkMeeting(loc, meeting, op.getSide());
  return success();
}

LogicalResult AsyncLowering::lowerCheck(CheckClusterSyncOp op) {
  if (!sharing.kernels.empty())
    checkMeeting(op.getLoc(),
                 findClusterMeeting(op.getLoc(), op.getThreads(),
                                    -1 - int64_t(op.getNumber())),
                 op.getSide());
  return success();
}

LogicalResult AsyncLowering::lowerCheck(CheckArrivalOp op) {
  Value place = getMemory(op.getBarrier());
  if (op.getThread())
    checker.checkSignal(op.getLoc(), place);
  checker.checkArrival(op, place, getNumArrivals(op.getBarrier()));
  return success();
}

/// A wait by parity may be for any number of phases, which the runtime knows:
///
///   %n = llvm.call @pallas_rt_new_arrivals(%b) : (!llvm.ptr) -> i64
///   llvm.call @pallas_check_wait_for_phase(%site, %address, %n)
LogicalResult AsyncLowering::lowerCheck(CheckPhaseOp op) {
  Location loc = op.getLoc();
  Value place = getMemory(op.getBarrier());
  Value arrivals =
      op.getParity()
          ? b.callRuntime(loc, "pallas_rt_new_arrivals",
                          {b.getAddress(loc, place)}, b.getI64Type())
          : b.createInteger(loc, getNumArrivals(op.getBarrier()), 64);
  checker.checkWait(loc, place, arrivals, /*isPhase=*/true);
  return success();
}
