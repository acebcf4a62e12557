//===- CutChains.cpp - Values that share memory, in bounded number --------===//
//
// The analysis of bufferization keeps sets of values that may share memory, and
// takes time that grows with the square of their size. A branch, a loop or an
// update of a part joins its result with what it takes, so a chain of them is
// one set. Every now and then a copy starts another one.
//
//===----------------------------------------------------------------------===//

#include "CutChains.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

using namespace mlir;
using namespace mlir::pallas;

/// How many operations with results that may share memory go between copies.
static constexpr int64_t chainSize = 256;

static bool isTensor(Value value) {
  return isa<RankedTensorType>(value.getType());
}

/// How many values `op` adds to the sets.
static int64_t getWeight(Operation *op) {
  int64_t weight = 0;
  op->walk([&](Operation *nested) {
    bool joins = nested->getNumRegions() != 0 ||
                 isa<DestinationStyleOpInterface>(nested);
    weight += joins && llvm::any_of(nested->getResults(), isTensor);
  });
  return weight;
}

/// Lets what stands behind `last` use copies of these values.
static void copyBehind(Operation *last, ArrayRef<Value> values) {
  Block *block = last->getBlock();
  OpBuilder builder(last->getContext());
  builder.setInsertionPointAfter(last);
  for (Value value : values) {
    auto isBehind = [&](OpOperand &use) {
      Operation *top = block->findAncestorOpInBlock(*use.getOwner());
      return top && last->isBeforeInBlock(top);
    };
    if (!llvm::any_of(value.getUses(), isBehind))
      continue;
    auto copy = bufferization::AllocTensorOp::create(
        builder, last->getLoc(), cast<RankedTensorType>(value.getType()),
        ValueRange(), value);
    value.replaceUsesWithIf(copy.getResult(), [&](OpOperand &use) {
      return use.getOwner() != copy && isBehind(use);
    });
  }
}

static void cutBlock(Block &block) {
  SmallVector<Value> values;
  int64_t weight = 0;
  for (Operation &op : llvm::make_early_inc_range(block.without_terminator())) {
    weight += getWeight(&op);
    llvm::copy_if(op.getResults(), std::back_inserter(values), isTensor);
    if (weight < chainSize)
      continue;
    copyBehind(&op, values);
    values.clear();
    weight = 0;
  }
}

void pallas::cutChains(func::FuncOp func) {
  if (getWeight(func) < 2 * chainSize)
    return;
  func.walk([](Block *block) {
    if (block->mightHaveTerminator())
      cutBlock(*block);
  });
}
