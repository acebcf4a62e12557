//===- BlockCoverage.cpp - Which blocks programs visit --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates the index map of a block for all programs and counts which elements
// of the array are visited, how often, and by which programs. Grids that are
// too large stay unknown.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/Pallas/Analysis/BlockCoverage.h"
#include "pallas/Dialect/Pallas/Analysis/ProgramEvaluator.h"
#include "pallas/Dialect/Pallas/IR/RefEffects.h"
#include "llvm/Support/MathExtras.h"
#include <map>

using namespace mlir;
using namespace mlir::pallas;

namespace {
/// A window that some program sees.
struct Window {
  SmallVector<int64_t> firstProgram, lastProgram;
  int64_t lastNumber = 0;
  int64_t numVisits = 0;
};

/// Where a window begins and ends along a dimension; outside of the array, too.
struct Bounds {
  int64_t begin, end;
};

/// The bounds of windows cut each dimension of an array into pieces, which
/// windows have wholly or not at all. A piece of each dimension is a cell.
class Cells {
public:
  explicit Cells(ArrayRef<int64_t> shape) : shape(shape), pieces(shape.size()) {
    for (auto [dim, size] : llvm::enumerate(shape))
      cut(dim, {0, size});
  }

  void cut(unsigned dim, Bounds bounds) {
    pieces[dim].try_emplace(clip(dim, bounds.begin));
    pieces[dim].try_emplace(clip(dim, bounds.end));
  }
  /// To be called when all is cut; yields how many cells there are.
  uint64_t numberPieces();
  void addWindow(ArrayRef<Bounds> window);
  /// Calls `body` with the first element of each cell, how many elements it
  /// has, and how many windows have it.
  void forEach(function_ref<void(ArrayRef<int64_t>, int64_t, unsigned)> body);

private:
  int64_t clip(unsigned dim, int64_t place) const {
    return std::clamp<int64_t>(place, 0, shape[dim]);
  }
  void visit(ArrayRef<int64_t> from, ArrayRef<int64_t> to,
             function_ref<void(ArrayRef<int64_t>, unsigned &)> body);

  ArrayRef<int64_t> shape;
  /// Numbers of pieces by where they begin; the last entry is the end.
  SmallVector<std::map<int64_t, int64_t>> pieces;
  SmallVector<SmallVector<int64_t>> begins;
  SmallVector<int64_t> numPieces;
  std::vector<unsigned> numWindows;
};

/// Goes over the programs and looks at the windows.
class Coverage {
public:
  Coverage(GridMappingOpInterface grid, unsigned block, int64_t maxPrograms)
      : grid(grid), evaluator(grid), maxPrograms(maxPrograms),
        mapping(grid.getMappings()[block]) {
    result.block = block;
    result.isOutput = block >= grid.getNumInputs();
  }

  BlockCoverage run();

private:
  bool collectWindows(ArrayRef<int64_t> sizes);
  bool visit(ArrayRef<int64_t> program);
  std::optional<SmallVector<int64_t>> evaluate(ArrayRef<int64_t> program);
  void noteOutside(ArrayRef<int64_t> indices, const Window &window);
  void countBlocks();
  SmallVector<Bounds> getBounds(ArrayRef<int64_t> indices) const;
  void countElements();

  GridMappingOpInterface grid;
  ProgramEvaluator evaluator;
  int64_t maxPrograms;
  BlockMappingAttr mapping;
  SmallVector<int64_t> arrayShape;
  /// By what the index map yields.
  std::map<SmallVector<int64_t>, Window> windows;
  /// The results of the index map, by the ids that it uses.
  std::map<SmallVector<int64_t>, SmallVector<int64_t>> evaluated;
  SmallVector<unsigned> usedDims;
  SmallVector<int64_t> lastIndices;
  BlockCoverage result;
};
} // namespace

/// Saturates: the caller gives up on too many cells before memory is taken for
/// them.
uint64_t Cells::numberPieces() {
  uint64_t numCells = 1;
  for (std::map<int64_t, int64_t> &inDim : pieces) {
    SmallVector<int64_t> &places = begins.emplace_back();
    for (auto &[begin, number] : inDim) {
      number = places.size();
      places.push_back(begin);
    }
    numPieces.push_back(places.size() - 1);
    numCells = llvm::SaturatingMultiply<uint64_t>(numCells, numPieces.back());
  }
  return numCells;
}

