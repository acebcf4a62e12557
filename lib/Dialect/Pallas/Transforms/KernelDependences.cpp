//===- KernelDependences.cpp - Programs that need each other --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops run programs one after the other. That gives another answer, or none,
// where programs wait for each other or share memory; such a kernel stays.
//
//===----------------------------------------------------------------------===//

#include "KernelDependences.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "pallas/Dialect/Pallas/IR/RefEffects.h"
#include "pallas/Dialect/Pallas/Transforms/Discharge.h"

using namespace mlir;
using namespace mlir::pallas;

bool pallas::isKernelOp(Operation *op) {
  return isa<PallasCallOp, MpmdMapOp, CoreMapOp>(op);
}

/// Threads of a block share its scratch memory.
bool MeshKernel::hasSharedScratch() const {
  return llvm::any_of(mesh.getAxes(), [](MeshAxisAttr axis) {
    return axis.getRole() == MeshAxisRole::Thread;
  });
}

/// The kernels of an operation with their meshes; calls have none.
SmallVector<MeshKernel> pallas::getMeshKernels(Operation *op) {
  SmallVector<MeshKernel> kernels;
  if (auto map = dyn_cast<MpmdMapOp>(op)) {
    unsigned numKnown = map.getInputs().size() + map->getNumResults();
    for (auto [region, mesh] :
         llvm::zip(map.getKernels(), map.getMeshes().getAsRange<MeshAttr>()))
      kernels.push_back({&region, mesh, numKnown, map.getKernels().size() > 1});
  } else if (auto map = dyn_cast<CoreMapOp>(op)) {
    kernels.push_back({&map.getBody(), map.getMesh(), 0, /*hasOthers=*/false});
  }
  return kernels;
}

//===----------------------------------------------------------------------===//
// Operations that need programs which run at the same time
//===----------------------------------------------------------------------===//

/// A collective scope is one allocation for several threads.
static bool isCollective(Operation *op) {
  auto scope = dyn_cast<RunScopedOp>(op);
  return scope && scope.getCollectiveAxes() &&
         !scope.getCollectiveAxes()->empty();
}

/// Whether several blocks share the barrier that an operation uses.
/// A cluster is several blocks, which run at the same time.
static bool usesClusterBarrier(Operation *op) {
  return llvm::any_of(op->getOperandTypes(), [](Type type) {
    auto ref = dyn_cast<RefType>(type);
    return ref && isa<ClusterBarrierType>(ref.getElementType());
  });
}

/// Why an operation needs other devices, cores or blocks; empty if it doesn't.
/// The text is part of a remark, behind the name of the operation.
static StringRef getReach(Operation *op) {
  if (auto signal = dyn_cast<SemaphoreSignalOp>(op);
      signal && (!signal.getDeviceIds().empty() || signal.getCoreIndex()))
    return "signals another device or core";
  if (auto copy = dyn_cast<DMAStartOp>(op);
      copy && (!copy.getDeviceIds().empty() || copy.getCoreIndex() ||
               copy.getSourceSemaphore()))
    return "copies to another device or core";
  if (auto wait = dyn_cast<DMAWaitOp>(op); wait && wait.getSourceSemaphore())
    return "waits for a copy to another device or core";
  if (auto copy = dyn_cast<CopyGmemToSmemOp>(op);
      copy && copy.getCollectiveAxes() && !copy.getCollectiveAxes()->empty())
    return "copies to several blocks";
  if (isa<GetBarrierSemaphoreOp>(op))
    return "meets other devices";
  if (isa<CoreBarrierOp>(op))
    return "waits for the other cores";
  if (isRefAlias(op) && !isRefView(op))
    return "names memory of another device or block";
  if (isa<MultimemLoadReduceOp>(op))
    return "reads memory of other devices";
  if (usesClusterBarrier(op))
    return "uses a barrier that several blocks share";
  return "";
}

/// The semaphore or barrier that an operation looks at, or null.
static Value getAwaited(Operation *op) {
  if (isa<SemaphoreWaitOp, SemaphoreReadOp, BarrierWaitOp, BarrierWaitParityOp,
          BarrierTestOp>(op))
    return op->getOperand(0);
  auto wait = dyn_cast<DMAWaitOp>(op);
  if (!wait)
    return {};
  return wait.getSourceSemaphore() ? wait.getSourceSemaphore()
                                   : wait.getSemaphore();
}

/// Whether each core of the mesh has its own instance of the ref.
/// Scratch is private unless other kernels or threads share it; a scope is
/// private unless it is collective.
static bool isOfPoint(const MeshKernel &kernel, Value ref) {
  auto argument = dyn_cast<BlockArgument>(skipAliases(ref));
  if (!argument || !kernel.region->isAncestor(argument.getParentRegion()))
    return false;
  if (argument.getParentRegion() == kernel.region)
    return argument.getArgNumber() >= kernel.numKnown && !kernel.hasOthers &&
           !kernel.hasSharedScratch();
  return !isCollective(argument.getOwner()->getParentOp());
}

