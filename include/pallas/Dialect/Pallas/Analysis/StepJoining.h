//===- StepJoining.h - Which steps of a grid may become one -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Consecutive steps of a grid dimension become the parts of one step. A
// choice of coarsening factors begins here: which are legal, in which form, and
// why not.
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_PALLAS_ANALYSIS_STEPJOINING_H
#define PALLAS_DIALECT_PALLAS_ANALYSIS_STEPJOINING_H

#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include <string>

namespace mlir::pallas {
class GrownBody;
class IndexTables;

/// The reason why steps stay apart, and where it is.
struct JoinObstacle {
  Location loc;
  std::string why;
};

/// How the kernel computes on the parts of a step, best last.
enum class JoinForm {
  /// Steps stay as they are.
  None,
  /// A loop runs the body on one part after the other.
  Loop,
  /// The body runs once, on blocks that hold all parts.
  Grow,
};

/// How to join several consecutive steps of grid dimension `dim`.
struct StepJoin {
  unsigned dim = 0;
  int64_t factor = 1;
  JoinForm form = JoinForm::None;
  /// For each block, inputs first: the dimension of the array along which the
  /// windows of the parts follow each other; none where all parts share one.
  SmallVector<std::optional<unsigned>> walks;
  /// The dimensions behind run in between, so that each part needs scratch
  /// memory for itself.
  bool isOuter = false;
  /// Whether windows move by ids alone, so that any coarsening factor that
  /// divides the dimension has the same windows.
  bool movesById = true;
  /// Why no form is allowed, and why the block can't grow.
  std::optional<JoinObstacle> obstacle, growObstacle;
  /// Whether blocks grow along sums, which are added up in another order, or
  /// would grow so if the order didn't matter.
  bool reassociates = false, wouldReassociate = false;
};

/// Which forms are looked for. Blocks that are known not to grow need not be
/// tried again.
struct JoinOptions {
  bool mayGrow = true;
  /// Whether sums may be added up in another order.
  bool reassociate = false;
  /// Whether to find out if that made a difference.
  bool tellReassociation = false;
};

/// Decides the best form. A coarsening factor that doesn't divide the dimension
/// leaves a last step of fewer parts. Where blocks grow, `grown` gets the
/// analysis of the body.
StepJoin analyzeStepJoin(GridMappingOpInterface grid, unsigned dim,
                         int64_t factor,
                         std::unique_ptr<GrownBody> *grown = nullptr,
                         JoinOptions options = {});

/// The first half of that, which looks at no operation of the kernel: where
/// windows of the parts follow each other, or an obstacle. The second half
/// decides the form.
StepJoin analyzeJoinedWindows(GridMappingOpInterface grid, unsigned dim,
                              int64_t factor);
StepJoin analyzeJoinedWindows(GridMappingOpInterface grid, unsigned dim,
                              int64_t factor, IndexTables &tables);
/// For another coarsening factor than the known one.
StepJoin analyzeJoinedWindows(GridMappingOpInterface grid,
                              const StepJoin &known, int64_t factor,
                              IndexTables &tables);
/// For all dimensions at once; those whose coarsening factor is 1 are left out.
SmallVector<StepJoin> analyzeJoinedWindows(GridMappingOpInterface grid,
                                           ArrayRef<int64_t> factors,
                                           IndexTables &tables);
StepJoin analyzeJoinedBody(GridMappingOpInterface grid, StepJoin windows,
                           std::unique_ptr<GrownBody> *grown = nullptr,
                           JoinOptions options = {});

/// The dimension of the ref of a block that is this dimension of its array;
/// none where the kernel doesn't see it.
std::optional<unsigned> getRefDimension(BlockMappingAttr mapping,
                                        unsigned arrayDim);

/// The position of dimension `arrayDim` among the results of an index map.
unsigned getResultPosition(BlockMappingAttr mapping, unsigned arrayDim);

/// An output that shares memory with an operand whose windows, of which parts
/// follow each other along the dimensions `walks`, are not those of the output.
std::optional<int64_t>
findAliasOfOtherParts(GridMappingOpInterface grid,
                      ArrayRef<std::optional<unsigned>> walks);

/// Whether a kernel overwrites all of `ref` before it reads any of it in every
/// step in which the ids behind grid dimension `dim` are zero; without one, in
/// the first step.
bool isOverwrittenAtStart(GridMappingOpInterface grid,
                          std::optional<unsigned> dim, Value ref);

} // namespace mlir::pallas

#endif // PALLAS_DIALECT_PALLAS_ANALYSIS_STEPJOINING_H
