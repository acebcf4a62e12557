//===- MosaicGPUCheckFences.cpp - What only hardware minds ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Some operations have no effect on values: fences, and that memory goes back.
// Kernels give the right result on a CPU without them, so they are looked for
// here, in the order of the code.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/MosaicGPU/IR/MosaicGPU.h"
#include "pallas/Dialect/MosaicGPU/Transforms/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::mosaic_gpu {
#define GEN_PASS_DEF_MOSAICGPUCHECKFENCES
#include "pallas/Dialect/MosaicGPU/Transforms/Passes.h.inc"
} // namespace mlir::mosaic_gpu

using namespace mlir;
using namespace mlir::mosaic_gpu;

namespace {

/// The operations of a kernel in the order of its text.
class KernelOrder {
public:
  explicit KernelOrder(gpu::LaunchOp launch) {
    launch.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
      places[op] = ops.size();
      ops.push_back(op);
    });
  }

  LogicalResult checkInitializations() const;
  LogicalResult checkAccumulators() const;
  LogicalResult checkGroups() const;
  LogicalResult checkTensorWaits() const;
  LogicalResult checkAllocations() const;

private:
  /// The first operation behind `op` of which `condition` holds; null if there
  /// is none.
  Operation *findNext(Operation *op,
                      function_ref<bool(Operation *)> condition) const {
    auto it = std::find_if(ops.begin() + places.lookup(op) + 1, ops.end(),
                           [&](Operation *next) { return condition(next); });
    return it == ops.end() ? nullptr : *it;
  }
  bool isBefore(Operation *first, Operation *second) const {
    return places.lookup(first) < places.lookup(second);
  }
  bool isFenced(Value start, WGMMAOp product) const;

  std::vector<Operation *> ops;
  DenseMap<Operation *, size_t> places;
};

} // namespace

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

static bool isAssembly(Operation *op, StringRef part) {
  auto assembly = dyn_cast<LLVM::InlineAsmOp>(op);
  return assembly && assembly.getAsmString().contains(part);
}

static bool isRemoteArrival(Operation *op) {
  return isAssembly(op, "mbarrier.arrive.shared::cluster");
}

static bool usesBarrier(Operation *op) {
  return isa<ArriveOp, ArriveExpectTxOp, WaitOp, AsyncLoadOp,
             TCGen05CommitArriveOp, NVVM::MBarrierTryWaitParityOp,
             NVVM::MBarrierTestWaitOp>(op) ||
         isAssembly(op, "mbarrier.arrive");
}

/// Whether blocks arrive at barriers of each other. A copy may be collective
/// along a dimension where the cluster has one block.
static bool reachesBlocks(Operation *op) {
  auto launch = op->getParentOfType<gpu::LaunchOp>();
  if (!launch || !launch.hasClusterSize())
    return false;
  auto load = dyn_cast<AsyncLoadOp>(op);
  if (!load)
    return isRemoteArrival(op);
  gpu::KernelDim3 sizes = *launch.getClusterSizeOperandValues();
  return llvm::any_of(load.getCollective(), [&](Attribute dimension) {
    Value size = std::array<Value, 3>{
        sizes.x, sizes.y, sizes.z}[cast<IntegerAttr>(dimension).getInt()];
    return getConstantIntValue(size) != 1;
  });
}

