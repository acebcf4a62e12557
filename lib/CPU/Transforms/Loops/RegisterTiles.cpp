//===- RegisterTiles.cpp - Squares of elements in registers ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file transposes squares of elements in registers.
//
//===----------------------------------------------------------------------===//

#include "RegisterTiles.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::pallas;

/// The elements of `lhs` and `rhs` in turns: from the first half of both, or
/// from the second.
///
///   %1 = vector.shuffle %lhs, %rhs [0, 4, 1, 5] : vector<4xf32>, vector<4xf32>
static Value interleave(OpBuilder &b, Location loc, Value lhs, Value rhs,
                        bool second) {
  int64_t lanes = cast<VectorType>(lhs.getType()).getNumElements();
  SmallVector<int64_t> order;
  for (int64_t i = 0; i < lanes / 2; ++i) {
    int64_t lane = i + (second ? lanes / 2 : 0);
    order.append({lane, lanes + lane});
  }
  return vector::ShuffleOp::create(b, loc, lhs, rhs, order);
}

/// Interleaving rows i and i + n/2 exchanges one bit of the row number with one
/// of the lane number, so log2(n) stages exchange all of them.
SmallVector<Value> cpu::transposeTile(OpBuilder &b, Location loc,
                                      SmallVector<Value> rows) {
  size_t size = rows.size();
  for (size_t stage = 1; stage < size; stage *= 2) {
    SmallVector<Value> next;
    for (size_t i = 0; i < size / 2; ++i)
      for (bool second : {false, true})
        next.push_back(interleave(b, loc, rows[i], rows[i + size / 2], second));
    rows = std::move(next);
  }
  return rows;
}
