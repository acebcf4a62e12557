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

namespace {
/// Operations of a block that become a function of their own.
class Outliner {
public:
  Outliner(const Part &ops, func::FuncOp parent)
      : parent(parent), block(ops.front()->getBlock()),
        members(ops.begin(), ops.end()), part(ops) {}

  void outline(unsigned number);

private:
  bool contains(Operation *op) const {
    Operation *top = block->findAncestorOpInBlock(*op);
    return top && members.contains(top);
  }
  LogicalResult keepShared();
  void findArguments();
  void findResults();
  func::FuncOp createFunction(unsigned number);
  void moveInto(func::FuncOp function);

  func::FuncOp parent;
  Block *block;
  SmallPtrSet<Operation *, 32> members;
  Part part;
  /// Constants are not handed over.
  SmallVector<Value> constants, arguments, results;
};
} // namespace

/// Puts in front what the rest of the block uses as well: constants, and
/// memory. Fails if that can't be.
LogicalResult Outliner::keepShared() {
  Part kept, shared;
  for (Operation *op : part) {
    auto alloc = dyn_cast<memref::AllocOp>(op);
    bool isShared =
        isConstant(op) || (alloc && !isLocal(alloc, members, block));
    (isShared ? shared : kept).push_back(op);
    // The size of such memory may be computed in between.
    if (isShared && op->getNumOperands() != 0)
      return failure();
  }
  if (kept.empty())
    return failure();
  for (Operation *op : shared) {
    members.erase(op);
    op->moveBefore(kept.front());
  }
  part = std::move(kept);
  return success();
}

/// What the operations use of what stands around them.
void Outliner::findArguments() {
  llvm::SetVector<Value> taken;
  auto take = [&](Value value) {
    Operation *op = value.getDefiningOp();
    if (!contains(op ? op : value.getParentBlock()->getParentOp()))
      taken.insert(value);
  };
  for (Operation *op : part)
    op->walk([&](Operation *nested) {
      llvm::for_each(nested->getOperands(), take);
    });
  for (Value value : taken) {
    Operation *op = value.getDefiningOp();
    (op && isConstant(op) ? constants : arguments).push_back(value);
  }
}

/// What the operations around use of them.
void Outliner::findResults() {
  for (Operation *op : part)
    for (Value result : op->getResults())
      if (!llvm::all_of(result.getUsers(),
                        [&](Operation *user) { return contains(user); }))
        results.push_back(result);
}

func::FuncOp Outliner::createFunction(unsigned number) {
  OpBuilder b(parent->getContext());
  b.setInsertionPointAfter(parent);
  auto type = b.getFunctionType(TypeRange(ValueRange(arguments)),
                                TypeRange(ValueRange(results)));
  auto function = func::FuncOp::create(
      b, part.front()->getLoc(),
      (parent.getName() + "_part_" + Twine(number)).str(), type);
  function.setPrivate();
  function.addEntryBlock();
  return function;
}

/// Moves the operations, and makes them use what the function has been given.
void Outliner::moveInto(func::FuncOp function) {
  Block *entry = &function.front();
  auto b = OpBuilder::atBlockBegin(entry);
  IRMapping inside;
  for (Value value : constants)
    inside.map(value, b.clone(*value.getDefiningOp())->getResult(0));
  inside.map(arguments, entry->getArguments());
  for (Operation *op : part) {
    op->moveBefore(entry, entry->end());
    op->walk([&](Operation *nested) {
      for (OpOperand &operand : nested->getOpOperands())
        if (Value value = inside.lookupOrNull(operand.get()))
          operand.set(value);
    });
  }
  b.setInsertionPointToEnd(entry);
  func::ReturnOp::create(b, function.getLoc(), results);
}

/// Makes a function of the operations, and a call of it in their place.
void Outliner::outline(unsigned number) {
  if (failed(keepShared()))
    return;
  findArguments();
  findResults();
  func::FuncOp function = createFunction(number);
  OpBuilder b(part.front());
  auto call = func::CallOp::create(b, function.getLoc(), function, arguments);
  moveInto(function);
  for (auto [value, result] : llvm::zip_equal(results, call.getResults()))
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
        Outliner(part, parent).outline(number++);
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
