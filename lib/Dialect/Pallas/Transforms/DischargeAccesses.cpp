//===- DischargeAccesses.cpp - Reads and writes of refs as values ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each access becomes operations on the tensor that the ref holds:
//
//   %v = pallas.get %r[ds(%i, 8), :] : !pallas.ref<64x128xf32, vmem>
//
// becomes
//
//   %v = tensor.extract_slice %base[%i, 0] [8, 128] [1, 1]
//
// Writes insert a slice, and the result is what the ref holds from then on.
//
//===----------------------------------------------------------------------===//

#include "DischargeModels.h"
#include "RefSelection.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "pallas/Dialect/Pallas/Transforms/Discharge.h"
#include "pallas/Dialect/Pallas/Utils/Combining.h"

using namespace mlir;
using namespace mlir::pallas;

/// The value repeated to the shape of a selection, as NumPy broadcasts.
/// A mask or a value may have fewer dimensions than the access.
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
/// new base and, behind it, what was there before, as far as `old` is given:
/// swaps read all of it first, atomic updates one after the other.
static SmallVector<Value>
///   %r = scf.for %k = %c0 to %n step %c1 iter_args(%b = %base) {
///     %1 = scf.if %inside { insert the element } else { %b }
///     scf.yield %1
///   }
createScatteredUpdate(OpBuilder &builder, RefAccessOpInterface op, Value base,
                      Value value, Value mask, AtomicKind kind, Value old) {
  Location loc = op.getLoc();
  // A swap reads the base as it was before all of its stores.
  bool readsFirst = isa<SwapOp, MaskedSwapOp>(op.getOperation());
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
          Value before = tensor::ExtractOp::create(
              b, loc, readsFirst && old ? base : values[0], place);
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
/// Reads the base once: views are evaluated where the access is.
struct Access {
  Access(Operation *op, OpBuilder &builder, DischargeState &state)
      : op(cast<RefAccessOpInterface>(op)), builder(builder), state(state),
        loc(op->getLoc()), base(state.read(builder, loc, this->op.getRef())) {}

  Value read() { return createSelection(builder, op, base); }
  LogicalResult write(Value newBase) {
    return state.write(builder, loc, op.getRef(), newBase);
  }
  /// Updates the selection under a mask, which may be null, and replaces the
  /// result of the operation by what was there: `maskedOff` where masked off.
  LogicalResult update(AtomicKind kind, Value value, Value mask,
                       Value maskedOff) {
    bool isUsed = op->getNumResults() == 1 && !op->getResult(0).use_empty();
    // Elements that may be named twice, or be outside, are updated in loops.
    if (isScattered(op)) {
      Value old;
      if (isUsed)
        old = maskedOff ? createBroadcast(builder, loc, maskedOff,
                                          op.getAccessShape())
                        : read();
      SmallVector<Value> results =
          createScatteredUpdate(builder, op, base, value, mask, kind, old);
      if (isUsed)
        op->getResult(0).replaceAllUsesWith(results[1]);
      return write(results[0]);
    }
    Value old;
    // A plain store of everything needs no read.
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

///   %v = tensor.extract_slice %base[...]
struct DischargeGet
    : public DischargeableOpInterface::ExternalModel<DischargeGet, GetOp> {
  LogicalResult discharge(Operation *op, OpBuilder &builder,
                          DischargeState &state) const {
    op->getResult(0).replaceAllUsesWith(Access(op, builder, state).read());
    return success();
  }
};

///   %new = tensor.insert_slice %v into %base[...]
struct DischargeSwap
    : public DischargeableOpInterface::ExternalModel<DischargeSwap, SwapOp> {
  LogicalResult discharge(Operation *op, OpBuilder &builder,
                          DischargeState &state) const {
    return Access(op, builder, state)
        .update(AtomicKind::Xchg, cast<SwapOp>(op).getValue(), {}, {});
  }
};

///   %1 = arith.addf %old, %v
struct DischargeAddUpdate
    : public DischargeableOpInterface::ExternalModel<DischargeAddUpdate,
                                                     AddUpdateOp> {
  LogicalResult discharge(Operation *op, OpBuilder &builder,
                          DischargeState &state) const {
    return Access(op, builder, state)
        .update(AtomicKind::Add, cast<AddUpdateOp>(op).getValue(), {}, {});
  }
};

/// Masked elements have `other`, or any value.
struct DischargeMaskedLoad
    : public DischargeableOpInterface::ExternalModel<DischargeMaskedLoad,
                                                     MaskedLoadOp> {
  LogicalResult discharge(Operation *op, OpBuilder &builder,
                          DischargeState &state) const {
    auto load = cast<MaskedLoadOp>(op);
    Access access(op, builder, state);
    Value value = access.read();
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

/// The old value is `value` where the mask is false.
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

/// Programs run in order as loops, so an atomic update is a plain one.
struct DischargeAtomicRMW
    : public DischargeableOpInterface::ExternalModel<DischargeAtomicRMW,
                                                     AtomicRMWOp> {
  LogicalResult discharge(Operation *op, OpBuilder &builder,
                          DischargeState &state) const {
    auto rmw = cast<AtomicRMWOp>(op);
    return Access(op, builder, state)
        .update(rmw.getKind(), rmw.getValue(), rmw.getMask(), rmw.getValue());
  }
};

/// Compare and swap of one element.
struct DischargeAtomicCAS
    : public DischargeableOpInterface::ExternalModel<DischargeAtomicCAS,
                                                     AtomicCASOp> {
  LogicalResult discharge(Operation *op, OpBuilder &builder,
                          DischargeState &state) const {
    auto cas = cast<AtomicCASOp>(op);
    Location loc = op->getLoc();
    Access access(op, builder, state);
    Value old = access.read();
    Value updated = createCompareAndSwap(builder, loc, old, cas.getExpected(),
                                         cas.getValue());
    op->getResult(0).replaceAllUsesWith(old);
    return access.write(createUpdate(builder, access.op, access.base, updated));
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
}
