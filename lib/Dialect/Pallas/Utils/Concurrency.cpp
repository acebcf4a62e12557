//===- Concurrency.cpp - Which cores run concurrently ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file decides, before a function is lowered, which axes of its meshes
// become tasks. Tasks cost a stack each and a switch at every wait, so cores
// that never wait for each other run as a loop.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/Pallas/Utils/Concurrency.h"
#include "pallas/Dialect/Pallas/IR/CheckOps.h"
#include "pallas/Dialect/Pallas/IR/MeshOps.h"
#include "pallas/Dialect/Pallas/Utils/ClusterAxes.h"
#include "pallas/Dialect/Pallas/Utils/CompilerParams.h"

using namespace mlir;
using namespace mlir::pallas;

/// Whether an operand is a barrier of a GPU.
static bool usesBarrier(Operation *op) {
  return llvm::any_of(op->getOperandTypes(), [](Type type) {
    auto ref = dyn_cast<RefType>(type);
    return ref && isa<BarrierType, ClusterBarrierType>(ref.getElementType());
  });
}

/// A slice of an array of barriers only selects one; the operations with
/// regions only declare them, and checks only report them.
bool pallas::isSynchronization(Operation *op) {
  if (isa<SliceRefOp>(op) || isCheck(op))
    return false;
  return isa<SemaphoreSignalOp, SemaphoreWaitOp, SemaphoreReadOp, DMAStartOp,
             DMAWaitOp, CoreBarrierOp>(op) ||
         (usesBarrier(op) && op->getNumRegions() == 0);
}

/// Whether a remote operation has a device or core to go to.
static bool namesOther(Operation *op) {
  if (auto signal = dyn_cast<SemaphoreSignalOp>(op))
    return !signal.getDeviceIds().empty() || signal.getCoreIndex();
  if (auto start = dyn_cast<DMAStartOp>(op))
    return !start.getDeviceIds().empty() || start.getCoreIndex();
  return isa<RemoteRefOp, ClusterRefOp>(op);
}

/// Whether subcores share some of the kernel's memory.
static bool hasSharedMemory(Region &kernel) {
  return llvm::any_of(kernel.getArgumentTypes(), [](Type type) {
    auto ref = dyn_cast<RefType>(type);
    return ref && ref.getMemorySpace().getSpace() == MemorySpace::VmemShared;
  });
}

/// Semaphores reach across the whole mesh, so all of its axes become tasks. So
/// they do where subcores share memory: without a semaphore they race.
/// Barriers and memory that threads share are in one block, so the axes of the
/// grid stay loops:
///
///   pallas.core_map <gpu, [<grid "b" = 64>, <cluster "c" = 2>]> () {...}
///
/// is a loop over 64 blocks around two tasks if its body waits at barriers.
unsigned pallas::getFirstConcurrentAxis(MeshAttr mesh, Region &kernel) {
  bool usesBarriers = false, usesSemaphores = hasSharedMemory(kernel);
  kernel.walk([&](Operation *op) {
    usesSemaphores |=
        isa<SemaphoreSignalOp, SemaphoreWaitOp, SemaphoreReadOp, CoreBarrierOp>(
            op) ||
        (namesOther(op) && !isa<ClusterRefOp>(op));
    // Blocks of a cluster reach each other, but those of the grid don't.
    auto scope = dyn_cast<RunScopedOp>(op);
    usesBarriers |= isa<ClusterRefOp>(op) ||
                    (scope && scope.getCollectiveAxes()) ||
                    (isSynchronization(op) && usesBarrier(op));
  });
  ArrayRef<MeshAxisAttr> axes = mesh.getAxes();
  unsigned first = axes.size();
  if (usesSemaphores) {
    first = 0;
  } else if (usesBarriers) {
    // Barriers lie in memory of a block.
    first = 0;
    while (first < axes.size() && axes[first].getRole() == MeshAxisRole::Grid)
      ++first;
  }
  // This also turns a mesh of one core into plain code without a runtime. Axes
  // of size one need no loop.
  while (first < axes.size() && axes[first].getSize() == 1)
    ++first;
  return first;
}

