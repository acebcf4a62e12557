//===- SynchronizationChecks.cpp - What orders accesses -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file emits the calls of checked mode that order accesses: those of
// meshes, async copies, matmuls, semaphores and barriers. The conversion
// completes each copy and matmul when it starts. The calls tell the runtime
// when it could have run on the device, so that races are found although
// nothing races here.
//
//===----------------------------------------------------------------------===//

#include "AccumulatorReads.h"
#include "Checks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "pallas/Dialect/Pallas/Utils/Locations.h"
#include "pallas/Dialect/Pallas/Utils/RootRefs.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Semaphores and barriers
//===----------------------------------------------------------------------===//

/// Zero for a null memory.
Value CheckEmitter::getAddressWord(Location loc, Value memory) {
  if (!memory)
    return word(loc, 0);
  SmallVector<Value> words;
  appendView(words, memory);
  return words.front();
}

/// Orders everything that this thread has done before what a waiter does next.
void CheckEmitter::checkSignal(Location loc, Value semaphore, Value amount) {
  if (checked)
    callChecker(loc, "pallas_check_signal",
                b.createString(loc, spellLocation(loc)),
                {getAddressWord(loc, semaphore),
                 amount ? toWord(amount) : word(loc, 1)});
}

void CheckEmitter::checkArrival(Operation *op, Value barrier, Value place,
                                int64_t numArrivals) {
  Location loc = op->getLoc();
  if (checked)
    callChecker(loc, "pallas_check_arrival",
                createSite(op, describeRef(barrier)),
                {getAddressWord(loc, place), word(loc, numArrivals)});
}

/// Emitted behind the wait itself, when the signals have arrived.
void CheckEmitter::checkWait(Location loc, Value semaphore, Value amount) {
  if (checked)
    callChecker(loc, "pallas_check_wait",
                b.createString(loc, spellLocation(loc)),
                {getAddressWord(loc, semaphore), toWord(amount)});
}

/// Reports semaphores that are not zero when their scope ends. Barriers may
/// have any count.
void CheckEmitter::checkSemaphoresEnd(Operation *op, BlockArgument ref,
                                      Value place) {
  auto type = dyn_cast<RefType>(ref.getType());
  if (!checked || !type ||
      !isa<SemaphoreType, DMASemaphoreType>(type.getElementType()))
    return;
  SmallVector<Value> words;
  appendView(words, place);
  callChecker(op->getLoc(), "pallas_check_semaphores_end",
              createSite(op, describeRef(ref)), words);
}

bool CheckEmitter::checksBarrierOf(Operation *op) const {
  return checked && op->walk([](GetBarrierSemaphoreOp) {
                        return WalkResult::interrupt();
                      }).wasInterrupted();
}

