//===- BlockCoverage.cpp - Which blocks programs visit --------------------===//

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
  void countBlocks();
  void countElements();

  GridMappingOpInterface grid;
  ProgramEvaluator evaluator;
  int64_t maxPrograms;
  BlockMappingAttr mapping;
  SmallVector<int64_t> arrayShape;
  /// By what the index map yields.
  std::map<SmallVector<int64_t>, Window> windows;
  /// What the index map yields, by the ids that it uses.
  std::map<SmallVector<int64_t>, SmallVector<int64_t>> evaluated;
  SmallVector<unsigned> usedDims;
  SmallVector<int64_t> lastIndices;
  BlockCoverage result;
};
} // namespace

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
    } else if (result.outside.count++ == 0) {
      result.outside.block = indices;
      result.outside.program = window.firstProgram;
    }
  }
  result.missing.count = result.total - result.visited;
  if (result.missing.count)
    forEachProgram(numBlocks, [&](ArrayRef<int64_t> block) {
      result.missing.block.assign(block.begin(), block.end());
      return windows.count(result.missing.block) != 0;
    });
}

/// Windows cut each dimension into pieces, which they have wholly or not at
/// all; the pieces of all dimensions are cells that are counted.
void Coverage::countElements() {
  unsigned rank = arrayShape.size();
  SmallVector<std::map<int64_t, int64_t>> pieces(rank);
  auto getBounds = [&](ArrayRef<int64_t> indices, unsigned dim) {
    BlockDimAttr block = mapping.getDims()[dim];
    bool countsBlocks = block.getKind() == BlockDimKind::Blocked;
    int64_t size = mapping.getBlockShape()[dim];
    int64_t begin =
        indices[dim] * (countsBlocks ? size : 1) - block.getPadLow();
    return std::pair(begin, begin + size);
  };
  auto clip = [&](int64_t place, unsigned dim) {
    return std::clamp<int64_t>(place, 0, arrayShape[dim]);
  };
  for (unsigned dim = 0; dim < rank; ++dim)
    pieces[dim][0], pieces[dim][arrayShape[dim]];
  for (const auto &[indices, window] : windows) {
    bool isInside = true;
    for (unsigned dim = 0; dim < rank; ++dim) {
      auto [begin, end] = getBounds(indices, dim);
      BlockDimAttr block = mapping.getDims()[dim];
      isInside &= begin >= -block.getPadLow() &&
                  begin < arrayShape[dim] + block.getPadHigh();
      pieces[dim][clip(begin, dim)], pieces[dim][clip(end, dim)];
    }
    if (!isInside && result.outside.count++ == 0) {
      result.outside.block = indices;
      result.outside.program = window.firstProgram;
    }
  }
  // Number the pieces; the last entry is the end.
  SmallVector<int64_t> numPieces;
  SmallVector<SmallVector<int64_t>> begins(rank);
  int64_t numCells = 1;
  for (unsigned dim = 0; dim < rank; ++dim) {
    for (auto &[begin, number] : pieces[dim]) {
      number = begins[dim].size();
      begins[dim].push_back(begin);
    }
    numPieces.push_back(begins[dim].size() - 1);
    numCells = llvm::SaturatingMultiply<uint64_t>(numCells, numPieces.back());
  }
  result.total = ShapedType::getNumElements(arrayShape);
  if (uint64_t(numCells) > 16 * uint64_t(maxPrograms)) {
    result.unknown = "its windows overlap in too many ways; raise max-programs";
    return;
  }
  std::vector<unsigned> numWindows(numCells);
  auto forEachCell = [&](ArrayRef<int64_t> from, ArrayRef<int64_t> to,
                         function_ref<void(ArrayRef<int64_t>, unsigned &)> f) {
    SmallVector<int64_t> sizes;
    for (auto [begin, end] : llvm::zip(from, to))
      sizes.push_back(end - begin);
    forEachProgram(sizes, [&](ArrayRef<int64_t> offset) {
      SmallVector<int64_t> cell;
      int64_t number = 0;
      for (unsigned dim = 0; dim < rank; ++dim) {
        cell.push_back(from[dim] + offset[dim]);
        number = number * numPieces[dim] + cell[dim];
      }
      f(cell, numWindows[number]);
      return true;
    });
  };
  for (const auto &[indices, window] : windows) {
    SmallVector<int64_t> from, to;
    for (unsigned dim = 0; dim < rank; ++dim) {
      auto [begin, end] = getBounds(indices, dim);
      from.push_back(pieces[dim][clip(begin, dim)]);
      to.push_back(pieces[dim][clip(end, dim)]);
    }
    forEachCell(from, to, [](ArrayRef<int64_t>, unsigned &count) { ++count; });
  }
  SmallVector<int64_t> origin(rank);
  forEachCell(origin, numPieces, [&](ArrayRef<int64_t> cell, unsigned &count) {
    int64_t size = 1;
    SmallVector<int64_t> element;
    for (unsigned dim = 0; dim < rank; ++dim) {
      element.push_back(begins[dim][cell[dim]]);
      size *= begins[dim][cell[dim] + 1] - element[dim];
    }
    if (count > 1)
      result.shared += size;
    if (count > 0) {
      result.visited += size;
      return;
    }
    if (result.missing.count == 0)
      result.missing.block = element;
    result.missing.count += size;
  });
}

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
