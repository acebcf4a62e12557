//===- SynchronizationChecks.cpp - Insert checks of what orders accesses --===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has the part of pallas-insert-checks that puts checks beside copies
// and products, and beside what starts, commits and waits for them. Checks of
// signals are in front of them and those of waits behind, when the signals have
// arrived.
//
//===----------------------------------------------------------------------===//

#include "CheckInserter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "pallas/Dialect/Pallas/Utils/BlockPairs.h"
#include "pallas/Dialect/Pallas/Utils/Grid.h"
#include "pallas/Dialect/Pallas/Utils/RootRefs.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Semaphores
//===----------------------------------------------------------------------===//

void CheckInserter::signal(SemaphoreSignalOp signal) {
  CheckSemaphoreSignalOp::create(
      b, signal.getLoc(), signal.getSemaphore(), signal.getIncrement(),
      signal.getDeviceIds(), signal.getCoreIndex(),
      signal.getDeviceIdTypeAttr(), signal.getDeviceAxesAttr());
}

void CheckInserter::semaphoreWait(SemaphoreWaitOp wait) {
  b.setInsertionPointAfter(wait);
  CheckSemaphoreWaitOp::create(b, wait.getLoc(), wait.getSemaphore(),
                               wait.getCount());
}

/// A wait for the source of a copy counts as many bytes as that has.
void CheckInserter::copyWait(DMAWaitOp wait) {
  b.setInsertionPointAfter(wait);
  if (Value semaphore = wait.getSourceSemaphore())
    CheckDMAWaitOp::create(b, wait.getLoc(), wait.getSource(), semaphore);
  else
    CheckDMAWaitOp::create(b, wait.getLoc(), wait.getTarget(),
                           wait.getSemaphore());
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

void CheckInserter::coreBarrier(CoreBarrierOp barrier) {
  int64_t number = numbers.numCoreBarriers++;
  CheckCoreBarrierOp::create(b, barrier.getLoc(), BarrierSide::Arrive, number,
                             barrier.getAxisName());
  b.setInsertionPointAfter(barrier);
  CheckCoreBarrierOp::create(b, barrier.getLoc(), BarrierSide::Leave, number,
                             barrier.getAxisName());
}

/// Only a thread arrives by an operation of its own. Copies and products arrive
/// when they have ended, which their own checks order.
void CheckInserter::arrival(Value barrier) {
  CheckArrivalOp::create(b, op->getLoc(),
                         isa<BarrierArriveOp, TryClusterCancelOp>(op),
                         getName(barrier), barrier, getAccessor());
}

void CheckInserter::phase(Value barrier, bool parity) {
  b.setInsertionPointAfter(op);
  CheckPhaseOp::create(b, op->getLoc(), parity, barrier);
}

void CheckInserter::barrierTest(BarrierTestOp test) {
  b.setInsertionPointAfter(test);
  auto branch = scf::IfOp::create(b, test.getLoc(), test.getDone());
  b.setInsertionPoint(branch.thenBlock()->getTerminator());
  CheckPhaseOp::create(b, test.getLoc(), /*parity=*/!!test.getParity(),
                       test.getBarrier());
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// A copy that a condition leaves out has no checks either.
void CheckInserter::enter(Value predicate) {
  if (!predicate)
    return;
  auto branch = scf::IfOp::create(b, op->getLoc(), predicate);
  b.setInsertionPoint(branch.thenBlock()->getTerminator());
}

/// Index arrays select one end of a copy. Nothing is copied from a ref without
/// elements, whatever the indices.
void CheckInserter::copyBounds(Value source, Value target) {
  SliceRefOp gather = getGather(source);
  if (!gather)
    gather = getGather(target);
  else if (isa<DMAStartOp>(op) &&
           llvm::is_contained(gather.getRef().getType().getShape(), 0))
    return;
  if (gather)
    bounds(gather);
}

/// The last block of a pipeline leaves elements of an earlier one behind it:
///
///   pallas.check_access padding "scoped ref 0" %b[%slot, :] by "dma_start"
///   %part = pallas.slice_ref %b[%slot, ds(0, %rows)]
///   pallas.dma_start %x to %part {pallas.fills_buffer}
void CheckInserter::padding(SliceRefOp part) {
  SmallVector<DimIndex> entries;
  SmallVector<Value> indices;
  for (const AccessDim &dim :
       cast<RefAccessOpInterface>(*part).getAccessDims()) {
    entries.push_back(dim.size ? DimIndex::full() : dim.entry);
    if (dim.start && !dim.size)
      indices.push_back(dim.start);
  }
  CheckAccessOp::create(
      b, op->getLoc(), CheckedAccess::Padding, getName(part.getRef()),
      part.getRef(), IndexerAttr::get(b.getContext(), entries), indices,
      /*mask=*/Value(), OutsideElements::Moved, getAccessor());
}

void CheckInserter::copy(DMAStartOp start) {
  Value source = start.getSource(), target = start.getTarget();
  auto part = target.getDefiningOp<SliceRefOp>();
  if (part && start->hasAttr(kFillsBufferAttrName))
    padding(part);
  copyBounds(source, target);
  SmallVector<Value> indexRefs;
  SmallVector<Attribute> indexNames;
  for (Value end : {source, target})
    if (SliceRefOp gather = getGather(end))
      for (Value index : gather.getIndices())
        if (isa<RefType>(index.getType())) {
          indexRefs.push_back(index);
          indexNames.push_back(getName(index));
        }
  CheckDMAStartOp::create(
      b, start.getLoc(), source, target, start.getSemaphore(),
      start.getSourceSemaphore(), start.getDeviceIds(), start.getCoreIndex(),
      indexRefs, start.getDeviceIdTypeAttr(), start.getDeviceAxesAttr(),
      start.getAddAttr(), getName(source), getName(target),
      b.getArrayAttr(indexNames));
}

/// Which of the copies to several blocks writes to which of them is up to the
/// hardware, so each block has to wait for all. The work of two blocks together
/// is not lowered to CPUs: pallas-expand-cta-pairs comes before.
void CheckInserter::copyToShared(CopyGmemToSmemOp copy) {
  if (isOfBlockPair(copy))
    return;
  enter(copy.getPredicate());
  copyBounds(copy.getSource(), copy.getTarget());
  CheckCopyGmemToSmemOp::create(
      b, copy.getLoc(), copy.getSource(), copy.getTarget(), copy.getBarrier(),
      copy.getCollectiveAxesAttr(), getName(copy.getSource()),
      getName(copy.getTarget()));
  arrival(copy.getBarrier());
  if (copy.getCollectiveAxes())
    copy->setAttr(kArrivesTogetherAttrName, b.getUnitAttr());
}

/// The tensor core runs copies and products in order, so a copy is reported as
/// a product of one matrix: a barrier that follows the products follows it,
/// too.
void CheckInserter::tensorCopy(AsyncCopyToTmemOp copy) {
  Value no = arith::ConstantIntOp::create(b, copy.getLoc(), b.getI1Type(), 0);
  product(copy.getSource(), copy.getTarget(), /*accumulate=*/no);
}

/// The group counts where it is empty, too.
void CheckInserter::copyToGlobal(CopySmemToGmemOp copy) {
  enter(copy.getPredicate());
  copyBounds(copy.getSource(), copy.getTarget());
  AtomicKind kind = copy.getReduction().value_or(AtomicKind::Xchg);
  CheckCopySmemToGmemOp::create(
      b, copy.getLoc(), copy.getSource(), copy.getTarget(),
      /*add=*/kind != AtomicKind::Xchg, getName(copy.getSource()),
      getName(copy.getTarget()));
  b.setInsertionPointAfter(op);
  if (copy.getCommitGroup())
    commit(CommittedWork::Copies);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Matrices that are values were read when the product started. Null ones are
/// scales that the product doesn't have.
void CheckInserter::product(ValueRange matrices, Value acc, Value accumulate,
                            Value barrier) {
  SmallVector<Value> refs;
  SmallVector<Attribute> names;
  for (Value matrix : matrices)
    if (matrix && isa<RefType>(matrix.getType())) {
      refs.push_back(matrix);
      names.push_back(getName(matrix));
    }
  if (acc)
    names.push_back(getName(acc));
  CheckProductOp::create(b, op->getLoc(), refs, acc, accumulate, barrier,
                         numbers.products.lookup(op), b.getArrayAttr(names),
                         getAccessor());
}

/// Products of warpgroups are a group of their own each.
void CheckInserter::groupedProduct(ValueRange matrices, Value acc) {
  product(matrices, acc);
  commit(CommittedWork::Products);
}

void CheckInserter::tensorProduct(Tcgen05MMAOp product) {
  Value barrier = product.getBarrier();
  this->product({product.getLhs(), product.getRhs(), product.getLhsScale(),
                 product.getRhsScale(), product.getLhsMetadata()},
                product.getAcc(), product.getAccumulate(), barrier);
  if (barrier)
    arrival(barrier);
}

//===----------------------------------------------------------------------===//
// Work of other blocks
//===----------------------------------------------------------------------===//

/// Whether this is the first one of the threads that ask together, which asks
/// for all of them; null if it is alone.
static Value isFirst(OpBuilder &b, TryClusterCancelOp ask) {
  Value first;
  Location loc = ask.getLoc();
  MeshAttr mesh = getEnclosingMesh(ask);
  if (!mesh)
    return first;
  for (StringRef axis : ask.getAskingAxes(mesh, MeshAxisRole::Thread)) {
    Value index = AxisIndexOp::create(b, loc, b.getI32Type(), axis);
    Value isZero = arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::eq, index,
        arith::ConstantIntOp::create(b, loc, b.getI32Type(), 0));
    first = first ? arith::AndIOp::create(b, loc, first, isZero) : isZero;
  }
  return first;
}

/// Without work, the indices are what nothing has written:
///
///   %i, %found = pallas.query_cluster_cancel %answer along ["i"]
///   %none = pallas.check_unwritten "the index of work that was not found"
///   %index = arith.select %found, %i, %none : i32
void CheckInserter::missingWork(QueryClusterCancelOp query) {
  contents(CheckedAccess::Read, query.getAnswer());
  b.setInsertionPointAfter(query);
  Location loc = query.getLoc();
  for (Value index : query.getIndices()) {
    Value none = CheckUnwrittenOp::create(
        b, loc, index.getType(),
        b.getStringAttr("the index of work that was not found"), getAccessor());
    auto chosen =
        arith::SelectOp::create(b, loc, query.getFound(), index, none);
    index.replaceAllUsesExcept(chosen, chosen);
  }
}

//===----------------------------------------------------------------------===//
// Commits and waits
//===----------------------------------------------------------------------===//

void CheckInserter::commit(CommittedWork kind) {
  CheckCommitOp::create(b, op->getLoc(), kind);
}

void CheckInserter::wait(AwaitedWork kind, int64_t pending) {
  CheckWaitOp::create(b, op->getLoc(), kind, pending);
}

void CheckInserter::tensorWait(TensorMemoryWork kind) {
  CheckTensorMemoryWaitOp::create(b, op->getLoc(), kind);
}

void CheckInserter::insertSynchronization() {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](SemaphoreSignalOp op) { signal(op); })
      .Case([&](SemaphoreWaitOp op) { semaphoreWait(op); })
      .Case([&](CoreBarrierOp op) { coreBarrier(op); })
      .Case([&](BarrierArriveOp op) { arrival(op.getBarrier()); })
      .Case([&](TryClusterCancelOp op) {
        arrival(op.getBarrier());
        enter(isFirst(b, op));
        // Hardware writes the answer as it writes the result of a product, and
        // reads nothing that matters.
        Value no =
            arith::ConstantIntOp::create(b, op.getLoc(), b.getI1Type(), 0);
        product(op.getAnswer(), op.getAnswer(), /*accumulate=*/no,
                op.getBarrier());
      })
      .Case([&](QueryClusterCancelOp op) { missingWork(op); })
      .Case([&](BarrierWaitOp op) { phase(op.getBarrier()); })
      .Case([&](BarrierWaitParityOp op) {
        phase(op.getBarrier(), /*parity=*/true);
      })
      .Case([&](BarrierTestOp op) { barrierTest(op); })
      .Case([&](DMAStartOp op) { copy(op); })
      .Case([&](DMAWaitOp op) { copyWait(op); })
      .Case([&](CopyGmemToSmemOp op) { copyToShared(op); })
      .Case([&](CopySmemToGmemOp op) { copyToGlobal(op); })
      .Case([&](CommitSmemToGmemGroupOp) { commit(CommittedWork::Copies); })
      .Case([&](WaitSmemToGmemOp op) {
        wait(op.getReadOnly() ? AwaitedWork::Sources : AwaitedWork::Copies,
             op.getPending());
      })
      .Case([&](CommitSmemOp) { commit(CommittedWork::Stores); })
      .Case(
          [&](WGMMAWaitOp op) { wait(AwaitedWork::Products, op.getPending()); })
      .Case([&](WGMMAOp op) { groupedProduct({op.getLhs(), op.getRhs()}); })
      .Case([&](WGMMARefOp op) {
        groupedProduct({op.getLhs(), op.getRhs()}, op.getAcc());
      })
      .Case([&](Tcgen05MMAOp op) { tensorProduct(op); })
      .Case([&](Tcgen05CommitOp op) {
        CheckFollowProductsOp::create(b, op.getLoc(), op.getBarrier());
        arrival(op.getBarrier());
      })
      .Case([&](AsyncLoadTmemOp op) {
        contents(CheckedAccess::Read, op.getSource(), /*async=*/true);
      })
      .Case([&](AsyncStoreTmemOp op) {
        contents(CheckedAccess::Write, op.getTarget(), /*async=*/true);
      })
      .Case([&](AsyncCopyToTmemOp op) { tensorCopy(op); })
      .Case([&](WaitLoadTmemOp) { tensorWait(TensorMemoryWork::Loads); })
      .Case([&](CommitTmemOp) { tensorWait(TensorMemoryWork::Stores); });
}
