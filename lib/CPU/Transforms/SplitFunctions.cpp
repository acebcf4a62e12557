//===- SplitFunctions.cpp - Functions of bounded size ---------------------===//
//
// Much of what happens to a function later, here and in LLVM, takes time that
// grows faster than the function. Parts of long ones become functions of their
// own, so that the whole takes time that grows with the kernel.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Transforms/RegionUtils.h"
#include "pallas/CPU/Transforms/Passes.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASCPUSPLITFUNCTIONS
#include "pallas/CPU/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

/// Operations of a block that follow each other.
using Part = SmallVector<Operation *>;

/// How many loops and branches there are in `op`.
static int64_t getWeight(Operation *op) {
  int64_t weight = 0;
  op->walk([&](Operation *nested) { weight += nested->getNumRegions() != 0; });
  return weight;
}

static bool isConstant(Operation *op) {
  return op->hasTrait<OpTrait::ConstantLike>();
}

/// Whether memory that `op` allocates has to outlive a function around it.
static bool isStackAllocation(Operation *op) {
  return !isa<memref::AllocOp>(op) && hasEffect<MemoryEffects::Allocate>(op);
}

/// Whether nothing behind the part can see the allocation.
static bool isLocal(memref::AllocOp alloc,
                    const SmallPtrSetImpl<Operation *> &part, Block *block) {
  SmallVector<Value> views{alloc};
  while (!views.empty()) {
    for (Operation *user : views.pop_back_val().getUsers()) {
      Operation *top = block->findAncestorOpInBlock(*user);
      if (!top || !part.contains(top) ||
          user->hasTrait<OpTrait::IsTerminator>())
        return false;
      for (Value result : user->getResults())
        if (isa<BaseMemRefType>(result.getType()))
          views.push_back(result);
    }
  }
  return true;
}

/// Makes a function of the operations, and a call of it in their place.
static void outline(const Part &ops, func::FuncOp parent, unsigned number) {
  Block *block = ops.front()->getBlock();
  SmallPtrSet<Operation *, 32> members(ops.begin(), ops.end());
  Part part, shared;
  for (Operation *op : ops) {
    auto alloc = dyn_cast<memref::AllocOp>(op);
    bool isShared =
        isConstant(op) || (alloc && !isLocal(alloc, members, block));
    (isShared ? shared : part).push_back(op);
    // The size of such memory may be computed in between.
    if (isShared && op->getNumOperands() != 0)
      return;
  }
  if (part.empty())
    return;
  for (Operation *op : shared) {
    members.erase(op);
    op->moveBefore(part.front());
  }

  llvm::SetVector<Value> taken, given;
  SmallVector<Operation *> constants;
  auto take = [&](Value value) {
    Operation *op = value.getDefiningOp();
    Operation *top = block->findAncestorOpInBlock(
        op ? *op : *value.getParentBlock()->getParentOp());
    bool isOwn = top && members.contains(top);
    if (!isOwn)
      taken.insert(value);
  };
  for (Operation *op : part) {
    op->walk([&](Operation *nested) {
      llvm::for_each(nested->getOperands(), take);
    });
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            Operation *top = block->findAncestorOpInBlock(*user);
            return !top || !members.contains(top);
          }))
        given.insert(result);
  }

  OpBuilder b(parent->getContext());
  b.setInsertionPointAfter(parent);
  Location loc = part.front()->getLoc();
  SmallVector<Value> arguments;
  SmallVector<Value> copied;
  for (Value value : taken)
    (value.getDefiningOp() && isConstant(value.getDefiningOp()) ? copied
                                                                : arguments)
        .push_back(value);
  auto type = b.getFunctionType(TypeRange(ValueRange(arguments)),
                                TypeRange(ValueRange(given.getArrayRef())));
  auto function = func::FuncOp::create(
      b, loc, (parent.getName() + "_part_" + Twine(number)).str(), type);
  function.setPrivate();
  Block *entry = function.addEntryBlock();
  b.setInsertionPoint(part.front());
  auto call = func::CallOp::create(b, loc, function, arguments);
  b.setInsertionPointToStart(entry);
  IRMapping inside;
  for (Value value : copied)
    inside.map(value, b.clone(*value.getDefiningOp())->getResult(0));
  for (auto [value, argument] :
       llvm::zip_equal(arguments, entry->getArguments()))
    inside.map(value, argument);
  for (Operation *op : part) {
    op->moveBefore(entry, entry->end());
    op->walk([&](Operation *nested) {
      for (OpOperand &operand : nested->getOpOperands())
        if (Value value = inside.lookupOrNull(operand.get()))
          operand.set(value);
    });
  }
  b.setInsertionPointToEnd(entry);
  func::ReturnOp::create(b, loc, given.getArrayRef());
  for (auto [value, result] :
       llvm::zip_equal(given.takeVector(), call.getResults()))
    value.replaceUsesWithIf(result, [&](OpOperand &use) {
      return use.getOwner()->getParentOfType<func::FuncOp>() != function;
    });
}

namespace {
struct SplitFunctions
    : public pallas::impl::PallasCPUSplitFunctionsBase<SplitFunctions> {
  using PallasCPUSplitFunctionsBase::PallasCPUSplitFunctionsBase;

  void splitBlock(Block &block, func::FuncOp parent, unsigned &number) {
    SmallVector<Part> parts(1);
    int64_t weight = 0;
    for (Operation &op : block.without_terminator()) {
      if (weight >= partSize || isStackAllocation(&op)) {
        parts.emplace_back();
        weight = 0;
      }
      if (isStackAllocation(&op))
        continue;
      weight += getWeight(&op);
      parts.back().push_back(&op);
    }
    // What is left over at the end may stay where it is.
    parts.pop_back();
    for (Part &part : parts)
      if (llvm::any_of(part, getWeight))
        outline(part, parent, number++);
  }

  void runOnOperation() override {
    SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp function : functions) {
      if (function.isExternal() || getWeight(function) < 2 * partSize)
        continue;
      SmallVector<Block *> blocks;
      function.walk<WalkOrder::PostOrder>(
          [&](Block *block) { blocks.push_back(block); });
      unsigned number = 0;
      for (Block *block : blocks)
        if (block->mightHaveTerminator() &&
            !isa<ModuleOp>(block->getParentOp()))
          splitBlock(*block, function, number);
    }
  }
};
} // namespace
