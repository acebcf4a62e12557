//===- DischargeScopes.cpp - Refs that begin and end ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scopes and allocations. A ref that becomes a value needs no allocation.
//
//===----------------------------------------------------------------------===//

#include "DischargeModels.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "pallas/Dialect/Pallas/Transforms/Discharge.h"

using namespace mlir;
using namespace mlir::pallas;

/// Moves the operations of a scope in front of it.
static void inlineBody(Operation *scope, Block &body) {
  scope->getBlock()->getOperations().splice(scope->getIterator(),
                                            body.getOperations(), body.begin(),
                                            std::prev(body.end()));
}

namespace {
/// A scope whose refs are all values is no scope any more. Others keep the
/// rest, and return what they wrote.
struct DischargeRunScoped
    : public DischargeableOpInterface::ExternalModel<DischargeRunScoped,
                                                     RunScopedOp> {
  LogicalResult discharge(Operation *op, OpBuilder &builder,
                          DischargeState &state) const {
    auto scope = cast<RunScopedOp>(op);
    Block &body = scope.getBody().front();
    if (scope.getCollectiveAxes() && !scope.getCollectiveAxes()->empty() &&
        llvm::any_of(body.getArguments(), [&](Value argument) {
          return state.isSelected(argument);
        }))
      return op->emitOpError()
             << "shares memory along " << *scope.getCollectiveAxes()
             << ", which a value of one program can't replace; discharge "
                "other memory spaces only";
    llvm::BitVector dropped(body.getNumArguments());
    for (BlockArgument argument : body.getArguments())
      if (state.isSelected(argument)) {
        dropped.set(argument.getArgNumber());
        state.define(argument, DischargeState::createInitial(
                                   builder, op->getLoc(), argument.getType()));
      }
    if (dropped.all()) {
      if (failed(state.discharge(body)))
        return failure();
      op->replaceAllUsesWith(body.getTerminator()->getOperands());
      inlineBody(op, body);
      return success();
    }

    // Refs of the scope itself end with it.
    SmallVector<Value> refs = state.getWritten(scope.getBody());
    llvm::erase_if(refs,
                   [&](Value ref) { return ref.getParentBlock() == &body; });
    SmallVector<Value> values = state.readAll(builder, refs);
    if (failed(state.dischargeBranch(body, refs, values)))
      return failure();
    // Their arguments are erased, so they must not be looked up again.
    for (unsigned index : dropped.set_bits())
      state.forget(body.getArgument(index));
    body.eraseArguments(dropped);
    SmallVector<Type> types(op->getResultTypes());
    llvm::append_range(types, ValueRange(values).getTypes());
    auto result = RunScopedOp::create(builder, op->getLoc(), types,
                                      scope.getCollectiveAxesAttr());
    result.getBody().takeBody(scope.getBody());
    unsigned numOld = op->getNumResults();
    op->replaceAllUsesWith(result->getResults().take_front(numOld));
    for (auto [ref, value] :
         llvm::zip(refs, result->getResults().drop_front(numOld)))
      state.define(ref, value);
    return success();
  }
};

///   %r = pallas.run_state (%s: !pallas.ref<8xf32, vmem> = %x : ...) { ... }
///
/// starts with %x, and its result is what %s holds at the end.
struct DischargeRunState
    : public DischargeableOpInterface::ExternalModel<DischargeRunState,
                                                     RunStateOp> {
  LogicalResult discharge(Operation *op, OpBuilder &builder,
                          DischargeState &state) const {
    auto scope = cast<RunStateOp>(op);
    Block &body = scope.getBody().front();
    for (auto [argument, init] :
         llvm::zip(body.getArguments(), scope.getInits())) {
      if (!state.isSelected(argument))
        return op->emitOpError()
               << "holds refs of types " << body.getArgumentTypes()
               << ", of which only some become values; select all of them";
      state.define(argument, init);
    }
    if (failed(state.discharge(body)))
      return failure();
    SmallVector<Value> finals;
    for (BlockArgument argument : body.getArguments())
      finals.push_back(state.read(builder, op->getLoc(), argument));
    inlineBody(op, body);
    op->replaceAllUsesWith(finals);
    return success();
  }
};

/// The initial value is what the ref holds.
struct DischargeNewRef
    : public DischargeableOpInterface::ExternalModel<DischargeNewRef,
                                                     NewRefOp> {
  LogicalResult discharge(Operation *op, OpBuilder &,
                          DischargeState &state) const {
    state.define(op->getResult(0), op->getOperand(0));
    return success();
  }
};

/// Unspecified contents, or zero for semaphores.
struct DischargeEmptyRef
    : public DischargeableOpInterface::ExternalModel<DischargeEmptyRef,
                                                     EmptyRefOp> {
  LogicalResult discharge(Operation *op, OpBuilder &builder,
                          DischargeState &state) const {
    Value ref = op->getResult(0);
    state.define(ref, DischargeState::createInitial(builder, op->getLoc(),
                                                    ref.getType()));
    return success();
  }
};

/// A frozen ref is the value of the ref at this point.
struct DischargeFreeze
    : public DischargeableOpInterface::ExternalModel<DischargeFreeze,
                                                     FreezeOp> {
  LogicalResult discharge(Operation *op, OpBuilder &builder,
                          DischargeState &state) const {
    op->getResult(0).replaceAllUsesWith(
        state.read(builder, op->getLoc(), op->getOperand(0)));
    return success();
  }
};

/// Values need no end.
struct DischargeFree
    : public DischargeableOpInterface::ExternalModel<DischargeFree, FreeRefOp> {
  LogicalResult discharge(Operation *, OpBuilder &, DischargeState &) const {
    return success();
  }
};
} // namespace

void pallas::attachScopeModels(MLIRContext *context) {
  RunScopedOp::attachInterface<DischargeRunScoped>(*context);
  RunStateOp::attachInterface<DischargeRunState>(*context);
  NewRefOp::attachInterface<DischargeNewRef>(*context);
  EmptyRefOp::attachInterface<DischargeEmptyRef>(*context);
  FreezeOp::attachInterface<DischargeFreeze>(*context);
  FreeRefOp::attachInterface<DischargeFree>(*context);
}
