//===- Hazards.cpp - Which reads need a copy ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Hazards.h"
#include "Concurrency.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "pallas/Dialect/Pallas/IR/RefEffects.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// The ref outside that an argument of a region stands for, if there is one.
static Value getOutsideRef(BlockArgument argument) {
  Operation *parent = argument.getOwner()->getParentOp();
  unsigned index = argument.getArgNumber();
  if (auto call = dyn_cast<PallasCallOp>(parent))
    return index < call.getCaptures().size() ? call.getCaptures()[index]
                                             : Value();
  if (auto map = dyn_cast<MpmdMapOp>(parent))
    return index < map.getInputs().size() &&
                   isa<RefType>(map.getInputs()[index].getType())
               ? map.getInputs()[index]
               : Value();
  if (auto pipeline = dyn_cast<EmitPipelineOp>(parent)) {
    auto grid = cast<GridMappingOpInterface>(parent);
    for (auto [i, window] : llvm::enumerate(grid.sliceBlockOps()))
      if (window == argument)
        return i < pipeline.getInputs().size()
                   ? pipeline.getInputs()[i]
                   : pipeline.getOutputs()[i - pipeline.getInputs().size()];
  }
  return {};
}

Value pallas::getRootRef(Value ref) {
  while (true) {
    Value source;
    if (auto argument = dyn_cast<BlockArgument>(ref))
      source = getOutsideRef(argument);
    else if (isRefAlias(ref.getDefiningOp()))
      source = ref.getDefiningOp()->getOperand(0);
    if (!source)
      return ref;
    ref = source;
  }
}

static bool isMemory(Value value) {
  return isa<RefType, AccumulatorType>(value.getType());
}

void Hazards::number(Operation *op) {
  unsigned start = counter++;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Operation &inner : block)
        number(&inner);
  spans[op] = {start, counter};
  noteWrites(op);
  if (synchronizes && isSynchronization(op))
    synchronizations.push_back(op);
}

void Hazards::noteWrites(Operation *op) {
  // What calls do to refs is done by the operations of their regions.
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  for (Value operand : op->getOperands()) {
    if (!isMemory(operand))
      continue;
    Value root = getRootRef(operand);
    accesses[root].push_back(op);
    bool writes =
        !effects && !op->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
    if (effects) {
      SmallVector<MemoryEffects::EffectInstance> found;
      effects.getEffectsOnValue(operand, found);
      writes = llvm::any_of(found, [](auto &effect) {
        return isa<MemoryEffects::Write, MemoryEffects::Free>(
            effect.getEffect());
      });
    }
    if (writes)
      this->writes[root].push_back(op);
  }
}

