//===- PallasSplitBlocks.cpp - The pass that splits blocks ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has the pass pallas-split-blocks: into how many parts blocks fall,
// by option or attribute. SplitBlocks.cpp splits them.
//
//===----------------------------------------------------------------------===//

#include "DimensionNumbers.h"
#include "pallas/Dialect/Pallas/IR/GridAttributes.h"
#include "pallas/Dialect/Pallas/Transforms/CoarsenGrid.h"
#include "pallas/Dialect/Pallas/Transforms/Passes.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASSPLITBLOCKS
#include "pallas/Dialect/Pallas/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

namespace {
struct SplitBlocksPass
    : public pallas::impl::PallasSplitBlocksBase<SplitBlocksPass> {
  using PallasSplitBlocksBase::PallasSplitBlocksBase;

  void runOnOperation() override {
    for (GridMappingOpInterface grid : collectGrids(getOperation()))
      if (auto call = dyn_cast<PallasCallOp>(grid.getOperation()))
        if (failed(split(call)))
          return signalPassFailure();
  }

private:
  LogicalResult split(PallasCallOp call);
};
} // namespace

/// The divisors of `size` around `count`, as in `4 or 8`.
static std::string spellDivisors(int64_t size, int64_t count) {
  int64_t less = std::min(count, size), more = count;
  while (size % less)
    --less;
  while (more < size && size % more)
    ++more;
  std::string text = std::to_string(less);
  return more <= size ? text + " or " + std::to_string(more) : text;
}

LogicalResult SplitBlocksPass::split(PallasCallOp call) {
  ShapedType array = call.getNumResults()
                         ? getArrayShapedType(call.getResult(0).getType())
                         : ShapedType();
  FailureOr<SmallVector<int64_t>> counts =
      DimensionNumbers{"number of parts", "numbers of parts",
                       "the first result", kSplitAttrName}
          .take(call, parts, array ? array.getRank() : 0);
  if (failed(counts))
    return failure();
  for (auto [dim, count] : llvm::enumerate(*counts)) {
    if (count == 1)
      continue;
    int64_t size = cast<GridMappingOpInterface>(call.getOperation())
                       .getBlockMappingsOutput()
                       .front()
                       .getBlockShape()[dim];
    if (size % count)
      return call.emitError()
             << "the blocks of the first result have " << size
             << " elements along dimension " << dim << ", which " << count
             << " parts do not divide; write " << spellDivisors(size, count);
    std::optional<JoinObstacle> obstacle = splitBlocks(call, dim, count);
    numBlocks += !obstacle;
    if (obstacle)
      emitRemark(obstacle->loc) << "blocks stay whole along dimension " << dim
                                << " of the first result: " << obstacle->why;
  }
  return success();
}
