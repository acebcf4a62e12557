//===- BlockCoverage.h - Which blocks programs visit ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_PALLAS_ANALYSIS_BLOCKCOVERAGE_H
#define PALLAS_DIALECT_PALLAS_ANALYSIS_BLOCKCOVERAGE_H

#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include <string>

namespace mlir::pallas {

/// How often something is the case, and where it is for the first time.
struct CoverageFinding {
  int64_t count = 0;
  /// Block indices; elements where dimensions count elements.
  SmallVector<int64_t> block;
  SmallVector<int64_t> program;
  /// The last program that had the block before.
  SmallVector<int64_t> before;
};

/// How the programs of a grid access the blocks of one operand.
struct BlockCoverage {
  /// Position among the inputs, then the outputs.
  unsigned block = 0;
  bool isOutput = false;
  /// Why nothing is known; empty if the rest holds.
  std::string unknown;
  int64_t numPrograms = 0;
  /// Whether `total`, `visited` and blocks count elements, because windows may
  /// overlap.
  bool countsElements = false;
  /// Blocks that the array has, and that some program visits.
  int64_t total = 0, visited = 0;
  /// Blocks that several programs visit; elements in several windows.
  int64_t shared = 0;
  /// How often the window is another one than in the program before.
  int64_t changes = 0;
  /// Blocks that no program visits.
  CoverageFinding missing;
  /// Windows that come back after another one.
  CoverageFinding revisited;
  /// Windows that begin outside of the array.
  CoverageFinding outside;
  /// Whether the kernel may write to its window at all.
  bool isWritten = false;
};

/// Evaluates the index map of a block over a static grid of at most
/// `maxPrograms` programs.
BlockCoverage computeBlockCoverage(GridMappingOpInterface grid, unsigned block,
                                   int64_t maxPrograms);

} // namespace mlir::pallas

#endif // PALLAS_DIALECT_PALLAS_ANALYSIS_BLOCKCOVERAGE_H
