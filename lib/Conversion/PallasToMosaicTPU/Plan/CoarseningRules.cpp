//===- CoarseningRules.cpp - Joins of steps that TPUs have forms for ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CoarseningRules.h"

using namespace mlir;
using namespace mlir::pallas;

SmallVector<int64_t> mlir::pallas::getLadder(int64_t size) {
  SmallVector<int64_t> ladder;
  int64_t product = 1, rest = size;
  for (int64_t prime = 2; prime * prime <= rest;) {
    if (rest % prime) {
      ++prime;
      continue;
    }
    rest /= prime;
    ladder.push_back(product *= prime);
  }
  if (rest > 1)
    ladder.push_back(product * rest);
  return ladder;
}

/// Parts with other steps in between each need scratch memory for themselves,
/// at an address that is known at run time only.
static bool dividesScratch(GridMappingOpInterface grid, const StepJoin &join) {
  return join.isOuter &&
         llvm::any_of(grid.sliceScratchOps(), [](BlockArgument scratch) {
           return !scratch.use_empty();
         });
}

/// Parts that are single rows of tiles begin at a sublane that is known at run
/// time only.
static bool takesRowsOfTiles(GridMappingOpInterface grid,
                             const StepJoin &join) {
  return llvm::any_of(llvm::enumerate(join.walks), [&](auto pair) {
    auto [block, walk] = pair;
    if (!walk)
      return false;
    ArrayRef<BlockDimAttr> dims = grid.getMappings()[block].getDims();
    return *walk + 2 >= dims.size() &&
           dims[*walk].getKind() == BlockDimKind::Squeezed;
  });
}

/// The compiler has few forms for reshapes that split or join lanes:
///
///   pallas.reshape %x : tensor<1x8xi32> -> tensor<1x2x4xi32>
///
/// passes, and the same on <1x16> is refused. So blocks keep their lanes there.
static bool growsReshapedLanes(GridMappingOpInterface grid,
                               const StepJoin &join) {
  bool growsLanes = llvm::any_of(llvm::enumerate(join.walks), [&](auto pair) {
    auto [block, walk] = pair;
    return walk && *walk + 1 == grid.getMappings()[block].getDims().size();
  });
  auto changesLanes = [](ReshapeOp op) {
    auto from = dyn_cast<RankedTensorType>(op.getInput().getType());
    auto to = dyn_cast<RankedTensorType>(op.getResult().getType());
    return WalkResult(failure(from && to && from.getRank() && to.getRank() &&
                              from.getShape().back() != to.getShape().back()));
  };
  return growsLanes &&
         grid.getKernelRegion().walk(changesLanes).wasInterrupted();
}

bool mlir::pallas::isGoodJoin(GridMappingOpInterface grid,
                              const StepJoin &join) {
  if (join.form == JoinForm::Grow)
    return !growsReshapedLanes(grid, join);
  return join.form == JoinForm::Loop && !dividesScratch(grid, join) &&
         !takesRowsOfTiles(grid, join);
}

bool mlir::pallas::hasLoopOverParts(ArrayRef<StepJoin> joins,
                                    ArrayRef<int64_t> factors) {
  return llvm::any_of(llvm::zip_equal(joins, factors), [](auto pair) {
    auto [join, factor] = pair;
    return factor != 1 && join.form == JoinForm::Loop;
  });
}
