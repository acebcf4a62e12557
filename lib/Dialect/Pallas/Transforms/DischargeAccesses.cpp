//===- DischargeAccesses.cpp - Reads and writes of refs as values ---------===//

#include "DischargeModels.h"
#include "RefSelection.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "pallas/Dialect/Pallas/Transforms/Discharge.h"

using namespace mlir;
using namespace mlir::pallas;

/// What an atomic update writes.
static Value createCombined(OpBuilder &builder, Location loc, AtomicKind kind,
                            Value old, Value value) {
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(value.getType()));
  using Kind = arith::AtomicRMWKind;
  auto apply = [&](Kind integer, Kind number) {
    return arith::getReductionOp(isFloat ? number : integer, builder, loc, old,
                                 value);
  };
  switch (kind) {
  case AtomicKind::Xchg:
    return value;
  case AtomicKind::Add:
    return apply(Kind::addi, Kind::addf);
  case AtomicKind::Max:
    return apply(Kind::maxs, Kind::maximumf);
  case AtomicKind::Min:
    return apply(Kind::mins, Kind::minimumf);
  case AtomicKind::UMax:
    return apply(Kind::maxu, Kind::maxu);
  case AtomicKind::UMin:
    return apply(Kind::minu, Kind::minu);
  case AtomicKind::And:
    return apply(Kind::andi, Kind::andi);
  case AtomicKind::Or:
    return apply(Kind::ori, Kind::ori);
  case AtomicKind::Xor:
    return apply(Kind::xori, Kind::xori);
  }
  llvm_unreachable("all kinds are handled");
}

/// The value repeated to the shape of a selection, as NumPy broadcasts.
static Value createBroadcast(OpBuilder &builder, Location loc, Value value,
                             ArrayRef<int64_t> shape) {
  ArrayRef<int64_t> from = getValueShape(value.getType());
  if (from == shape || shape.empty())
    return value;
  auto dims = llvm::to_vector(
      llvm::seq<int64_t>(shape.size() - from.size(), shape.size()));
  return BroadcastOp::create(
      builder, loc,
      RankedTensorType::get(shape, getElementTypeOrSelf(value.getType())),
      value, dims);
}

/// Updates the selected elements one after the other, so that those named twice
/// are updated twice, and those masked off or outside not at all. Returns the
/// new base and, behind it, what was there before, as far as `old` is given.
static SmallVector<Value>
createScatteredUpdate(OpBuilder &builder, RefAccessOpInterface op, Value base,
                      Value value, Value mask, AtomicKind kind, Value old) {
  Location loc = op.getLoc();
  SmallVector<Value> carried = {base};
  if (old)
    carried.push_back(old);
  auto body = [&](OpBuilder &nested, ValueRange place, ValueRange position,
                  Value inside, ValueRange values) {
    if (mask)
      inside = arith::AndIOp::create(
          nested, loc, inside, createElementAt(nested, loc, mask, position));
    auto choice = scf::IfOp::create(
        nested, loc, inside,
        [&](OpBuilder &b, Location) {
          Value element = createElementAt(b, loc, value, position);
          Value before = tensor::ExtractOp::create(b, loc, values[0], place);
          Value after = createCombined(b, loc, kind, before, element);
          SmallVector<Value> results = {
              tensor::InsertOp::create(b, loc, after, values[0], place)};
          if (old)
            results.push_back(isa<RankedTensorType>(old.getType())
                                  ? tensor::InsertOp::create(
                                        b, loc, before, values[1], position)
                                        .getResult()
                                  : before);
          scf::YieldOp::create(b, loc, results);
        },
        [&](OpBuilder &b, Location) { scf::YieldOp::create(b, loc, values); });
    return SmallVector<Value>(choice.getResults());
  };
  return createElementLoops(builder, op, carried, body);
}

namespace {
/// The steps that all accesses share.
struct Access {
  Access(Operation *op, OpBuilder &builder, DischargeState &state)
      : op(cast<RefAccessOpInterface>(op)), builder(builder), state(state),
        loc(op->getLoc()), base(state.read(builder, loc, this->op.getRef())) {}

