//===- PartSums.cpp - Sums over the parts of a step -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addition is taken to be associative here. Everything else keeps its order:
// the branches of the first part run before all sums, and those of the last
// part behind them.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/Pallas/Analysis/PartSums.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "pallas/Dialect/Pallas/Analysis/ProgramEvaluator.h"
#include "pallas/Dialect/Pallas/IR/RefEffects.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::pallas;

/// The operation in the kernel's own block that holds `op`.
static Operation *getOutermost(GridMappingOpInterface grid, Operation *op) {
  return grid.getKernelRegion().front().findAncestorOpInBlock(*op);
}

std::optional<PartEnd> PartSums::getEnd(Operation *op) const {
  auto it = ends.find(getOutermost(grid, op));
  return it == ends.end() ? std::nullopt : std::optional(it->second);
}

/// Branches of the kernel itself that nothing but one end takes.
void PartSums::findBranches() {
  llvm::DenseMap<Value, unsigned> ids = findGridIds(grid);
  ProgramEvaluator evaluator(grid);
  for (auto branch : grid.getKernelRegion().front().getOps<scf::IfOp>()) {
    Value condition = branch.getCondition();
    if (branch.getNumResults() || !branch.getElseRegion().empty() ||
        body.getCommonExcess(condition) == 0)
      continue;
    TakenAtEnds taken = findTakenAtEnds(
        grid, join, condition, ids, [&](ArrayRef<int64_t> step, int64_t part) {
          SmallVector<int64_t> program(step);
          program[join.dim] = step[join.dim] * join.factor + part;
          evaluator.setProgram(program);
          return evaluator.evaluate(condition);
        });
    if (taken[PartEnd::First].isOnly) {
      ends[branch] = PartEnd::First;
    } else if (taken[PartEnd::Last].isOnly) {
      ends[branch] = PartEnd::Last;
      lastBranches.insert({branch, taken[PartEnd::Last]});
    }
  }
}

/// Remembers operands whose dimensions are to hold the parts, if they can.
bool PartSums::addOperands(
    ArrayRef<std::pair<OpOperand *, unsigned>> grownOperands) {
  for (auto [operand, dim] : grownOperands) {
    const GrownValue *grown = body.grow(operand->get(), dim);
    if (!grown || !canSettle(operand->get(), *grown))
      return false;
  }
  for (auto operand : grownOperands)
    if (!llvm::is_contained(operands, operand))
      operands.push_back(operand);
  return true;
}

/// Whether an operation adds up along the dimension that holds the parts.
bool PartSums::isJoined(Operation *op) {
  if (auto dot = dyn_cast<DotGeneralOp>(op)) {
    for (auto [lhs, rhs] :
         llvm::zip_equal(dot.getLhsContracting(), dot.getRhsContracting()))
      if (body.getNaturalDim(dot.getLhs()) == lhs ||
          body.getNaturalDim(dot.getRhs()) == rhs)
        return addOperands(
            {{&dot.getLhsMutable(), lhs}, {&dot.getRhsMutable(), rhs}});
    return false;
  }
  auto reduce = dyn_cast<ReduceOp>(op);
  if (!reduce || reduce.getKind() != CombiningKind::Add)
    return false;
  std::optional<unsigned> dim = body.getNaturalDim(reduce.getInput());
  return dim && llvm::is_contained(reduce.getDimensions(), int64_t(*dim)) &&
         addOperands({{&reduce.getInputMutable(), *dim}});
}

/// Whether the sum of a value over the parts is the same value computed from
/// longer sums.
bool PartSums::isPartial(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumRegions() || !grid->isProperAncestor(op))
    return false;
  auto isCommon = [&](Value operand) {
    return body.getCommonExcess(operand) == 0;
  };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](DotGeneralOp dot) {
        return (!dot.getAcc() || isPartial(dot.getAcc())) && isJoined(dot);
      })
      .Case([&](ReduceOp reduce) { return isJoined(reduce); })
      .Case<arith::AddFOp, arith::AddIOp, arith::SubFOp, arith::SubIOp>(
          [&](auto sum) {
            return isPartial(sum.getLhs()) && isPartial(sum.getRhs());
          })
      .Case<arith::MulFOp, arith::MulIOp>([&](auto product) {
        return (isPartial(product.getLhs()) && isCommon(product.getRhs())) ||
               (isCommon(product.getLhs()) && isPartial(product.getRhs()));
      })
      .Case<arith::NegFOp, arith::ExtFOp, ReshapeOp, TransposeOp, BroadcastOp>(
          [&](Operation *same) { return isPartial(same->getOperand(0)); })
      .Default([](Operation *) { return false; });
}

/// The last part of the kernel may use the sum of all parts.
bool PartSums::isLastUse(Operation *user) const {
  return getEnd(user) == PartEnd::Last;
}

