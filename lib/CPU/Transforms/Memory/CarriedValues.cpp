//===- CarriedValues.cpp - Memory of values that loops carry --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bufferization takes a loop only if what it yields lies where the argument
// does. It lies there if the argument is updated in place, and the old value is
// not read later; everything else is copied there.
//
//===----------------------------------------------------------------------===//

#include "CarriedValues.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

using namespace mlir;
using namespace mlir::pallas;

/// The values besides `value` itself that are in its memory because of `use`:
/// views of it, and the result of a branch that yields it.
static Value getAliasThrough(OpOperand &use) {
  Operation *user = use.getOwner();
  if (isa<tensor::ExtractSliceOp, tensor::ExpandShapeOp,
          tensor::CollapseShapeOp, tensor::CastOp>(user))
    return user->getResult(0);
  if (isa<scf::YieldOp>(user) && isa<scf::IfOp>(user->getParentOp()))
    return user->getParentOp()->getResult(use.getOperandNumber());
  return {};
}

/// Whether `user` is in one branch and `op` in the other.
static bool areExclusive(Operation *user, Operation *op) {
  auto branch = op->getParentOfType<scf::IfOp>();
  while (branch && !branch->isProperAncestor(user))
    branch = branch->getParentOfType<scf::IfOp>();
  if (!branch)
    return false;
  bool isThen = branch.getThenRegion().isAncestor(op->getParentRegion());
  return isThen != branch.getThenRegion().isAncestor(user->getParentRegion());
}

/// Whether `user` is done when `op` starts.
static bool isDoneBefore(Operation *user, Operation *op) {
  for (; op; op = op->getParentOp())
    if (Operation *ancestor = op->getBlock()->findAncestorOpInBlock(*user))
      return ancestor != op && ancestor->isBeforeInBlock(op);
  return false;
}

/// Whether `update` may overwrite its operand: nothing else reads that value
/// then or later.
static bool canOverwrite(OpOperand &update) {
  Operation *op = update.getOwner();
  SetVector<Value> values;
  values.insert(update.get());
  for (unsigned i = 0; i < values.size(); ++i)
    for (OpOperand &use : values[i].getUses()) {
      if (&use == &update || areExclusive(use.getOwner(), op))
        continue;
      if (!isDoneBefore(use.getOwner(), op))
        return false;
      if (Value alias = getAliasThrough(use))
        values.insert(alias);
    }
  return true;
}

/// Whether `value` is `argument` after updates of it that can happen in place.
///
///   %sum = linalg.matmul ins(%a, %b) outs(%argument)
///   scf.yield %sum
///
/// An argument that is read after the update is not in that place any more.
static bool isUpdateOf(Value value, BlockArgument argument) {
  while (value != argument) {
    auto result = dyn_cast<OpResult>(value);
    if (!result)
      return false;
    Operation *op = result.getOwner();
    OpOperand *updated = nullptr;
    if (auto update = dyn_cast<DestinationStyleOpInterface>(op)) {
      updated = update.getTiedOpOperand(result);
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      updated = loop.getTiedLoopInit(result);
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      unsigned index = result.getResultNumber();
      return isUpdateOf(branch.thenYield().getOperand(index), argument) &&
             isUpdateOf(branch.elseYield().getOperand(index), argument);
    }
    if (!updated || !canOverwrite(*updated))
      return false;
    value = updated->get();
  }
  return true;
}

/// The values that may have the same memory as `value` already, itself among
/// them: a branch yields without a copy.
static SetVector<Value> getNamed(Value value) {
  SetVector<Value> named;
  named.insert(value);
  for (unsigned i = 0; i < named.size(); ++i)
    if (auto branch = named[i].getDefiningOp<scf::IfOp>()) {
      unsigned index = cast<OpResult>(named[i]).getResultNumber();
      named.insert(branch.thenYield().getOperand(index));
      named.insert(branch.elseYield().getOperand(index));
    }
  return named;
}

/// Copies arguments of a loop that a terminator forwards after their buffers
/// were overwritten. `isTaken` tells for each argument whether its buffer is
/// overwritten.
static void saveArguments(OpBuilder &builder, MutableOperandRange operands,
                          Block::BlockArgListType arguments,
                          ArrayRef<bool> isTaken) {
  for (auto [i, operand] : llvm::enumerate(operands)) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    // Places are taken in the order of the arguments.
    bool isLast = i >= isTaken.size() || !isTaken[i];
    for (auto [j, argument] : llvm::enumerate(arguments)) {
      if (!type || i == j || !isTaken[j] || !(isLast || j < i) ||
          !(isUpdateOf(operand.get(), argument) ||
            getNamed(operand.get()).contains(argument)))
        continue;
      operand.set(bufferization::AllocTensorOp::create(
          builder, operand.getOwner()->getLoc(), type, ValueRange(),
          operand.get()));
      break;
    }
  }
}

