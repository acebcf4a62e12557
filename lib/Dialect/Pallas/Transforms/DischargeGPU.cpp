//===- DischargeGPU.cpp - Accumulators and memories of GPUs as values -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Discharge runs a kernel in one order, so what is asynchronous on a GPU
// happens at its start: a copy is a store, a matmul a contraction, and an
// arrival adds to a count. Waits then only subtract, and fences disappear.
// Operations that reach into another block have no such meaning and are errors.
//
//===----------------------------------------------------------------------===//

#include "DischargeAsync.h"
#include "DischargeModels.h"
#include "RefSelection.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "pallas/Dialect/Pallas/Utils/Combining.h"
#include "pallas/Dialect/Pallas/Utils/TensorProducts.h"

using namespace mlir;
using namespace mlir::pallas;

/// acc + lhs @ rhs.
/// The operands are matrices, so one dimension of each is contracted:
///
///   %r = pallas.dot_general %lhs, %rhs contract [1] x [0] acc %acc
static Value createProduct(OpBuilder &builder, Location loc, Value acc,
                           Value lhs, Value rhs) {
  return DotGeneralOp::create(builder, loc, acc.getType(), lhs, rhs, acc,
                              builder.getDenseI64ArrayAttr({1}),
                              builder.getDenseI64ArrayAttr({0}));
}

/// Writes `value` to `ref` where `predicate`, which may be null, holds.
static LogicalResult writeIf(OpBuilder &builder, DischargeState &state,
                             Location loc, Value predicate, Value ref,
                             Value value) {
  if (predicate)
    value = arith::SelectOp::create(builder, loc, predicate, value,
                                    state.load(builder, loc, ref));
  return state.store(builder, loc, ref, value);
}

/// There is no rule for a barrier that is still a ref: without a value there is
/// no count of arrivals to update.
static LogicalResult verifyDischarged(Operation *op, DischargeState &state,
                                      Value barrier) {
  if (state.isDischarged(barrier))
    return success();
  return op->emitOpError() << "uses a barrier of type " << barrier.getType()
                           << " that stays beside refs that become values; "
                              "discharge its memory space, too";
}

namespace {
//===----------------------------------------------------------------------===//
// Accumulators in registers
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
        lhs = state.load(builder, loc, lhs);
      result = createProduct(builder, loc, acc, lhs, rhs);
    } else {
      result = WGMMAOp::create(builder, loc, acc.getType(), acc, lhs, rhs);
    }
    return state.write(builder, loc, product.getAcc(), result);
  }
};

/// Where all refs become values, reading the accumulator is the value itself.
/// Otherwise matmuls of refs may still be under way, and the wait stays.
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