/// Reports the semaphore at which devices meet. It outlives the call, so a
/// count that stays lets a device of the next call pass too early.
void CheckEmitter::checkBarrierEnd(Operation *op) {
  Location loc = op->getLoc();
  SmallVector<Value> words;
  appendView(words, b.getBarrierSemaphore(loc, getCollectiveId(op)));
  callChecker(loc, "pallas_check_semaphores_end",
              createSite(op, "the barrier semaphore"), words);
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// A copy of one view to another.
void CheckEmitter::checkCopyStart(Operation *op, Value source, Value target,
                                  const CopyViews &views, Value amount,
                                  bool adds) {
  checkCopyBegin(op, source, target);
  checkCopyPart(op, source, target, views.source, views.target, adds);
  checkCopyEnd(op->getLoc(), views, amount);
}

/// Begins a copy that has one part per element, or just one.
void CheckEmitter::checkCopyBegin(Operation *op, Value source, Value target) {
  if (!checked)
    return;
  auto load = dyn_cast<CopyGmemToSmemOp>(op);
  callChecker(op->getLoc(), "pallas_check_copy_begin",
              createSite(op, describeRef(source) + "\n" + describeRef(target)),
              word(op->getLoc(), load && load.getCollectiveAxes()));
}

/// The copy that has begun goes by the indices in `ref`, which it may read
/// until its end.
void CheckEmitter::checkCopyIndices(Operation *op, Value ref) {
  if (!checked)
    return;
  SmallVector<Value> words;
  appendView(words, getMemory(ref));
  callChecker(op->getLoc(), "pallas_check_copy_indices",
              createSite(op, describeRef(ref)), words);
}

/// The source is read and the target written until the copy is waited for. With
/// `adds` the writes are atomic, so that two such copies don't race.
void CheckEmitter::checkCopyPart(Operation *op, Value source, Value target,
                                 Value sourceView, Value targetView,
                                 bool adds) {
  if (!checked)
    return;
  SmallVector<Value> words{word(op->getLoc(), adds)};
  appendView(words, sourceView);
  appendView(words, targetView);
  callChecker(op->getLoc(), "pallas_check_copy_part",
              createSite(op, describeRef(source) + "\n" + describeRef(target)),
              words);
}

/// Without a semaphore the copy belongs to the group that is open.
void CheckEmitter::checkCopyEnd(Location loc, const CopyViews &views,
                                Value amount) {
  if (!checked)
    return;
  Value words[] = {getAddressWord(loc, views.sourceSemaphore),
                   amount ? toWord(amount) : word(loc, 0)};
  callChecker(loc, "pallas_check_copy_end",
              getAddressWord(loc, views.semaphore), words);
}

/// The copy writes the same memory of other blocks, too.
void CheckEmitter::checkMulticast(CopyGmemToSmemOp op, Value barrier,
                                  ValueRange meeting, Value target) {
  SmallVector<Value> words{getAddressWord(op.getLoc(), barrier)};
  llvm::append_range(words, meeting);
  appendView(words, target);
  callChecker(op.getLoc(), "pallas_check_multicast",
              createSite(op, describeRef(op.getSource()) + "\n" +
                                 describeRef(op.getTarget())),
              words);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// A matmul that may run until it is waited for, or a read of the value of one.
/// Operands that are values were read when it started. `barrier` may be null.
void CheckEmitter::checkProduct(Operation *op, ValueRange operands, Value acc,
                                Value accumulates, Value barrier) {
  if (!checked)
    return;
  Location loc = op->getLoc();
  if (auto deref = dyn_cast<AccumulatorDerefOp>(op)) {
    for (int64_t product : getProducts(deref))
      callChecker(loc, "pallas_check_accumulator",
                  createSite(op, "its accumulator"), word(loc, product));
    return;
  }
  callChecker(loc, "pallas_check_product_begin",
              createSite(op, "its accumulator"),
              word(loc, getProductNumber(op)));
  auto access = [&](Value ref, Value kind) {
    Value view = getMemory(ref);
    if (!view)
      return;
    checkCommitted(op, ref, view);
    SmallVector<Value> words{kind};
    appendView(words, view);
    callChecker(loc, "pallas_check_product_access",
                createSite(op, describeRef(ref)), words);
  };
  for (Value operand : operands)
    access(operand, word(loc, static_cast<int64_t>(AccessKind::Read)));
  if (acc) {
    Value update = word(loc, static_cast<int64_t>(AccessKind::Update));
    // Whether the accumulator is read is known at run time only, and reading an
    // unwritten one is a finding.
    if (accumulates)
      update = arith::SelectOp::create(
          b, loc, accumulates, update,
          word(loc, static_cast<int64_t>(AccessKind::Write)));
    access(acc, update);
  }
  callChecker(loc, "pallas_check_product_end", getAddressWord(loc, barrier),
              {});
  // Those of warpgroups are a group of their own each.
  if (isa<WGMMAOp, WGMMARefOp>(op))
    callChecker(loc, "pallas_check_commit_products", word(loc, 0), {});
}

/// An arrival at `barrier` once all matmuls so far have ended.
void CheckEmitter::checkFollowProducts(Location loc, Value barrier) {
  if (checked)
    callChecker(loc, "pallas_check_follow_products",
                getAddressWord(loc, barrier), {});
}

//===----------------------------------------------------------------------===//
// Commits and waits
//===----------------------------------------------------------------------===//

/// Async copies and products see no store to shared memory before it is
/// committed; `view` is what `op` reads of the ref.
void CheckEmitter::checkCommitted(Operation *op, Value ref, Value view) {
  auto type = dyn_cast<RefType>(ref.getType());
  if (!checked || !type || type.getSpace() != MemorySpace::Smem)
    return;
  SmallVector<Value> words;
  appendView(words, view);
  callChecker(op->getLoc(), "pallas_check_committed",
              createSite(op, describeRef(ref)), words);
}

void CheckEmitter::lower(CheckCommitOp op) {
  Location loc = op.getLoc();
  bool commitsCopies = op.getKind() == CommittedWork::Copies;
  callChecker(loc,
              commitsCopies ? "pallas_check_commit_copies"
                            : "pallas_check_commit_stores",
              word(loc, 0), {});
}

void CheckEmitter::lower(CheckWaitOp op) {
  Location loc = op.getLoc();
  Value pending = word(loc, op.getPending());
  if (op.getKind() == AwaitedWork::Products)
    return callChecker(loc, "pallas_check_wait_for_products", pending, {});
  callChecker(loc, "pallas_check_wait_for_copies", pending,
              word(loc, op.getKind() == AwaitedWork::Sources));
}

void CheckEmitter::lower(CheckTensorMemoryWaitOp op) {
  AccessKind kind = op.getKind() == TensorMemoryWork::Loads ? AccessKind::Read
                                                            : AccessKind::Write;
  callChecker(op.getLoc(), "pallas_check_wait_for_tensor_memory",
              word(op.getLoc(), static_cast<int64_t>(kind)), {});
}

//===----------------------------------------------------------------------===//
// Meshes
//===----------------------------------------------------------------------===//

/// Cores of a mesh are unordered, also where they run one after the other. The
/// runtime forks a thread of its race detector for each of them.
void CheckEmitter::checkPointsBegin(Location loc) {
  if (checked)
    callChecker(loc, "pallas_check_points_begin", word(loc, 0), {});
}

void CheckEmitter::checkPointBegin(Location loc, ValueRange ids) {
  if (!checked)
    return;
  SmallVector<Value> words;
  for (Value id : ids)
    words.push_back(toWord(id));
  callChecker(loc, "pallas_check_point_begin", word(loc, ids.size()), words);
}

void CheckEmitter::checkPointEnd(Location loc) {
  if (checked)
    callChecker(loc, "pallas_check_point_end", word(loc, 0), {});
}

void CheckEmitter::checkPointsEnd(Location loc) {
  if (checked)
    callChecker(loc, "pallas_check_points_end", word(loc, 0), {});
}
