//===- ControlFlowRules.cpp - Loops and branches --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accumulators are values in registers, but in the pallas dialect they are
// memory that regions change. So each region yields those that it changes, and
// its operation returns them behind its other results:
//
//   %r:2 = scf.for ... iter_args(%x = %init, %acc = %current) { ... }
//
//===----------------------------------------------------------------------===//

#include "Rules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::pallas;

/// Accumulators and refs in registers of the surroundings that a region
/// changes, in program order. They are carried as values:
///   scf.for %i = ... { pallas.addupdate %acc[...], %v }
/// -->
///   %new = scf.for %i = ... iter_args(%held = %old) {
///     %sum = arith.addf %held, %v
///     scf.yield %sum
///   }
static SmallVector<Value> getChanged(Operation *op, KernelEmitter &emit) {
  llvm::SetVector<Value> changed;
  op->walk([&](Operation *nested) {
    Value acc;
    if (auto product = dyn_cast<WGMMARefOp>(nested))
      acc = product.getAcc();
    else if (auto store = dyn_cast<AccumulatorStoreOp>(nested))
      acc = store.getAcc();
    else if (isa<AddUpdateOp, SwapOp>(nested))
      acc = cast<RefAccessOpInterface>(nested).getRef();
    if (acc && emit.accumulators.count(acc))
      changed.insert(acc);
  });
  return changed.takeVector();
}

static SmallVector<Value> getCurrent(ArrayRef<Value> accumulators,
                                     KernelEmitter &emit) {
  return llvm::map_to_vector(accumulators,
                             [&](Value acc) { return emit.accumulators[acc]; });
}

/// After a region the accumulators are what it has returned.
static void setCurrent(ArrayRef<Value> accumulators, ValueRange vectors,
                       KernelEmitter &emit) {
  for (auto [acc, vector] : llvm::zip_equal(accumulators, vectors))
    emit.accumulators[acc] = vector;
}

/// The results of the operation, and behind them the accumulators.
static void setResults(Operation *op, ValueRange written,
                       ArrayRef<Value> accumulators, KernelEmitter &emit) {
  for (auto [result, value] : llvm::zip(op->getResults(), written))
    emit.values[result] = value;
  setCurrent(accumulators, written.take_back(accumulators.size()), emit);
}

/// Writes a block, then a yield of its values and the accumulators.
static LogicalResult writeRegion(Block &source, Block *target,
                                 ArrayRef<Value> accumulators,
                                 KernelEmitter &emit) {
  OpBuilder::InsertionGuard guard(emit.b);
  emit.b.setInsertionPointToEnd(target);
  if (failed(emit.convertBlock(source)))
    return failure();
  FailureOr<SmallVector<Value>> yielded = emit.getTerminatorValues(source);
  if (failed(yielded))
    return failure();
  llvm::append_range(*yielded, getCurrent(accumulators, emit));
  scf::YieldOp::create(emit.b, emit.loc, *yielded);
  return success();
}

/// The body is written with the accumulators as arguments of the loop: what
/// they were before the loop is right for its first step only.
static LogicalResult convertFor(scf::ForOp op, KernelEmitter &emit) {
  FailureOr<Value> low = emit.getValue(op.getLowerBound());
  FailureOr<Value> high = emit.getValue(op.getUpperBound());
  FailureOr<Value> step = emit.getValue(op.getStep());
  FailureOr<SmallVector<Value>> inits = emit.getValues(op.getInitArgs());
  if (failed(low) || failed(high) || failed(step) || failed(inits))
    return failure();
  SmallVector<Value> accumulators = getChanged(op, emit);
  llvm::append_range(*inits, getCurrent(accumulators, emit));
  auto loop = scf::ForOp::create(emit.b, emit.loc, *low, *high, *step, *inits);
  // The builder ends a loop without values itself.
  if (!loop.getBody()->empty())
    loop.getBody()->getTerminator()->erase();
  emit.values[op.getInductionVar()] = loop.getInductionVar();
  for (auto [from, to] :
       llvm::zip(op.getRegionIterArgs(), loop.getRegionIterArgs()))
    emit.values[from] = to;
  setCurrent(
      accumulators,
      ValueRange(loop.getRegionIterArgs()).take_back(accumulators.size()),
      emit);
  if (failed(writeRegion(*op.getBody(), loop.getBody(), accumulators, emit)))
    return failure();
  setResults(op, loop.getResults(), accumulators, emit);
  return success();
}

/// The types of the results of `op` and of the accumulators behind them.
static SmallVector<Type> getResultTypes(Operation *op,
                                        ValueRange accumulators) {
  SmallVector<Type> types =
      llvm::map_to_vector(op->getResultTypes(), [](Type type) {
        return KernelEmitter::convertType(type);
      });
  llvm::append_range(types, accumulators.getTypes());
  return types;
}

