//===- AccumulatorReads.cpp - Reads of products under way -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The value of a product may be read when the product has been waited for:
//   %v = pallas.wgmma %acc, %a, %b : ...
//   %r = arith.addf %v, %w
// Values have no memory that the checker could watch. So products get numbers,
// and checks tell which products a read is of:
//   pallas.check_product reads %a, %b number 1 ...
//   %v = pallas.wgmma %acc, %a, %b : ...
//   pallas.check_accumulator [1]
//   %r = arith.addf %v, %w
//
//===----------------------------------------------------------------------===//

#include "AccumulatorReads.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "pallas/Dialect/Pallas/IR/CheckOps.h"

using namespace mlir;
using namespace mlir::pallas;

namespace {

/// Follows a value back to the products that may have made it, through loops
/// and branches.
class ProductSearch {
public:
  ProductSearch(Operation *reader, const ProductNumbers &products)
      : reader(reader), products(products) {}

  void visit(Value value);
  ArrayRef<int64_t> getFound() const { return found.getArrayRef(); }

private:
  void visitArgument(BlockArgument argument);
  void visitNextStep(Operation *loop, Value yielded);
  bool isCountable(Operation *product) const;
  bool isOfStepBefore(Operation *product) const;

  Operation *reader;
  const ProductNumbers &products;
  DenseSet<Value> visited;
  /// Loops of which the value comes from an earlier step.
  SmallVector<Operation *> crossed;
  llvm::SetVector<int64_t> found;
};

} // namespace

/// Whether it is known which run of the product the value is of: the last one,
/// or the one of the step before. That is not so behind several steps, nor for
/// a product that runs several times in a step.
bool ProductSearch::isCountable(Operation *product) const {
  return crossed.empty() ||
         (crossed.size() == 1 && isa<scf::ForOp>(crossed.front()) &&
          product->getParentOfType<LoopLikeOpInterface>() == crossed.front());
}

/// Whether the product has run once more, for a later step, when the reader
/// comes:
///   scf.for ... iter_args(%before = %first) {
///     %next = pallas.wgmma ...        a product of this step
///     arith.addf %sum, %before        reads that of the step before
///     scf.yield %next
///   }
bool ProductSearch::isOfStepBefore(Operation *product) const {
  return llvm::any_of(crossed, [&](Operation *loop) {
    for (Region &region : loop->getRegions()) {
      Operation *start = region.findAncestorOpInRegion(*product);
      Operation *end = region.findAncestorOpInRegion(*reader);
      if (start && end && start->isBeforeInBlock(end))
        return true;
    }
    return false;
  });
}

/// A value that the step before has yielded.
void ProductSearch::visitNextStep(Operation *loop, Value yielded) {
  crossed.push_back(loop);
  visit(yielded);
  crossed.pop_back();
}

/// Arguments of loops come from ahead of the loop, or from the step before.
void ProductSearch::visitArgument(BlockArgument argument) {
  Operation *parent = argument.getOwner()->getParentOp();
  unsigned number = argument.getArgNumber();
  if (auto loop = dyn_cast<scf::ForOp>(parent)) {
    if (argument == loop.getInductionVar())
      return;
    visit(loop.getTiedLoopInit(argument)->get());
    visitNextStep(loop, loop.getTiedLoopYieldedValue(argument)->get());
  } else if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
    if (argument.getOwner() == loop.getBeforeBody()) {
      visit(loop.getInits()[number]);
      visitNextStep(loop, loop.getYieldedValues()[number]);
    } else {
      visit(loop.getConditionOp().getArgs()[number]);
    }
  }
}

/// Other operations end the search: they yield values that are computed
/// already.
void ProductSearch::visit(Value value) {
  if (!isa<RankedTensorType>(value.getType()) || !visited.insert(value).second)
    return;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return visitArgument(argument);
  Operation *op = value.getDefiningOp();
  unsigned number = cast<OpResult>(value).getResultNumber();
  if (auto product = dyn_cast<WGMMAOp>(op)) {
    int64_t number = products.lookup(product);
    if (isCountable(product))
      found.insert(isOfStepBefore(product) ? -number : number);
  } else if (isa<AccumulatorDerefOp, tensor::ExtractSliceOp>(op)) {
    visit(op->getOperand(0));
  } else if (auto insert = dyn_cast<tensor::InsertSliceOp>(op)) {
    visit(insert.getSource());
    visit(insert.getDest());
  } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
    visit(loop.getInitArgs()[number]);
    visit(loop.getYieldedValues()[number]);
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    visit(loop.getConditionOp().getArgs()[number]);
  } else if (isa<scf::IfOp, scf::IndexSwitchOp, RunScopedOp>(op)) {
    for (Region &region : op->getRegions())
      if (!region.empty())
        visit(region.front().getTerminator()->getOperand(number));
  }
}

/// Whether the operation hands the operand on without a look at it. So do the
/// slices of a product that adds to some columns of an accumulator.
static bool forwards(OpOperand &use) {
  Operation *op = use.getOwner();
  if (auto product = dyn_cast<WGMMAOp>(op))
    return &use == &product.getAccMutable();
  return op->hasTrait<OpTrait::IsTerminator>() ||
         isa<scf::ForOp, scf::WhileOp, AccumulatorDerefOp, AccumulatorStoreOp,
             tensor::ExtractSliceOp, tensor::InsertSliceOp>(op);
}

ProductNumbers mlir::pallas::numberProducts(ModuleOp module) {
  ProductNumbers numbers;
  module.walk([&](WGMMAOp op) { numbers.insert({op, numbers.size() + 1}); });
  return numbers;
}

void mlir::pallas::checkAccumulatorReads(ModuleOp module,
                                         const ProductNumbers &numbers) {
  if (numbers.empty())
    return;
  SmallVector<OpOperand *> reads;
  module.walk([&](Operation *op) {
    for (OpOperand &use : op->getOpOperands())
      if (isa<RankedTensorType>(use.get().getType()) && !forwards(use))
        reads.push_back(&use);
  });
  OpBuilder b(module.getContext());
  for (OpOperand *use : reads) {
    Operation *reader = use->getOwner();
    ProductSearch search(reader, numbers);
    search.visit(use->get());
    if (search.getFound().empty())
      continue;
    b.setInsertionPoint(reader);
    CheckAccumulatorOp::create(b, reader->getLoc(), search.getFound());
  }
}
