//===- CoarsenGrid.h - Fewer, larger steps ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_PALLAS_TRANSFORMS_COARSENGRID_H
#define PALLAS_DIALECT_PALLAS_TRANSFORMS_COARSENGRID_H

#include "pallas/Dialect/Pallas/Analysis/StepJoining.h"

namespace mlir::pallas {

/// The calls and pipelines of a module, inner ones first.
SmallVector<GridMappingOpInterface> collectGrids(Operation *root);

/// The block that holds as many parts, which follow each other along dimension
/// `walk` of its array.
BlockMappingAttr growMapping(BlockMappingAttr mapping, unsigned walk,
                             int64_t factor);

/// How many dimensions took which form, and how many branches of the first or
/// last part left a loop over parts.
struct CoarsenedDims {
  unsigned numGrown = 0, numLoops = 0, numRefused = 0, numSplit = 0;
  /// Why steps stay apart or became a loop, for remarks.
  SmallVector<JoinObstacle> remarks;
};

struct CoarsenOptions {
  /// Whether sums may be added up in another order, and whether a remark is to
  /// tell where that would help.
  bool reassociate = false, tellReassociation = false;
  /// For each dimension the join by a smaller coarsening factor. Blocks that
  /// did not grow then are not tried again.
  ArrayRef<StepJoin> known;
  /// For each dimension the analysis of the kernel that led to the known join,
  /// if there is one. The first dimension that grows uses it, and the others
  /// are outdated then, since the kernel changes.
  MutableArrayRef<std::unique_ptr<GrownBody>> bodies;
  /// The results of index maps, if they were found before. They hold for the
  /// first dimension that grows.
  IndexTables *tables = nullptr;
};

/// Joins steps of a call or a pipeline by a coarsening factor for each
/// dimension of its grid, none more than its size. Dimensions whose steps stay
/// apart are left as they are.
CoarsenedDims coarsenGrid(GridMappingOpInterface grid,
                          ArrayRef<int64_t> factors,
                          const CoarsenOptions &options);

/// The inverse: splits the block of the first output of a call along dimension
/// `dim` of its array, and the other blocks with it. Each part is a step of its
/// own, in a new first dimension of the grid. Returns why blocks stay whole.
std::optional<JoinObstacle> splitBlocks(PallasCallOp call, unsigned dim,
                                        int64_t numParts);

} // namespace mlir::pallas

#endif // PALLAS_DIALECT_PALLAS_TRANSFORMS_COARSENGRID_H
