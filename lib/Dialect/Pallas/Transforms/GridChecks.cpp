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
#include "ArrayRefs.h"
#include "pallas/Dialect/Pallas/Utils/CompilerParams.h"
#include "pallas/Dialect/Pallas/Utils/Concurrency.h"
#include "pallas/Dialect/Pallas/Utils/GridWindows.h"
#include "pallas/Dialect/Pallas/Utils/KernelNames.h"
#include "pallas/Dialect/Pallas/Utils/ProgramOrder.h"
#include "pallas/Dialect/Pallas/Utils/RootRefs.h"

using namespace mlir;
using namespace mlir::pallas;

void GridChecks::nameScratch(RunScopedOp scope) {
  if (checked)
    keepNames(scope, grid.sliceScratchOps(), getAccessor());
}

ArrayAttr GridChecks::getWindowTypes() {
  return b.getTypeArrayAttr(
      llvm::to_vector_of<Type>(TypeRange(ValueRange(grid.sliceBlockOps()))));
}

/// An input and the output that is aliased to it.
void GridChecks::aliases(ValueRange arrays) {
  for (auto [operand, output] : grid.getInputOutputAliases()) {
    int64_t source = operand - grid.getNumIndexOperands();
    int64_t target = grid.getNumInputs() + output;
    // Padding would have to be told apart from the array.
    if (source >= 0 && arrays[source].getType() == arrays[target].getType())
      CheckAliasOp::create(b, grid.getLoc(), arrays[source], arrays[target],
                           hasWindowBuffer(grid, target));
  }
}

/// Memory is counted for windows alone: scratch is that of the scope. Windows
/// with buffers are each core's own.
void GridChecks::begin(ValueRange arrays) {
  if (!checked)
    return;
  SmallVector<Value> shared;
  if (!getParallelDims().empty())
    for (auto [index, array] : llvm::enumerate(arrays))
      if (!hasWindowBuffer(grid, index))
        shared.push_back(array);
  CheckGridBeginOp::create(b, grid.getLoc(),
                           b.getStringAttr(getKernelTitle(grid)),
                           getWindowTypes(), shared, getAccessor());
  aliases(arrays);
}

/// Dimensions whose programs may run on different cores. A pipeline runs all of
/// its steps on one. Dimensions that vmap adds are always parallel, and so are
/// all of Triton's.
SmallVector<unsigned> GridChecks::getParallelDims() {
  SmallVector<unsigned> parallel;
  auto call = dyn_cast<PallasCallOp>(grid.getOperation());
  if (!call)
    return parallel;
  bool isTriton = bool(findParams<TritonParamsAttr>(call.getCompilerParams()));
  for (auto [dim, semantics] : llvm::enumerate(getProgramOrder(call)))
    if (isTriton || semantics == DimensionSemantics::Parallel ||
        semantics == DimensionSemantics::CoreParallel ||
        semantics == DimensionSemantics::SubcoreParallel)
      parallel.push_back(dim);
  return parallel;
}

/// The program's ids along those.
SmallVector<Value> GridChecks::getParallelIds(ValueRange ids) {
  SmallVector<Value> parallel;
  for (unsigned dim : getParallelDims())
    parallel.push_back(ids[dim]);
  return parallel;
}

/// Semaphores are left out of the scratch: a count belongs to what waits for
/// it, and one that stays is a finding of its own.
void GridChecks::program(ValueRange ids, RunScopedOp scope) {
  if (!checked)
    return;
  SmallVector<Value> parallel = getParallelIds(ids), scratch;
  isParallel = !parallel.empty();
  if (scope && !parallel.empty())
    for (Value ref : scope.getBody().getArguments())
      if (auto type = dyn_cast<RefType>(ref.getType());
          type && !type.isSynchronization())
        scratch.push_back(ref);
  CheckProgramOp::create(b, grid.getLoc(), ids, parallel, scratch);
}

/// A window that stays at all of its array is the array. That of an output
/// still matters where programs on different cores share it.
void GridChecks::window(unsigned index, Value array, ValueRange indices,
                        Value window) {
  if (!checked)
    return;
  BlockMappingAttr mapping = grid.getMappings()[index];
  bool isOutput = index >= grid.getNumInputs();
  bool isArray = grid.hasTrivialWindow(index) &&
                 ArrayRef<int64_t>(mapping.getRefShape()) ==
                     cast<RefType>(array.getType()).getShape();
  if (isArray && !(isOutput && isParallel))
    return;
  std::string name = describeRef(grid.sliceBlockOps()[index]);
  CheckWindowOp::create(b, grid.getLoc(), index, name, window, array, indices,
                        mapping, isOutput, mayReturnToWindow(grid, index),
                        hasWindowBuffer(grid, index), getAccessor().getValue());
}

void GridChecks::end() {
  if (checked)
    CheckGridEndOp::create(b, grid.getLoc(), getWindowTypes());
}

void GridChecks::output(unsigned index, Value array) {
  if (checked)
    CheckOutputOp::create(
        b, grid.getLoc(), describeRef(grid.sliceBlockOps()[index]), array,
        grid.getMappings()[index].getBlockShape(), getAccessor().getValue());
}

/// A window that stays at all of its array is not filled from it, even if the
/// array is that of an input.
bool GridChecks::hidesArray(unsigned index) {
  return grid.hasTrivialWindow(index) && hasWindowBuffer(grid, index);
}

bool GridChecks::usesBarrier() { return checked && usesBarrierSemaphore(grid); }

void GridChecks::barrierEnd() {
  CheckBarrierEndOp::create(b, grid.getLoc(), getCollectiveId(grid),
                            getAccessor().getValue());
}
