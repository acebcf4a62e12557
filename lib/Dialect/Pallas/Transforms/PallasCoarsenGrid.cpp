//===- PallasCoarsenGrid.cpp - The pass that joins steps ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has the pass pallas-coarsen-grid: which steps are joined, by option
// or attribute. CoarsenGrid.cpp joins them.
//
//===----------------------------------------------------------------------===//

#include "DimensionNumbers.h"
#include "pallas/Dialect/Pallas/IR/GridAttributes.h"
#include "pallas/Dialect/Pallas/Transforms/CoarsenGrid.h"
#include "pallas/Dialect/Pallas/Transforms/Passes.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASCOARSENGRID
#include "pallas/Dialect/Pallas/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

namespace {
struct CoarsenGridPass
    : public pallas::impl::PallasCoarsenGridBase<CoarsenGridPass> {
  using PallasCoarsenGridBase::PallasCoarsenGridBase;

  void runOnOperation() override {
    for (GridMappingOpInterface grid : collectGrids(getOperation()))
      if (failed(join(grid)))
        return signalPassFailure();
  }

private:
  LogicalResult join(GridMappingOpInterface grid);
  LogicalResult check(GridMappingOpInterface grid, unsigned dim,
                      int64_t factor);
};
} // namespace

LogicalResult CoarsenGridPass::check(GridMappingOpInterface grid, unsigned dim,
                                     int64_t factor) {
  int64_t size = grid.getGridShape()[dim];
  if (factor == 1 || ShapedType::isDynamic(size) || factor <= size)
    return success();
  if (size == 0)
    return grid.emitError()
           << "the coarsening factor " << factor << " is about dimension "
           << dim << ", which has no steps to join; write 1";
  return grid.emitError() << "the coarsening factor " << factor
                          << " of dimension " << dim
                          << " is more than its size of " << size << "; write "
                          << size << " or less";
}

LogicalResult CoarsenGridPass::join(GridMappingOpInterface grid) {
  bool isPipeline = isa<EmitPipelineOp>(grid);
  FailureOr<SmallVector<int64_t>> chosen =
      DimensionNumbers{"coarsening factor", "coarsening factors", "the grid",
                       kCoarsenAttrName}
          .take(grid, isPipeline ? pipelines : factors, grid.getGridRank());
  if (failed(chosen))
    return failure();
  for (auto [dim, factor] : llvm::enumerate(*chosen))
    if (failed(check(grid, dim, factor)))
      return failure();
  // How pipelines sum up is not looked into.
  bool mayReassociate = reassociate && !isPipeline;
  CoarsenedDims dims = coarsenGrid(
      grid, *chosen, {mayReassociate, /*tellReassociation=*/!isPipeline});
  for (const JoinObstacle &remark : dims.remarks)
    emitRemark(remark.loc) << remark.why;
  numGrown += dims.numGrown;
  numLoops += dims.numLoops;
  numSplit += dims.numSplit;
  numRefused += dims.numRefused;
  return success();
}
