//===- GridChecks.cpp - Checks of grids that become loops -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A checked grid tells the checker about its programs and their windows:
//
//   pallas.check_grid_begin "kernel" windows [...] by "pallas.emit_pipeline"
//   scf.for %iv = ... {
//     pallas.check_program(%iv)
//     %a = pallas.window %x[%i : i32] block<[2], vmem> : ...
//     pallas.check_window 0 "input 0" %a of %x[%i : i32] block<[2], vmem> ...
//     ...
//   }
//   pallas.check_grid_end windows [...]
//
//===----------------------------------------------------------------------===//

#include "GridChecks.h"
#include "pallas/Dialect/Pallas/Utils/GridWindows.h"
#include "pallas/Dialect/Pallas/Utils/KernelNames.h"
#include "pallas/Dialect/Pallas/Utils/RootRefs.h"

using namespace mlir;
using namespace mlir::pallas;

///   {pallas.made_for = "pallas.emit_pipeline",
///    pallas.ref_names = ["scratch 0"]}
///
/// By itself, the first ref of a scope is "scoped ref 0" of
/// "pallas.run_scoped".
void GridChecks::nameScratch(RunScopedOp scope) {
  if (!checked)
    return;
  auto names =
      llvm::map_to_vector(grid.sliceScratchOps(), [](BlockArgument scratch) {
        return describeRef(scratch);
      });
  scope->setAttr(kRefNamesAttrName,
                 b.getStrArrayAttr(llvm::to_vector_of<StringRef>(names)));
  scope->setAttr(kMadeForAttrName, getAccessor());
}

ArrayAttr GridChecks::getWindowTypes() {
  return b.getTypeArrayAttr(
      llvm::to_vector_of<Type>(TypeRange(ValueRange(grid.sliceBlockOps()))));
}

/// Memory is counted for windows alone: scratch is that of the scope.
void GridChecks::begin() {
  if (checked)
    CheckGridBeginOp::create(b, grid.getLoc(),
                             b.getStringAttr(getKernelTitle(grid)),
                             getWindowTypes(), getAccessor());
}

void GridChecks::program(ValueRange ids) {
  if (checked)
    CheckProgramOp::create(b, grid.getLoc(), ids);
}

/// A window that stays at all of its array is the array.
void GridChecks::window(unsigned index, ValueRange indices, Value window) {
  if (!checked || grid.hasTrivialWindow(index))
    return;
  BlockMappingAttr mapping = grid.getMappings()[index];
  bool isOutput = index >= grid.getNumInputs();
  auto pipeline = cast<EmitPipelineOp>(grid.getOperation());
  Value array = isOutput ? pipeline.getOutputs()[index - grid.getNumInputs()]
                         : pipeline.getInputs()[index];
  std::string name = describeRef(grid.sliceBlockOps()[index]);
  CheckWindowOp::create(b, grid.getLoc(), index, name, window, array, indices,
                        mapping, isOutput, mayReturnToWindow(grid, index),
                        hasWindowBuffer(grid, index), getAccessor().getValue());
}

void GridChecks::end() {
  if (checked)
    CheckGridEndOp::create(b, grid.getLoc(), getWindowTypes());
}
