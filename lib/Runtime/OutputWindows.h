//===- OutputWindows.h - Windows of an output that overlap ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_RUNTIME_OUTPUTWINDOWS_H
#define PALLAS_LIB_RUNTIME_OUTPUTWINDOWS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <map>
#include <vector>

namespace pallas_rt {

/// One dimension of a window.
struct WindowDim {
  int64_t start, size, padLow, arraySize;
};

/// The windows that an output has had. Only windows in a common cell are
/// compared, where cells are as large as the first window, so that a grid of
/// many programs takes little time.
class OutputWindows {
public:
  /// Adds a window. The result is one before it, at another place, that has
  /// elements of the array in common with it; null if there is none.
  llvm::ArrayRef<WindowDim> add(llvm::ArrayRef<WindowDim> dims);

private:
  using Window = llvm::SmallVector<WindowDim, 4>;
  using Cell = llvm::SmallVector<int64_t, 4>;

  llvm::SmallVector<Cell> getCells(llvm::ArrayRef<WindowDim> dims) const;

  std::vector<Window> windows;
  /// Numbers of windows, by cell, and of those that would be in very many.
  std::map<Cell, std::vector<size_t>> byCell;
  std::vector<size_t> wide;
};

} // namespace pallas_rt

#endif // PALLAS_LIB_RUNTIME_OUTPUTWINDOWS_H
