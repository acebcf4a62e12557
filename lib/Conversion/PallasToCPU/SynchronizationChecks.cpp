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

#include "Buffers.h"
#include "Checks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "pallas/Dialect/Pallas/Utils/Concurrency.h"
#include "pallas/Dialect/Pallas/Utils/Locations.h"
#include "pallas/Dialect/Pallas/Utils/RootRefs.h"
#include "llvm/ADT/TypeSwitch.h"

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
  callChecker(
      loc, "pallas_check_signal", b.createString(loc, spellLocation(loc)),
      {getAddressWord(loc, semaphore), amount ? toWord(amount) : word(loc, 1)});
}

void CheckEmitter::checkArrival(CheckArrivalOp op, Value place,
                                int64_t numArrivals) {
  Location loc = op.getLoc();
  callChecker(loc, "pallas_check_arrival",
              createSite(op, op.getAccessor(), op.getName()),
              {getAddressWord(loc, place), word(loc, numArrivals)});
}

/// Emitted behind the wait itself, when the signals have arrived.
void CheckEmitter::checkWait(Location loc, Value semaphore, Value amount,
                             bool isPhase) {
  callChecker(loc,
              isPhase ? "pallas_check_wait_for_phase" : "pallas_check_wait",
              b.createString(loc, spellLocation(loc)),
              {getAddressWord(loc, semaphore), toWord(amount)});
}

/// Semaphores that are not zero when their scope ends are findings.
void CheckEmitter::lower(CheckSemaphoresEndOp op) {
  SmallVector<Value> words;
  appendView(words, getMemory(op.getRef()));
  callChecker(op.getLoc(), "pallas_check_semaphores_end",
              createSite(op, op.getAccessor(), op.getName()), words);
}

