//===- Hazards.cpp - Read-after-write analysis ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file decides which reads of refs have to copy. A value of type tensor
// never changes, but the memory that it was read from may. Copying every read
// would be correct and slow, so the analysis looks for a write between the read
// and the last operation that computes with the value.
//
// Operations are numbered in the order of the text. A write is a hazard if its
// number is between that of the read and that of the last use, where a use in a
// loop lasts until the end of the loop.
//
//===----------------------------------------------------------------------===//

#include "Hazards.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "pallas/Dialect/Pallas/IR/CheckOps.h"
#include "pallas/Dialect/Pallas/Utils/Concurrency.h"
#include "pallas/Dialect/Pallas/Utils/OperationTraits.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Accumulators of GPUs are registers, but written in place like refs.
static bool isMemory(Value value) {
  return isa<RefType, AccumulatorType>(value.getType());
}

/// The span of an operation covers its regions, so that the end of a loop has a
/// number, too.
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

/// Notes which refs `op` accesses, and which of them it writes to. Hazards are
/// found per root: two views of one ref may overlap, and telling apart those
/// that don't would need the values of dynamic starts.
void Hazards::noteWrites(Operation *op) {
  if (isCheck(op)) {
    hasChecks = true;
    return;
  }
  // Operations with regions have recursive effects; those of their bodies are
  // noted one by one. An operation without an effect interface may write.
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
      // Memory lives as long as the function, so its end changes nothing.
      writes = llvm::any_of(found, [](auto &effect) {
        return isa<MemoryEffects::Write>(effect.getEffect());
      });
    }
    if (writes)
      this->writes[root].push_back(op);
  }
}

Hazards::Hazards(Operation *root, bool synchronizes)
    : synchronizes(synchronizes) {
  number(root);
  // Now, since the lowering replaces the reads that this has to recognize.
  root->walk([&](GetOp read) {
    if (!hasChecks && startsSum(read))
      accumulators.insert(read);
  });
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// Adds what may hold, or be computed from, the memory of `use` to `values`. An
/// elementwise operation may be fused into the loop of its user, and then it
/// reads the memory when that loop runs. So its results are followed as well.
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

/// Whether the result of `op` is complete in a private buffer before anything
/// that uses it starts. Fusion does not move reads across such an operation.
static bool isMaterialized(Operation *op) {
  return isa<ReduceOp, ArgReduceOp, CumulativeOp, SortOp, DotGeneralOp>(op);
}

/// Whether the value that `write` stores may be computed right into the memory
/// which `read` read: each element depends on nothing but itself, except
/// through operations that have finished before the store begins.
///
/// For example, this needs no copy:
///
///   %v = pallas.get %ref[...] : !pallas.ref<8xf32, vmem>
///   %e = math.exp %v : tensor<8xf32>
///   pallas.swap %ref[...], %e : !pallas.ref<8xf32, vmem>, tensor<8xf32>
///
/// and this does, since element 0 is overwritten before element 7 reads it:
///
///   %r = pallas.rev %v dims [0] : tensor<8xf32>
///   pallas.swap %ref[...], %r : !pallas.ref<8xf32, vmem>, tensor<8xf32>
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
    // Elementwise operations read and write the same index of a loop after
    // fusion, so writing to the memory that they read is safe.
    for (Value operand : op->getOperands())
      worklist.push_back({operand, isSameElement && isElementwise(op)});
  }
  return true;
}

/// In a loop that the ref outlives, uses in front of `op` follow it, too.
bool Hazards::isLastUse(Operation *op, Value ref) const {
  Value root = getRootRef(ref);
  Operation *owner = root.getParentRegion()->getParentOp();
  for (Operation *parent = op->getParentOp();
       parent && !parent->isAncestor(owner); parent = parent->getParentOp())
    if (isa<LoopLikeOpInterface>(parent))
      return false;
  unsigned at = spans.lookup(op).start;
  return llvm::none_of(accesses.lookup(root), [&](Operation *other) {
    return spans.lookup(other).start > at;
  });
}

/// A swap whose old value is unused only writes.
bool Hazards::isRead(Value ref) const {
  return llvm::any_of(accesses.lookup(getRootRef(ref)), [](Operation *op) {
    auto swap = dyn_cast<SwapOp>(op);
    return !swap || !swap.getOld().use_empty();
  });
}

/// Scalars are loaded at once. All other values are followed through everything
/// that may be fused with their user.
bool Hazards::needsCopy(Operation *read, Value ref, Value result) const {
  if (hasChecks)
    return true;
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
      // If a loop around the use does not contain the read, the use is repeated
      // until the loop ends, also behind writes that follow it in the body.
      unsigned last = spans.lookup(user).start;
      for (Operation *parent = user->getParentOp();
           parent && !parent->isProperAncestor(read);
           parent = parent->getParentOp())
        if (isa<LoopLikeOpInterface>(parent))
          last = spans.lookup(parent).end;
      for (Operation *write : found->second) {
        unsigned at = spans.lookup(write).start;
        if (write == user ? !isComputedInPlace(read, result, write)
                          : at > begin && at < last)
          return true;
      }
      // Another task may write to any memory once a synchronization lets it.
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

/// Returns the sum of `read` and a matmul: the matmul itself if it accumulates
/// onto the value, or an addition. Sets `dot` to the matmul.
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

/// Whether an operand of a matmul may be computed from the memory of `root`.
/// Then the accumulator must not change while the matmul reads its operands. An
/// operation with a region may read anything, so it counts as such.
bool Hazards::reaches(Value root, ValueRange operands) const {
  SmallVector<Value> worklist(operands);
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

/// Finds the idiom of a kernel that accumulates in a ref:
///
///   %old = pallas.get %acc[...] : !pallas.ref<8x8xf32, vmem>
///   %sum = pallas.dot_general %x, %y acc %old contract [1] x [0] : ...
///   pallas.swap %acc[...], %sum : !pallas.ref<8x8xf32, vmem>, tensor<8x8xf32>
///
/// Here %old may be a writable view of the memory, so that bufferization adds
/// in place instead of copying the accumulator twice.
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
  // No other operation may access the memory in between.
  unsigned begin = spans.lookup(read).start, end = spans.lookup(swap).start;
  return llvm::none_of(accesses.lookup(getRootRef(ref)), [&](Operation *op) {
    unsigned at = spans.lookup(op).start;
    return at > begin && at < end;
  });
}