/// Whether a value is what a write replaces plus a part of the sum:
///
///   %before = pallas.get %acc[...]
///   %sum = arith.addf %before, %part
///   pallas.swap %acc[...], %sum
bool PartSums::addsUpInPlace(RefAccessOpInterface write, Value sum) {
  Operation *op = sum.getDefiningOp();
  if (!op || op->getBlock() != write->getBlock())
    return false;
  auto isBefore = [&](Value value) {
    auto get = value.getDefiningOp<GetOp>();
    if (!get || !get->hasOneUse() || get->getBlock() != write->getBlock())
      return false;
    auto read = cast<RefAccessOpInterface>(get.getOperation());
    if (read.getRef() != write.getRef() ||
        read.getIndexer() != write.getIndexer() ||
        !llvm::equal(read.getIndices(), write.getIndices()))
      return false;
    Value root = skipAliases(read.getRef());
    for (Operation *next = get->getNextNode(); next != write;
         next = next->getNextNode())
      if (next->walk([&](RefAccessOpInterface other) {
                return WalkResult(
                    failure(skipAliases(other.getRef()) == root &&
                            !isa<SliceRefOp>(other.getOperation())));
              })
              .wasInterrupted())
        return false;
    reads.insert(get);
    return true;
  };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<arith::AddFOp, arith::AddIOp>([&](auto add) {
        return (isBefore(add.getLhs()) && isPartial(add.getRhs())) ||
               (isBefore(add.getRhs()) && isPartial(add.getLhs()));
      })
      .Case<arith::SubFOp, arith::SubIOp>([&](auto sub) {
        return isBefore(sub.getLhs()) && isPartial(sub.getRhs());
      })
      .Case([&](DotGeneralOp dot) {
        return dot.getAcc() && isBefore(dot.getAcc()) && isJoined(dot);
      })
      .Default([](Operation *) { return false; });
}

/// Whether a write adds to a ref that all parts share.
bool PartSums::addsUp(Operation *op) {
  auto write = cast<RefAccessOpInterface>(op);
  Value value = op->getOperand(1 + write.getIndices().size());
  if (isa<AddUpdateOp>(op))
    return isPartial(value);
  auto swap = dyn_cast<SwapOp>(op);
  if (!swap || !swap.getOld().use_empty() || !addsUpInPlace(write, value))
    return false;
  // The last part uses the whole sum.
  for (Operation *user : value.getUsers())
    if (user != op && !isLastUse(user))
      return false;
  body.assumeCommon(value);
  return true;
}

/// In each part, the branch of the first one has run and that of the last one
/// has not, wherever these matter:
///
///   first < all parts < last
LogicalResult PartSums::checkOrder() {
  llvm::DenseMap<Operation *, unsigned> places;
  for (auto [place, op] :
       llvm::enumerate(grid.getKernelRegion().front().getOperations()))
    places[&op] = place + 1;
  llvm::DenseMap<Value, Touches> touches;
  grid.getKernelRegion().walk([&](RefAccessOpInterface op) {
    if (isa<SliceRefOp>(op.getOperation()))
      return;
    Touches &ref = touches[skipAliases(op.getRef())];
    ref.isWritten |= mayWrite(op, op.getRef());
    unsigned place = places.lookup(getOutermost(grid, op));
    std::optional<PartEnd> end = getEnd(op);
    if (end == PartEnd::First)
      ref.endOfFirst = std::max(ref.endOfFirst, place);
    else if (end == PartEnd::Last)
      ref.startOfLast = std::min(ref.startOfLast, place);
    else
      ref.addPlace(place);
  });
  for (const auto &[root, ref] : touches)
    if (ref.isWritten &&
        (ref.endOfFirst >= std::min(ref.start, ref.startOfLast) ||
         ref.end >= ref.startOfLast))
      return failure();
  // No operation may see a sum before all parts are in it.
  llvm::DenseSet<Value> roots;
  for (Operation *op : sums)
    roots.insert(skipAliases(op->getOperand(0)));
  auto rejectReads = [&](RefAccessOpInterface op) {
    bool isSeen = !isa<SliceRefOp>(op.getOperation()) &&
                  roots.contains(skipAliases(op.getRef())) && !isAtEnd(op) &&
                  !sums.contains(op) && !reads.contains(op);
    return WalkResult(failure(isSeen));
  };
  return failure(grid.getKernelRegion().walk(rejectReads).wasInterrupted());
}

/// Other steps come between the parts otherwise, and a remainder would add
/// elements behind the array:
///
///   grid(4, 8)      sums along dimension 1 only
///   grid(1, 7)      in parts of 7, not of 2
bool PartSums::mayJoin(GridMappingOpInterface grid, const StepJoin &join) {
  return !join.isOuter && grid.getGridShape()[join.dim] % join.factor == 0;
}

LogicalResult PartSums::analyze() {
  if (!mayJoin(grid, join))
    return failure();
  findBranches();
  grid.getKernelRegion().walk([&](Operation *op) {
    if (isa<SwapOp, AddUpdateOp>(op) && !isAtEnd(op) &&
        !body.getRefDim(skipAliases(op->getOperand(0))) && addsUp(op))
      sums.insert(op);
  });
  return failure(sums.empty() || failed(checkOrder()));
}
