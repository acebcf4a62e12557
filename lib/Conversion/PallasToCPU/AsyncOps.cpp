//===- AsyncOps.cpp - Semaphores, barriers and async copies ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file lowers semaphores, barriers and async copies. A copy is allowed to
// complete when it starts, so it does: `pallas.dma_start` is a `memref.copy`
// and `pallas.dma_wait` only counts.
//
// Two forms of a semaphore exist. If no other task or device can signal it, it
// is a plain count in memory, and a wait that finds the count too low could
// never end, so it is an error of the run. Otherwise each signal and wait is a
// call of the runtime, which switches to another task meanwhile.
//
//===----------------------------------------------------------------------===//

#include "AsyncLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "pallas/Dialect/Pallas/IR/RefEffects.h"
#include "pallas/Dialect/Pallas/Utils/ClusterAxes.h"
#include "pallas/Support/Widths.h"

using namespace mlir;
using namespace mlir::pallas;

/// Bytes of the elements of a ref, as DMA semaphores count them. A copy signals
/// the bytes that it moves and a wait subtracts as many, so several copies may
/// share a semaphore. Where an operand gives the length of a view, it counts as
/// given, as on hardware: a wait for several copies at once may name more bytes
/// than its ref has.
Value AsyncLowering::getByteCount(Value ref, Location loc) {
  auto type = cast<RefType>(ref.getType());
  int64_t bytes = getByteWidth(type.getElementType());
  if (type.hasStaticShape())
    return b.createInteger(loc, type.getNumElements() * bytes, 32);
  Value count = b.createIndex(loc, bytes);
  SmallVector<Value> sizes;
  if (SliceRefOp gather = getGather(ref))
    sizes = refs.createAccessSizes(
        cast<RefAccessOpInterface>(gather.getOperation()));
  else
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (Value given = createGivenLength(b, loc, ref, d))
        sizes.push_back(given);
      else
        sizes.push_back(memref::DimOp::create(b, loc, getMemory(ref), d));
  for (Value size : sizes)
    count = arith::MulIOp::create(b, loc, count, size);
  return arith::IndexCastOp::create(b, loc, b.getI32Type(), count);
}

/// Adds to a semaphore. For example, where no other task can see it:
///
///   pallas.semaphore_signal %s, %n : !pallas.ref<!pallas.semaphore, semaphore>
///
/// becomes
///
///   %count = memref.load %s[] : memref<i32>
///   %next = arith.addi %count, %n : i32
///   memref.store %next, %s[] : memref<i32>
///
/// and otherwise `llvm.call @pallas_rt_signal(%address, %n)`.
void AsyncLowering::signal(Location loc, Value semaphore, Value amount) {
  if (concurrency.synchronizes) {
    b.callRuntime(loc, "pallas_rt_signal",
                  {b.getAddress(loc, semaphore), amount});
    return;
  }
  Value count = memref::LoadOp::create(b, loc, semaphore);
  Value next = arith::AddIOp::create(b, loc, count, amount);
  memref::StoreOp::create(b, loc, next, semaphore);
}

/// Subtracts from a count when it is high enough, or reports that it will never
/// be. For example:
///
///   pallas.semaphore_wait %s, %n : !pallas.ref<!pallas.semaphore, semaphore>
///
/// becomes, without other tasks,
///
///   %count = memref.load %s[] : memref<i32>
///   %short = arith.cmpi slt, %count, %n : i32
///   scf.if %short { llvm.call @pallas_rt_short_count(%message, %count, %n) }
///   %rest = arith.subi %count, %n : i32
///   memref.store %rest, %s[] : memref<i32>
void AsyncLowering::waitForCount(Operation *op, Value semaphore, Value amount,
                                 bool decrement) {
  Location loc = op->getLoc();
  if (concurrency.synchronizes) {
    b.callRuntime(loc, "pallas_rt_wait",
                  {b.getAddress(loc, semaphore), amount,
                   b.createInteger(loc, decrement, 32), b.getPlace(loc)});
    return;
  }
  Value count = memref::LoadOp::create(b, loc, semaphore);
  Value isShort =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, count, amount);
  b.failIf(op, isShort,
           "deadlock: this waits for a semaphore that nothing is left to "
           "signal",
           "pallas_rt_short_count", {count, amount});
  if (decrement)
    memref::StoreOp::create(
        b, loc, arith::SubIOp::create(b, loc, count, amount), semaphore);
}

