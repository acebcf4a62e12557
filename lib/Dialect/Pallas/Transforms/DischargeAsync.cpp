//===- DischargeAsync.cpp - Semaphores, barriers and copies as values -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A copy happens when it starts. A count that a wait finds too low becomes
// negative: nothing runs at the same time that could raise it.
//
// Counts are values of type i32. A wait subtracts without a loop: with programs
// in order, a count that is too low would stay so forever.
//
//===----------------------------------------------------------------------===//

#include "DischargeAsync.h"
#include "DischargeModels.h"
#include "RefSelection.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "pallas/Dialect/Pallas/IR/LaunchControlOps.h"
#include "pallas/Dialect/Pallas/Utils/Combining.h"
#include "pallas/Dialect/Pallas/Utils/RootRefs.h"

using namespace mlir;
using namespace mlir::pallas;

///   %1 = arith.addi %count, %amount : i32
LogicalResult pallas::addToCount(OpBuilder &builder, DischargeState &state,
                                 Location loc, Value semaphore, Value amount) {
  Value count = state.read(builder, loc, semaphore);
  return state.write(builder, loc, semaphore,
                     arith::AddIOp::create(builder, loc, count, amount));
}

/// Counts are i32, as on hardware.
Value pallas::createCount(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getI32IntegerAttr(value));
}

/// Waits are additions as well, so that one function updates counts.
static Value createNegative(OpBuilder &builder, Location loc, Value amount) {
  return arith::SubIOp::create(builder, loc, createCount(builder, loc, 0),
                               amount);
}

/// How many elements a ref has, whose value is `value`. Where an operand gives
/// the length of a view, it counts as given, though the value is cut to what
/// is there: a wait for several copies at once may name more than its ref has.
static Value createNumElements(OpBuilder &builder, Location loc, Value ref,
                               function_ref<Value()> load) {
  auto type = cast<RefType>(ref.getType());
  // Copies of static size count a constant.
  if (type.hasStaticShape())
    return createCount(builder, loc, type.getNumElements());
  Value count = arith::ConstantIndexOp::create(builder, loc, 1);
  Value value;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    Value size = createGivenLength(builder, loc, ref, dim);
    if (!size && !type.isDynamicDim(dim)) {
      size = arith::ConstantIndexOp::create(builder, loc, type.getDimSize(dim));
    } else if (!size) {
      if (!value)
        value = load();
      size = tensor::DimOp::create(builder, loc, value, dim);
    }
    count = arith::MulIOp::create(builder, loc, count, size);
  }
  return arith::IndexCastOp::create(builder, loc, builder.getI32Type(), count);
}

/// Adds to the elements that index arrays name, one after the other, since an
/// index may be named twice.
static LogicalResult addThroughIndices(OpBuilder &builder,
                                       DischargeState &state, SliceRefOp slice,
                                       Value value) {
  Location loc = value.getLoc();
  SmallVector<Value> indices;
  for (Value index : slice.getIndices())
    indices.push_back(isa<RefType>(index.getType())
                          ? state.load(builder, loc, index)
                          : index);
  Operation *update = AddUpdateOp::create(
      builder, loc, slice.getRef(), slice.getIndexerAttr(), indices, value);
  LogicalResult result =
      cast<DischargeableOpInterface>(update).discharge(builder, state);
  update->erase();
  return result;
}

