//===- PallasExpandGPUPipelines.cpp - Pipelines in kernels of GPUs --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The grid of a pipeline in a kernel becomes the steps of a schedule, as the
// sequential dimensions of a call do in pallas-call-to-gpu-kernel:
//   pallas.emit_pipeline grid(8) in(%g) block<[8, 64], smem> ...
// becomes
//   pallas.run_scoped (%slots, %barriers) {
//     scf.for %step = %c0 to %c8 { wait, compute, ask for a later block }
//   }
//
//===----------------------------------------------------------------------===//

#include "GPUSchedule.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "pallas/Dialect/Pallas/Transforms/Passes.h"
#include "pallas/Dialect/Pallas/Utils/Grid.h"
#include "pallas/Support/Nests.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASEXPANDGPUPIPELINES
#include "pallas/Dialect/Pallas/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

/// Which warpgroups of the kernel copy and compute: the only one, or, where the
/// pipeline gives their number, one more.
static LogicalResult placeWarpgroups(EmitPipelineOp op, GPUSchedule &schedule) {
  StringAttr axis;
  int64_t warpgroups = 1;
  for (MeshAxisAttr other : getEnclosingMesh(op).getAxes())
    if (other.getRole() == MeshAxisRole::Thread) {
      axis = other.getName();
      warpgroups *= other.getSize();
    }
  std::optional<uint64_t> compute = op.getNumComputeWarpgroups();
  int64_t wanted = compute ? *compute + 1 : 1;
  if (warpgroups != wanted)
    return op.emitOpError("takes ")
           << wanted << " warpgroups, but its kernel has " << warpgroups
           << "; the thread axis of the mesh has one for each that computes, "
              "and one that copies where numComputeWarpgroups is given";
  if (!compute)
    return success();
  return schedule.specialize(axis, *compute,
                             op.getMemoryRegisters().value_or(40));
}

/// All dimensions of a pipeline are steps.
static LogicalResult expandPipeline(EmitPipelineOp op) {
  auto grid = cast<GridMappingOpInterface>(op.getOperation());
  OpBuilder b(op);
  GPUSchedule schedule(b, grid);
  auto dims = llvm::to_vector(llvm::seq<unsigned>(0, op.getGrid().size()));
  if (failed(schedule.plan(dims, op.getMaxConcurrentSteps().value_or(1))))
    return failure();
  if (failed(placeWarpgroups(op, schedule)))
    return failure();
  SmallVector<Value> arrays(op.getInputs());
  llvm::append_range(arrays, op.getOutputs());
  RunScopedOp scope = schedule.write(arrays, [](unsigned) -> Value {
    llvm_unreachable("all dimensions are steps");
  });
  op->replaceAllUsesWith(scope);
  op.erase();
  return success();
}

/// The pipelines of kernels of GPUs, inner ones first.
static SmallVector<EmitPipelineOp> findPipelines(Operation *root) {
  SmallVector<EmitPipelineOp> pipelines;
  walkNests(root, [&](Operation *op) {
    MeshAttr mesh = getEnclosingMesh(op);
    if (mesh && mesh.getKind() == MeshKind::Gpu && isa<EmitPipelineOp>(op))
      pipelines.push_back(cast<EmitPipelineOp>(op));
  });
  return pipelines;
}

namespace {
struct ExpandGPUPipelines
    : public pallas::impl::PallasExpandGPUPipelinesBase<ExpandGPUPipelines> {
  void runOnOperation() override {
    for (EmitPipelineOp op : findPipelines(getOperation()))
      if (failed(expandPipeline(op)))
        signalPassFailure();
  }
};
} // namespace