/// Why an operation in a kernel needs other cores of its mesh.
static StringRef getMeshDependence(Operation *op, const MeshKernel &kernel) {
  bool isAlone = !kernel.hasOthers &&
                 ShapedType::getNumElements(kernel.mesh.getShape()) == 1;
  // A mesh of one has nothing to depend on.
  if (isAlone)
    return "";
  if (isCollective(op))
    return "shares memory between the cores of a mesh";
  if (Value awaited = getAwaited(op); awaited && !isOfPoint(kernel, awaited))
    return "reads a semaphore that other cores of the mesh may signal";
  return "";
}

/// The first operation that keeps programs from running one after the other.
/// Meshes within the kernel count, too.
std::optional<KernelDependence> pallas::findDependence(Operation *kernelOp) {
  std::optional<KernelDependence> found;
  auto find = [&](Operation *op, StringRef what) {
    if (what.empty())
      return WalkResult::advance();
    found = {op, what};
    return WalkResult::interrupt();
  };
  for (MeshKernel &kernel : getMeshKernels(kernelOp)) {
    WalkResult result = kernel.region->walk(
        [&](Operation *op) { return find(op, getMeshDependence(op, kernel)); });
    if (result.wasInterrupted())
      return found;
  }
  kernelOp->walk([&](Operation *op) {
    if (op != kernelOp && !getMeshKernels(op).empty())
      if ((found = findDependence(op)))
        return WalkResult::interrupt();
    return find(op, getReach(op));
  });
  return found;
}

//===----------------------------------------------------------------------===//
// Refs that no other program sees
//===----------------------------------------------------------------------===//

/// The operation that allocates the refs of a scope, together.
static bool isScope(Operation *op) {
  return isa<RunScopedOp, RunStateOp, NewRefOp, EmptyRefOp>(op);
}

/// Results and arguments, without those that are no refs.
static SmallVector<Value> getAllocated(Operation *op) {
  SmallVector<Value> refs(op->getResults());
  for (Region &region : op->getRegions())
    llvm::append_range(refs, region.getArguments());
  llvm::erase_if(refs, [](Value ref) {
    return !isa<RefType, AccumulatorType>(ref.getType());
  });
  return refs;
}

/// Whether a view selects by what the ref, or a view of it, holds.
static bool isUsedAsIndex(Value ref) {
  return llvm::any_of(ref.getUses(), [](OpOperand &use) {
    return isRefView(use.getOwner()) &&
           (use.getOperandNumber() != 0 ||
            isUsedAsIndex(use.getOwner()->getResult(0)));
  });
}

/// Starts with all refs that scopes of the kernel allocate, and removes those
/// with a use that must stay, until nothing changes.
PrivateRefs::PrivateRefs(Operation *kernelOp) : kernelOp(kernelOp) {
  SmallVector<Operation *> scopes;
  // Pipelines and kernels in a kernel discharge as a whole or not at all.
  kernelOp->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != kernelOp && (isKernelOp(op) || isa<EmitPipelineOp>(op)))
      return WalkResult::skip();
    if (isScope(op) && !isCollective(op))
      scopes.push_back(op);
    return WalkResult::advance();
  });
  for (Operation *op : scopes)
    refs.insert_range(getAllocated(op));
  auto mustStay = [&](Value ref) {
    auto check = [&](OpOperand &use) {
      return mayDischarge(use) ? WalkResult::advance()
                               : WalkResult::interrupt();
    };
    return isUsedAsIndex(ref) || walkRefUses(ref, check).wasInterrupted();
  };
  // A ref that stays may keep others.
  for (bool changed = true; changed;) {
    changed = false;
    // The refs of a run_state become values together.
    for (Operation *op : scopes) {
      SmallVector<Value> allocated = getAllocated(op);
      bool isJoint = isa<RunStateOp>(op) && llvm::any_of(allocated, mustStay);
      for (Value ref : allocated)
        if (refs.contains(ref) && (isJoint || mustStay(ref)))
          changed |= refs.erase(ref);
    }
  }
}

/// Whether a use can become one of a value. It must be in the kernel itself,
/// and reach no other program.
bool PrivateRefs::mayDischarge(OpOperand &use) const {
  Operation *op = use.getOwner();
  for (Operation *around = op; around != kernelOp;
       around = around->getParentOp())
    if (isKernelOp(around) || isa<EmitPipelineOp>(around))
      return false;
  if (!isa<DischargeableOpInterface>(op) || !getReach(op).empty())
    return false;
  auto isPrivate = [&](Value ref) { return refs.contains(skipAliases(ref)); };
  // A count of arrivals is a value only together with the copy it counts.
  if (auto copy = dyn_cast<DMAStartOp>(op))
    return isPrivate(copy.getSemaphore());
  if (auto wait = dyn_cast<DMAWaitOp>(op))
    return isPrivate(wait.getSemaphore());
  if (auto copy = dyn_cast<CopyGmemToSmemOp>(op))
    return isPrivate(copy.getBarrier());
  if (auto product = dyn_cast<Tcgen05MMAOp>(op))
    return !product.getBarrier() || isPrivate(product.getBarrier());
  if (auto product = dyn_cast<WGMMARefOp>(op))
    return isPrivate(product.getAcc());
  if (isa<CopySmemToGmemOp, AsyncCopyToTmemOp>(op))
    return true;
  // An operation on several refs would mix values with memory.
  unsigned numRefs = llvm::count_if(op->getOperandTypes(), [](Type type) {
    return isa<RefType, AccumulatorType>(type);
  });
  return numRefs == 1;
}
