//===- SplitFunctions.cpp - Functions of bounded size ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has the pass pallas-cpu-split-functions. Many later passes, here
// and in LLVM, take time that grows faster than the function. Outlining parts
// of long functions keeps compile time proportional to the size of the kernel.
//
// The parts are runs of operations of one block. Each becomes a function:
//   %0 = memref.load %m[%c0] : memref<8xf32>
//   ... a hundred operations that use %0 and yield %99 ...
// becomes
//   %0 = memref.load %m[%c0] : memref<8xf32>
//   %99 = func.call @f_part_0(%0, %m) : (f32, memref<8xf32>) -> f32
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Transforms/RegionUtils.h"
#include "pallas/CPU/Transforms/Passes.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASCPUSPLITFUNCTIONS
#include "pallas/CPU/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

/// Operations of a block that follow each other.
using Part = SmallVector<Operation *>;

/// Counts operations that are expensive to compile: loops and branches, because
/// analyses are updated for each of them, and memory accesses of one block,
/// because LLVM orders each with hundreds of others.
namespace {
struct Weight {
  explicit Weight(Operation *op) {
    op->walk([&](Operation *nested) { loops += nested->getNumRegions() != 0; });
    accesses = isAccess(op);
  }
  Weight() = default;

  static bool isAccess(Operation *op) {
    return op->getNumRegions() == 0 && !isa<memref::AllocOp>(op) &&
           !isMemoryEffectFree(op);
  }
  Weight &operator+=(const Weight &other) {
    loops += other.loops;
    accesses += other.accesses;
    return *this;
  }
  bool reaches(int64_t size) const { return std::max(loops, accesses) >= size; }

  int64_t loops = 0, accesses = 0;
};
} // namespace

/// Whether LLVM would have to order many accesses of one block.
static bool hasManyAccesses(Block &block, int64_t size) {
  return llvm::count_if(llvm::make_pointer_range(block), Weight::isAccess) >=
         size;
}