  Value read(bool isMasked = false) {
    return createSelection(builder, op, base, isMasked);
  }
  LogicalResult write(Value newBase) {
    return state.write(builder, loc, op.getRef(), newBase);
  }
  /// Updates the selection under a mask, which may be null, and replaces the
  /// result of the operation by what was there: `maskedOff` where masked off.
  LogicalResult update(AtomicKind kind, Value value, Value mask,
                       Value maskedOff) {
    bool isUsed = op->getNumResults() == 1 && !op->getResult(0).use_empty();
    if (isScattered(op, bool(mask))) {
      Value old;
      if (isUsed)
        old = maskedOff ? createBroadcast(builder, loc, maskedOff,
                                          op.getAccessShape())
                        : read(bool(mask));
      SmallVector<Value> results =
          createScatteredUpdate(builder, op, base, value, mask, kind, old);
      if (isUsed)
        op->getResult(0).replaceAllUsesWith(results[1]);
      return write(results[0]);
    }
    Value old;
    if (isUsed || mask || kind != AtomicKind::Xchg)
      old = read();
    Value updated = createCombined(builder, loc, kind, old, value);
    if (mask) {
      mask = createBroadcast(builder, loc, mask, op.getAccessShape());
      updated = arith::SelectOp::create(builder, loc, mask, updated, old);
      if (maskedOff && isUsed)
        old = arith::SelectOp::create(builder, loc, mask, old, maskedOff);
    }
    if (isUsed)
      op->getResult(0).replaceAllUsesWith(old);
    return write(createUpdate(builder, op, base, updated));
  }

  RefAccessOpInterface op;
  OpBuilder &builder;
  DischargeState &state;
  Location loc;
  Value base;
};

struct DischargeGet
    : public DischargeableOpInterface::ExternalModel<DischargeGet, GetOp> {
  LogicalResult discharge(Operation *op, OpBuilder &builder,
                          DischargeState &state) const {
    op->getResult(0).replaceAllUsesWith(Access(op, builder, state).read());
    return success();
  }
};

struct DischargeSwap
    : public DischargeableOpInterface::ExternalModel<DischargeSwap, SwapOp> {
  LogicalResult discharge(Operation *op, OpBuilder &builder,
                          DischargeState &state) const {
    return Access(op, builder, state)
        .update(AtomicKind::Xchg, cast<SwapOp>(op).getValue(), {}, {});
  }
};

struct DischargeAddUpdate
    : public DischargeableOpInterface::ExternalModel<DischargeAddUpdate,
                                                     AddUpdateOp> {
  LogicalResult discharge(Operation *op, OpBuilder &builder,
                          DischargeState &state) const {
    return Access(op, builder, state)
        .update(AtomicKind::Add, cast<AddUpdateOp>(op).getValue(), {}, {});
  }
};

struct DischargeMaskedLoad
    : public DischargeableOpInterface::ExternalModel<DischargeMaskedLoad,
                                                     MaskedLoadOp> {
  LogicalResult discharge(Operation *op, OpBuilder &builder,
                          DischargeState &state) const {
    auto load = cast<MaskedLoadOp>(op);
    Access access(op, builder, state);
    Value value = access.read(bool(load.getMask()));
    if (load.getMask() && load.getOther()) {
      SmallVector<int64_t> shape = access.op.getAccessShape();
      value = arith::SelectOp::create(
          builder, op->getLoc(),
          createBroadcast(builder, op->getLoc(), load.getMask(), shape), value,
          createBroadcast(builder, op->getLoc(), load.getOther(), shape));
    }
    op->getResult(0).replaceAllUsesWith(value);
    return success();
  }
};

struct DischargeMaskedSwap
    : public DischargeableOpInterface::ExternalModel<DischargeMaskedSwap,
                                                     MaskedSwapOp> {
  LogicalResult discharge(Operation *op, OpBuilder &builder,
                          DischargeState &state) const {
    auto swap = cast<MaskedSwapOp>(op);
    return Access(op, builder, state)
        .update(AtomicKind::Xchg, swap.getValue(), swap.getMask(),
                swap.getValue());
  }
};

struct DischargeAtomicRMW
    : public DischargeableOpInterface::ExternalModel<DischargeAtomicRMW,
                                                     AtomicRMWOp> {
  LogicalResult discharge(Operation *op, OpBuilder &builder,
                          DischargeState &state) const {
    auto rmw = cast<AtomicRMWOp>(op);
    return Access(op, builder, state)
        .update(rmw.getKind(), rmw.getValue(), rmw.getMask(), {});
  }
};

struct DischargeAtomicCAS
    : public DischargeableOpInterface::ExternalModel<DischargeAtomicCAS,
                                                     AtomicCASOp> {
  LogicalResult discharge(Operation *op, OpBuilder &builder,
                          DischargeState &state) const {
    auto cas = cast<AtomicCASOp>(op);
    Location loc = op->getLoc();
    Access access(op, builder, state);
    Value old = access.read();
    // Bits are compared, as hardware does.
    Value lhs = old, rhs = cas.getExpected();
    if (isa<FloatType>(old.getType())) {
      Type bits = builder.getIntegerType(old.getType().getIntOrFloatBitWidth());
      lhs = arith::BitcastOp::create(builder, loc, bits, lhs);
      rhs = arith::BitcastOp::create(builder, loc, bits, rhs);
    }
    Value isEqual =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, lhs, rhs);
    Value updated =
        arith::SelectOp::create(builder, loc, isEqual, cas.getValue(), old);
    op->getResult(0).replaceAllUsesWith(old);
    return access.write(createUpdate(builder, access.op, access.base, updated));
  }
};

