//===- SharedWaits.cpp - Waits where shared memory is used again ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scopes that have ended leave their memory to the next ones, and a scope in a
// loop leaves it to the next step. What may still be under way then:
//
//   loads of other warps   The compiler has a barrier in front of each store of
//                          a vector, copy to shared memory and warp_map.
//                          Reductions and stores of scalars have none, so they
//                          get one here.
//   stores of other warps  A copy that overwrites them goes by another path:
//                          scopes that are copied to start with a fence, unless
//                          commit_smem has come behind the stores.
//   other warpgroups       Collective scopes begin with a barrier of the block,
//                          and end with one where scratch memory follows.
//   copies from a scope    It waits at its end, unless the kernel has done so.
//   wgmma of a scope       The same.
//   copies to a scope      Kernels wait for them before they use what these
//                          write. A wait at a barrier of an outer scope has to
//                          be in the scope, too; others are refused.
//   tcgen05 of a scope     Kernels wait for the commit before they use what it
//                          writes. Nothing checks that the wait is in the scope
//                          of the operands.
//
//===----------------------------------------------------------------------===//

#include "Rules.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "pallas/Dialect/Pallas/IR/LaunchControlOps.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Whether a barrier may turn out not to be needed. The last one comes up most.
static bool mayGo(Operation *barrier, KernelEmitter &emit) {
  return llvm::any_of(
      llvm::reverse(emit.sharedWaits),
      [&](const SharedWait &wait) { return wait.wait == barrier; });
}

/// Whether a warp may still load from scratch memory. The compiler synchronizes
/// in front of stores of vectors, but not in front of reductions, whose warps
/// write to theirs at once:
///
///   %v = mosaic_gpu.vector_load %scratch
///   %s = vector.multi_reduction <add>, %v, %zero [0]
///
/// Each warp waits for its own part of a product only. Barriers that may go
/// don't count. `getKnown` has the answer for other reductions, from which on
/// nothing is to be looked for.
static bool
mayBeLoading(Operation *reduction, KernelEmitter &emit,
             function_ref<std::optional<bool>(Operation *)> getKnown) {
  for (Operation *op = reduction->getPrevNode(); op; op = op->getPrevNode()) {
    if (isa<vector::MultiDimReductionOp, vector::ReductionOp>(op))
      if (std::optional<bool> known = getKnown(op))
        return *known;
    if (KernelEmitter::isWarpgroupSync(op) && !mayGo(op, emit))
      return false;
    if (isa<mosaic_gpu::VectorLoadOp, memref::LoadOp, mosaic_gpu::WGMMAOp>(
            op) ||
        op->getNumRegions() != 0)
      return true;
  }
  // The step before of a loop, or what is in front of a branch.
  return isa<scf::SCFDialect>(reduction->getParentOp()->getDialect());
}

static constexpr llvm::StringLiteral kReductionRole = "reduction";

int64_t mlir::pallas::allocateReduction(KernelEmitter &emit, Operation *op,
                                        int64_t bytes) {
  int64_t mark = emit.getUsedBytes();
  int64_t offset = emit.allocate(bytes, kReductionRole);
  emit.releaseTo(mark);
  // Reductions in front have a barrier that may go where the answer was yes.
  auto hasBarrier = [&](Operation *other) -> std::optional<bool> {
    return other->getPrevNode() && mayGo(other->getPrevNode(), emit);
  };
  if (!mayBeLoading(op, emit, hasBarrier))
    return offset;
  OpBuilder::InsertionGuard guard(emit.b);
  emit.b.setInsertionPoint(op);
  emit.syncLanes();
  unsigned buffer = emit.getBuffers().size() - 1;
  emit.sharedWaits.push_back({op->getPrevNode(), buffer});
  return offset;
}

//===----------------------------------------------------------------------===//
// Memory of scopes
//===----------------------------------------------------------------------===//

/// The ref of which this is a view.
static Value getViewed(Value ref) {
  while (auto view = ref.getDefiningOp<ViewLikeOpInterface>())
    ref = view.getViewSource();
  return ref;
}

/// Whether a copy goes to memory that this scope makes.
static bool writesTo(CopyGmemToSmemOp copy, Block &scope) {
  return getViewed(copy.getTarget()).getParentBlock() == &scope;
}

namespace {
/// Accesses of the hardware and of lanes to the memory of a scope that may be
/// under way, in the order of its code.
class UnderWay {
public:
  explicit UnderWay(Block &scope) : scope(scope) { follow(scope); }

  /// Copies to global memory: those of closed groups, and those that no group
  /// has yet.
  bool copies = false, openCopies = false;
  bool products = false;
  /// Stores of lanes with no fence behind.
  bool stores = false;

private:
  /// Refs that come through branches and loops may be any.
  bool isOfScope(Value ref) const {
    auto argument = dyn_cast<BlockArgument>(getViewed(ref));
    return !argument || argument.getOwner() == &scope ||
           !isa<RunScopedOp, MpmdMapOp>(argument.getOwner()->getParentOp());
  }
  void closeGroup() {
    copies |= openCopies;
    openCopies = false;
  }
  void follow(Operation &op);
  void follow(Block &block) {
    for (Operation &op : block)
      follow(op);
  }
  void followBranches(Operation &op);

