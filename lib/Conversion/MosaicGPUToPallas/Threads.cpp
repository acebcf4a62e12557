//===- Threads.cpp - Code for threads as code for warpgroups --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program of the pallas dialect is a warpgroup. Values that all of its
// threads have in common stay as they are; of others, only uses are understood
// that come to something for the warpgroup as a whole: the election of one
// thread, which is the first one here, arrivals of threads at barriers of other
// blocks, and loops whose steps threads share:
//   scf.for %i = %lane to %n step 128 -> scf.for %i = 0 to %n step 1
//
//===----------------------------------------------------------------------===//

#include "Kernel.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::pallas;

namespace {

/// How a value varies among the threads of a warpgroup.
enum class Variation { None, Warp, Thread };

/// A forward analysis in one walk: operands come before uses, and what varies
/// must not reach control flow, which would make threads take different ways.
class ThreadAnalysis {
public:
  /// `warpIds` are indices of threads in code that each warp runs for itself.
  ThreadAnalysis(Value threadId, ArrayRef<gpu::ThreadIdOp> warpIds) {
    addIndex(threadId, kWarpgroupSize);
    for (gpu::ThreadIdOp id : warpIds)
      addIndex(id, kWarpSize);
  }

  LogicalResult run(Block &block);

  Variation get(Value value) const { return variations.lookup(value); }
  ArrayRef<scf::ForOp> getSharedLoops() const { return sharedLoops; }

private:
  void addIndex(Value value, int64_t numThreads) {
    indices[value] = numThreads;
    variations[value] = Variation::Thread;
  }
  /// The number of threads that run the code, if the value is the index of one
  /// in its block; zero if it is not.
  int64_t getNumThreads(Value value) const { return indices.lookup(value); }
  LogicalResult visit(Operation *op);
  LogicalResult visitSharedLoop(scf::ForOp loop);
  bool isLane(Value value) const;
  Variation getResultVariation(Operation *op) const;

  DenseMap<Value, Variation> variations;
  DenseMap<Value, int64_t> indices;
  /// Loops of which each thread of the warpgroup takes some steps.
  SmallVector<scf::ForOp> sharedLoops;
};

} // namespace

/// By how much an operation divides its first operand, if it is a constant.
static std::optional<int64_t> getDivisor(Operation *op) {
  if (!isa<arith::ShRUIOp, arith::ShRSIOp, arith::DivUIOp, arith::DivSIOp>(op))
    return std::nullopt;
  std::optional<int64_t> constant = getConstantIntValue(op->getOperand(1));
  if (!constant || *constant < 0)
    return std::nullopt;
  if (!isa<arith::ShRUIOp, arith::ShRSIOp>(op))
    return constant;
  if (*constant > 31)
    return std::nullopt;
  return int64_t(1) << *constant;
}

/// A thread's index divided by 128 is that of its warpgroup, and by 32 that of
/// its warp.
Variation ThreadAnalysis::getResultVariation(Operation *op) const {
  if (std::optional<int64_t> divisor = getDivisor(op);
      divisor && *divisor > 0 && getNumThreads(op->getOperand(0))) {
    if (*divisor % getNumThreads(op->getOperand(0)) == 0)
      return Variation::None;
    if (*divisor % kWarpSize == 0)
      return Variation::Warp;
  }
  Variation result = Variation::None;
  for (Value operand : op->getOperands())
    result = std::max(result, get(operand));
  return result;
}

/// Whether the condition is true for one thread, which the hardware elects and
/// which may be the first one: that of a warp in the code of warps, and of the
/// first warp elsewhere, as all four elect one.
///   %isFirst = arith.cmpi eq, %warp, %c0
///   %elected = nvvm.elect.sync
///   %condition = arith.andi %isFirst, %elected
static bool isElected(Value condition) {
  Operation *op = condition.getDefiningOp();
  if (isa_and_nonnull<NVVM::ElectSyncOp>(op))
    return op->getParentOfType<CoreMapOp>() != nullptr;
  if (!isa_and_nonnull<arith::AndIOp>(op))
    return false;
  auto isFirst = [](Value value) {
    auto compare = value.getDefiningOp<arith::CmpIOp>();
    return compare && compare.getPredicate() == arith::CmpIPredicate::eq &&
           getConstantIntValue(compare.getRhs()) == 0;
  };
  auto isElection = [](Value value) {
    return value.getDefiningOp<NVVM::ElectSyncOp>() != nullptr;
  };
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  return (isFirst(lhs) && isElection(rhs)) || (isFirst(rhs) && isElection(lhs));
}