Hazards::Hazards(Operation *root, bool synchronizes)
    : synchronizes(synchronizes) {
  number(root);
  // Before reads are replaced, which this has to recognize.
  root->walk([&](GetOp read) {
    if (startsSum(read))
      accumulators.insert(read);
  });
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// Adds what may hold, or be computed from, the memory of `use` to `values`.
static void followUse(OpOperand &use, SmallVectorImpl<Value> &values) {
  Operation *user = use.getOwner();
  llvm::append_range(values, user->getResults());
  if (auto loop = dyn_cast<LoopLikeOpInterface>(user)) {
    if (BlockArgument carried = loop.getTiedLoopRegionIterArg(&use))
      values.push_back(carried);
    return;
  }
  if (user->hasTrait<OpTrait::IsTerminator>())
    llvm::append_range(values, user->getParentOp()->getResults());
}

/// Whether `op` computes each element of its result from the same elements of
/// its operands.
static bool isElementwise(Operation *op) {
  return OpTrait::hasElementwiseMappableTraits(op);
}

/// Whether the result of `op` is complete in memory of its own before anything
/// that uses it starts.
static bool isMaterialized(Operation *op) {
  return isa<ReduceOp, ArgReduceOp, CumulativeOp, SortOp, DotGeneralOp>(op);
}

/// Whether the value that `write` stores may be computed right into the memory
/// which `read` read: each element depends on nothing but itself, except
/// through operations that have finished before the store begins.
static bool isComputedInPlace(Operation *read, Value result, Operation *write) {
  auto access = dyn_cast<RefAccessOpInterface>(write);
  auto from = dyn_cast<RefAccessOpInterface>(read);
  if (!isa<SwapOp>(write) || !access || !from)
    return false;
  bool sameElements = access.getRef() == from.getRef() &&
                      access.getIndexer() == from.getIndexer() &&
                      access.getIndices() == from.getIndices();
  // Backwards from the stored value, through everything that may become one
  // loop with the store.
  SmallVector<std::pair<Value, bool>> worklist;
  Value stored = cast<SwapOp>(write).getValue();
  if (Operation *op = stored.getDefiningOp(); op && isMaterialized(op)) {
    // It may compute right into the memory, which its operands still need.
    auto dot = dyn_cast<DotGeneralOp>(op);
    for (Value operand : op->getOperands())
      worklist.push_back({operand, dot && operand == dot.getAcc() &&
                                       operand != dot.getLhs() &&
                                       operand != dot.getRhs()});
  } else {
    worklist.push_back({stored, true});
  }
  DenseSet<std::pair<Value, unsigned>> seen;
  while (!worklist.empty()) {
    auto [value, isSameElement] = worklist.pop_back_val();
    if (!seen.insert({value, unsigned(isSameElement)}).second)
      continue;
    if (value == result && !(isSameElement && sameElements))
      return false;
    Operation *op = value.getDefiningOp();
    if (!op || value == result || isMaterialized(op))
      continue;
    for (Value operand : op->getOperands())
      worklist.push_back({operand, isSameElement && isElementwise(op)});
  }
  return true;
}

bool Hazards::isRead(Value ref) const {
  return llvm::any_of(accesses.lookup(getRootRef(ref)), [](Operation *op) {
    auto swap = dyn_cast<SwapOp>(op);
    return !swap || !swap.getOld().use_empty();
  });
}

bool Hazards::needsCopy(Operation *read, Value ref, Value result) const {
  auto found = writes.find(getRootRef(ref));
  if (found == writes.end() || !isa<RankedTensorType>(result.getType()))
    return false;
  unsigned begin = spans.lookup(read).start;
  SmallVector<Value> worklist{result};
  DenseSet<Value> seen;
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      // In a loop that the read is outside of, the use comes again.
      unsigned last = spans.lookup(user).start;
      for (Operation *parent = user->getParentOp();
           parent && !parent->isProperAncestor(read);
           parent = parent->getParentOp())
        if (isa<LoopLikeOpInterface, EmitPipelineOp>(parent))
          last = spans.lookup(parent).end;
      for (Operation *write : found->second) {
        unsigned at = spans.lookup(write).start;
        if (write == user ? !isComputedInPlace(read, result, write)
                          : at > begin && at < last)
          return true;
      }
      for (Operation *other : synchronizations) {
        unsigned at = spans.lookup(other).start;
        if (at > begin && at < last)
          return true;
      }
      followUse(use, worklist);
    }
  }
  return false;
}

/// The sum of a value that was read and of a product: the product itself, which
/// starts from the value, or an addition. Sets `dot` to the product.
static Value getSum(Value read, DotGeneralOp &dot) {
  if (!read.hasOneUse())
    return {};
  Operation *user = *read.user_begin();
  if ((dot = dyn_cast<DotGeneralOp>(user)))
    return dot.getAcc() == read ? dot.getResult() : Value();
  if (!isa<arith::AddFOp, arith::AddIOp>(user))
    return {};
  Value other = user->getOperand(user->getOperand(0) == read);
  dot = other.getDefiningOp<DotGeneralOp>();
  bool isSum = dot && !dot.getAcc() && other.hasOneUse() &&
               dot->getBlock() == user->getBlock();
  return isSum ? user->getResult(0) : Value();
}

/// Whether a factor may be computed from what the memory held before.
bool Hazards::reaches(Value root, ValueRange factors) const {
  SmallVector<Value> worklist(factors);
  DenseSet<Value> seen;
  SmallVector<Operation *> users = accesses.lookup(root);
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!isa<RankedTensorType>(value.getType()) || !seen.insert(value).second)
      continue;
    Operation *op = value.getDefiningOp();
    if (!op || op->getNumRegions() != 0 || llvm::is_contained(users, op))
      return true;
    llvm::append_range(worklist, op->getOperands());
  }
  return false;
}

bool Hazards::startsSum(GetOp read) const {
  DotGeneralOp dot;
  Value ref = read.getRef(), sum = getSum(read.getResult(), dot);
  if (!sum || !sum.hasOneUse() || dot->getBlock() != read->getBlock())
    return false;
  auto swap = dyn_cast<SwapOp>(*sum.user_begin());
  if (!swap || swap.getValue() != sum || swap->getBlock() != read->getBlock() ||
      swap.getRef() != ref || swap.getIndexer() != read.getIndexer() ||
      swap.getIndices() != read.getIndices() || !swap.getOld().use_empty() ||
      reaches(getRootRef(ref), {dot.getLhs(), dot.getRhs()}))
    return false;
  // Nobody else may look at the memory meanwhile.
  unsigned begin = spans.lookup(read).start, end = spans.lookup(swap).start;
  return llvm::none_of(accesses.lookup(getRootRef(ref)), [&](Operation *op) {
    unsigned at = spans.lookup(op).start;
    return at > begin && at < end;
  });
}