  Block &scope;
};
} // namespace

/// Each of the regions may run, or none.
void UnderWay::followBranches(Operation &op) {
  const UnderWay before = *this;
  for (Region &region : op.getRegions())
    for (Block &block : region) {
      UnderWay branch = before;
      branch.follow(block);
      copies |= branch.copies;
      openCopies |= branch.openCopies;
      products |= branch.products;
      stores |= branch.stores;
    }
}

/// Whether lanes may store to this operand.
static bool isStoredTo(OpOperand &use) {
  return isa<RefType>(use.get().getType()) &&
         !isa<ViewLikeOpInterface, GetOp, CopyGmemToSmemOp, CopySmemToGmemOp,
              WGMMAOp, WGMMARefOp, BarrierWaitOp, BarrierArriveOp,
              TryClusterCancelOp, QueryClusterCancelOp>(use.getOwner());
}

void UnderWay::follow(Operation &op) {
  stores |= llvm::any_of(op.getOpOperands(), [&](OpOperand &use) {
    return isStoredTo(use) && isOfScope(use.get());
  });
  if (auto copy = dyn_cast<CopySmemToGmemOp>(op)) {
    openCopies |= isOfScope(copy.getSource());
    if (copy.getCommitGroup())
      closeGroup();
  } else if (isa<CommitSmemToGmemGroupOp>(op)) {
    closeGroup();
  } else if (auto wait = dyn_cast<WaitSmemToGmemOp>(op)) {
    copies &= wait.getPending() != 0;
  } else if (isa<CommitSmemOp>(op)) {
    stores = false;
  } else if (isa<WGMMAOp, WGMMARefOp>(op)) {
    products |= llvm::any_of(op.getOperands(), [&](Value operand) {
      return isa<RefType>(operand.getType()) && isOfScope(operand);
    });
  } else if (auto wait = dyn_cast<WGMMAWaitOp>(op)) {
    products &= wait.getPending() != 0;
  } else if (auto deref = dyn_cast<AccumulatorDerefOp>(op)) {
    products &= deref.getWaitN() != 0;
  } else if (isa<RunScopedOp, RunStateOp>(op)) {
    Block &body = op.getRegion(0).front();
    follow(body);
    // Sums that become values have been waited for.
    products &=
        !(isa<RunStateOp>(op) && llvm::any_of(body.getArgumentTypes(),
                                              llvm::IsaPred<AccumulatorType>));
  } else {
    followBranches(op);
  }
}

/// Each lane waits for the copies that it has started.
static void awaitOwnCopies(KernelEmitter &emit, int64_t pending,
                           bool isReadOnly) {
  NVVM::CpAsyncBulkWaitGroupOp::create(
      emit.b, emit.loc, emit.b.getI32IntegerAttr(pending),
      isReadOnly ? emit.b.getUnitAttr() : UnitAttr());
}

/// The lane that has started the copies waits for them, and the others for it.
void mlir::pallas::waitForCopies(KernelEmitter &emit, int64_t pending,
                                 bool isReadOnly) {
  awaitOwnCopies(emit, pending, isReadOnly);
  emit.syncLanes();
}

/// Whether no operation comes behind a scope. Lanes that have ended leave the
/// memory of the block to those that still wait, so these need not tell them.
static bool endsKernel(Operation *op) {
  while (!isa<MpmdMapOp>(op)) {
    Operation *next = op->getNextNode();
    if (!isa<RunScopedOp>(op) ||
        (next && !next->hasTrait<OpTrait::IsTerminator>()))
      return false;
    op = op->getParentOp();
  }
  return true;
}

