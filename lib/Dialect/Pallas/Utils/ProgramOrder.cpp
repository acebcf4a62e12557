//===- ProgramOrder.cpp - Programs in order and at once -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which dimensions of a grid run in order and which at once, for targets that
// lower both kinds to loops.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/Pallas/Utils/ProgramOrder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "pallas/Dialect/Pallas/Utils/CompilerParams.h"

using namespace mlir;
using namespace mlir::pallas;

SmallVector<DimensionSemantics>
mlir::pallas::getProgramOrder(PallasCallOp call) {
  auto grid = cast<GridMappingOpInterface>(call.getOperation());
  SmallVector<DimensionSemantics> said = grid.getGridDimensionSemantics();
  if (said.empty())
    said.assign(grid.getNumUserGridDimensions(),
                findParams<GPUParamsAttr>(call.getCompilerParams())
                    ? DimensionSemantics::Parallel
                    : DimensionSemantics::Sequential);
  // Members of a batch know nothing of each other.
  SmallVector<DimensionSemantics> order(grid.getGridRank(),
                                        DimensionSemantics::Parallel);
  for (auto [axis, semantics] : llvm::enumerate(said))
    order[grid.getGridDimensionOfAxis(axis)] = semantics;
  return order;
}

/// Whether this is the first of the programs that run in order; null where each
/// one is.
static Value createIsFirst(OpBuilder &b, Location loc, PallasCallOp call,
                           ArrayRef<DimensionSemantics> order) {
  auto grid = cast<GridMappingOpInterface>(call.getOperation());
  Value isFirst, zero;
  for (unsigned axis = 0; axis < grid.getNumUserGridDimensions(); ++axis) {
    unsigned dim = grid.getGridDimensionOfAxis(axis);
    if (order[dim] == DimensionSemantics::Parallel ||
        grid.getGridShape()[dim] == 1)
      continue;
    if (!zero)
      zero = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
    Value id = ProgramIdOp::create(b, loc, axis);
    Value isStart =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, id, zero);
    isFirst = isFirst ? Value(arith::AndIOp::create(b, loc, isFirst, isStart))
                      : isStart;
  }
  return isFirst;
}

/// Whether programs along a dimension may run at once.
static bool isParallel(GridMappingOpInterface grid,
                       ArrayRef<DimensionSemantics> order, unsigned dim) {
  return grid.getGridShape()[dim] != 1 &&
         order[dim] == DimensionSemantics::Parallel;
}

/// With sequential dimensions behind the parallel ones, all steps of a program
/// follow each other, so zeros in the first one are enough. In the other order
/// the steps of several programs take turns, and each would find what another
/// one left in the memory that they share.
LogicalResult mlir::pallas::restartAccumulators(PallasCallOp call) {
  auto grid = cast<GridMappingOpInterface>(call.getOperation());
  SmallVector<BlockArgument> accumulators;
  for (BlockArgument scratch : grid.sliceScratchOps())
    if (isa<AccumulatorType>(scratch.getType()))
      accumulators.push_back(scratch);
  SmallVector<DimensionSemantics> order = getProgramOrder(call);
  std::optional<unsigned> lastParallel, firstSequential;
  for (unsigned dim = 0; dim < grid.getGridRank(); ++dim) {
    if (isParallel(grid, order, dim))
      lastParallel = dim;
    else if (!firstSequential && grid.getGridShape()[dim] != 1)
      firstSequential = dim;
  }
  if (accumulators.empty() || !lastParallel)
    return success();
  if (firstSequential && *firstSequential < *lastParallel)
    return call.emitOpError(
               "keeps an accumulator over the sequential dimension ")
           << *firstSequential
           << ", in each step of which the parallel dimension " << *lastParallel
           << " has several programs that share it here; put sequential "
              "dimensions last";
  Location loc = call.getLoc();
  OpBuilder b = OpBuilder::atBlockBegin(&grid.getKernelRegion().front());
  if (Value isFirst = createIsFirst(b, loc, call, order)) {
    auto branch = scf::IfOp::create(b, loc, isFirst, /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
  }
  for (BlockArgument accumulator : accumulators) {
    RankedTensorType type =
        cast<AccumulatorType>(accumulator.getType()).getValueType();
    Value zeros = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
    AccumulatorStoreOp::create(b, loc, accumulator, zeros);
  }
  return success();
}