namespace {
///   pallas.semaphore_signal %s, %n
///
/// adds %n to the value of %s. Semaphores elsewhere have no value here.
struct DischargeSignal
    : public DischargeableOpInterface::ExternalModel<DischargeSignal,
                                                     SemaphoreSignalOp> {
  LogicalResult discharge(Operation *op, OpBuilder &builder,
                          DischargeState &state) const {
    auto signal = cast<SemaphoreSignalOp>(op);
    if (!signal.getDeviceIds().empty() || signal.getCoreIndex())
      return op->emitOpError() << "signals another device or core, whose "
                                  "semaphore is no value here";
    return addToCount(builder, state, op->getLoc(), signal.getSemaphore(),
                      signal.getIncrement());
  }
};

/// A wait that doesn't decrement changes nothing.
struct DischargeWait
    : public DischargeableOpInterface::ExternalModel<DischargeWait,
                                                     SemaphoreWaitOp> {
  LogicalResult discharge(Operation *op, OpBuilder &builder,
                          DischargeState &state) const {
    auto wait = cast<SemaphoreWaitOp>(op);
    if (!wait.getDecrement())
      return success();
    return addToCount(builder, state, op->getLoc(), wait.getSemaphore(),
                      createNegative(builder, op->getLoc(), wait.getCount()));
  }
};

/// The count itself.
struct DischargeSemaphoreRead
    : public DischargeableOpInterface::ExternalModel<DischargeSemaphoreRead,
                                                     SemaphoreReadOp> {
  LogicalResult discharge(Operation *op, OpBuilder &builder,
                          DischargeState &state) const {
    op->getResult(0).replaceAllUsesWith(
        state.read(builder, op->getLoc(), op->getOperand(0)));
    return success();
  }
};

/// A copy happens when it starts, and counts its elements.
///
///   pallas.dma_start %a to %b signals %s
///
/// becomes a read of %a, a write to %b, and an addition to %s.
struct DischargeDMAStart
    : public DischargeableOpInterface::ExternalModel<DischargeDMAStart,
                                                     DMAStartOp> {
  LogicalResult discharge(Operation *op, OpBuilder &builder,
                          DischargeState &state) const {
    auto copy = cast<DMAStartOp>(op);
    Location loc = op->getLoc();
    if (!copy.getDeviceIds().empty() || copy.getCoreIndex() ||
        copy.getSourceSemaphore())
      return op->emitOpError() << "copies to another device or core, whose "
                                  "memory is no value here";
    if (!state.isDischarged(copy.getSemaphore()))
      return op->emitOpError()
             << "copies a value and signals a semaphore that stays; discharge "
                "the space of the semaphore, too";
    Value value = state.load(builder, loc, copy.getSource());
    LogicalResult result = success();
    // Repeated indices have to add up, so this goes through an addupdate.
    if (SliceRefOp slice = getGather(copy.getTarget());
        slice && copy.getAdd()) {
      result = addThroughIndices(builder, state, slice, value);
    } else {
      if (copy.getAdd())
        value =
            createCombined(builder, loc, AtomicKind::Add,
                           state.load(builder, loc, copy.getTarget()), value);
      result = state.store(builder, loc, copy.getTarget(), value);
    }
    if (failed(result))
      return failure();
    return addToCount(builder, state, loc, copy.getSemaphore(),
                      createNumElements(builder, loc, copy.getTarget(),
                                        [&] { return value; }));
  }
};

/// Only the size of the copy matters to a wait.
struct DischargeDMAWait
    : public DischargeableOpInterface::ExternalModel<DischargeDMAWait,
                                                     DMAWaitOp> {
  LogicalResult discharge(Operation *op, OpBuilder &builder,
                          DischargeState &state) const {
    auto wait = cast<DMAWaitOp>(op);
    Location loc = op->getLoc();
    if (wait.getSourceSemaphore() || !state.isDischarged(wait.getSemaphore()))
      return op->emitOpError()
             << "waits for a copy that is no value; discharge local copies "
                "only, and the space of the semaphore, too";
    Value amount = createNumElements(builder, loc, wait.getTarget(), [&] {
      return state.load(builder, loc, wait.getTarget());
    });
    return addToCount(builder, state, loc, wait.getSemaphore(),
                      createNegative(builder, loc, amount));
  }
};

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

} // namespace

/// How many arrivals complete a phase; nothing for barriers of clusters.
static FailureOr<Value> createArrivals(OpBuilder &builder, Operation *op) {
  auto ref = cast<RefType>(op->getOperand(0).getType());
  auto type = dyn_cast<BarrierType>(ref.getElementType());
  if (!type)
    return op->emitOpError() << "uses a barrier of type " << ref
                             << ", which several blocks share; their arrivals "
                                "are no value of one";
  return createCount(builder, op->getLoc(), type.getNumArrivals());
}