/// A copy that is still under way when its memory goes to another scope would
/// overwrite that:
///
///   pallas.run_scoped (%s: !pallas.ref<64x64xf32, smem>) {
///     pallas.copy_gmem_to_smem %g to %s signals %outer
///   }
///   pallas.run_scoped (%t: !pallas.ref<64x64xf32, smem>) { store to %t }
///   pallas.barrier_wait %outer
static LogicalResult checkCopiesTo(Block &scope) {
  DenseSet<Value> awaited;
  scope.walk([&](BarrierWaitOp wait) {
    awaited.insert(getViewed(wait.getBarrier()));
  });
  WalkResult result = scope.walk([&](CopyGmemToSmemOp copy) {
    Value barrier = getViewed(copy.getBarrier());
    bool isOuter = !scope.getParent()->isAncestor(barrier.getParentRegion());
    if (!writesTo(copy, scope) || !isOuter || awaited.contains(barrier))
      return WalkResult::advance();
    copy.emitOpError("writes to memory of a scope in which nothing waits at "
                     "its barrier, and may still do so when the memory is that "
                     "of another scope; wait at the barrier in this scope");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// Kernels wait for the results of copies and products, but not always in the
/// scope of what they read:
///
///   pallas.run_scoped (%s: !pallas.ref<64x64xf32, smem>) {
///     pallas.copy_smem_to_gmem %s to %g
///   }
///   pallas.run_scoped (%t: !pallas.ref<64x64xf32, smem>) { store to %t }
LogicalResult mlir::pallas::finishScope(RunScopedOp op, KernelEmitter &emit) {
  Block &body = op.getBody().front();
  if (failed(checkCopiesTo(body)))
    return failure();
  UnderWay left(body);
  if (left.openCopies)
    NVVM::CpAsyncBulkCommitGroupOp::create(emit.b, emit.loc);
  if (left.openCopies || left.copies) {
    awaitOwnCopies(emit, /*pending=*/0, /*isReadOnly=*/true);
    if (!endsKernel(op))
      emit.syncLanes();
  }
  if (left.products)
    waitForProducts(emit, /*pending=*/0);
  if (left.stores)
    return success();
  for (BlockArgument argument : body.getArguments())
    if (auto buffer = emit.scopedBuffers.find(argument);
        buffer != emit.scopedBuffers.end())
      emit.closeStores(buffer->second);
  return success();
}

/// A warpgroup may still be in the scope when another one that is ahead takes
/// scratch memory there.
void mlir::pallas::leaveScope(KernelEmitter &emit, unsigned firstBuffer) {
  unsigned numBuffers = emit.getBuffers().size() - firstBuffer;
  if (numBuffers == 0)
    return;
  Operation *wait = gpu::BarrierOp::create(emit.b, emit.loc);
  emit.sharedWaits.push_back(
      {wait, firstBuffer, numBuffers, SharedWait::Scratch});
}

/// Stores that lanes have made to the memory under another name, or in the step
/// before, come before the copies of this scope. The barrier that follows is
/// the compiler's, in front of each copy.
Operation *mlir::pallas::fenceCopies(RunScopedOp op, KernelEmitter &emit) {
  Block &body = op.getBody().front();
  WalkResult result = body.walk([&](CopyGmemToSmemOp copy) {
    return writesTo(copy, body) ? WalkResult::interrupt()
                                : WalkResult::advance();
  });
  if (!result.wasInterrupted())
    return nullptr;
  emit.fenceSharedMemory();
  return &*std::prev(emit.b.getInsertionPoint());
}

//===----------------------------------------------------------------------===//
// Memory that nothing shares
//===----------------------------------------------------------------------===//

/// Whether a scope that has ended, or one of the next step of a loop, has
/// memory where one of these buffers is. Reductions wait for each other by
/// themselves.
static bool sharesMemory(ArrayRef<SharedBuffer> buffers,
                         const SharedWait &wait) {
  ArrayRef<SharedBuffer> own = buffers.slice(wait.buffer, wait.numBuffers);
  auto isMeant = [&](const SharedBuffer &other) {
    bool isOwn = &other >= own.begin() && &other < own.end();
    switch (wait.kind) {
    case SharedWait::Any:
      return !isOwn;
    case SharedWait::Scratch:
      return !isOwn && other.role != kScopeRole;
    case SharedWait::OpenStores:
      return !isOwn && other.hasOpenStores;
    case SharedWait::OpenStoresInLoop:
      return other.hasOpenStores;
    }
    llvm_unreachable("all kinds are handled");
  };
  auto overlaps = [&](const SharedBuffer &mine, const SharedBuffer &other) {
    bool isApart = other.offset >= mine.offset + mine.bytes ||
                   mine.offset >= other.offset + other.bytes;
    bool areReductions =
        mine.role == kReductionRole && other.role == kReductionRole;
    return isMeant(other) && !isApart && !areReductions;
  };
  return llvm::any_of(own, [&](const SharedBuffer &mine) {
    return llvm::any_of(buffers, [&](const SharedBuffer &other) {
      return overlaps(mine, other);
    });
  });
}

/// Lanes load from other memory while some store or reduce already. Reductions
/// need no barrier behind one that stays, either.
void mlir::pallas::dropSharedWaits(KernelEmitter &emit) {
  ArrayRef<SharedBuffer> buffers = emit.getBuffers();
  SmallVector<Operation *> reductionWaits;
  for (const SharedWait &wait : emit.sharedWaits) {
    if (!sharesMemory(buffers, wait))
      wait.wait->erase();
    else if (buffers[wait.buffer].role == kReductionRole)
      reductionWaits.push_back(wait.wait);
  }
  emit.sharedWaits.clear();
  // Behind a reduction whose barrier goes, and behind one that has it, no warp
  // loads.
  llvm::SmallPtrSet<Operation *, 16> isBehindBarrier;
  auto isKnown = [&](Operation *other) -> std::optional<bool> {
    if (isBehindBarrier.contains(other))
      return false;
    return std::nullopt;
  };
  for (Operation *wait : reductionWaits) {
    isBehindBarrier.insert(wait->getNextNode());
    if (!mayBeLoading(wait, emit, isKnown))
      wait->erase();
  }
}
