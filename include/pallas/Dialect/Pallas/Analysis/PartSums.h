//===- PartSums.h - Sums over the parts of a step ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_PALLAS_ANALYSIS_PARTSUMS_H
#define PALLAS_DIALECT_PALLAS_ANALYSIS_PARTSUMS_H

#include "pallas/Dialect/Pallas/Analysis/GrownBody.h"
#include "pallas/Dialect/Pallas/Analysis/PartConditions.h"

namespace mlir::pallas {

/// Finds the sums that a kernel adds up from part to part in a ref that all
/// parts share. One contraction over all parts adds the same in another order:
///
///   scf.if %first { pallas.swap %acc[...], %zeros }
///   %s = pallas.dot_general %x, %w acc %before contract [1] x [0]
///   pallas.swap %acc[...], %s
///   scf.if %last { pallas.swap %o[...], ... }
///
/// `%x` and `%w` hold the parts along the dimensions that are contracted.
class PartSums {
public:
  PartSums(GridMappingOpInterface grid, const StepJoin &join, GrownBody &body)
      : grid(grid), join(join), body(body) {}

  /// Whether a body may add up the parts of such a join at all. It looks at no
  /// operation.
  static bool mayJoin(GridMappingOpInterface grid, const StepJoin &join);

  /// Fails without such a sum, and where a branch of the first or the last part
  /// would have to run between the accesses of all parts.
  LogicalResult analyze();

  bool isSum(Operation *write) const { return sums.contains(write); }
  /// Whether an operation is, or is in, a branch of the first or last part.
  bool isAtEnd(Operation *op) const { return getEnd(op).has_value(); }
  const llvm::MapVector<Operation *, TakenPart> &getLastBranches() const {
    return lastBranches;
  }
  ArrayRef<std::pair<OpOperand *, unsigned>> getOperands() const {
    return operands;
  }

private:
  /// Where in the kernel a ref is touched.
  struct Touches {
    bool isWritten = false;
    unsigned endOfFirst = 0, startOfLast = ~0u;
    unsigned start = ~0u, end = 0;

    void addPlace(unsigned place) {
      start = std::min(start, place);
      end = std::max(end, place);
    }
  };

  std::optional<PartEnd> getEnd(Operation *op) const;
  void findBranches();
  bool addsUp(Operation *write);
  bool addsUpInPlace(RefAccessOpInterface write, Value sum);
  bool isLastUse(Operation *user) const;
  bool isPartial(Value value);
  bool isJoined(Operation *op);
  bool addOperands(ArrayRef<std::pair<OpOperand *, unsigned>> grown);
  LogicalResult checkOrder();

  GridMappingOpInterface grid;
  StepJoin join;
  GrownBody &body;
  llvm::DenseMap<Operation *, PartEnd> ends;
  llvm::MapVector<Operation *, TakenPart> lastBranches;
  /// The writes of sums, and the reads of the sums of earlier parts.
  llvm::DenseSet<Operation *> sums, reads;
  /// Operands of contractions and reductions, with the dimension that holds the
  /// parts.
  SmallVector<std::pair<OpOperand *, unsigned>> operands;
};

} // namespace mlir::pallas

#endif // PALLAS_DIALECT_PALLAS_ANALYSIS_PARTSUMS_H
