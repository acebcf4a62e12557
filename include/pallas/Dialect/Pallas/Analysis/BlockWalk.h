//===- BlockWalk.h - The window of each program -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_PALLAS_ANALYSIS_BLOCKWALK_H
#define PALLAS_DIALECT_PALLAS_ANALYSIS_BLOCKWALK_H

#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include <string>

namespace mlir::pallas {

/// The values of an index map in all programs of a grid.
struct BlockWalk {
  /// Why nothing is known; empty if the rest holds.
  std::string unknown;
  /// Grid dimensions that the map uses.
  SmallVector<int64_t> dims;
  /// Index `i` is `base[i]` plus the sum of `strides[i][d]` times the id along
  /// `dims[d]`, if that holds in all programs.
  bool isAffine = false;
  SmallVector<int64_t> base;
  SmallVector<SmallVector<int64_t>> strides;
  /// If it does not: all indices, for the ids along `dims` in row-major order.
  SmallVector<int64_t> table;
};

/// Evaluates the index map of a block over a static grid, for at most
/// `maxPrograms` different ids.
BlockWalk computeBlockWalk(GridMappingOpInterface grid, unsigned block,
                           int64_t maxPrograms);

} // namespace mlir::pallas

#endif // PALLAS_DIALECT_PALLAS_ANALYSIS_BLOCKWALK_H