/// Makes a terminator hand each tensor over in the memory of the argument that
/// it becomes, so that one place per carried value is enough.
static void handOverInPlace(Operation *terminator, MutableOperandRange operands,
                            Block::BlockArgListType arguments) {
  OpBuilder builder(terminator);
  SmallVector<bool> isTaken(arguments.size());
  for (auto [operand, argument, taken] :
       llvm::zip(operands, arguments, isTaken))
    taken = isa<RankedTensorType>(argument.getType()) &&
            operand.get().getType() == argument.getType() &&
            !isUpdateOf(operand.get(), argument);
  saveArguments(builder, operands, arguments, isTaken);
  for (auto [operand, argument, taken] :
       llvm::zip(operands, arguments, isTaken))
    if (taken)
      operand.set(bufferization::MaterializeInDestinationOp::create(
                      builder, terminator->getLoc(), argument.getType(),
                      operand.get(), argument)
                      .getResult());
}

static void copy(OpOperand &operand) {
  auto type = dyn_cast<RankedTensorType>(operand.get().getType());
  if (!type)
    return;
  OpBuilder builder(operand.getOwner());
  operand.set(bufferization::AllocTensorOp::create(
      builder, operand.getOwner()->getLoc(), type, ValueRange(),
      operand.get()));
}

void mlir::pallas::copyInnerStarts(func::FuncOp func) {
  func.walk([](LoopLikeOpInterface loop) {
    if (!loop->getParentOfType<LoopLikeOpInterface>())
      return;
    if (isa<scf::ForOp, scf::WhileOp>(loop))
      llvm::for_each(loop.getInitsMutable(), copy);
  });
}

void mlir::pallas::copyYieldedValues(func::FuncOp func) {
  func.walk([](Operation *op) {
    if (auto condition = dyn_cast<scf::ConditionOp>(op))
      llvm::for_each(condition.getArgsMutable(), copy);
    else if (isa<scf::YieldOp>(op))
      llvm::for_each(op->getOpOperands(), copy);
  });
}

/// The carried value of a loop, if `value` is one: loops write to its memory
/// when they hand the next one over.
static BlockArgument getCarried(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && isa<scf::ForOp, scf::WhileOp>(
                         argument.getOwner()->getParentOp())
             ? argument
             : BlockArgument();
}

/// Whether what `branch` yields as `value` is in the memory of `carried`, or in
/// memory that the branch has made and that no other result names.
static bool mayStay(Value value, BlockArgument carried, scf::IfOp branch) {
  if (value == carried)
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || !branch->isProperAncestor(op) ||
      op->hasTrait<OpTrait::ConstantLike>() ||
      isa<bufferization::ToTensorOp>(op) ||
      llvm::count_if(value.getUsers(), llvm::IsaPred<scf::YieldOp>) != 1)
    return false;
  auto inner = dyn_cast<scf::IfOp>(op);
  unsigned index = cast<OpResult>(value).getResultNumber();
  return !inner ||
         (mayStay(inner.thenYield().getOperand(index), carried, branch) &&
          mayStay(inner.elseYield().getOperand(index), carried, branch));
}

/// The carried value whose memory the result of a branch may stay in: the one
/// that it is forwarded to, or else the first one.
static BlockArgument chooseCarried(OpResult result) {
  BlockArgument chosen;
  for (Value value : getNamed(result)) {
    BlockArgument carried = getCarried(value);
    if (!carried)
      continue;
    if (!chosen)
      chosen = carried;
    auto loop = dyn_cast<scf::ForOp>(carried.getOwner()->getParentOp());
    if (loop && loop.getTiedLoopYieldedValue(carried)->get() == result)
      return carried;
  }
  return chosen;
}

/// Where one region of a branch yields a carried value, copies what the others
/// yield, so that the result does not alias both:
///
///   %r = scf.if %c { scf.yield %x } else { scf.yield %carried }
///
/// The memory of a carried value is written in each iteration. Through the
/// result that would be a write to the other memory as well, which may be
/// read-only, or the place of another carried value.
static void separateCarriedValues(scf::IfOp branch) {
  for (OpResult result : branch.getResults()) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    BlockArgument carried = type ? chooseCarried(result) : BlockArgument();
    if (!carried)
      continue;
    for (Region *region : branch.getRegions()) {
      Operation *yield = region->front().getTerminator();
      OpOperand &operand = yield->getOpOperand(result.getResultNumber());
      if (mayStay(operand.get(), carried, branch))
        continue;
      OpBuilder builder(yield);
      operand.set(bufferization::AllocTensorOp::create(
          builder, yield->getLoc(), type, ValueRange(), operand.get()));
    }
  }
}

void mlir::pallas::pinCarriedValues(func::FuncOp func) {
  func.walk(separateCarriedValues);
  func.walk([](Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
      handOverInPlace(yield, yield.getResultsMutable(),
                      loop.getRegionIterArgs());
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      scf::ConditionOp condition = loop.getConditionOp();
      handOverInPlace(condition, condition.getArgsMutable(),
                      loop.getBeforeArguments());
      scf::YieldOp yield = loop.getYieldOp();
      handOverInPlace(yield, yield.getResultsMutable(),
                      loop.getAfterArguments());
    }
  });
}