/// Whether one thread of the warpgroup does the work of the operation if this
/// predicate is true.
static bool isElection(OpOperand &use) {
  Operation *op = use.getOwner();
  if (auto load = dyn_cast<mosaic_gpu::AsyncLoadOp>(op))
    return use.get() == load.getPredicate();
  if (auto store = dyn_cast<mosaic_gpu::AsyncStoreOp>(op))
    return use.get() == store.getPredicate();
  if (auto init = dyn_cast<NVVM::MBarrierInitOp>(op))
    return use.get() == init.getPredicate();
  auto branch = dyn_cast<scf::IfOp>(op);
  return branch && !branch.elseBlock() && isElected(use.get()) &&
         llvm::all_of(
             branch.thenBlock()->without_terminator(), [](Operation &nested) {
               return isa<gpu::PrintfOp, SemaphoreSignalOp, SemaphoreWaitOp>(
                          nested) ||
                      isMemoryEffectFree(&nested);
             });
}

/// Whether this is the number of the thread in its warpgroup.
bool ThreadAnalysis::isLane(Value value) const {
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<arith::RemUIOp, arith::AndIOp>(op) ||
      getNumThreads(op->getOperand(0)) != kWarpgroupSize)
    return false;
  int64_t operand =
      isa<arith::RemUIOp>(op) ? kWarpgroupSize : kWarpgroupSize - 1;
  return getConstantIntValue(op->getOperand(1)) == operand;
}

/// All steps are done when the threads are: the warpgroup does one after the
/// other, if none of them waits for another thread.
LogicalResult ThreadAnalysis::visitSharedLoop(scf::ForOp loop) {
  if (getConstantIntValue(loop.getStep()) != kWarpgroupSize ||
      loop.getNumRegionIterArgs() ||
      get(loop.getUpperBound()) != Variation::None)
    return loop.emitOpError(
               "starts at the number of a thread; it has steps of ")
           << kWarpgroupSize << " then, and carries no values";
  WalkResult result = loop.getBody()->walk([](Operation *op) {
    if (isa_and_present<arith::ArithDialect, math::MathDialect,
                        memref::MemRefDialect, scf::SCFDialect>(
            op->getDialect()))
      return WalkResult::advance();
    op->emitOpError("is in a loop whose steps threads share; those compute by "
                    "arith and math, and load and store elements");
    return WalkResult::interrupt();
  });
  sharedLoops.push_back(loop);
  return failure(result.wasInterrupted());
}

/// Pure operations pass variation on; any other use of a value that varies is
/// an error, unless it elects the thread that does the work.
LogicalResult ThreadAnalysis::visit(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op);
      loop && isLane(loop.getLowerBound()))
    return visitSharedLoop(loop);
  if (isa<NVVM::ElectSyncOp>(op)) {
    variations[op->getResult(0)] = Variation::Thread;
    return success();
  }
  if (llvm::all_of(op->getOperands(), [&](Value operand) {
        return get(operand) == Variation::None;
      }))
    return success();
  if (auto shuffle = dyn_cast<NVVM::ShflOp>(op)) {
    // Each thread gets the value that is the same in its warp.
    if (shuffle.getKind() == NVVM::ShflKind::idx &&
        get(shuffle.getVal()) != Variation::Thread) {
      variations[shuffle.getRes()] = get(shuffle.getVal());
      return success();
    }
    return op->emitOpError("shuffles values that differ between the threads of "
                           "a warp; only values that a warp has in common can "
                           "be");
  }
  if (isa<LLVM::InlineAsmOp>(op))
    return success();
  if (op->getNumRegions() == 0 && isPure(op)) {
    Variation variation = getResultVariation(op);
    for (Value result : op->getResults())
      variations[result] = variation;
    if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtUIOp,
            arith::ExtSIOp, arith::TruncIOp>(op) &&
        getNumThreads(op->getOperand(0)))
      addIndex(op->getResult(0), getNumThreads(op->getOperand(0)));
    return success();
  }
  for (OpOperand &use : op->getOpOperands()) {
    if (get(use.get()) == Variation::None || isElection(use))
      continue;
    InFlightDiagnostic diag =
        op->emitOpError()
        << "uses a value that differs between the threads of a warpgroup; "
           "kernels may use the index of the warpgroup, and elect the thread "
           "that starts a copy";
    diag.attachNote(use.get().getLoc()) << "the value is made here";
    return diag;
  }
  return success();
}