namespace {

/// Each arrival counts one.
struct DischargeArrive
    : public DischargeableOpInterface::ExternalModel<DischargeArrive,
                                                     BarrierArriveOp> {
  LogicalResult discharge(Operation *op, OpBuilder &builder,
                          DischargeState &state) const {
    return addToCount(builder, state, op->getLoc(), op->getOperand(0),
                      createCount(builder, op->getLoc(), 1));
  }
};

/// The answer comes at once: there is no other work.
struct DischargeTryClusterCancel
    : public DischargeableOpInterface::ExternalModel<DischargeTryClusterCancel,
                                                     TryClusterCancelOp> {
  LogicalResult discharge(Operation *op, OpBuilder &builder,
                          DischargeState &state) const {
    return addToCount(builder, state, op->getLoc(),
                      cast<TryClusterCancelOp>(op).getBarrier(),
                      createCount(builder, op->getLoc(), 1));
  }
};

struct DischargeQueryClusterCancel
    : public DischargeableOpInterface::ExternalModel<
          DischargeQueryClusterCancel, QueryClusterCancelOp> {
  LogicalResult discharge(Operation *op, OpBuilder &builder,
                          DischargeState &) const {
    for (Value result : op->getResults())
      result.replaceAllUsesWith(arith::ConstantIntOp::create(
          builder, op->getLoc(), result.getType(), 0));
    return success();
  }
};

/// A wait takes one phase away.
struct DischargeBarrierWait
    : public DischargeableOpInterface::ExternalModel<DischargeBarrierWait,
                                                     BarrierWaitOp> {
  LogicalResult discharge(Operation *op, OpBuilder &builder,
                          DischargeState &state) const {
    FailureOr<Value> arrivals = createArrivals(builder, op);
    if (failed(arrivals))
      return failure();
    return addToCount(builder, state, op->getLoc(), op->getOperand(0),
                      createNegative(builder, op->getLoc(), *arrivals));
  }
};

/// True when all have arrived, and then a wait.
struct DischargeBarrierTest
    : public DischargeableOpInterface::ExternalModel<DischargeBarrierTest,
                                                     BarrierTestOp> {
  LogicalResult discharge(Operation *op, OpBuilder &builder,
                          DischargeState &state) const {
    if (cast<BarrierTestOp>(op).getParity())
      return op->emitOpError("goes by the parity of a phase, which has no form "
                             "as a value; test without a parity");
    FailureOr<Value> arrivals = createArrivals(builder, op);
    if (failed(arrivals))
      return failure();
    Value count = state.read(builder, op->getLoc(), op->getOperand(0));
    Value isDone = arith::CmpIOp::create(
        builder, op->getLoc(), arith::CmpIPredicate::sge, count, *arrivals);
    op->getResult(0).replaceAllUsesWith(isDone);
    Value taken = arith::SelectOp::create(
        builder, op->getLoc(), isDone,
        createNegative(builder, op->getLoc(), *arrivals),
        createCount(builder, op->getLoc(), 0));
    return addToCount(builder, state, op->getLoc(), op->getOperand(0), taken);
  }
};
} // namespace

void pallas::attachAsyncModels(MLIRContext *context) {
  SemaphoreSignalOp::attachInterface<DischargeSignal>(*context);
  SemaphoreWaitOp::attachInterface<DischargeWait>(*context);
  SemaphoreReadOp::attachInterface<DischargeSemaphoreRead>(*context);
  DMAStartOp::attachInterface<DischargeDMAStart>(*context);
  DMAWaitOp::attachInterface<DischargeDMAWait>(*context);
  BarrierArriveOp::attachInterface<DischargeArrive>(*context);
  BarrierWaitOp::attachInterface<DischargeBarrierWait>(*context);
  BarrierTestOp::attachInterface<DischargeBarrierTest>(*context);
  TryClusterCancelOp::attachInterface<DischargeTryClusterCancel>(*context);
  QueryClusterCancelOp::attachInterface<DischargeQueryClusterCancel>(*context);
}
