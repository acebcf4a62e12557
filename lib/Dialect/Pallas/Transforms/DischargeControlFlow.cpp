//===- DischargeControlFlow.cpp - Values through scf and func -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Refs that a region writes to become operands and results of its operation:
//
//   scf.if %c { pallas.swap %r[...], %v }
//
// becomes
//
//   %1 = scf.if %c -> (tensor<8xf32>) { scf.yield %v } else { scf.yield %old }
//
//===----------------------------------------------------------------------===//

#include "DischargeModels.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "pallas/Dialect/Pallas/Transforms/Discharge.h"

using namespace mlir;
using namespace mlir::pallas;

/// The types of the old results, then of the values.
static SmallVector<Type> appendTypes(TypeRange results, ValueRange values) {
  SmallVector<Type> types(results);
  llvm::append_range(types, values.getTypes());
  return types;
}

/// Uses the results of `to`: the old ones, then what the refs hold.
static void replaceResults(Operation *from, Operation *to, ArrayRef<Value> refs,
                           DischargeState &state) {
  unsigned numOld = from->getNumResults();
  from->replaceAllUsesWith(to->getResults().take_front(numOld));
  for (auto [ref, value] : llvm::zip(refs, to->getResults().drop_front(numOld)))
    state.define(ref, value);
}

/// Adds block arguments for the values of refs.
static SmallVector<Value> addArguments(Block &block, ValueRange values) {
  SmallVector<Value> arguments;
  for (Value value : values)
    arguments.push_back(block.addArgument(value.getType(), value.getLoc()));
  return arguments;
}