/// One thread initializes a barrier. Copies see that behind a fence, and other
/// threads when they have met it.
LogicalResult KernelOrder::checkInitializations() const {
  Operation *last = nullptr;
  for (Operation *op : ops)
    if (isa<InitializeBarrierOp, NVVM::MBarrierInitOp>(op))
      last = op;
  Operation *use = last ? findNext(last, usesBarrier) : nullptr;
  if (!use)
    return success();
  bool isCluster = llvm::any_of(ops, reachesBlocks);
  auto comesBetween = [&](function_ref<bool(Operation *)> condition) {
    Operation *found = findNext(last, condition);
    return found && isBefore(found, use);
  };
  StringRef missing, remedy;
  if (!comesBetween(llvm::IsaPred<NVVM::FenceMbarrierInitOp>)) {
    missing = "a fence that shows it to copies and other blocks";
    remedy = "put nvvm.fence.mbarrier.init";
  } else if (isCluster && !comesBetween(llvm::IsaPred<NVVM::ClusterWaitOp>)) {
    missing = "a meeting of the cluster, whose blocks arrive there";
    remedy = "put nvvm.cluster.arrive and nvvm.cluster.wait";
  } else if (!comesBetween([](Operation *op) {
               return isa<gpu::BarrierOp, NVVM::Barrier0Op,
                          NVVM::ClusterWaitOp>(op);
             })) {
    missing = "a meeting of the block, whose other threads wait there";
    remedy = "put gpu.barrier";
  } else {
    return success();
  }
  InFlightDiagnostic diag =
      use->emitOpError()
      << "is the first use of barriers behind their initialization, without "
      << missing << "; " << remedy << " in between";
  diag.attachNote(last->getLoc()) << "the last initialization is here";
  return diag;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Adds the values that an accumulator starts with: what comes to it through
/// loops, branches and products, and is not theirs.
static void findStarts(Value value, DenseSet<Value> &visited,
                       SmallVectorImpl<Value> &starts) {
  if (!visited.insert(value).second)
    return;
  auto follow = [&](Value next) { findStarts(next, visited, starts); };
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop || argument == loop.getInductionVar())
      return;
    follow(loop.getTiedLoopInit(argument)->get());
    follow(loop.getTiedLoopYieldedValue(argument)->get());
    return;
  }
  Operation *op = value.getDefiningOp();
  unsigned number = cast<OpResult>(value).getResultNumber();
  if (auto product = dyn_cast<WGMMAOp>(op)) {
    follow(product.getAccumulator());
  } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
    follow(loop.getInitArgs()[number]);
    follow(loop.getYieldedValues()[number]);
  } else if (isa<scf::IfOp, scf::IndexSwitchOp>(op)) {
    for (Region &region : op->getRegions())
      if (!region.empty())
        follow(region.front().getTerminator()->getOperand(number));
  } else if (op->getParentOfType<gpu::LaunchOp>()) {
    starts.push_back(value);
  }
}

/// The innermost loop around both operations.
static Operation *getCommonLoop(Operation *first, Operation *second) {
  Operation *loop = first->getParentOp();
  while (loop &&
         !(isa<scf::ForOp, scf::WhileOp>(loop) && loop->isAncestor(second)))
    loop = loop->getParentOp();
  return loop;
}

/// Whether a fence comes between what writes the registers and the product, in
/// the order of the text or, where the value is of the step before, around it.
bool KernelOrder::isFenced(Value start, WGMMAOp product) const {
  Operation *def = start.getDefiningOp();
  bool isOfStepBefore = isBefore(product, def);
  Operation *loop = getCommonLoop(product, def);
  return llvm::any_of(ops, [&](Operation *op) {
    if (!isa<NVVM::WgmmaFenceAlignedOp>(op))
      return false;
    bool isBehind = isBefore(def, op), isAhead = isBefore(op, product);
    if (!isOfStepBefore)
      return isBehind && isAhead;
    return loop && loop->isAncestor(op) && (isBehind || isAhead);
  });
}

/// Products read registers asynchronously, so a fence follows each other
/// operation that writes them.
///   %start = "mosaic_gpu.optimization_barrier"(%zeros)
///   nvvm.wgmma.fence.aligned
///   %sum = mosaic_gpu.wgmma accumulator(%start) ...
LogicalResult KernelOrder::checkAccumulators() const {
  for (Operation *op : ops) {
    auto product = dyn_cast<WGMMAOp>(op);
    if (!product)
      continue;
    DenseSet<Value> visited;
    SmallVector<Value> starts;
    findStarts(product.getAccumulator(), visited, starts);
    for (Value start : starts) {
      if (isFenced(start, product))
        continue;
      InFlightDiagnostic diag =
          product.emitOpError("adds to registers that another operation has "
                              "written, without a fence; put "
                              "nvvm.wgmma.fence.aligned in between");
      diag.attachNote(start.getLoc()) << "the registers are written here";
      return diag;
    }
  }
  return success();
}

