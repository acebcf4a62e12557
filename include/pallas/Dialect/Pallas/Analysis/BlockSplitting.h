//===- BlockSplitting.h - Which blocks fall into parts ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inverse of joining steps: a step on blocks that are too large for a
// memory becomes several steps on parts of them.
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_PALLAS_ANALYSIS_BLOCKSPLITTING_H
#define PALLAS_DIALECT_PALLAS_ANALYSIS_BLOCKSPLITTING_H

#include "pallas/Dialect/Pallas/Analysis/StepJoining.h"

namespace mlir::pallas {

/// How to split the blocks of a call into `numParts` parts.
struct BlockSplit {
  int64_t numParts = 1;
  /// For each block, inputs first: the dimension of the array along which its
  /// parts follow each other; none where each part sees the whole block.
  SmallVector<std::optional<unsigned>> dims;
  /// Why blocks stay whole.
  std::optional<JoinObstacle> obstacle;
};

/// Splits the block of the first output along a dimension of its array; the
/// blocks that it is computed from, and the other outputs, follow. Where that
/// is possible, `body` gets the analysis of the kernel.
BlockSplit analyzeBlockSplit(GridMappingOpInterface grid, unsigned arrayDim,
                             int64_t numParts,
                             std::unique_ptr<GrownBody> &body);

} // namespace mlir::pallas

#endif // PALLAS_DIALECT_PALLAS_ANALYSIS_BLOCKSPLITTING_H