LogicalResult ThreadAnalysis::run(Block &block) {
  WalkResult result = block.walk<WalkOrder::PreOrder>(
      [&](Operation *op) -> WalkResult { return visit(op); });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Arrivals of threads
//===----------------------------------------------------------------------===//

/// Lets each thread of the warpgroup come in turn:
///   asm(%pred, %barrier, %block)
/// where %pred depends on the thread becomes
///   scf.for %t = 0 to 128 { %pred = ...; scf.if %pred { asm(true, ...) } }
static void runThreadByThread(OpBuilder &b, LLVM::InlineAsmOp assembly,
                              const ThreadAnalysis &threads, Value threadId,
                              Value firstThread) {
  Location loc = assembly.getLoc();
  b.setInsertionPoint(assembly);
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  auto loop =
      scf::ForOp::create(b, loc, index(0), index(kWarpgroupSize), index(1));
  b.setInsertionPoint(loop.getBody()->getTerminator());
  IRMapping values;
  values.map(threadId,
             arith::AddIOp::create(b, loc, firstThread, loop.getInductionVar())
                 .getResult());
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  options.filter = [&](Operation *op) {
    return llvm::any_of(op->getResults(), [&](Value result) {
      return threads.get(result) != Variation::None;
    });
  };
  llvm::SetVector<Operation *> slice;
  for (Value operand : assembly->getOperands())
    if (threads.get(operand) != Variation::None && operand != threadId)
      (void)getBackwardSlice(operand, &slice, options);
  for (Operation *op : slice)
    if (op->getResult(0) != threadId)
      b.clone(*op, values);
  Value predicate = values.lookupOrDefault(assembly->getOperand(0));
  auto branch = scf::IfOp::create(b, loc, predicate);
  b.setInsertionPoint(branch.thenBlock()->getTerminator());
  Operation *arrival = b.clone(*assembly, values);
  arrival->setOperand(0,
                      arith::ConstantIntOp::create(b, loc, b.getI1Type(), 1));
  assembly.erase();
}

//===----------------------------------------------------------------------===//
// Warps
//===----------------------------------------------------------------------===//

/// Code for warps becomes a map over the warps of the warpgroup:
///   "mosaic_gpu.warp_map"(%barrier) ({^bb0(%b): ...})
/// becomes
///   pallas.core_map <warp, [<warp "warp" = 4>]> { ... }
static void raiseWarpMap(OpBuilder &b, mosaic_gpu::WarpMapOp op) {
  b.setInsertionPoint(op);
  Location loc = op.getLoc();
  auto axis =
      MeshAxisAttr::get(b.getContext(), MeshAxisRole::Warp,
                        b.getStringAttr(kWarpAxis), kWarpgroupSize / kWarpSize);
  auto map = CoreMapOp::create(
      b, loc, MeshAttr::get(b.getContext(), MeshKind::Warp, axis),
      /*compilerParams=*/ArrayAttr(), /*costEstimate=*/CostEstimateAttr());
  Block &from = op.getRegion().front();
  for (auto [argument, operand] :
       llvm::zip_equal(from.getArguments(), op->getOperands()))
    argument.replaceAllUsesWith(operand);
  Block *to = b.createBlock(&map.getBody());
  to->getOperations().splice(to->end(), from.getOperations());
  b.setInsertionPointToEnd(to);
  YieldOp::create(b, loc);
  op.erase();
}

/// Replaces the index of a thread in code for warps by that of the warp's first
/// one.
static void replaceWarpId(OpBuilder &b, gpu::ThreadIdOp id,
                          Value firstOfWarpgroup) {
  b.setInsertionPoint(id);
  Location loc = id.getLoc();
  Value warp = AxisIndexOp::create(b, loc, kWarpAxis);
  warp = arith::IndexCastOp::create(b, loc, b.getIndexType(), warp);
  Value first = arith::MulIOp::create(
      b, loc, warp, arith::ConstantIndexOp::create(b, loc, kWarpSize));
  id.getResult().replaceAllUsesWith(
      arith::AddIOp::create(b, loc, firstOfWarpgroup, first).getResult());
  id.erase();
}

/// Maps over warps come first, because a thread's index means something else in
/// them. What remains after the analysis is uniform.
LogicalResult KernelRaiser::raiseThreads() {
  SmallVector<mosaic_gpu::WarpMapOp> warpMaps;
  block->walk([&](mosaic_gpu::WarpMapOp op) { warpMaps.push_back(op); });
  for (mosaic_gpu::WarpMapOp op : warpMaps)
    raiseWarpMap(b, op);
  // Without uses the index may be gone.
  SmallVector<gpu::ThreadIdOp> warpIds;
  threadId = {};
  block->walk([&](gpu::ThreadIdOp op) {
    if (op->getParentOfType<CoreMapOp>())
      warpIds.push_back(op);
    else
      threadId = op;
  });
  if (!threadId) {
    b.setInsertionPointToStart(block);
    threadId = gpu::ThreadIdOp::create(b, gpu::LaunchOp(kernel.launch).getLoc(),
                                       gpu::Dimension::x);
  }
  ThreadAnalysis threads(threadId, warpIds);
  if (failed(threads.run(*block)))
    return failure();
  Location loc = threadId.getLoc();
  b.setInsertionPointAfter(threadId.getDefiningOp());
  Value warpgroup = createAxisIndex(loc, kWarpgroupAxis, kernel.numWarpgroups);
  Value firstThread = arith::MulIOp::create(
      b, loc, warpgroup,
      arith::ConstantIndexOp::create(b, loc, kWarpgroupSize));
  SmallVector<LLVM::InlineAsmOp> assemblies;
  block->walk([&](LLVM::InlineAsmOp op) {
    bool varies = llvm::any_of(op->getOperands(), [&](Value operand) {
      return threads.get(operand) != Variation::None;
    });
    if (varies)
      assemblies.push_back(op);
  });
  for (LLVM::InlineAsmOp assembly : assemblies) {
    if (!assembly.getAsmString().contains("mapa.shared::cluster") ||
        !assembly->getOperand(0).getType().isInteger(1))
      return assembly.emitOpError(
          "is code for single threads; only arrivals at barriers of other "
          "blocks have a form for warpgroups");
    runThreadByThread(b, assembly, threads, threadId, firstThread);
  }
  for (scf::ForOp loop : threads.getSharedLoops()) {
    b.setInsertionPoint(loop);
    Type type = loop.getInductionVar().getType();
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantOp::create(b, loop.getLoc(),
                                       b.getIntegerAttr(type, value));
    };
    loop.setLowerBound(constant(0));
    loop.setStep(constant(1));
  }
  // The rest is the same for all threads, or for the first one alone.
  SmallVector<Operation *> done;
  block->walk([&](Operation *op) {
    b.setInsertionPoint(op);
    if (auto shuffle = dyn_cast<NVVM::ShflOp>(op))
      shuffle.getRes().replaceAllUsesWith(shuffle.getVal());
    else if (isa<NVVM::ElectSyncOp>(op))
      op->getResult(0).replaceAllUsesWith(
          arith::ConstantIntOp::create(b, op->getLoc(), b.getI1Type(), 1));
    else
      return;
    done.push_back(op);
  });
  for (Operation *op : done)
    op->erase();
  for (gpu::ThreadIdOp id : warpIds)
    replaceWarpId(b, id, firstThread);
  threadId.replaceAllUsesWith(firstThread);
  threadId.getDefiningOp()->erase();
  return success();
}
