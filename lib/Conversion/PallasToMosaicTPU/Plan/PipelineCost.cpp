//===- PipelineCost.cpp - Cycles of a pipeline in a kernel ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pipeline moves its blocks as the grid of a call does, so it is predicted
// like one. Its buffers are part of the memory of the call around it.
//
//===----------------------------------------------------------------------===//

#include "StepCost.h"
#include "TPUFootprint.h"
#include "pallas/Dialect/Pallas/Utils/Grid.h"

using namespace mlir;
using namespace mlir::pallas;

/// Whether a pipeline copies this block to VMEM, with two buffers, as the grid
/// of a call does. Its author may have chosen something else.
static bool hasWindowInVmem(GridMappingOpInterface pipeline, unsigned block) {
  auto ref = dyn_cast<RefType>(pipeline.sliceBlockOps()[block].getType());
  return ref && ref.hasStaticShape() && ref.getElementType().isIntOrFloat() &&
         (ref.getSpace() == MemorySpace::Vmem ||
          ref.getSpace() == MemorySpace::Default) &&
         !pipeline.getMappings()[block].getPipelineMode();
}

/// A copy with joined steps comes before the original, which takes less memory.
/// Scopes that follow each other share theirs, so only the copy counts:
///
///   pallas.emit_pipeline grid(2) ... block<[512, 1024], vmem>     the copy
///   pallas.emit_pipeline grid(128) ... block<[8, 1024], vmem>
std::optional<CallCost>
mlir::pallas::predictPipeline(EmitPipelineOp pipeline, const TPUChip &chip,
                              const tpu::CostTable &table, bool mustMeasure,
                              IndexTables *tables) {
  auto grid = cast<GridMappingOpInterface>(pipeline.getOperation());
  auto call =
      dyn_cast_or_null<PallasCallOp>(getEnclosingGrid(pipeline).getOperation());
  int64_t steps = 1;
  for (int64_t size : grid.getGridShape())
    if (ShapedType::isDynamic(size) || llvm::MulOverflow(steps, size, steps))
      return std::nullopt;
  if (!call || pipeline.getMaxConcurrentSteps())
    return std::nullopt;
  std::optional<IndexTables> own;
  if (!tables)
    tables = &own.emplace(grid);
  CallCost result;
  result.relaidOut.resize(grid.getNumBlocks());
  for (unsigned block = 0; block < grid.getNumBlocks(); ++block) {
    if (!hasWindowInVmem(grid, block))
      return std::nullopt;
    auto ref = cast<RefType>(grid.sliceBlockOps()[block].getType());
    int64_t bytes =
        getTPUPaddedBytes(ref.getShape(), ref.getElementType(), chip);
    CallWindow &window = result.windows.emplace_back();
    window.block = block;
    window.traffic.isOutput = block >= grid.getNumInputs();
    window.traffic.kib = double(bytes) / 1024;
    countMoves(grid, result.windows, grid.hasTrivialWindow(block), *tables);
    result.vmemBytes += 2 * bytes;
  }
  if (!predictSteps(grid, steps, chip, table, result))
    return std::nullopt;
  result.leastCycles = result.cycles.cycles;
  if (!mustMeasure)
    return result;
  if (failed(measureMemory(call, chip, result)))
    return std::nullopt;
  return result;
}
