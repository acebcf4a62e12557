//===- IndexRanges.h - The values that an index may have --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_DIALECT_PALLAS_IR_INDEXRANGES_H
#define PALLAS_LIB_DIALECT_PALLAS_IR_INDEXRANGES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"

namespace mlir::pallas {

/// The values that an integer may have, as far as its computation tells
/// without a fixed point: what loops carry may be anything.
class IndexRanges {
public:
  /// Takes the conditions under which `op` runs into account from now on.
  /// Returns whether one may narrow a range that was asked for before.
  bool learnConditions(Operation *op);

  ConstantIntRanges get(Value value, unsigned depth = 16);

private:
  /// A comparison with a constant that holds.
  struct Fact {
    Value value;
    arith::CmpIPredicate predicate;
    APInt bound;
  };

  void learn(Value condition, bool holds);
  ConstantIntRanges compute(Value value, unsigned width, unsigned depth);
  ConstantIntRanges computeCounter(BlockArgument argument, unsigned width,
                                   unsigned depth);
  ConstantIntRanges get(OpFoldResult bound, unsigned width, unsigned depth);

  llvm::SmallDenseMap<Value, ConstantIntRanges, 16> ranges;
  SmallVector<Fact> facts;
};

} // namespace mlir::pallas

#endif // PALLAS_LIB_DIALECT_PALLAS_IR_INDEXRANGES_H