//===----------------------------------------------------------------------===//
// Accumulators
//===----------------------------------------------------------------------===//

/// The product of memory stays asynchronous; that of values is a contraction.
struct DischargeWGMMA
    : public DischargeableOpInterface::ExternalModel<DischargeWGMMA,
                                                     WGMMARefOp> {
  LogicalResult discharge(Operation *op, OpBuilder &builder,
                          DischargeState &state) const {
    auto product = cast<WGMMARefOp>(op);
    Location loc = op->getLoc();
    Value lhs = product.getLhs(), rhs = product.getRhs();
    if (!state.isDischarged(product.getAcc()))
      return op->emitOpError()
             << "multiplies refs that become values into an accumulator that "
                "does not; discharge acc, too";
    Value acc = state.read(builder, loc, product.getAcc());
    if (state.isDischarged(lhs))
      lhs = state.read(builder, loc, lhs);
    Value result;
    if (state.isDischarged(rhs)) {
      rhs = state.read(builder, loc, rhs);
      if (isa<RefType>(lhs.getType()))
        return op->emitOpError() << "has one factor that becomes a value and "
                                    "one that stays a ref; discharge both";
      result = DotGeneralOp::create(builder, loc, acc.getType(), lhs, rhs, acc,
                                    builder.getDenseI64ArrayAttr({1}),
                                    builder.getDenseI64ArrayAttr({0}));
    } else {
      result = WGMMAOp::create(builder, loc, acc.getType(), acc, lhs, rhs);
    }
    return state.write(builder, loc, product.getAcc(), result);
  }
};

struct DischargeDeref
    : public DischargeableOpInterface::ExternalModel<DischargeDeref,
                                                     AccumulatorDerefOp> {
  LogicalResult discharge(Operation *op, OpBuilder &builder,
                          DischargeState &state) const {
    auto deref = cast<AccumulatorDerefOp>(op);
    Value value = state.read(builder, op->getLoc(), deref.getAcc());
    // Products that are still asynchronous are waited for where they were.
    if (!state.isWhole())
      value = AccumulatorDerefOp::create(builder, op->getLoc(),
                                         op->getResult(0).getType(), value,
                                         deref.getWaitNAttr());
    op->getResult(0).replaceAllUsesWith(value);
    return success();
  }
};

struct DischargeAccumulatorStore
    : public DischargeableOpInterface::ExternalModel<DischargeAccumulatorStore,
                                                     AccumulatorStoreOp> {
  LogicalResult discharge(Operation *op, OpBuilder &builder,
                          DischargeState &state) const {
    auto store = cast<AccumulatorStoreOp>(op);
    return state.write(builder, op->getLoc(), store.getAcc(), store.getValue());
  }
};