/// Reports the semaphore at which devices meet. It outlives the call, so a
/// count that stays lets a device of the next call pass too early.
void CheckEmitter::lower(CheckBarrierEndOp op) {
  Location loc = op.getLoc();
  SmallVector<Value> words;
  appendView(words, b.getBarrierSemaphore(loc, op.getCollectiveId()));
  callChecker(loc, "pallas_check_semaphores_end",
              createSite(op, op.getAccessor(), "the barrier semaphore"), words);
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Of the copy that a check is about, with the names of both ends.
Value CheckEmitter::createCopySite(Operation *check) {
  return llvm::TypeSwitch<Operation *, Value>(check)
      .Case<CheckDMAStartOp, CheckCopyGmemToSmemOp, CheckCopySmemToGmemOp>(
          [&](auto op) {
            return createSite(op, getCheckedName(op),
                              op.getSourceName() + "\n" + op.getTargetName());
          });
}

/// Begins a copy that has one part per element, or just one.
void CheckEmitter::checkCopyBegin(Operation *check) {
  auto load = dyn_cast<CheckCopyGmemToSmemOp>(check);
  callChecker(check->getLoc(), "pallas_check_copy_begin", createCopySite(check),
              word(check->getLoc(), load && load.getCollectiveAxes()));
}

/// The copy that has begun goes by the indices in `ref`, which it may read
/// until its end.
void CheckEmitter::checkCopyIndices(CheckDMAStartOp op, Value ref,
                                    StringRef name) {
  SmallVector<Value> words;
  appendView(words, getMemory(ref));
  callChecker(op.getLoc(), "pallas_check_copy_indices",
              createSite(op, getCheckedName(op), name), words);
}

/// The source is read and the target written until the copy is waited for. With
/// `adds` the writes are atomic, so that two such copies don't race.
void CheckEmitter::checkCopyPart(Operation *check, Value source, Value target,
                                 bool adds) {
  SmallVector<Value> words{word(check->getLoc(), adds)};
  appendView(words, source);
  appendView(words, target);
  callChecker(check->getLoc(), "pallas_check_copy_part", createCopySite(check),
              words);
}

/// Without a semaphore the copy belongs to the group that is open.
void CheckEmitter::checkCopyEnd(Location loc, Value semaphore,
                                Value sourceSemaphore, Value amount) {
  Value words[] = {getAddressWord(loc, sourceSemaphore),
                   amount ? toWord(amount) : word(loc, 0)};
  callChecker(loc, "pallas_check_copy_end", getAddressWord(loc, semaphore),
              words);
}

/// Elements outside of their array are filled with zeros.
void CheckEmitter::checkFill(CheckCopyGmemToSmemOp op, AccessKind kind) {
  callAccess(op.getLoc(),
             createSite(op, getCheckedName(op), op.getTargetName()), kind,
             getMemory(op.getTarget()));
}

/// The copy writes the same memory of other blocks, too.
void CheckEmitter::checkMulticast(CheckCopyGmemToSmemOp op, ValueRange group) {
  SmallVector<Value> words{
      getAddressWord(op.getLoc(), getMemory(op.getBarrier()))};
  llvm::append_range(words, group);
  appendView(words, getMemory(op.getTarget()));
  callChecker(op.getLoc(), "pallas_check_multicast", createCopySite(op), words);
}

/// Async copies and products see no store to shared memory before it is
/// committed; `view` is what they read.
void CheckEmitter::checkCommitted(Operation *check, StringRef name,
                                  Value view) {
  SmallVector<Value> words;
  appendView(words, view);
  callChecker(check->getLoc(), "pallas_check_committed",
              createSite(check, getCheckedName(check), name), words);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Whether the accumulator is read is known at run time only, and reading an
/// unwritten one is a finding.
void CheckEmitter::lower(CheckProductOp op) {
  Location loc = op.getLoc();
  callChecker(loc, "pallas_check_product_begin",
              createSite(op, op.getAccessor(), "its accumulator"),
              word(loc, op.getNumber()));
  auto names = op.getNames().getAsValueRange<StringAttr>();
  auto access = [&](Value ref, StringRef name, Value kind) {
    Value view = getMemory(ref);
    auto type = dyn_cast<RefType>(ref.getType());
    if (type && type.getSpace() == MemorySpace::Smem)
      checkCommitted(op, name, view);
    SmallVector<Value> words{kind};
    appendView(words, view);
    callChecker(loc, "pallas_check_product_access",
                createSite(op, op.getAccessor(), name), words);
  };
  for (auto [matrix, name] : llvm::zip(op.getMatrices(), names))
    access(matrix, name, word(loc, static_cast<int64_t>(AccessKind::Read)));
  if (Value acc = op.getAcc()) {
    Value update = word(loc, static_cast<int64_t>(AccessKind::Update));
    if (Value accumulates = op.getAccumulate())
      update = arith::SelectOp::create(
          b, loc, accumulates, update,
          word(loc, static_cast<int64_t>(AccessKind::Write)));
    access(acc, cast<StringAttr>(op.getNames()[op.getNames().size() - 1]),
           update);
  }
  Value barrier = op.getBarrier();
  callChecker(loc, "pallas_check_product_end",
              getAddressWord(loc, barrier ? getMemory(barrier) : Value()), {});
}

void CheckEmitter::lower(CheckAccumulatorOp op) {
  Location loc = op.getLoc();
  for (int64_t product : op.getProducts())
    callChecker(loc, "pallas_check_accumulator",
                createSite(op, getCheckedName(op), "its accumulator"),
                word(loc, product));
}

/// An arrival at the barrier once all matmuls so far have ended.
void CheckEmitter::lower(CheckFollowProductsOp op) {
  callChecker(op.getLoc(), "pallas_check_follow_products",
              getAddressWord(op.getLoc(), getMemory(op.getBarrier())), {});
}

//===----------------------------------------------------------------------===//
// Commits and waits
//===----------------------------------------------------------------------===//

static StringRef getCallee(CommittedWork work) {
  switch (work) {
  case CommittedWork::Copies:
    return "pallas_check_commit_copies";
  case CommittedWork::Stores:
    return "pallas_check_commit_stores";
  case CommittedWork::Products:
    return "pallas_check_commit_products";
  }
  llvm_unreachable("unknown work");
}

void CheckEmitter::lower(CheckCommitOp op) {
  callChecker(op.getLoc(), getCallee(op.getKind()), word(op.getLoc(), 0), {});
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
void CheckEmitter::lower(CheckCoresBeginOp op) {
  callChecker(op.getLoc(), "pallas_check_points_begin", word(op.getLoc(), 0),
              {});
}

void CheckEmitter::lower(CheckCoresEndOp op) {
  callChecker(op.getLoc(), "pallas_check_points_end", word(op.getLoc(), 0), {});
}

///   pallas.check_core_begin(%i) scratch [!pallas.ref<8xf32, vmem>]
///
/// becomes
///
///   llvm.call @pallas_check_point_begin(%c1, %i)
///   llvm.call @pallas_check_buffer(%vmem, %c32)
void CheckEmitter::lower(CheckCoreBeginOp op) {
  Location loc = op.getLoc();
  callChecker(loc, "pallas_check_point_begin", word(loc, op.getIds().size()),
              toWords(op.getIds()));
  beginBuffers(b, loc, op.getScratch());
}

void CheckEmitter::lower(CheckCoreEndOp op) {
  Location loc = op.getLoc();
  endBuffers(b, loc, countBuffers(op.getScratch()));
  callChecker(loc, "pallas_check_point_end", word(loc, 0), {});
}