/// The memory of a copy that goes to `peer`. Only the memory that a view
/// selects from can be found there: the offset between two devices is that of a
/// whole allocation. A target that index arrays select has no address of its
/// own.
AsyncLowering::CopyEnds
AsyncLowering::findMemory(Operation *op, const CopyEnds &refs,
                          const MemorySharing::Peer &peer) {
  Value target = refs.target;
  if (!getMemory(target))
    target = target.getDefiningOp()->getOperand(0);
  CopyEnds ends;
  ends.source = getMemory(refs.source);
  ends.target = sharing.getAtPeer(op, getMemory(target), peer);
  ends.semaphore = sharing.getAtPeer(op, getMemory(refs.semaphore), peer);
  if (refs.sourceSemaphore)
    ends.sourceSemaphore = getMemory(refs.sourceSemaphore);
  return ends;
}

/// Copies at once, then signals both semaphores.
LogicalResult AsyncLowering::startCopy(DMAStartOp start) {
  Location loc = start.getLoc();
  FailureOr<MemorySharing::Peer> peer = sharing.getPeer(
      start, start.getDeviceIds(), start.getDeviceAxesAttr(),
      start.getDeviceIdType(), start.getCoreIndex(), start.getTarget());
  if (failed(peer))
    return failure();
  // The copy of such a view is private.
  if (peer->device && changesWidth(start.getTarget()))
    return emitErrorOf(start)
           << "copies to another core through " << start.getTarget().getType()
           << ", a view of elements of another width; such a copy adds "
              "nothing, has static sizes, and rows that are known to be "
              "whole rows of the ref behind the view";
  CopyEnds refs{start.getSource(), start.getTarget(), start.getSemaphore(),
                start.getSourceSemaphore()};
  CopyEnds ends = findMemory(start, refs, *peer);
  Value amount = getByteCount(start.getTarget(), loc);
  if (isThroughIndices(refs)) {
    if (failed(forEachCopiedElement(
            start, refs, ends.target,
            [&](Value source, ValueRange from, Value target, ValueRange to) {
              copyElement(loc, source, from, target, to, start.getAdd());
            })))
      return failure();
  } else {
    auto [source, target] = b.getCommonPart(loc, ends.source, ends.target);
    if (start.getAdd())
      b.update(loc, AtomicKind::Add, source, target);
    else
      memref::CopyOp::create(b, loc, source, target);
  }
  if (ends.sourceSemaphore)
    signal(loc, ends.sourceSemaphore, getByteCount(start.getSource(), loc));
  signal(loc, ends.semaphore, amount);
  return success();
}

/// A wait names the copy by its operands only to know how many bytes to expect.
/// It is not matched with a particular `pallas.dma_start`.
void AsyncLowering::waitForCopy(DMAWaitOp wait) {
  bool waitsForSource = static_cast<bool>(wait.getSourceSemaphore());
  Value place = waitsForSource ? wait.getSource() : wait.getTarget();
  Value semaphore =
      waitsForSource ? wait.getSourceSemaphore() : wait.getSemaphore();
  Value amount = getByteCount(place, wait.getLoc());
  waitForCount(wait, getMemory(semaphore), amount, /*decrement=*/true);
}

