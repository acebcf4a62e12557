//===- OutputWindows.cpp - Windows of an output that overlap --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows of an output are copied out while later programs run, so it is not
// known which of two that overlap is copied last. This file finds them.
//
//===----------------------------------------------------------------------===//

#include "OutputWindows.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace pallas_rt;

/// Whether elements of the array lie in both windows, which are at other
/// places.
static bool overlap(llvm::ArrayRef<WindowDim> lhs,
                    llvm::ArrayRef<WindowDim> rhs) {
  bool isSame = true;
  for (auto [one, other] : llvm::zip_equal(lhs, rhs)) {
    isSame &= one.start == other.start;
    int64_t first = std::max({one.start, other.start, one.padLow}),
            end = std::min({one.start + one.size, other.start + other.size,
                            one.padLow + one.arraySize});
    if (first >= end)
      return false;
  }
  return !isSame;
}

/// The cells that a window reaches into; none if there are very many, for a
/// window that is much larger than the first.
llvm::SmallVector<OutputWindows::Cell>
OutputWindows::getCells(llvm::ArrayRef<WindowDim> dims) const {
  constexpr size_t most = 256;
  llvm::SmallVector<Cell> cells(1);
  for (auto [dim, first] : llvm::zip_equal(dims, windows.front())) {
    int64_t size = std::max<int64_t>(first.size, 1);
    int64_t low = llvm::divideFloorSigned(dim.start, size),
            high = llvm::divideFloorSigned(
                dim.start + std::max<int64_t>(dim.size, 1) - 1, size);
    if (cells.size() * static_cast<size_t>(high - low + 1) > most)
      return {};
    llvm::SmallVector<Cell> next;
    for (const Cell &cell : cells)
      for (int64_t at = low; at <= high; ++at) {
        next.push_back(cell);
        next.back().push_back(at);
      }
    cells = std::move(next);
  }
  return cells;
}

llvm::ArrayRef<WindowDim> OutputWindows::add(llvm::ArrayRef<WindowDim> dims) {
  size_t number = windows.size();
  windows.emplace_back(dims.begin(), dims.end());
  llvm::SmallVector<Cell> cells = getCells(dims);
  std::vector<size_t> near = wide;
  for (const Cell &cell : cells) {
    std::vector<size_t> &there = byCell[cell];
    llvm::append_range(near, there);
    there.push_back(number);
  }
  if (cells.empty()) {
    near.resize(number);
    std::iota(near.begin(), near.end(), 0);
    wide.push_back(number);
  }
  for (size_t other : near)
    if (overlap(windows[other], dims))
      return windows[other];
  return {};
}
