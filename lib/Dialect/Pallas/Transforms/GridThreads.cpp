//===- GridThreads.cpp - Which dimensions of a grid run on threads --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs along a parallel dimension may run at the same time, where the
// kernel keeps no state that they share:
//
//   scf.parallel (%i) = (%c0) to (%c64) step (%c1) {...}
//
//===----------------------------------------------------------------------===//

#include "GridThreads.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "pallas/Dialect/Pallas/IR/LaunchControlOps.h"
#include "pallas/Dialect/Pallas/Utils/GridWindows.h"
#include "pallas/Dialect/Pallas/Utils/HostFunctions.h"

using namespace mlir;
using namespace mlir::pallas;

/// Whether the kernel has effects that another order of programs would show.
/// Threads interleave in any order, so prints would be mixed, signals could
/// deadlock, and updates that are atomic on one thread only would be lost.
static bool isOrdered(Region &kernel) {
  return kernel
      .walk([](Operation *op) {
        bool ordered =
            isa<SemaphoreSignalOp, SemaphoreWaitOp, DMAStartOp, DMAWaitOp,
                BarrierArriveOp, BarrierWaitOp, BarrierWaitParityOp,
                TryClusterCancelOp, AtomicRMWOp, AtomicCASOp, DebugPrintOp,
                CheckOp, PRNGSeedOp, PRNGBitsOp>(op);
        ordered |= static_cast<bool>(getHostFunction(op));
        // Slices of views that may be too short report it.
        if (auto access = dyn_cast<RefAccessOpInterface>(op))
          ordered |= !access.getRef().getType().hasStaticShape();
        return ordered ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether programs that differ along `dim` never share an output window. If
/// they did, two threads could accumulate into it at the same time.
static bool separatesOutputs(GridMappingOpInterface op, unsigned dim) {
  for (unsigned i = op.getNumInputs(); i < op.getNumBlocks(); ++i)
    if (!separatesWindows(op, i, dim))
      return false;
  return true;
}

/// How many leading dimensions to run on threads. Kernels keep state in output
/// windows that several programs share, so these stay in order. Starting
/// threads takes some microseconds, which little work doesn't repay. Only
/// leading dimensions count, since `scf.parallel` goes around the loops that
/// stay in order.
unsigned pallas::countParallelDims(GridMappingOpInterface op) {
  // Smaller grids than this are done before the threads have started.
  constexpr int64_t leastElements = 1 << 16;
  if (isOrdered(op.getKernelRegion()) || op->getParentOfType<scf::ParallelOp>())
    return 0;
  int64_t elements = 0;
  for (BlockMappingAttr mapping : op.getMappings())
    elements += ShapedType::getNumElements(mapping.getBlockShape());
  int64_t programs = 1, parallelPrograms = 1;
  unsigned count = 0;
  SmallVector<DimensionSemantics> semantics = op.getGridDimensionSemantics();
  for (auto [d, size] : llvm::enumerate(op.getGridShape())) {
    int64_t known = ShapedType::isDynamic(size) ? leastElements : size;
    programs *= known;
    if (count == d && d < semantics.size() &&
        semantics[d] == DimensionSemantics::Parallel &&
        separatesOutputs(op, d)) {
      ++count;
      parallelPrograms *= known;
    }
  }
  if (parallelPrograms <= 1 || elements * programs < leastElements)
    return 0;
  // Where there are threads' shares enough without it, one thread does all
  // programs along the last dimension, so that they can go on together.
  int64_t last = op.getGridShape().back();
  if (count > 1 && count == op.getGridRank() && !ShapedType::isDynamic(last) &&
      parallelPrograms / last >= 64)
    --count;
  return count;
}