/// Calls `body` with the pieces of each cell in a range, and its count.
void Cells::visit(ArrayRef<int64_t> from, ArrayRef<int64_t> to,
                  function_ref<void(ArrayRef<int64_t>, unsigned &)> body) {
  numWindows.resize(ShapedType::getNumElements(numPieces));
  SmallVector<int64_t> sizes;
  for (auto [begin, end] : llvm::zip(from, to))
    sizes.push_back(end - begin);
  forEachProgram(sizes, [&](ArrayRef<int64_t> offset) {
    SmallVector<int64_t> cell;
    int64_t number = 0;
    for (auto [dim, count] : llvm::enumerate(numPieces)) {
      cell.push_back(from[dim] + offset[dim]);
      number = number * count + cell[dim];
    }
    body(cell, numWindows[number]);
    return true;
  });
}

void Cells::addWindow(ArrayRef<Bounds> window) {
  SmallVector<int64_t> from, to;
  for (auto [dim, bounds] : llvm::enumerate(window)) {
    from.push_back(pieces[dim][clip(dim, bounds.begin)]);
    to.push_back(pieces[dim][clip(dim, bounds.end)]);
  }
  visit(from, to, [](ArrayRef<int64_t>, unsigned &count) { ++count; });
}

void Cells::forEach(
    function_ref<void(ArrayRef<int64_t>, int64_t, unsigned)> body) {
  SmallVector<int64_t> origin(shape.size());
  visit(origin, numPieces, [&](ArrayRef<int64_t> cell, unsigned &count) {
    int64_t size = 1;
    SmallVector<int64_t> element;
    for (auto [dim, piece] : llvm::enumerate(cell)) {
      element.push_back(begins[dim][piece]);
      size *= begins[dim][piece + 1] - element[dim];
    }
    body(element, size, count);
  });
}

/// The results of the index map for a program. Most maps use few of the ids, so
/// the results are kept by those, and a grid of 10^6 programs needs few
/// evaluations.
std::optional<SmallVector<int64_t>>
Coverage::evaluate(ArrayRef<int64_t> program) {
  Region *map = grid.getIndexMap(result.block);
  if (!map)
    return SmallVector<int64_t>(arrayShape.size(), 0);
  SmallVector<int64_t> used;
  for (unsigned dim : usedDims)
    used.push_back(program[dim]);
  if (auto it = evaluated.find(used); it != evaluated.end())
    return it->second;
  evaluator.setProgram(program);
  SmallVector<int64_t> indices;
  for (Value value : map->front().getTerminator()->getOperands()) {
    std::optional<int64_t> index = evaluator.evaluate(value);
    if (!index)
      return std::nullopt;
    indices.push_back(*index);
  }
  evaluated[used] = indices;
  return indices;
}

/// Programs come in the order in which they run, so a window is revisited if
/// its last visit was not by the program just before. In between, its block may
/// have been written back and its memory given to another block.
bool Coverage::visit(ArrayRef<int64_t> program) {
  std::optional<SmallVector<int64_t>> indices = evaluate(program);
  if (!indices) {
    result.unknown =
        ("its index map is unknown: " + evaluator.getReason()).str();
    return false;
  }
  if (result.numPrograms == 0 || *indices != lastIndices)
    ++result.changes;
  lastIndices = *indices;
  auto [it, isNew] = windows.try_emplace(*indices);
  Window &window = it->second;
  if (isNew)
    window.firstProgram.assign(program.begin(), program.end());
  else if (window.lastNumber + 1 != result.numPrograms) {
    if (result.revisited.count++ == 0) {
      result.revisited.block = *indices;
      result.revisited.program.assign(program.begin(), program.end());
      result.revisited.before = window.lastProgram;
    }
  }
  window.lastProgram.assign(program.begin(), program.end());
  window.lastNumber = result.numPrograms++;
  ++window.numVisits;
  return true;
}

/// Dimensions whose windows depend on data cannot be evaluated here.
bool Coverage::collectWindows(ArrayRef<int64_t> sizes) {
  for (BlockDimAttr dim : mapping.getDims()) {
    if (dim.getKind() == BlockDimKind::BoundedSlice ||
        dim.getKind() == BlockDimKind::Indirect) {
      result.unknown = ("it has a " + stringifyBlockDimKind(dim.getKind()) +
                        " dimension, whose windows depend on data")
                           .str();
      return false;
    }
    result.countsElements |= dim.getKind() == BlockDimKind::Element;
  }
  if (Region *map = grid.getIndexMap(result.block))
    for (unsigned dim = 0; dim < sizes.size(); ++dim)
      if (!map->getArgument(dim).use_empty())
        usedDims.push_back(dim);
  return forEachProgram(
      sizes, [&](ArrayRef<int64_t> program) { return visit(program); });
}