/// See `getFirstConcurrentAxis`.
bool pallas::needsTasks(MeshAttr mesh, Region &kernel) {
  return getFirstConcurrentAxis(mesh, kernel) < mesh.getAxes().size();
}

bool pallas::needsTasks(MpmdMapOp map) {
  if (map.getKernels().size() == 1)
    return needsTasks(cast<MeshAttr>(map.getMeshes()[0]), map.getKernels()[0]);
  // Kernels of one map signal each other, even if each has one point only.
  return llvm::any_of(map.getKernels(), [](Region &kernel) {
    return kernel
        .walk([](Operation *op) {
          bool isLocal = isa<DMAStartOp, DMAWaitOp>(op) && !namesOther(op);
          return isSynchronization(op) && !isLocal ? WalkResult::interrupt()
                                                   : WalkResult::advance();
        })
        .wasInterrupted();
  });
}

/// Threads of a block share its scratch, subcores a part of it, and blocks of a
/// cluster its barriers. Accumulators are registers of a thread.
bool pallas::separatesScratch(MeshAxisAttr axis, Type refType) {
  if (isa<AccumulatorType>(refType))
    return true;
  auto ref = dyn_cast<RefType>(refType);
  bool isCommon =
      ref && ref.getMemorySpace().getSpace() == MemorySpace::VmemShared;
  if (axis.getRole() == MeshAxisRole::Thread ||
      (isCommon && axis.getRole() == MeshAxisRole::Subcore))
    return false;
  auto barrier =
      dyn_cast<ClusterBarrierType>(cast<ShapedType>(refType).getElementType());
  return !barrier || !isCollectiveAxis(barrier, axis.getName());
}

int64_t pallas::countInstances(MeshAttr mesh, unsigned firstAxis,
                               Type refType) {
  int64_t count = 1;
  for (MeshAxisAttr axis : mesh.getAxes().drop_front(firstAxis))
    if (separatesScratch(axis, refType))
      count *= axis.getSize();
  return count;
}

/// The generator is state that programs share, so their order matters.
bool pallas::usesRandomState(Region &region) {
  return region
      .walk([](Operation *op) {
        return isa<PRNGSeedOp, PRNGBitsOp>(op) ? WalkResult::interrupt()
                                               : WalkResult::advance();
      })
      .wasInterrupted();
}

bool pallas::usesBarrierSemaphore(Operation *op) {
  return op->walk([](GetBarrierSemaphoreOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

static constexpr llvm::StringLiteral kCollectiveId = "pallas.collective_id";

int64_t pallas::getCollectiveId(Operation *op) {
  if (auto id = op->getAttrOfType<IntegerAttr>(kCollectiveId))
    return id.getInt();
  for (Operation *parent = op; parent; parent = parent->getParentOp())
    if (auto tpu = findParams<TPUParamsAttr>(parent))
      return tpu.getCollectiveId().value_or(0);
  return 0;
}

void pallas::markCollective(GetBarrierSemaphoreOp op) {
  op->setAttr(kCollectiveId,
              Builder(op).getI64IntegerAttr(getCollectiveId(op)));
}

/// One task or remote operation anywhere makes all semaphores of the function
/// calls of the runtime: a ref may be signaled in another region than the one
/// that declares it.
Concurrency::Concurrency(func::FuncOp func) {
  func.walk([&](Operation *op) {
    namesOthers |= namesOther(op);
    synchronizes |= namesOthers;
    if (isa<GetBarrierSemaphoreOp, CoreBarrierOp>(op))
      synchronizes = true;
    // The runtime knows the phases of barriers, plain counts go down.
    auto test = dyn_cast<BarrierTestOp>(op);
    if (isa<BarrierWaitParityOp>(op) || (test && test.getParity()))
      synchronizes = true;
    if (auto core = dyn_cast<OnCoreOp>(op))
      synchronizes |= core.getFirstTask().has_value();
    if (auto map = dyn_cast<CoreMapOp>(op))
      synchronizes |= needsTasks(map.getMesh(), map.getBody());
    if (auto map = dyn_cast<MpmdMapOp>(op))
      synchronizes |= needsTasks(map);
  });
}