/// scf.if %c { a } else { b } -> scf.index_switch of %c: case 0 { b }
/// default { a }. Layouts are inferred through switches only.
static LogicalResult convertIf(scf::IfOp op, KernelEmitter &emit) {
  FailureOr<Value> condition = emit.getValue(op.getCondition());
  if (failed(condition))
    return failure();
  SmallVector<Value> accumulators = getChanged(op, emit);
  SmallVector<Value> before = getCurrent(accumulators, emit);
  SmallVector<Type> types = getResultTypes(op, before);
  auto branch = scf::IndexSwitchOp::create(emit.b, emit.loc, types,
                                           emit.toIndex(emit.toI32(*condition)),
                                           ArrayRef<int64_t>{0}, 1);
  Block *otherwise = &branch.getCaseRegions()[0].emplaceBlock();
  Block *then = &branch.getDefaultRegion().emplaceBlock();
  if (failed(writeRegion(*op.thenBlock(), then, accumulators, emit)))
    return failure();
  setCurrent(accumulators, before, emit);
  if (op.elseBlock()) {
    if (failed(writeRegion(*op.elseBlock(), otherwise, accumulators, emit)))
      return failure();
  } else {
    OpBuilder::InsertionGuard guard(emit.b);
    emit.b.setInsertionPointToEnd(otherwise);
    scf::YieldOp::create(emit.b, emit.loc, before);
  }
  setResults(op, branch.getResults(), accumulators, emit);
  return success();
}

/// Each case starts from the accumulators before the switch, and all of them
/// yield the same ones.
static LogicalResult convertSwitch(scf::IndexSwitchOp op, KernelEmitter &emit) {
  FailureOr<Value> number = emit.getValue(op.getArg());
  if (failed(number))
    return failure();
  SmallVector<Value> accumulators = getChanged(op, emit);
  SmallVector<Value> before = getCurrent(accumulators, emit);
  SmallVector<Type> types = getResultTypes(op, before);
  auto copy =
      scf::IndexSwitchOp::create(emit.b, emit.loc, types, *number,
                                 op.getCases(), op.getCaseRegions().size());
  for (auto [from, to] :
       llvm::zip_equal(op->getRegions(), copy->getRegions())) {
    setCurrent(accumulators, before, emit);
    if (failed(
            writeRegion(from.front(), &to.emplaceBlock(), accumulators, emit)))
      return failure();
  }
  setResults(op, copy.getResults(), accumulators, emit);
  return success();
}

/// Gives the arguments of a block to those of another one.
static Block *copyArguments(Region &target, Block &source,
                            KernelEmitter &emit) {
  Block *block = &target.emplaceBlock();
  for (BlockArgument argument : source.getArguments())
    emit.values[argument] = block->addArgument(
        KernelEmitter::convertType(argument.getType()), argument.getLoc());
  return block;
}

/// The condition passes on values that the body may not have, so accumulators
/// cannot simply be appended here.
static LogicalResult convertWhile(scf::WhileOp op, KernelEmitter &emit) {
  FailureOr<SmallVector<Value>> inits = emit.getValues(op.getInits());
  if (failed(inits))
    return failure();
  if (!getChanged(op, emit).empty())
    return op.emitOpError("changes an accumulator of its surroundings; on GPUs "
                          "that is done in an scf.for");
  SmallVector<Type> types =
      llvm::map_to_vector(op.getResultTypes(), [](Type type) {
        return KernelEmitter::convertType(type);
      });
  auto loop = scf::WhileOp::create(emit.b, emit.loc, types, *inits);
  OpBuilder::InsertionGuard guard(emit.b);
  Block &before = *op.getBeforeBody();
  emit.b.setInsertionPointToEnd(copyArguments(loop.getBefore(), before, emit));
  if (failed(emit.convertBlock(before)))
    return failure();
  FailureOr<SmallVector<Value>> passed = emit.getTerminatorValues(before);
  if (failed(passed))
    return failure();
  scf::ConditionOp::create(emit.b, emit.loc, passed->front(),
                           ArrayRef<Value>(*passed).drop_front());
  Block *after = copyArguments(loop.getAfter(), *op.getAfterBody(), emit);
  if (failed(writeRegion(*op.getAfterBody(), after, {}, emit)))
    return failure();
  setResults(op, loop.getResults(), {}, emit);
  return success();
}

void mlir::pallas::addControlFlowRules(RuleTable &rules) {
  rules.add<scf::ForOp>(convertFor);
  rules.add<scf::IfOp>(convertIf);
  rules.add<scf::IndexSwitchOp>(convertSwitch);
  rules.add<scf::WhileOp>(convertWhile);
}