/// A wait is for groups, so a product that no group has is never waited for:
///   mosaic_gpu.wgmma ...
///   nvvm.wgmma.commit.group.sync.aligned
///   nvvm.wgmma.wait.group.sync.aligned 0
LogicalResult KernelOrder::checkGroups() const {
  for (Operation *op : ops) {
    if (!isa<WGMMAOp>(op))
      continue;
    Operation *next = findNext(op, llvm::IsaPred<NVVM::WgmmaGroupSyncAlignedOp,
                                                 NVVM::WgmmaWaitGroupSyncOp>);
    if (next && isa<NVVM::WgmmaGroupSyncAlignedOp>(next))
      continue;
    InFlightDiagnostic diag =
        op->emitOpError("is in no group of products when the kernel waits; put "
                        "nvvm.wgmma.commit.group.sync.aligned behind it");
    if (next)
      diag.attachNote(next->getLoc()) << "the wait is here";
    return diag;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Tensor memory
//===----------------------------------------------------------------------===//

/// Whether an address is one of barriers that products in tensor memory arrive
/// at.
static bool isOfTensorCores(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (auto type = dyn_cast<MemRefType>(value.getType()))
      if (auto barrier = dyn_cast<BarrierType>(type.getElementType()))
        return barrier.getOrdersTensorCore();
    if (!isa<LLVM::GEPOp, LLVM::ExtractValueOp, UnrealizedConversionCastOp>(
            op) ||
        op->getNumOperands() == 0)
      return false;
    value = op->getOperand(0);
  }
  return false;
}

static bool accessesTensorMemory(Operation *op) {
  return isa<AsyncLoadTmemOp, AsyncStoreTmemOp, TCGen05MMAOp,
             AsyncStoreSmemToTmemOp, AsyncStoreScalesSmemToTmemOp,
             AsyncStoreSparseMetadataSmemToTmemOp>(op);
}

/// A wait orders the thread behind the products, and a fence what the thread
/// does in tensor memory.
LogicalResult KernelOrder::checkTensorWaits() const {
  for (Operation *op : ops) {
    Value barrier;
    if (auto wait = dyn_cast<NVVM::MBarrierTryWaitParityOp>(op))
      barrier = wait.getAddr();
    else if (auto test = dyn_cast<NVVM::MBarrierTestWaitOp>(op))
      barrier = test.getAddr();
    else if (auto wait = dyn_cast<WaitOp>(op))
      barrier = wait.getBarrier();
    if (!barrier || !isOfTensorCores(barrier))
      continue;
    Operation *next = findNext(op, [](Operation *other) {
      return accessesTensorMemory(other) || isa<NVVM::Tcgen05FenceOp>(other);
    });
    if (!next || isa<NVVM::Tcgen05FenceOp>(next))
      continue;
    InFlightDiagnostic diag = next->emitOpError(
        "accesses tensor memory behind a wait for products in it, without a "
        "fence; put nvvm.tcgen05.fence <after> behind the wait");
    diag.attachNote(op->getLoc()) << "the wait is here";
    return diag;
  }
  return success();
}

/// Tensor memory stays with the multiprocessor when the kernel ends.
LogicalResult KernelOrder::checkAllocations() const {
  for (Operation *op : ops) {
    auto alloc = dyn_cast<TmemAllocOp>(op);
    if (!alloc || llvm::any_of(alloc->getUsers(), llvm::IsaPred<TmemDeallocOp>))
      continue;
    return alloc.emitOpError("allocates ")
           << alloc.getType()
           << " and never frees it, so that kernels that follow find less of "
              "it; put mosaic_gpu.tmem_dealloc at the end of the kernel";
  }
  return success();
}

namespace {
struct MosaicGPUCheckFences
    : mosaic_gpu::impl::MosaicGPUCheckFencesBase<MosaicGPUCheckFences> {
  using MosaicGPUCheckFencesBase::MosaicGPUCheckFencesBase;

  void runOnOperation() override {
    bool isFailed = false;
    getOperation()->walk([&](gpu::LaunchOp launch) {
      KernelOrder order(launch);
      isFailed |= failed(order.checkInitializations());
      isFailed |= failed(order.checkAccumulators());
      isFailed |= failed(order.checkGroups());
      isFailed |= failed(order.checkTensorWaits());
      isFailed |= failed(order.checkAllocations());
    });
    if (isFailed)
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
