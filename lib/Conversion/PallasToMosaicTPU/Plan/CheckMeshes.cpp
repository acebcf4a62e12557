//===- CheckMeshes.cpp - Whether a chip has the cores of a kernel ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs before outlining when the option `check-meshes` is set, and in
// pallas-check-target.
//
//===----------------------------------------------------------------------===//

#include "CheckMeshes.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"

using namespace mlir;
using namespace mlir::pallas;

/// Reports a mesh of SparseCores that is larger than those of the chip, or for
/// which the chip has none. TensorCores are not counted: a TPUChip describes
/// one of them.
static LogicalResult checkMesh(MpmdMapOp op, MeshAttr mesh,
                               const TPUChip &chip) {
  if (mesh.getKind() != MeshKind::ScScalar &&
      mesh.getKind() != MeshKind::ScVector)
    return success();
  if (chip.sparseCores == 0) {
    InFlightDiagnostic diag = op.emitOpError();
    // The error lists the chips that would do.
    diag << "runs on SparseCores, which " << chip.name
         << " doesn't have; compile for";
    StringRef separator = " ";
    for (const TPUChip &other : tpu::getTPUChips())
      if (other.sparseCores != 0) {
        diag << separator << other.name;
        separator = ", ";
      }
    return diag;
  }
  for (MeshAxisAttr axis : mesh.getAxes()) {
    bool isSubcore = axis.getRole() == MeshAxisRole::Subcore;
    int64_t most = isSubcore ? chip.subcoresPerSparseCore : chip.sparseCores;
    if (axis.getSize() > most)
      return op.emitOpError()
             << "runs on " << axis.getSize() << " "
             << stringifyMeshAxisRole(axis.getRole()) << "s along axis "
             << axis.getName() << ", but " << chip.name << " has " << most
             << "; use a smaller mesh";
  }
  return success();
}

LogicalResult mlir::pallas::checkTPUMeshes(Operation *root,
                                           const TPUChip &chip) {
  WalkResult result = root->walk([&](MpmdMapOp op) {
    for (auto mesh : op.getMeshes().getAsRange<MeshAttr>())
      if (failed(checkMesh(op, mesh, chip)))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