namespace {
/// An if without an else gets one, which yields the old contents.
struct DischargeIf
    : public DischargeableOpInterface::ExternalModel<DischargeIf, scf::IfOp> {
  LogicalResult discharge(Operation *op, OpBuilder &builder,
                          DischargeState &state) const {
    auto ifOp = cast<scf::IfOp>(op);
    SmallVector<Value> refs = state.getWritten(op->getRegions());
    SmallVector<Value> values = state.readAll(builder, refs);
    bool needsElse = !refs.empty() || !ifOp.getElseRegion().empty();
    auto result = scf::IfOp::create(
        builder, op->getLoc(), appendTypes(op->getResultTypes(), values),
        ifOp.getCondition(), /*addThenBlock=*/false, /*addElseBlock=*/false);
    result.getThenRegion().takeBody(ifOp.getThenRegion());
    result.getElseRegion().takeBody(ifOp.getElseRegion());
    if (needsElse && result.getElseRegion().empty()) {
      OpBuilder nested(op->getContext());
      nested.createBlock(&result.getElseRegion());
      scf::YieldOp::create(nested, op->getLoc());
    }
    for (Region *region : result.getRegions())
      if (!region->empty() &&
          failed(state.dischargeBranch(region->front(), refs, values)))
        return failure();
    replaceResults(op, result, refs, state);
    return success();
  }
};

/// Contents are carried behind the values that the loop carried before.
struct DischargeFor
    : public DischargeableOpInterface::ExternalModel<DischargeFor, scf::ForOp> {
  LogicalResult discharge(Operation *op, OpBuilder &builder,
                          DischargeState &state) const {
    auto loop = cast<scf::ForOp>(op);
    SmallVector<Value> refs = state.getWritten(loop.getRegion());
    SmallVector<Value> values = state.readAll(builder, refs);
    SmallVector<Value> inits(loop.getInitArgs());
    llvm::append_range(inits, values);
    auto result =
        scf::ForOp::create(builder, op->getLoc(), loop.getLowerBound(),
                           loop.getUpperBound(), loop.getStep(), inits);
    // Attributes such as pallas.parallel_loop stay.
    result->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    result.getRegion().takeBody(loop.getRegion());
    Block &body = *result.getBody();
    SmallVector<Value> carried = addArguments(body, values);
    if (failed(state.dischargeBranch(body, refs, carried)))
      return failure();
    replaceResults(op, result, refs, state);
    return success();
  }
};

/// The body sees what the condition writes, and so does the code behind the
/// loop: the condition forwards the contents like any other value.
struct DischargeWhile
    : public DischargeableOpInterface::ExternalModel<DischargeWhile,
                                                     scf::WhileOp> {
  LogicalResult discharge(Operation *op, OpBuilder &builder,
                          DischargeState &state) const {
    auto loop = cast<scf::WhileOp>(op);
    SmallVector<Value> refs = state.getWritten(op->getRegions());
    SmallVector<Value> values = state.readAll(builder, refs);
    SmallVector<Value> inits(loop.getInits());
    llvm::append_range(inits, values);
    auto result =
        scf::WhileOp::create(builder, op->getLoc(),
                             appendTypes(op->getResultTypes(), values), inits);
    for (auto [to, from] : llvm::zip(result->getRegions(), op->getRegions())) {
      to.takeBody(from);
      SmallVector<Value> carried = addArguments(to.front(), values);
      if (failed(state.dischargeBranch(to.front(), refs, carried)))
        return failure();
    }
    replaceResults(op, result, refs, state);
    return success();
  }
};

/// Each case yields the contents that it leaves.
struct DischargeIndexSwitch
    : public DischargeableOpInterface::ExternalModel<DischargeIndexSwitch,
                                                     scf::IndexSwitchOp> {
  LogicalResult discharge(Operation *op, OpBuilder &builder,
                          DischargeState &state) const {
    auto choice = cast<scf::IndexSwitchOp>(op);
    SmallVector<Value> refs = state.getWritten(op->getRegions());
    SmallVector<Value> values = state.readAll(builder, refs);
    auto result = scf::IndexSwitchOp::create(
        builder, op->getLoc(), appendTypes(op->getResultTypes(), values),
        choice.getArg(), choice.getCases(), choice.getNumCases());
    for (auto [to, from] : llvm::zip(result->getRegions(), op->getRegions())) {
      to.takeBody(from);
      if (failed(state.dischargeBranch(to.front(), refs, values)))
        return failure();
    }
    replaceResults(op, result, refs, state);
    return success();
  }
};

/// The callee takes values and returns what they became, in order.
struct DischargeCall
    : public DischargeableOpInterface::ExternalModel<DischargeCall,
                                                     func::CallOp> {
  LogicalResult discharge(Operation *op, OpBuilder &builder,
                          DischargeState &state) const {
    SmallVector<Value> operands, refs, values;
    for (Value operand : op->getOperands()) {
      if (state.isDischarged(operand)) {
        // Two names for one ref would need two values that change together.
        if (llvm::is_contained(refs, operand))
          return op->emitOpError() << "passes one ref twice, so its contents "
                                      "would have two values; pass it once";
        refs.push_back(operand);
        operand = state.read(builder, op->getLoc(), operand);
        values.push_back(operand);
      }
      operands.push_back(operand);
    }
    auto call = cast<func::CallOp>(op);
    auto result = func::CallOp::create(
        builder, op->getLoc(), call.getCallee(),
        appendTypes(op->getResultTypes(), values), operands);
    unsigned numOld = op->getNumResults();
    op->replaceAllUsesWith(result->getResults().take_front(numOld));
    for (auto [ref, value] :
         llvm::zip(refs, result->getResults().drop_front(numOld)))
      if (failed(state.write(builder, op->getLoc(), ref, value)))
        return failure();
    return success();
  }
};
} // namespace

void pallas::attachControlFlowModels(MLIRContext *context) {
  scf::IfOp::attachInterface<DischargeIf>(*context);
  scf::ForOp::attachInterface<DischargeFor>(*context);
  scf::WhileOp::attachInterface<DischargeWhile>(*context);
  scf::IndexSwitchOp::attachInterface<DischargeIndexSwitch>(*context);
  func::CallOp::attachInterface<DischargeCall>(*context);
}
