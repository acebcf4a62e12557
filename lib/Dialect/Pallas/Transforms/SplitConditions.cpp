//===- SplitConditions.cpp - Branches of the first and last part ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel that accumulates starts in the first step and stores in the last
// one. In a loop over parts that would be asked in each part, and a TPU
// schedules no operations across the branch:
//
//   scf.for %j = %c0 to %c4 step %c1 : i32 {
//     scf.if %id_times_4_plus_j_is_0 { A }
//     B
//     scf.if %id_times_4_plus_j_is_7 { C }
//   }
// becomes
//   scf.if %id_times_4_is_0 { A }
//   scf.for %j = %c0 to %c4 step %c1 : i32 { B }
//   scf.if %id_times_4_plus_3_is_7 { C }
//
//===----------------------------------------------------------------------===//

#include "SplitConditions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "pallas/Dialect/Pallas/Analysis/PartConditions.h"
#include "pallas/Dialect/Pallas/Analysis/ProgramEvaluator.h"
#include "pallas/Dialect/Pallas/IR/RefEffects.h"
#include "pallas/Support/DeadCode.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

namespace {
/// The memory that operations touch, and whether they write to it.
class Accesses {
public:
  explicit Accesses(GridMappingOpInterface grid) : grid(grid) {}

  /// Fails for effects on anything but memory.
  LogicalResult add(Operation *op);
  /// Whether the order of these and others matters.
  bool conflictWith(const Accesses &others);

private:
  bool mayShareMemory(Value left, Value right);

  GridMappingOpInterface grid;
  llvm::SmallMapVector<Value, bool, 8> writes;
};
} // namespace

LogicalResult Accesses::add(Operation *root) {
  WalkResult result = root->walk([&](Operation *op) {
    if (isa<scf::ForOp, scf::IfOp>(op) || isRefView(op))
      return WalkResult::advance();
    if (isa<GetOp, SwapOp, AddUpdateOp, MaskedLoadOp, MaskedSwapOp>(op)) {
      Value ref = op->getOperand(0);
      writes[skipAliases(ref)] |= mayWrite(op, ref);
      return WalkResult::advance();
    }
    return WalkResult(success(isMemoryEffectFree(op)));
  });
  return failure(result.wasInterrupted());
}

/// Scratch memory belongs to the kernel. Blocks are apart unless
/// an array is operand and result, or two inputs show the same array.
bool Accesses::mayShareMemory(Value left, Value right) {
  if (left == right)
    return true;
  auto isPrivate = [&](Value ref) {
    auto argument = dyn_cast<BlockArgument>(ref);
    return argument &&
           (argument.getOwner() != &grid.getKernelRegion().front() ||
            llvm::is_contained(grid.sliceScratchOps(), argument));
  };
  if (isPrivate(left) || isPrivate(right))
    return false;
  auto outputs = grid.sliceBlockOps().drop_front(grid.getNumInputs());
  return !grid.getInputOutputAliases().empty() ||
         !(llvm::is_contained(outputs, left) ||
           llvm::is_contained(outputs, right));
}