/// An accumulator is one value, without indices or parts.
struct DischargeAccumulatorStore
    : public DischargeableOpInterface::ExternalModel<DischargeAccumulatorStore,
                                                     AccumulatorStoreOp> {
  LogicalResult discharge(Operation *op, OpBuilder &builder,
                          DischargeState &state) const {
    auto store = cast<AccumulatorStoreOp>(op);
    return state.write(builder, op->getLoc(), store.getAcc(), store.getValue());
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Tensor memory
//===----------------------------------------------------------------------===//

/// Products of two blocks reach into the memory of the other one, so they have
/// no meaning as values of one block.
static LogicalResult verifyOwnBlock(Operation *op,
                                    std::optional<StringRef> axis) {
  if (!axis)
    return success();
  return op->emitOpError() << "works together with another block along \""
                           << *axis
                           << "\", whose memory is no value of this one; "
                              "multiply in each block on its own";
}

namespace {
/// The flag that starts a sum from zero is a value of run time, since one
/// instruction serves all steps of a loop:
///
///   %start = arith.select %accumulate, %old, %zero
///   %r = pallas.dot_general %lhs, %rhs contract [1] x [0] acc %start
struct DischargeTcgen05MMA
    : public DischargeableOpInterface::ExternalModel<DischargeTcgen05MMA,
                                                     Tcgen05MMAOp> {
  LogicalResult discharge(Operation *op, OpBuilder &builder,
                          DischargeState &state) const {
    auto product = cast<Tcgen05MMAOp>(op);
    Location loc = op->getLoc();
    if (failed(verifyOwnBlock(op, product.getCollectiveAxis())))
      return failure();
    if (product.getBarrier() &&
        failed(verifyDischarged(op, state, product.getBarrier())))
      return failure();
    Value old = state.load(builder, loc, product.getAcc());
    Value zero = arith::ConstantOp::create(builder, loc,
                                           builder.getZeroAttr(old.getType()));
    Value start = arith::SelectOp::create(builder, loc, product.getAccumulate(),
                                          old, zero);
    auto load = [&](Value ref) {
      return ref ? state.load(builder, loc, ref) : Value();
    };
    ProductFactors factors{load(product.getLhs()), load(product.getRhs()),
                           load(product.getLhsScale()),
                           load(product.getRhsScale()),
                           load(product.getLhsMetadata())};
    if (failed(spellOutFactors(builder, loc, factors)))
      return failure();
    Value result = createProduct(builder, loc, start, factors.lhs, factors.rhs);
    if (failed(state.store(builder, loc, product.getAcc(), result)))
      return failure();
    if (!product.getBarrier())
      return success();
    return addToCount(builder, state, loc, product.getBarrier(),
                      createCount(builder, loc, 1));
  }
};

/// Stores what the copy makes of the tiles.
struct DischargeTensorCopy
    : public DischargeableOpInterface::ExternalModel<DischargeTensorCopy,
                                                     AsyncCopyToTmemOp> {
  LogicalResult discharge(Operation *op, OpBuilder &builder,
                          DischargeState &state) const {
    auto copy = cast<AsyncCopyToTmemOp>(op);
    Location loc = op->getLoc();
    if (failed(verifyOwnBlock(op, copy.getCollectiveAxis())))
      return failure();
    Value value = arrangeTensorCopy(
        builder, loc, copy.getKind(),
        state.load(builder, loc, copy.getSource()),
        cast<RankedTensorType>(copy.getTarget().getType().getValueType()));
    return state.store(builder, loc, copy.getTarget(), value);
  }
};

/// The matmuls before it are done by now, so the barrier gets its arrival at
/// once.
struct DischargeTcgen05Commit
    : public DischargeableOpInterface::ExternalModel<DischargeTcgen05Commit,
                                                     Tcgen05CommitOp> {
  LogicalResult discharge(Operation *op, OpBuilder &builder,
                          DischargeState &state) const {
    auto commit = cast<Tcgen05CommitOp>(op);
    if (failed(verifyOwnBlock(op, commit.getCollectiveAxis())))
      return failure();
    return addToCount(builder, state, op->getLoc(), commit.getBarrier(),
                      createCount(builder, op->getLoc(), 1));
  }
};

/// Tensor memory is a memory space like others; only its loads are
/// asynchronous.
struct DischargeLoadTmem
    : public DischargeableOpInterface::ExternalModel<DischargeLoadTmem,
                                                     AsyncLoadTmemOp> {
  LogicalResult discharge(Operation *op, OpBuilder &builder,
                          DischargeState &state) const {
    op->getResult(0).replaceAllUsesWith(
        state.read(builder, op->getLoc(), op->getOperand(0)));
    return success();
  }
};

struct DischargeStoreTmem
    : public DischargeableOpInterface::ExternalModel<DischargeStoreTmem,
                                                     AsyncStoreTmemOp> {
  LogicalResult discharge(Operation *op, OpBuilder &builder,
                          DischargeState &state) const {
    auto store = cast<AsyncStoreTmemOp>(op);
    return state.write(builder, op->getLoc(), store.getTarget(),
                       store.getValue());
  }
};

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// A copy that does not take place does not arrive either: its predicate, as a
/// number, is the count of arrivals.
///
///   %n = arith.extui %predicate : i1 to i32
struct DischargeCopyToSmem
    : public DischargeableOpInterface::ExternalModel<DischargeCopyToSmem,
                                                     CopyGmemToSmemOp> {
  LogicalResult discharge(Operation *op, OpBuilder &builder,
                          DischargeState &state) const {
    auto copy = cast<CopyGmemToSmemOp>(op);
    Location loc = op->getLoc();
    if (copy.getCollectiveAxes() && !copy.getCollectiveAxes()->empty())
      return op->emitOpError()
             << "copies to several blocks along " << *copy.getCollectiveAxes()
             << ", whose memory is no value of one; copy to each block on "
                "its own";
    if (failed(verifyDischarged(op, state, copy.getBarrier())))
      return failure();
    Value value = state.load(builder, loc, copy.getSource());
    Value arrival = createCount(builder, loc, 1);
    if (copy.getPredicate())
      arrival = arith::ExtUIOp::create(builder, loc, builder.getI32Type(),
                                       copy.getPredicate());
    if (failed(writeIf(builder, state, loc, copy.getPredicate(),
                       copy.getTarget(), value)))
      return failure();
    return addToCount(builder, state, loc, copy.getBarrier(), arrival);
  }
};

/// Groups of copies to global memory count nothing; a later wait finds them
/// done.
struct DischargeCopyToGmem
    : public DischargeableOpInterface::ExternalModel<DischargeCopyToGmem,
                                                     CopySmemToGmemOp> {
  LogicalResult discharge(Operation *op, OpBuilder &builder,
                          DischargeState &state) const {
    auto copy = cast<CopySmemToGmemOp>(op);
    Location loc = op->getLoc();
    Value value = state.load(builder, loc, copy.getSource());
    if (copy.getReduction())
      value = createCombined(builder, loc, *copy.getReduction(),
                             state.load(builder, loc, copy.getTarget()), value);
    return writeIf(builder, state, loc, copy.getPredicate(), copy.getTarget(),
                   value);
  }
};

//===----------------------------------------------------------------------===//
// Operations that values don't need
//===----------------------------------------------------------------------===//

/// Waits and commits order memory, and hints speak of a machine.
template <typename OpTy>
struct DischargeNothing
    : public DischargeableOpInterface::ExternalModel<DischargeNothing<OpTy>,
                                                     OpTy> {
  LogicalResult discharge(Operation *, OpBuilder &, DischargeState &) const {
    return success();
  }
};

/// Values have no layout.
struct DischargeLayoutCast
    : public DischargeableOpInterface::ExternalModel<DischargeLayoutCast,
                                                     LayoutCastOp> {
  LogicalResult discharge(Operation *op, OpBuilder &, DischargeState &) const {
    op->getResult(0).replaceAllUsesWith(op->getOperand(0));
    return success();
  }
};

/// An assertion is what remains of a check: values have no memory to watch.
struct DischargeCheck
    : public DischargeableOpInterface::ExternalModel<DischargeCheck, CheckOp> {
  LogicalResult discharge(Operation *op, OpBuilder &builder,
                          DischargeState &) const {
    auto check = cast<CheckOp>(op);
    cf::AssertOp::create(builder, op->getLoc(), check.getCondition(),
                         check.getMessage());
    return success();
  }
};
} // namespace

/// One model per operation, since an interface is attached to each by itself.
template <typename... Ops> static void attachNothing(MLIRContext *context) {
  (Ops::template attachInterface<DischargeNothing<Ops>>(*context), ...);
}

void pallas::attachGPUModels(MLIRContext *context) {
  WGMMARefOp::attachInterface<DischargeWGMMA>(*context);
  AccumulatorDerefOp::attachInterface<DischargeDeref>(*context);
  AccumulatorStoreOp::attachInterface<DischargeAccumulatorStore>(*context);
  AsyncCopyToTmemOp::attachInterface<DischargeTensorCopy>(*context);
  Tcgen05MMAOp::attachInterface<DischargeTcgen05MMA>(*context);
  Tcgen05CommitOp::attachInterface<DischargeTcgen05Commit>(*context);
  AsyncLoadTmemOp::attachInterface<DischargeLoadTmem>(*context);
  AsyncStoreTmemOp::attachInterface<DischargeStoreTmem>(*context);
  CopyGmemToSmemOp::attachInterface<DischargeCopyToSmem>(*context);
  CopySmemToGmemOp::attachInterface<DischargeCopyToGmem>(*context);
  LayoutCastOp::attachInterface<DischargeLayoutCast>(*context);
  CheckOp::attachInterface<DischargeCheck>(*context);
  attachNothing<WGMMACommitOp, WGMMAWaitOp, CommitSmemOp,
                CommitSmemToGmemGroupOp, WaitSmemToGmemOp, WaitLoadTmemOp,
                CommitTmemOp, SetMaxRegistersOp, AsyncPrefetchOp, DelayOp,
                TraceStartOp, TraceStopOp, TraceValueOp, GridDependencyOp>(
      context);
}
