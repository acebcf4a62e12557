//===- PallasMeshesToLoops.cpp - Meshes as loops over cores ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file finds the meshes that become loops, in MeshToLoops.cpp, or tasks,
// in MeshTasks.cpp.
//
//===----------------------------------------------------------------------===//

#include "MeshToLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "pallas/Dialect/Pallas/IR/CheckOps.h"
#include "pallas/Dialect/Pallas/IR/MeshOps.h"
#include "pallas/Dialect/Pallas/Transforms/Passes.h"
#include "pallas/Dialect/Pallas/Utils/Concurrency.h"
#include "pallas/Dialect/Pallas/Utils/RootRefs.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASMESHESTOLOOPS
#include "pallas/Dialect/Pallas/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

/// Whether other blocks of the cluster name memory of this scope.
static bool isNamedByCluster(RunScopedOp scope) {
  auto result = scope.walk([&](ClusterRefOp view) {
    auto root = dyn_cast<BlockArgument>(getRootRef(view.getRef()));
    return root && root.getOwner() == &scope.getBody().front()
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// A block does not leave while others may use its memory.
static void leaveTogether(RunScopedOp scope) {
  if (!scope->getParentOfType<OnCoreOp>() || !isNamedByCluster(scope))
    return;
  OpBuilder b(scope.getBody().front().getTerminator());
  ClusterSyncOp::create(b, scope.getLoc(),
                        /*threads=*/scope.getCollectiveAxes().has_value());
}

namespace {
struct MeshesToLoopsPass
    : public pallas::impl::PallasMeshesToLoopsBase<MeshesToLoopsPass> {
  using PallasMeshesToLoopsBase::PallasMeshesToLoopsBase;

  /// The kernel of a call is isolated, so the coordinates of a core could not
  /// reach it, and a call inside has grid queries of its own.
  static LogicalResult verifyPrepared(Operation *mesh) {
    auto report = [](Operation *grid) {
      return grid->emitOpError("is a grid in or around a mesh; run "
                               "pallas-grids-to-loops before");
    };
    for (Operation *outer = mesh; (outer = outer->getParentOp());)
      if (isa<PallasCallOp, EmitPipelineOp>(outer))
        return report(outer);
    Operation *inner = nullptr;
    mesh->walk([&](Operation *op) {
      if (!isa<PallasCallOp, EmitPipelineOp>(op))
        return WalkResult::advance();
      inner = op;
      return WalkResult::interrupt();
    });
    return inner ? report(inner) : success();
  }

  /// An outer mesh comes before an inner one, whose coordinates it leaves.
  LogicalResult convert(func::FuncOp func, bool checked) {
    SmallVector<Operation *> meshes;
    func.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<MpmdMapOp, CoreMapOp>(op))
        meshes.push_back(op);
    });
    if (meshes.empty())
      return success();
    bool namesOthers = Concurrency(func).namesOthers;
    for (Operation *op : meshes)
      if (failed(verifyPrepared(op)))
        return failure();
    for (Operation *op : meshes) {
      MeshToLoops mesh(op, checked, namesOthers);
      ++(mesh.isConcurrent() ? numTaskLoops : numInOrder);
      if (failed(mesh.run()))
        return failure();
    }
    func.walk(leaveTogether);
    return success();
  }

  void runOnOperation() override {
    bool checked = getOperation()->hasAttr(kHasChecksAttrName);
    // The mesh around a semaphore tells which devices meet at it.
    getOperation().walk(markCollective);
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (failed(convert(func, checked)))
        return signalPassFailure();
  }
};
} // namespace