bool Accesses::conflictWith(const Accesses &others) {
  return llvm::any_of(writes, [&](auto mine) {
    return llvm::any_of(others.writes, [&](auto other) {
      return (mine.second || other.second) &&
             mayShareMemory(mine.first, other.first);
    });
  });
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

namespace {
/// Takes branches out of one loop over parts.
class ConditionSplitter {
public:
  ConditionSplitter(GridMappingOpInterface grid, const StepJoin &join,
                    scf::ForOp loop);

  unsigned run();

private:
  using Operations = llvm::SetVector<Operation *>;

  unsigned moveBranches(PartEnd end);
  static bool mayMove(scf::IfOp branch) {
    return branch.getNumResults() == 0 && branch.getElseRegion().empty();
  }
  std::optional<Operations> findNeeded(scf::IfOp branch);
  const TakenAtEnds &findTaken(Value condition);
  Value createPart(OpBuilder &builder, PartEnd end);
  void move(scf::IfOp branch, const Operations &needed, PartEnd end);

  GridMappingOpInterface grid;
  const StepJoin &join;
  scf::ForOp loop;
  llvm::DenseMap<Value, TakenAtEnds> known;
  /// The dimension that an id is about.
  llvm::DenseMap<Value, unsigned> ids;
  ProgramEvaluator evaluator;
};
} // namespace

ConditionSplitter::ConditionSplitter(GridMappingOpInterface grid,
                                     const StepJoin &join, scf::ForOp loop)
    : grid(grid), join(join), loop(loop), ids(findGridIds(grid)),
      evaluator(grid) {}

/// Operations of the loop's body that the branch needs. They are cloned, so
/// only scalars, views and constants pass.
std::optional<ConditionSplitter::Operations>
ConditionSplitter::findNeeded(scf::IfOp branch) {
  llvm::SetVector<Value> values;
  getUsedValuesDefinedAbove(branch.getThenRegion(), values);
  values.insert(branch.getCondition());
  Operations needed;
  for (unsigned next = 0; next < values.size(); ++next) {
    Operation *op = values[next].getDefiningOp();
    if (!op || !loop->isProperAncestor(op))
      continue;
    bool isCheap = isRefView(op) || op->hasTrait<OpTrait::ConstantLike>() ||
                   !isa<ShapedType>(values[next].getType());
    if (!isCheap || op->getNumRegions() ||
        !(isRefView(op) || isMemoryEffectFree(op)))
      return std::nullopt;
    needed.insert(op);
    values.insert_range(op->getOperands());
  }
  auto sorted = needed.takeVector();
  llvm::sort(sorted, [](Operation *left, Operation *right) {
    return left->isBeforeInBlock(right);
  });
  return Operations(sorted.begin(), sorted.end());
}

/// Asked at both ends, answered once.
const TakenAtEnds &ConditionSplitter::findTaken(Value condition) {
  auto [it, isNew] = known.try_emplace(condition);
  if (isNew)
    it->second = findTakenAtEnds(
        grid, join, condition, ids, [&](ArrayRef<int64_t> step, int64_t part) {
          evaluator.setProgram(step);
          evaluator.assume(loop.getInductionVar(), part);
          return evaluator.evaluate(condition);
        });
  return it->second;
}

/// The number of the first or the last part of a step.
Value ConditionSplitter::createPart(OpBuilder &builder, PartEnd end) {
  if (end == PartEnd::First)
    return loop.getLowerBound();
  Location loc = loop.getLoc();
  auto createConstant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI32IntegerAttr(value));
  };
  if (std::optional<int64_t> count = getConstantInteger(loop.getUpperBound()))
    return createConstant(*count - 1);
  return arith::SubIOp::create(builder, loc, loop.getUpperBound(),
                               createConstant(1));
}

void ConditionSplitter::move(scf::IfOp branch, const Operations &needed,
                             PartEnd end) {
  bool isAlways = findTaken(branch.getCondition())[end].isAlways;
  OpBuilder builder(loop);
  if (end == PartEnd::Last)
    builder.setInsertionPointAfter(loop);
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), createPart(builder, end));
  for (Operation *op : needed)
    builder.clone(*op, mapping);
  branch->moveBefore(builder.getInsertionBlock(), builder.getInsertionPoint());
  branch.getConditionMutable().assign(
      mapping.lookupOrDefault(branch.getCondition()));
  branch.getThenRegion().walk([&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      operand.set(mapping.lookupOrDefault(operand.get()));
  });
  if (isAlways) {
    Block *body = branch.thenBlock();
    branch->getBlock()->getOperations().splice(
        branch->getIterator(), body->getOperations(), body->begin(),
        body->getTerminator()->getIterator());
    branch.erase();
  }
}

/// Goes from one end of the body to the other. A branch moves past what stays,
/// which is of its own part only.
unsigned ConditionSplitter::moveBranches(PartEnd end) {
  SmallVector<Operation *> body;
  for (Operation &op : loop.getBody()->without_terminator())
    body.push_back(&op);
  if (end == PartEnd::Last)
    std::reverse(body.begin(), body.end());
  unsigned numMoved = 0;
  Accesses passed(grid);
  for (Operation *op : body) {
    if (auto branch = dyn_cast<scf::IfOp>(op); branch && mayMove(branch)) {
      Accesses accesses(grid);
      std::optional<Operations> needed = findNeeded(branch);
      if (needed && succeeded(accesses.add(branch)) &&
          !accesses.conflictWith(passed) &&
          findTaken(branch.getCondition())[end].isOnly) {
        move(branch, *needed, end);
        ++numMoved;
        continue;
      }
    }
    if (failed(passed.add(op)))
      break;
  }
  return numMoved;
}

unsigned ConditionSplitter::run() {
  return moveBranches(PartEnd::First) + moveBranches(PartEnd::Last);
}

unsigned pallas::splitConditions(GridMappingOpInterface grid,
                                 const StepJoin &join, scf::ForOp loop) {
  // The evaluator of the splitter uses values until it is gone.
  unsigned numMoved = ConditionSplitter(grid, join, loop).run();
  if (numMoved)
    eraseDeadCode(loop);
  return numMoved;
}
