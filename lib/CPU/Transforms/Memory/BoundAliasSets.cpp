//===- BoundAliasSets.cpp - Values that share memory, in bounded number ---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has the pass pallas-cpu-bound-alias-sets. The analysis of
// bufferization keeps sets of values that may share memory, and takes time that
// grows with the square of their size, and of the number of uses of one value.
// A branch, a loop or an update of a part puts its result into the set of its
// operands, so a chain of them is one set. At intervals a copy starts a new
// set:
//   %64 = tensor.insert_slice %s into %63[%i] [1] [1] : ...
// becomes
//   %64 = tensor.insert_slice %s into %63[%i] [1] [1] : ...
//   %copy = bufferization.alloc_tensor() copy(%64) : tensor<1024xf32>
// with later uses of %64 replaced. The result is the same; only its memory is
// another.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "pallas/CPU/Transforms/Passes.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASCPUBOUNDALIASSETS
#include "pallas/CPU/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

/// How many operations with results that may share memory go between copies.
static constexpr int64_t chainSize = 64;
/// An update of a part counts as so many: what is read and what is written are
/// traced back through all earlier ones.
static constexpr int64_t insertWeight = 4;

/// Only ranked tensors get memory.
static bool isTensor(Value value) {
  return isa<RankedTensorType>(value.getType());
}

/// How many values `op` adds to the sets.
static int64_t getWeight(Operation *op) {
  int64_t weight = 0;
  op->walk([&](Operation *nested) {
    bool joins = nested->getNumRegions() != 0 ||
                 isa<DestinationStyleOpInterface>(nested);
    if (joins && llvm::any_of(nested->getResults(), isTensor))
      weight += isa<tensor::InsertSliceOp>(nested) ? insertWeight : 1;
  });
  return weight;
}

/// Lets all uses behind `last` use copies of these values.
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

/// Cuts a block where the weight since the last cut reaches the limit.
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

/// Splits the uses of a value into groups that read a copy under different
/// names:
///
///   %memory = bufferization.to_buffer %copy read_only : tensor<8xf32> to ...
///   %1 = bufferization.to_tensor %memory restrict : memref<8xf32> to ...
///   %2 = bufferization.to_tensor %memory restrict : memref<8xf32> to ...
///
/// Nothing may write through these, so the analysis need not compare one group
/// with another.
static void splitUses(Value value,
                      const DenseMap<Operation *, int64_t> &positions) {
  SmallVector<OpOperand *> uses(
      llvm::map_range(value.getUses(), [](OpOperand &use) { return &use; }));
  llvm::sort(uses, [&](OpOperand *a, OpOperand *b) {
    return positions.lookup(a->getOwner()) < positions.lookup(b->getOwner());
  });
  OpBuilder builder(value.getContext());
  builder.setInsertionPointAfterValue(value);
  Location loc = value.getLoc();
  auto type = cast<RankedTensorType>(value.getType());
  auto memoryType = MemRefType::get(type.getShape(), type.getElementType());
  Operation *constant = value.getDefiningOp();
  bool isConstant = constant && constant->hasTrait<OpTrait::ConstantLike>();
  Value memory;
  if (!isConstant) {
    Value copy = bufferization::AllocTensorOp::create(builder, loc, type,
                                                      ValueRange(), value);
    memory = bufferization::ToBufferOp::create(builder, loc, memoryType, copy,
                                               /*read_only=*/true);
  }
  for (auto [i, use] : llvm::enumerate(uses)) {
    if (i % chainSize == 0) {
      if (isConstant)
        value = builder.clone(*constant)->getResult(0);
      else
        value = bufferization::ToTensorOp::create(builder, loc, type, memory,
                                                  /*restrict=*/true);
    }
    use->set(value);
  }
}

/// The same for values that are used all over a function.
static void splitManyUses(func::FuncOp func) {
  DenseMap<Operation *, int64_t> positions;
  SmallVector<Value> values;
  auto collect = [&](ValueRange candidates) {
    llvm::copy_if(candidates, std::back_inserter(values), [](Value value) {
      return isTensor(value) && value.hasNUsesOrMore(2 * chainSize) &&
             !value.getDefiningOp<tensor::EmptyOp>();
    });
  };
  func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    positions[op] = positions.size();
    collect(op->getResults());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        collect(block.getArguments());
  });
  for (Value value : values)
    splitUses(value, positions);
}

namespace {
struct BoundAliasSets
    : public pallas::impl::PallasCPUBoundAliasSetsBase<BoundAliasSets> {
  void runOnOperation() override {
    func::FuncOp func = getOperation();
    splitManyUses(func);
    // Short functions stay as they are, so that their copies are left to the
    // analysis.
    if (getWeight(func) < 2 * chainSize)
      return;
    func.walk([](Block *block) {
      if (block->mightHaveTerminator())
        cutBlock(*block);
    });
  }
};
} // namespace
