//===- BlockWalk.cpp - The window of each program -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the window of a block as an affine function of the ids of programs, or
// as a table of all windows where no such function exists.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/Pallas/Analysis/BlockWalk.h"
#include "pallas/Dialect/Pallas/Analysis/ProgramEvaluator.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::pallas;

namespace {
/// Evaluates the map for all ids that it uses.
class MapTable {
public:
  MapTable(GridMappingOpInterface grid, Region &map, ArrayRef<int64_t> dims)
      : evaluator(grid), map(map), dims(dims),
        program(grid.getGridShape().size()) {}

  /// False where a value is not known.
  bool evaluate(ArrayRef<int64_t> ids, SmallVectorImpl<int64_t> &indices);
  StringRef getReason() const { return evaluator.getReason(); }

private:
  ProgramEvaluator evaluator;
  Region &map;
  ArrayRef<int64_t> dims;
  SmallVector<int64_t> program;
};
} // namespace

bool MapTable::evaluate(ArrayRef<int64_t> ids,
                        SmallVectorImpl<int64_t> &indices) {
  for (auto [dim, id] : llvm::zip_equal(dims, ids))
    program[dim] = id;
  evaluator.setProgram(program);
  for (Value value : map.front().getTerminator()->getOperands()) {
    std::optional<int64_t> index = evaluator.evaluate(value);
    if (!index)
      return false;
    indices.push_back(*index);
  }
  return true;
}

/// Two programs per dimension give the only candidate for an affine map.
static bool findStrides(MapTable &map, ArrayRef<int64_t> sizes,
                        BlockWalk &walk) {
  SmallVector<int64_t> ids(sizes.size(), 0);
  walk.base.clear();
  if (!map.evaluate(ids, walk.base))
    return false;
  walk.strides.assign(walk.base.size(), SmallVector<int64_t>(sizes.size(), 0));
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    if (size < 2)
      continue;
    SmallVector<int64_t> next;
    ids[dim] = 1;
    if (!map.evaluate(ids, next))
      return false;
    ids[dim] = 0;
    for (auto [i, index] : llvm::enumerate(next))
      walk.strides[i][dim] = index - walk.base[i];
  }
  return true;
}

/// Whether the index of each dimension is `base + strides * ids`.
static bool isOnPlane(const BlockWalk &walk, ArrayRef<int64_t> ids,
                      ArrayRef<int64_t> indices) {
  for (auto [base, strides, index] :
       llvm::zip_equal(walk.base, walk.strides, indices)) {
    int64_t value = base;
    for (auto [stride, id] : llvm::zip_equal(strides, ids))
      value += stride * id;
    if (value != index)
      return false;
  }
  return true;
}

BlockWalk pallas::computeBlockWalk(GridMappingOpInterface grid, unsigned block,
                                   int64_t maxPrograms) {
  BlockWalk walk;
  std::optional<SmallVector<int64_t>> sizes = grid.getStaticGrid();
  if (!sizes) {
    walk.unknown = "the grid has a dynamic dimension";
    return walk;
  }
  Region *map = grid.getIndexMap(block);
  if (!map) {
    // The window is the whole array.
    walk.isAffine = true;
    walk.base.assign(grid.getMappings()[block].getDims().size(), 0);
    walk.strides.resize(walk.base.size());
    return walk;
  }
  SmallVector<int64_t> usedSizes;
  uint64_t numIds = llvm::is_contained(*sizes, 0) ? 0 : 1;
  for (auto [dim, size] : llvm::enumerate(*sizes)) {
    if (map->getArgument(dim).use_empty())
      continue;
    walk.dims.push_back(dim);
    usedSizes.push_back(size);
    numIds = llvm::SaturatingMultiply<uint64_t>(numIds, size);
  }
  if (numIds == 0 || numIds > uint64_t(maxPrograms)) {
    walk.unknown = numIds ? "the grid has too many programs; raise max-programs"
                          : "the grid is empty";
    return walk;
  }
  MapTable values(grid, *map, walk.dims);
  walk.isAffine = findStrides(values, usedSizes, walk);
  bool isKnown = forEachProgram(usedSizes, [&](ArrayRef<int64_t> ids) {
    SmallVector<int64_t> indices;
    if (!values.evaluate(ids, indices))
      return false;
    walk.isAffine = walk.isAffine && isOnPlane(walk, ids, indices);
    walk.table.append(indices);
    return true;
  });
  if (!isKnown)
    walk.unknown = ("its index map is unknown: " + values.getReason()).str();
  if (walk.isAffine)
    walk.table.clear();
  return walk;
}