/// Whether there is too much in the function, or in a block of it.
static bool isLong(func::FuncOp function, int64_t size) {
  if (Weight(function).reaches(size))
    return true;
  auto result = function.walk([&](Block *block) {
    return hasManyAccesses(*block, size) ? WalkResult::interrupt()
                                         : WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// Constants are cloned into a part, so that they stay constants.
static bool isConstant(Operation *op) {
  return op->hasTrait<OpTrait::ConstantLike>();
}

/// Views are cloned as well: passing one would hide the memory behind it.
static bool isView(Operation *op) {
  return op->getNumResults() == 1 && op->getNumRegions() == 0 &&
         isa<BaseMemRefType>(op->getResult(0).getType()) &&
         isMemoryEffectFree(op);
}

/// Whether `op` yields memory that may end with the function that `op` is in,
/// so that `op` has to stay in the caller: memory on the stack, or allocated in
/// a region:
///   %0 = scf.if %p -> (memref<8xf32>) {
///     %1 = memref.alloc() : memref<8xf32>
///     scf.yield %1 : memref<8xf32>
///   } else { ... }
static bool yieldsMemory(Operation *op) {
  if (op->getNumRegions() != 0)
    return llvm::any_of(op->getResultTypes(), llvm::IsaPred<BaseMemRefType>);
  return !isa<memref::AllocOp>(op) && hasEffect<MemoryEffects::Allocate>(op);
}

/// Moves allocations and views in front of their first user. Bufferization puts
/// them in front of all operations that may write there, so the first part
/// would have to return them for all others.
static void sinkMemory(Block &block) {
  // The current position of an operation, including operations inserted before
  // it: asking a block for its order after each move would be quadratic.
  SmallVector<Operation *> places;
  DenseMap<Operation *, size_t> positions;
  for (Operation &op : block) {
    positions[&op] = places.size();
    places.push_back(&op);
  }
  SmallVector<Operation *> ops(places);
  for (Operation *op : llvm::reverse(ops)) {
    if (op->use_empty() || !(isa<memref::AllocOp>(op) || isView(op)))
      continue;
    size_t first = places.size();
    for (Operation *user : op->getUsers())
      first =
          std::min(first, positions.lookup(block.findAncestorOpInBlock(*user)));
    op->moveBefore(places[first]);
    positions[op] = first;
    places[first] = op;
  }
}

/// Whether `op` makes a number of the address of memory. Where that goes is not
/// followed: the runtime may keep it, as that of a semaphore.
static bool takesAddress(Operation *op) {
  return isa<memref::ExtractAlignedPointerAsIndexOp,
             UnrealizedConversionCastOp>(op);
}

/// Whether nothing behind the part can see the allocation. Then it moves into
/// the function of the part.
static bool isLocal(memref::AllocOp alloc,
                    const SmallPtrSetImpl<Operation *> &part, Block *block) {
  SmallVector<Value> views{alloc};
  while (!views.empty()) {
    for (Operation *user : views.pop_back_val().getUsers()) {
      Operation *top = block->findAncestorOpInBlock(*user);
      if (!top || !part.contains(top) || takesAddress(user) ||
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
  bool isUsedElsewhere(Operation *op) const {
    return !llvm::all_of(op->getUsers(),
                         [&](Operation *user) { return contains(user); });
  }
  LogicalResult keepShared();
  void take(Value value);
  void findArguments();
  void findResults();
  func::FuncOp createFunction(unsigned number);
  void moveInto(func::FuncOp function);

  func::FuncOp parent;
  Block *block;
  SmallPtrSet<Operation *, 32> members;
  Part part;
  llvm::SmallDenseSet<Value> taken;
  SmallVector<Value> arguments, results;
  /// Constants and views, which are cloned instead of passed.
  Part repeated;
};
} // namespace

/// Moves operations in front of the part that the rest of the block uses as
/// well: constants, allocations, and views of memory from before the part.
/// Fails if that is impossible.
LogicalResult Outliner::keepShared() {
  Part kept, shared;
  for (Operation *op : part) {
    auto alloc = dyn_cast<memref::AllocOp>(op);
    bool isSharedMemory = alloc && !isLocal(alloc, members, block);
    // The size of such memory may be computed in between.
    if (isSharedMemory && op->getNumOperands() != 0)
      return failure();
    bool isSharedView = isView(op) && isUsedElsewhere(op) &&
                        llvm::none_of(op->getOperands(), [&](Value operand) {
                          return members.contains(operand.getDefiningOp());
                        });
    if (isConstant(op) || isSharedMemory || isSharedView) {
      shared.push_back(op);
      members.erase(op);
    } else {
      kept.push_back(op);
    }
  }
  if (kept.empty())
    return failure();
  for (Operation *op : shared)
    op->moveBefore(kept.front());
  part = std::move(kept);
  return success();
}

/// Notes a value from around the part that is used in it.
void Outliner::take(Value value) {
  Operation *op = value.getDefiningOp();
  if (contains(op ? op : value.getParentBlock()->getParentOp()) ||
      !taken.insert(value).second)
    return;
  if (!op || !(isConstant(op) || isView(op))) {
    arguments.push_back(value);
    return;
  }
  for (Value operand : op->getOperands())
    take(operand);
  repeated.push_back(op);
}

/// Values that the operations use and that are defined outside of them.
void Outliner::findArguments() {
  for (Operation *op : part)
    op->walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        take(operand);
    });
}

/// Values of the operations that are used outside of them.
void Outliner::findResults() {
  for (Operation *op : part)
    for (Value result : op->getResults())
      if (!llvm::all_of(result.getUsers(),
                        [&](Operation *user) { return contains(user); }))
        results.push_back(result);
}

/// The function is private, with the values from around as arguments.
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
  inside.map(arguments, entry->getArguments());
  for (Operation *op : repeated)
    b.clone(*op, inside);
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

  /// Cuts the block wherever enough weight has accumulated.
  void splitBlock(Block &block, func::FuncOp parent, unsigned &number) {
    // Accesses count only if they are the reason for splitting: loops with a
    // few accesses each are cheap to compile.
    bool countsAccesses = hasManyAccesses(block, 2 * partSize);
    SmallVector<Part> parts(1);
    Weight weight;
    for (Operation &op : block.without_terminator()) {
      if (weight.reaches(partSize) || yieldsMemory(&op)) {
        // Cheap operations may stay in place.
        if (weight.reaches(1))
          parts.emplace_back();
        else
          parts.back().clear();
        weight = {};
      }
      if (yieldsMemory(&op))
        continue;
      weight += Weight(&op);
      if (!countsAccesses)
        weight.accesses = 0;
      parts.back().push_back(&op);
    }
    // So may what is left over at the end.
    parts.pop_back();
    for (Part &part : parts)
      Outliner(part, parent).outline(number++);
  }

  void runOnOperation() override {
    if (partSize < 1) {
      getOperation().emitError("parts of ")
          << partSize.getValue()
          << " loops have no end; use a part-size of 1 or more";
      return signalPassFailure();
    }
    SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp function : functions) {
      if (function.isExternal() || !isLong(function, 2 * partSize))
        continue;
      SmallVector<Block *> blocks;
      function.walk<WalkOrder::PostOrder>(
          [&](Block *block) { blocks.push_back(block); });
      unsigned number = 0;
      for (Block *block : blocks)
        if (block->mightHaveTerminator() &&
            !isa<ModuleOp>(block->getParentOp())) {
          sinkMemory(*block);
          splitBlock(*block, function, number);
        }
    }
  }
};
} // namespace