/// Reports show one example, the first in the order of blocks.
void Coverage::noteOutside(ArrayRef<int64_t> indices, const Window &window) {
  if (result.outside.count++ != 0)
    return;
  result.outside.block = llvm::to_vector(indices);
  result.outside.program = window.firstProgram;
}

/// Without overlaps, a window is a block, and the array is a grid of them.
void Coverage::countBlocks() {
  SmallVector<int64_t> numBlocks;
  for (auto [size, block] : llvm::zip(arrayShape, mapping.getBlockShape()))
    numBlocks.push_back(llvm::divideCeil(size, block));
  result.total = ShapedType::getNumElements(numBlocks);
  for (const auto &[indices, window] : windows) {
    bool isInside = llvm::all_of(llvm::zip(indices, numBlocks), [](auto pair) {
      return std::get<0>(pair) >= 0 && std::get<0>(pair) < std::get<1>(pair);
    });
    if (isInside) {
      ++result.visited;
      result.shared += window.numVisits > 1;
    } else {
      noteOutside(indices, window);
    }
  }
  result.missing.count = result.total - result.visited;
  if (result.missing.count)
    forEachProgram(numBlocks, [&](ArrayRef<int64_t> block) {
      result.missing.block.assign(block.begin(), block.end());
      return windows.count(result.missing.block) != 0;
    });
}

/// Blocked dimensions count in blocks, all others in elements. Padding in front
/// moves the window towards negative elements.
SmallVector<Bounds> Coverage::getBounds(ArrayRef<int64_t> indices) const {
  SmallVector<Bounds> bounds;
  for (auto [index, block, size] :
       llvm::zip(indices, mapping.getDims(), mapping.getBlockShape())) {
    bool countsBlocks = block.getKind() == BlockDimKind::Blocked;
    int64_t begin = index * (countsBlocks ? size : 1) - block.getPadLow();
    bounds.push_back({begin, begin + size});
  }
  return bounds;
}

/// Windows may overlap.
void Coverage::countElements() {
  Cells cells(arrayShape);
  for (const auto &[indices, window] : windows) {
    bool isInside = true;
    for (auto [dim, block, bounds] :
         llvm::enumerate(mapping.getDims(), getBounds(indices))) {
      isInside &= bounds.begin >= -block.getPadLow() &&
                  bounds.begin < arrayShape[dim] + block.getPadHigh();
      cells.cut(dim, bounds);
    }
    if (!isInside)
      noteOutside(indices, window);
  }
  result.total = ShapedType::getNumElements(arrayShape);
  if (cells.numberPieces() > 16 * uint64_t(maxPrograms)) {
    result.unknown = "its windows overlap in too many ways; raise max-programs";
    return;
  }
  for (const auto &[indices, window] : windows)
    cells.addWindow(getBounds(indices));
  cells.forEach([&](ArrayRef<int64_t> element, int64_t size, unsigned count) {
    if (count > 1)
      result.shared += size;
    if (count > 0) {
      result.visited += size;
      return;
    }
    if (result.missing.count == 0)
      result.missing.block = llvm::to_vector(element);
    result.missing.count += size;
  });
}

/// An unknown result names its reason instead of an estimate: callers treat it
/// as "may be uncovered", never as covered.
BlockCoverage Coverage::run() {
  unsigned firstBlock = grid.getNumCaptures() +
                        grid.getNumLeadingKernelArguments() +
                        grid.getNumIndexOperands();
  result.isWritten = mayBeWritten(
      grid.getKernelRegion().getArgument(firstBlock + result.block));
  ShapedType array = getArrayShapedType(grid.getArrayType(result.block));
  std::optional<SmallVector<int64_t>> sizes = grid.getStaticGrid();
  if (!array || !array.hasStaticShape()) {
    result.unknown = "the size of its array is dynamic";
    return result;
  }
  if (!sizes) {
    result.unknown = "the grid has a dynamic dimension";
    return result;
  }
  arrayShape.assign(array.getShape().begin(), array.getShape().end());
  uint64_t numPrograms = 1;
  for (int64_t size : *sizes)
    numPrograms = llvm::SaturatingMultiply<uint64_t>(numPrograms, size);
  if (numPrograms > uint64_t(maxPrograms)) {
    result.unknown =
        ("the grid has " + Twine(numPrograms) + " programs, of which at most " +
         Twine(maxPrograms) + " are evaluated; raise max-programs")
            .str();
    return result;
  }
  if (!collectWindows(*sizes))
    return result;
  if (result.countsElements)
    countElements();
  else
    countBlocks();
  return result;
}

BlockCoverage pallas::computeBlockCoverage(GridMappingOpInterface grid,
                                           unsigned block,
                                           int64_t maxPrograms) {
  return Coverage(grid, block, maxPrograms).run();
}
