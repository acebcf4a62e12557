//===- RegisterTiles.cpp - Squares of elements in registers ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegisterTiles.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::pallas;

/// The elements of `lhs` and `rhs` in turns: from the first half of both, or
/// from the second.
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
