//===- PartConditions.cpp - Which parts take a branch ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conditions like `pl.when(k == 0)` hold in the first step of a sum. Where
// steps are joined, they hold in the first part of one of the larger steps.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/Pallas/Analysis/PartConditions.h"
#include "pallas/Dialect/Pallas/Analysis/ProgramEvaluator.h"
#include "pallas/Dialect/Pallas/Utils/Grid.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::pallas;

void pallas::forEachGridQuery(
    GridMappingOpInterface grid,
    function_ref<void(Value value, unsigned dim, bool isSize)> visit) {
  if (isa<EmitPipelineOp>(grid)) {
    for (unsigned dim = 0; dim < grid.getGridRank(); ++dim)
      visit(grid.getKernelRegion().getArgument(dim), dim, /*isSize=*/false);
    return;
  }
  replaceGridQueries(grid.getKernelRegion(), grid.getGridDimensionNames(),
                     [&](OpBuilder &, const GridQuery &query) -> Value {
                       visit(query.op->getResult(0), query.dim, query.isSize);
                       return {};
                     });
}

std::optional<unsigned> pallas::getDimensionOfId(GridMappingOpInterface grid,
                                                 Value value) {
  if (isa<EmitPipelineOp>(grid)) {
    auto argument = dyn_cast<BlockArgument>(value);
    bool isId = argument &&
                argument.getOwner() == &grid.getKernelRegion().front() &&
                argument.getArgNumber() < grid.getGridRank();
    return isId ? std::optional(argument.getArgNumber()) : std::nullopt;
  }
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<ProgramIdOp, AxisIndexOp>(op) ||
      getEnclosingGrid(op) != grid)
    return std::nullopt;
  if (auto id = dyn_cast<ProgramIdOp>(op))
    return grid.getGridDimensionOfAxis(id.getAxis());
  SmallVector<StringRef> names = grid.getGridDimensionNames();
  auto *name = llvm::find(names, cast<AxisIndexOp>(op).getAxisName());
  return name == names.end() ? std::nullopt
                             : std::optional<unsigned>(name - names.begin());
}

llvm::DenseMap<Value, unsigned>
pallas::findGridIds(GridMappingOpInterface grid) {
  llvm::DenseMap<Value, unsigned> ids;
  forEachGridQuery(grid, [&](Value value, unsigned dim, bool isSize) {
    if (!isSize)
      ids[value] = dim;
  });
  return ids;
}

TakenAtEnds pallas::findTakenAtEnds(
    GridMappingOpInterface grid, const StepJoin &join, Value condition,
    const llvm::DenseMap<Value, unsigned> &ids,
    function_ref<std::optional<int64_t>(ArrayRef<int64_t>, int64_t)> evaluate) {
  const TakenAtEnds kUnknown = {{TakenPart{false, false}, {false, false}}};
  constexpr int64_t kMostPrograms = 4096;
  SmallVector<int64_t> shape = grid.getGridShape();
  SmallVector<int64_t> sizes(shape.size(), 1);
  sizes[join.dim] = llvm::divideCeil(shape[join.dim], join.factor);
  for (Value source : findSources(condition))
    if (auto it = ids.find(source); it != ids.end() && it->second != join.dim)
      sizes[it->second] = shape[it->second];
  int64_t total = join.factor;
  for (int64_t size : sizes)
    if (ShapedType::isDynamic(size) || size > kMostPrograms ||
        (total *= size) > kMostPrograms)
      return kUnknown;
  TakenAtEnds taken;
  forEachProgram(sizes, [&](ArrayRef<int64_t> step) {
    int64_t count =
        std::min(join.factor, shape[join.dim] - step[join.dim] * join.factor);
    for (int64_t part = 0; part < count; ++part) {
      std::optional<int64_t> holds = evaluate(step, part);
      for (PartEnd end : {PartEnd::First, PartEnd::Last}) {
        bool isEnd = part == (end == PartEnd::First ? 0 : count - 1);
        taken[end].isOnly &= holds && (isEnd || !*holds);
        taken[end].isAlways &= !isEnd || holds == 1;
      }
    }
    return taken[PartEnd::First].isOnly || taken[PartEnd::Last].isOnly;
  });
  return taken;
}
