//===- PallasToCPU.cpp - From pallas to loops and memory ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has the pass convert-pallas-to-cpu. It lowers all operations on
// refs: refs become memrefs, and what needs other tasks or devices becomes
// calls of the runtime. Operations on values stay; convert-pallas-to-linalg
// lowers them afterwards.
//
// The pass does not use dialect conversion. Each operation is lowered once, in
// program order, since its lowering depends on state that the order determines:
// where refs are, which views are up to date, which kernel and mesh is around.
//
//===----------------------------------------------------------------------===//

#include "pallas/Conversion/PallasToCPU/PallasToCPU.h"
#include "Lowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "pallas/Dialect/Pallas/IR/LaunchControlOps.h"
#include "pallas/Dialect/Pallas/Utils/BlockPairs.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_CONVERTPALLASTOCPU
#include "pallas/Conversion/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

/// Such an operation is erased behind its last user, at the end of its block.
bool Lowering::definesMemory(Operation *op) {
  return llvm::any_of(op->getResultTypes(), [](Type type) {
    return isa<RefType, AccumulatorType>(type);
  });
}

/// Checks that all refs come from operations whose memory is known here: calls,
/// scopes, and what makes refs of values or views of refs. A ref that an
/// `arith.select` or a loop yields would need a memref that is chosen at run
/// time; accesses through it could not be analyzed.
static LogicalResult verifyOrigins(func::FuncOp func) {
  auto isRef = [](Value value) {
    return isa<RefType, AccumulatorType>(value.getType());
  };
  auto report = [](Operation *op, Value ref) {
    InFlightDiagnostic diag =
        op->emitOpError()
        << "forwards a ref of type " << ref.getType()
        << ", whose memory is not known on CPUs; inline the function, or use "
           "the ref that a call or a scope makes";
    diag.attachNote(ref.getLoc()) << "this one";
    return WalkResult::interrupt();
  };
  WalkResult result = func->walk([&](Operation *op) {
    if (isa_and_present<PallasDialect>(op->getDialect()))
      return WalkResult::advance();
    for (Value value : op->getResults())
      if (isRef(value))
        return report(op, value);
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        if (isRef(argument))
          return report(op, argument);
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// Signatures change first: tensors of semaphores become tensors of counts.
LogicalResult Lowering::run() {
  if (failed(verifyOrigins(func)))
    return failure();
  auto toPlain = [&](Type type) -> Type {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor ? getPlainType(tensor) : type;
  };
  for (BlockArgument argument : func.getArguments())
    argument.setType(toPlain(argument.getType()));
  FunctionType type = func.getFunctionType();
  func.setFunctionType(
      b.getFunctionType(llvm::map_to_vector(type.getInputs(), toPlain),
                        llvm::map_to_vector(type.getResults(), toPlain)));
  return lowerBlock(func.front());
}

/// Lowers the operations of a block in order. Region operations of other
/// dialects keep their regions, which are lowered in place.
LogicalResult Lowering::lowerBlock(Block &block) {
  // The definition of a ref stays until all of its users have been lowered.
  // That is the end of the block, as no ref leaves the block.
  SmallVector<Operation *> definitions;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (definesMemory(&op))
      definitions.push_back(&op);
    if (failed(refs.lowerOnCopies(&op,
                                  [&](Operation *op) { return lowerOp(op); })))
      return failure();
  }
  for (Operation *op : llvm::reverse(definitions))
    b.eraseOp(op);
  return success();
}

/// Checks become calls of the checker.
LogicalResult Lowering::lowerCheck(Operation *op) {
  auto erase = [&](Operation *op, LogicalResult result) {
    if (succeeded(result))
      b.eraseOp(op);
    return result;
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](CheckAccessOp op) { return refs.lowerCheckAccess(op); })
      .Case([&](CheckBoundsOp op) { return refs.lowerCheckBounds(op); })
      .Case([&](CheckLeftOutOp op) { return refs.lowerCheckLeftOut(op); })
      .Case<CheckContentsOp, CheckTensorBoundsOp, CheckCommitOp, CheckWaitOp,
            CheckTensorMemoryWaitOp, CheckProductOp, CheckAccumulatorOp,
            CheckFollowProductsOp, CheckGridBeginOp, CheckGridEndOp,
            CheckAliasOp, CheckProgramOp, CheckWindowOp, CheckOutputOp,
            CheckBarrierEndOp, CheckCoresBeginOp, CheckCoresEndOp,
            CheckCoreBeginOp, CheckCoreEndOp, CheckMemoryOp, CheckMemoryEndOp,
            CheckSameContentsOp, CheckPackedViewOp, CheckBuffersBeginOp,
            CheckBuffersEndOp, CheckSemaphoresEndOp, CheckUnwrittenOp>(
          [&](auto op) {
            checker.lower(op);
            return erase(op, success());
          })
      .Case<CheckSemaphoreSignalOp, CheckSemaphoreWaitOp, CheckDMAStartOp,
            CheckDMAWaitOp, CheckCoreBarrierOp, CheckArrivalOp, CheckPhaseOp,
            CheckClusterSyncOp>(
          [&](auto op) { return erase(op, async.lowerCheck(op)); })
      .Case<CheckCopyGmemToSmemOp, CheckCopySmemToGmemOp>(
          [&](auto op) { return erase(op, gpu.lowerCheck(op)); });
}

/// Each class lowers the operations of its theme.
LogicalResult Lowering::lowerOp(Operation *op) {
  b.setInsertionPoint(op);
  if (isCheck(op))
    return lowerCheck(op);
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<OperandRefOp, ResultRefOp, RefValueOp, ShareRefsOp, UnshareRefsOp,
            WindowOp, EdgeWindowOp, WriteEdgeOp, PadRefOp, UnpadRefOp>(
          [&](auto op) { return windows.lower(op); })
      .Case<OnCoreOp, TaskScopeOp, CoreScratchOp>(
          [&](auto op) { return meshes.lower(op); })
      .Case([&](RunScopedOp op) { return lowerRunScoped(op); })
      .Case([&](RunStateOp op) { return lowerRunState(op); })
      .Case([&](GetOp op) { return refs.lowerGet(op); })
      .Case([&](SwapOp op) { return refs.lowerSwap(op); })
      .Case([&](AddUpdateOp op) { return refs.lowerAddUpdate(op); })
      .Case([&](MaskedLoadOp op) { return refs.lowerMaskedLoad(op); })
      .Case([&](MaskedSwapOp op) { return refs.lowerMaskedSwap(op); })
      .Case([&](AtomicRMWOp op) { return refs.lowerAtomicRMW(op); })
      .Case([&](AtomicCASOp op) { return refs.lowerAtomicCAS(op); })
      .Case<SliceRefOp, ReshapeRefOp, BitcastRefOp, TransposeRefOp, RemoteRefOp,
            ClusterRefOp>([&](Operation *op) { return refs.lowerView(op); })
      .Case([&](GetGlobalOp op) { return lowerGlobal(op); })
      .Case<NewRefOp, EmptyRefOp, FreezeOp, FreeRefOp, AccumulatorDerefOp,
            AccumulatorStoreOp>(
          [&](Operation *op) { return lowerRefLifetime(op); })
      .Case<SemaphoreSignalOp, SemaphoreWaitOp, SemaphoreReadOp, DMAStartOp,
            DMAWaitOp, BarrierArriveOp, BarrierWaitOp, BarrierWaitParityOp,
            BarrierTestOp, GetBarrierSemaphoreOp, CoreBarrierOp, ClusterSyncOp>(
          [&](Operation *op) { return async.lowerAsync(op); })
      .Case<WGMMAOp, WGMMARefOp, WGMMACommitOp, WGMMAWaitOp, CopyGmemToSmemOp,
            CopySmemToGmemOp, CommitSmemOp, CommitSmemToGmemGroupOp,
            WaitSmemToGmemOp, AsyncPrefetchOp, Tcgen05MMAOp, Tcgen05CommitOp,
            AsyncLoadTmemOp, AsyncStoreTmemOp, AsyncCopyToTmemOp,
            WaitLoadTmemOp, CommitTmemOp, SetMaxRegistersOp, LayoutCastOp,
            GridDependencyOp, TryClusterCancelOp, QueryClusterCancelOp>(
          [&](Operation *op) { return gpu.lowerGPUOp(op); })
      .Case<PRNGSeedOp, PRNGBitsOp>(
          [&](Operation *op) { return random.lowerRandom(op); })
      .Case<cf::AssertOp, DebugPrintOp, CheckOp, DelayOp, TraceStartOp,
            TraceStopOp, TraceValueOp, DeviceIdOp, CoreIdOp, AxisIndexOp,
            AxisSizeOp>([&](Operation *op) { return debug.lowerDebug(op); })
      .Default([&](Operation *op) -> LogicalResult {
        auto touchesRef = [](Type type) {
          return isa<RefType, AccumulatorType>(type);
        };
        if (llvm::any_of(op->getOperandTypes(), touchesRef) ||
            llvm::any_of(op->getResultTypes(), touchesRef))
          return op->emitOpError() << "has no form on CPUs: the refs that it "
                                      "uses are plain memory there";
        // An operation of another dialect on values needs no lowering.
        if (func::FuncOp callee = getHostFunction(op))
          return lowerHostCall(cast<func::CallOp>(op), callee);
        for (Region &region : op->getRegions())
          for (Block &block : region)
            if (failed(lowerBlock(block)))
              return failure();
        return success();
      });
}

/// Checks that earlier passes have removed what this one does not know.
static LogicalResult checkPrepared(ModuleOp root, bool checked) {
  bool hasChecks = root->hasAttr(kHasChecksAttrName);
  if (checked && !hasChecks)
    return root.emitOpError("has no checks of its accesses, which checked code "
                            "needs; run pallas-insert-checks before");
  if (checked && !root->hasAttr(kHasMemoryChecksAttrName))
    return root.emitOpError("has no checks of its memory, which checked code "
                            "needs; run pallas-insert-memory-checks before");
  if (!checked && hasChecks)
    return root.emitOpError("has checks of its accesses, which only checked "
                            "code calls; give the option checked=true");
  WalkResult result = root->walk([](Operation *op) -> WalkResult {
    if (isa<EmitPipelineOp, PallasCallOp>(op))
      return op->emitOpError("is a grid; run pallas-grids-to-loops before");
    if (isa<MpmdMapOp, CoreMapOp>(op))
      return op->emitOpError("is a mesh; run pallas-meshes-to-loops before");
    if (isOfBlockPair(op))
      return op->emitOpError("is done by two blocks together; run "
                             "pallas-expand-cta-pairs before");
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

namespace {
struct ConvertPallasToCPU
    : public pallas::impl::ConvertPallasToCPUBase<ConvertPallasToCPU> {
  using ConvertPallasToCPUBase::ConvertPallasToCPUBase;

  void runOnOperation() override {
    if (failed(checkPrepared(getOperation(), checked)))
      return signalPassFailure();
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (!func.isExternal()) {
        FunctionState state(func);
        if (failed(Lowering(state).run()))
          return signalPassFailure();
      }
    getOperation()->removeAttr(kHasChecksAttrName);
    getOperation()->removeAttr(kHasMemoryChecksAttrName);
    // Calls of host functions have become calls of the runtime.
    SymbolTable symbols(getOperation());
    for (auto func :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (isHostFunction(func) &&
          symbols.symbolKnownUseEmpty(func, getOperation()))
        symbols.erase(func);
  }
};
} // namespace
