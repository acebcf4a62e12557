//===- RowLoop.h - A loop over the rows of operations -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file declares what ShareRows.cpp and InterchangeRows.cpp share: which
// operations on memory run row by row, and the parts of them for one row.
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CPU_TRANSFORMS_LOOPS_ROWLOOP_H
#define PALLAS_LIB_CPU_TRANSFORMS_LOOPS_ROWLOOP_H

#include "LoopGroups.h"
#include "SharedLoop.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::pallas::cpu {

/// An operation that can run row by row.
struct RowMember {
  linalg::LinalgOp op;
  SmallVector<MemoryUse> uses;
  /// The loop that goes through rows, and how many there are.
  unsigned rowDim;
  int64_t numRows;
  /// Whether the rows were to be the lanes of vectors.
  bool losesVectors;
  int64_t numIterations;
};

/// Operations that share a loop over rows.
class RowGroup {
public:
  /// Adds a member, unless rows of it and of others would not be independent.
  bool add(const RowMember &member);

  ArrayRef<RowMember> getMembers() const { return members; }
  const LoopMemory &getMemory() const { return memory; }
  int64_t getNumRows() const { return members.front().numRows; }

private:
  SmallVector<RowMember, 0> members;
  LoopMemory memory;
};

/// The dimension of memory that goes through rows. The result is null if it
/// does so in a way that no part of the memory is a row.
FailureOr<std::optional<unsigned>> findRowPosition(AffineMap map,
                                                   unsigned rowDim);

/// `op` as a member, if it can run row by row. Rows are along the first
/// dimension of the first output, the outermost one in memory.
std::optional<RowMember> getRowMember(linalg::LinalgOp op, int64_t vectorBits,
                                      bool allowsDynamic = false);

/// Replaces the operations of `group` by their parts for row `row`, at the
/// insertion point of `rewriter`.
void emitRow(RewriterBase &rewriter, const RowGroup &group, Value row);

} // namespace mlir::pallas::cpu

#endif // PALLAS_LIB_CPU_TRANSFORMS_LOOPS_ROWLOOP_H