//===----------------------------------------------------------------------===//
// Semaphores and copies
//===----------------------------------------------------------------------===//

/// Adds to the count of a semaphore.
static LogicalResult addToCount(OpBuilder &builder, DischargeState &state,
                                Location loc, Value semaphore, Value amount) {
  Value count = state.read(builder, loc, semaphore);
  return state.write(builder, loc, semaphore,
                     arith::AddIOp::create(builder, loc, count, amount));
}

static Value createCount(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getI32IntegerAttr(value));
}

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

struct DischargeWait
    : public DischargeableOpInterface::ExternalModel<DischargeWait,
                                                     SemaphoreWaitOp> {
  LogicalResult discharge(Operation *op, OpBuilder &builder,
                          DischargeState &state) const {
    auto wait = cast<SemaphoreWaitOp>(op);
    if (!wait.getDecrement())
      return success();
    Value negative = arith::SubIOp::create(
        builder, op->getLoc(), createCount(builder, op->getLoc(), 0),
        wait.getCount());
    return addToCount(builder, state, op->getLoc(), wait.getSemaphore(),
                      negative);
  }
};

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
    auto target = cast<RefType>(copy.getTarget().getType());
    if (!target.hasStaticShape())
      return op->emitOpError()
             << "copies to " << target << ", whose size no value can have";
    if (!state.isDischarged(copy.getSource()) ||
        !state.isDischarged(copy.getTarget()) ||
        !state.isDischarged(copy.getSemaphore()))
      return op->emitOpError()
             << "copies between memory and a value; discharge the spaces of "
                "source, target and semaphore together";
    Value value = state.read(builder, loc, copy.getSource());
    if (copy.getAdd())
      value = createCombined(builder, loc, AtomicKind::Add,
                             state.read(builder, loc, copy.getTarget()), value);
    if (failed(state.write(builder, loc, copy.getTarget(), value)))
      return failure();
    return addToCount(builder, state, loc, copy.getSemaphore(),
                      createCount(builder, loc, target.getNumElements()));
  }
};

struct DischargeDMAWait
    : public DischargeableOpInterface::ExternalModel<DischargeDMAWait,
                                                     DMAWaitOp> {
  LogicalResult discharge(Operation *op, OpBuilder &builder,
                          DischargeState &state) const {
    auto wait = cast<DMAWaitOp>(op);
    auto target = cast<RefType>(wait.getTarget().getType());
    if (wait.getSourceSemaphore() || !target.hasStaticShape() ||
        !state.isDischarged(wait.getSemaphore()))
      return op->emitOpError()
             << "waits for a copy that is no value; discharge "
                "local copies of static size only";
    return addToCount(
        builder, state, op->getLoc(), wait.getSemaphore(),
        createCount(builder, op->getLoc(), -target.getNumElements()));
  }
};
} // namespace

void pallas::attachAccessModels(MLIRContext *context) {
  GetOp::attachInterface<DischargeGet>(*context);
  SwapOp::attachInterface<DischargeSwap>(*context);
  AddUpdateOp::attachInterface<DischargeAddUpdate>(*context);
  MaskedLoadOp::attachInterface<DischargeMaskedLoad>(*context);
  MaskedSwapOp::attachInterface<DischargeMaskedSwap>(*context);
  AtomicRMWOp::attachInterface<DischargeAtomicRMW>(*context);
  AtomicCASOp::attachInterface<DischargeAtomicCAS>(*context);
  WGMMARefOp::attachInterface<DischargeWGMMA>(*context);
  AccumulatorDerefOp::attachInterface<DischargeDeref>(*context);
  AccumulatorStoreOp::attachInterface<DischargeAccumulatorStore>(*context);
  SemaphoreSignalOp::attachInterface<DischargeSignal>(*context);
  SemaphoreWaitOp::attachInterface<DischargeWait>(*context);
  SemaphoreReadOp::attachInterface<DischargeSemaphoreRead>(*context);
  DMAStartOp::attachInterface<DischargeDMAStart>(*context);
  DMAWaitOp::attachInterface<DischargeDMAWait>(*context);
}