/// Dispatches on the operation. Operations with a result replace themselves and
/// return early; all others are erased at the end.
LogicalResult AsyncLowering::lowerAsync(Operation *op) {
  Location loc = op->getLoc();
  if (auto get = dyn_cast<GetBarrierSemaphoreOp>(op)) {
    memory[get.getSemaphore()] =
        b.getBarrierSemaphore(loc, getCollectiveId(op));
    return success();
  }
  if (auto read = dyn_cast<SemaphoreReadOp>(op)) {
    Value semaphore = getMemory(read.getSemaphore());
    if (concurrency.synchronizes)
      b.replaceOp(op, b.callRuntime(loc, "pallas_rt_read",
                                    {b.getAddress(loc, semaphore)},
                                    b.getI32Type()));
    else
      b.replaceOpWithNewOp<memref::LoadOp>(op, semaphore);
    return success();
  }
  if (auto signal = dyn_cast<SemaphoreSignalOp>(op)) {
    FailureOr<MemorySharing::Peer> peer = sharing.getPeer(
        op, signal.getDeviceIds(), signal.getDeviceAxesAttr(),
        signal.getDeviceIdType(), signal.getCoreIndex(), signal.getSemaphore());
    if (failed(peer))
      return failure();
    Value semaphore =
        sharing.getAtPeer(op, getMemory(signal.getSemaphore()), *peer);
    this->signal(loc, semaphore, signal.getIncrement());
  } else if (auto wait = dyn_cast<SemaphoreWaitOp>(op)) {
    waitForCount(op, getMemory(wait.getSemaphore()), wait.getCount(),
                 wait.getDecrement());
  } else if (auto start = dyn_cast<DMAStartOp>(op)) {
    if (failed(startCopy(start)))
      return failure();
  } else if (auto wait = dyn_cast<DMAWaitOp>(op)) {
    waitForCopy(wait);
  } else if (auto barrier = dyn_cast<CoreBarrierOp>(op)) {
    if (failed(lowerCoreBarrier(barrier)))
      return failure();
  } else if (auto sync = dyn_cast<ClusterSyncOp>(op)) {
    meet(loc, findClusterMeeting(loc, sync.getThreads()));
  } else {
    return lowerBarrier(op);
  }
  b.eraseOp(op);
  return success();
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

/// One arrival. A barrier and a semaphore have the same memory, an i32, but the
/// runtime has to know of phases: a wait may only see complete ones.
void AsyncLowering::arrive(Location loc, Value barrier) {
  Value place = getMemory(barrier);
  if (concurrency.synchronizes)
    b.callRuntime(loc, "pallas_rt_arrive", {b.getAddress(loc, place)});
  else
    signal(loc, place, b.createInteger(loc, 1, 32));
}

/// Tells the runtime which copies of other blocks belong to one: by the axes
/// of these blocks, the number of their group, the position of this block among
/// them, and their number.
SmallVector<Value> AsyncLowering::createGroupWords(Location loc,
                                                   ArrayAttr collective) {
  SmallVector<MeshAxisAttr> axes;
  SmallVector<Value> ids;
  for (PlacedKernel *kernel : sharing.kernels) {
    llvm::append_range(axes, kernel->getConcurrentAxes());
    llvm::append_range(
        ids, ArrayRef(kernel->ids).drop_front(kernel->firstConcurrent));
  }
  auto joins = [&](MeshAxisAttr axis) {
    return llvm::is_contained(collective, axis.getName());
  };
  PointGroup point = numberPoints(b, loc, axes, ids, joins);
  auto toWord = [&](Value number) -> Value {
    return arith::IndexCastOp::create(b, loc, b.getI64Type(), number);
  };
  int64_t mask = 0;
  for (auto [i, axis] : llvm::enumerate(axes))
    mask |= int64_t(joins(axis)) << i;
  return {b.createInteger(loc, mask, 64), toWord(point.group),
          toWord(point.member), b.createInteger(loc, point.numMembers, 64)};
}

/// The arrival of a copy that fills the shared memory of several blocks: their
/// barriers wait for the copies of all of them. Where nothing asks for that,
/// each block gets the same elements by its own copy.
void AsyncLowering::arriveTogether(CopyGmemToSmemOp copy) {
  Location loc = copy.getLoc();
  SmallVector<Value> words =
      createGroupWords(loc, copy.getCollectiveAxesAttr());
  SmallVector<Value> arguments{b.getAddress(loc, getMemory(copy.getBarrier()))};
  llvm::append_range(arguments, words);
  b.callRuntime(loc, "pallas_rt_arrive_together", arguments);
}

/// How many arrivals complete a phase. Those at a barrier of a cluster come
/// from all of its blocks. An axis belongs to one of the meshes around; the
/// others count as 1.
int64_t AsyncLowering::getNumArrivals(Value barrier) const {
  Type type = cast<RefType>(barrier.getType()).getElementType();
  if (auto local = dyn_cast<BarrierType>(type))
    return local.getNumArrivals();
  auto cluster = cast<ClusterBarrierType>(type);
  int64_t count = cluster.getNumArrivals();
  for (ArrayRef<StringAttr> group : getAxisGroups(cluster))
    for (StringAttr axis : group)
      for (PlacedKernel *kernel : sharing.kernels)
        count *= kernel->mesh.getAxisSize(axis).value_or(1);
  return count;
}

/// A test that finds its phase complete begins the next one, as a wait does:
///
///   %done = pallas.barrier_test %b
///       : !pallas.ref<!pallas.barrier<numArrivals = 2>, smem>
///
/// becomes, without other tasks,
///
///   %count = memref.load %b[] : memref<i32>
///   %done = arith.cmpi sge, %count, %c2_i32 : i32
///   scf.if %done { memref.store of %count - %c2_i32 to %b[] }
void AsyncLowering::lowerBarrierTest(BarrierTestOp op) {
  Location loc = op.getLoc();
  Value place = getMemory(op.getBarrier());
  int64_t numArrivals = getNumArrivals(op.getBarrier());
  Value all = b.createInteger(loc, numArrivals, 64);
  Value needed, count;
  if (Value parity = op.getParity()) {
    // The arrivals that the task has not seen yet, or -1 where some are
    // missing.
    count =
        b.callRuntime(loc, "pallas_rt_test_parity",
                      {b.getAddress(loc, place), all,
                       arith::ExtUIOp::create(b, loc, b.getI32Type(), parity)},
                      b.getI64Type());
    needed = b.createInteger(loc, 0, 64);
  } else if (concurrency.synchronizes) {
    // The runtime answers with a truth value, a plain count has to be compared.
    count = b.callRuntime(loc, "pallas_rt_test_barrier",
                          {b.getAddress(loc, place), all}, b.getI32Type());
    needed = b.createInteger(loc, 1, 32);
  } else {
    count = memref::LoadOp::create(b, loc, place);
    needed = b.createInteger(loc, numArrivals, 32);
  }
  Value done =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, count, needed);
  // The runtime has begun the next phase where this one is complete.
  if (!concurrency.synchronizes)
    b.when(loc, done, [&] {
      memref::StoreOp::create(
          b, loc, arith::SubIOp::create(b, loc, count, needed), place);
    });
  b.replaceOp(op, done);
}

/// Lowers arrivals at a barrier and the three ways to wait for a phase: until
/// it completes, until the phase of a parity completes, or not at all (a test).
LogicalResult AsyncLowering::lowerBarrier(Operation *op) {
  Location loc = op->getLoc();
  Value barrier = op->getOperand(0), place = getMemory(barrier);
  int64_t numArrivals = getNumArrivals(barrier);
  if (isa<BarrierArriveOp>(op)) {
    arrive(loc, barrier);
  } else if (auto wait = dyn_cast<BarrierWaitParityOp>(op)) {
    Value parity =
        arith::ExtUIOp::create(b, loc, b.getI32Type(), wait.getParity());
    b.callRuntime(loc, "pallas_rt_wait_parity",
                  {b.getAddress(loc, place),
                   b.createInteger(loc, numArrivals, 64), parity,
                   b.getPlace(loc)},
                  b.getI64Type());
  } else if (isa<BarrierWaitOp>(op)) {
    // A single flow of control may count down instead of counting phases.
    if (concurrency.synchronizes)
      b.callRuntime(loc, "pallas_rt_wait_barrier",
                    {b.getAddress(loc, place),
                     b.createInteger(loc, numArrivals, 64), b.getPlace(loc)});
    else
      waitForCount(op, place, b.createInteger(loc, numArrivals, 32),
                   /*decrement=*/true);
  } else {
    lowerBarrierTest(cast<BarrierTestOp>(op));
    return success();
  }
  b.eraseOp(op);
  return success();
}

/// Finds the barrier of the cores that agree on all axes but those of `meets`.
/// Their common coordinates, in row-major order, number the group, so that each
/// group has a barrier. The number keeps apart two barriers of the same group
/// in different places of the code; without one the lowering gives the next.
AsyncLowering::Meeting
AsyncLowering::findMeeting(Location loc, function_ref<bool(MeshAxisAttr)> meets,
                           std::optional<int64_t> number) {
  PlacedKernel &kernel = *sharing.kernels.back();
  PointGroup point =
      numberPoints(b, loc, kernel.mesh.getAxes(), kernel.ids, meets);
  Value group = arith::IndexCastOp::create(b, loc, b.getI64Type(), point.group);
  Value site =
      number ? b.createInteger(loc, *number, 64) : b.createSiteNumber(loc);
  Value barrier = b.callRuntime(loc, "pallas_rt_core_barrier", {site, group},
                                LLVM::LLVMPointerType::get(b.getContext()));
  return {barrier, point.numMembers};
}

void AsyncLowering::meet(Location loc, const Meeting &meeting) {
  b.callRuntime(loc, "pallas_rt_arrive", {meeting.barrier});
  b.callRuntime(loc, "pallas_rt_wait_barrier",
                {meeting.barrier, b.createInteger(loc, meeting.numMembers, 64),
                 b.getPlace(loc)});
}

/// `pallas.core_barrier "x"` waits for the cores that differ in "x" only.
LogicalResult AsyncLowering::lowerCoreBarrier(CoreBarrierOp op) {
  if (!isAlongMesh(op.getAxisName()))
    return op.emitOpError()
           << "waits for the cores along axis \"" << op.getAxisName()
           << "\", which the mesh around it does not have; name one of its "
              "axes";
  Location loc = op.getLoc();
  meet(loc, findMeeting(loc, [&](MeshAxisAttr axis) {
         return axis.getName() == op.getAxisName();
       }));
  return success();
}

/// The blocks of the cluster, or all of their threads.
AsyncLowering::Meeting
AsyncLowering::findClusterMeeting(Location loc, bool threads,
                                  std::optional<int64_t> number) {
  return findMeeting(
      loc,
      [&](MeshAxisAttr axis) {
        return axis.getRole() == MeshAxisRole::Cluster ||
               (axis.getRole() == MeshAxisRole::Thread && threads);
      },
      number);
}

/// Whether the mesh around has this axis.
bool AsyncLowering::isAlongMesh(StringRef axisName) const {
  return !sharing.kernels.empty() &&
         sharing.kernels.back()->mesh.getAxisSize(axisName);
}
