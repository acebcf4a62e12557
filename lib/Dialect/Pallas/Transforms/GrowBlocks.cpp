//===- GrowBlocks.cpp - Kernels on blocks of several steps ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations on values are cloned with larger results, in front of those that
// write to memory or carry values on, which change in place:
//
//   %s = arith.addf %x, %y : tensor<8x128xf32>
// becomes
//   %s = arith.addf %x, %y : tensor<32x128xf32>
//
// On parts of blocks they get smaller results, in the same way.
//
//===----------------------------------------------------------------------===//

#include "GrowBlocks.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "pallas/Dialect/Pallas/Analysis/PartSums.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::pallas;

namespace {
class BlockGrower {
public:
  BlockGrower(GridMappingOpInterface grid, const StepJoin &join,
              GrownBody &body)
      : grid(grid), dim(join.dim), factor(join.factor), body(body) {}
  /// For parts of blocks, which are a `numParts`-th of them.
  BlockGrower(GridMappingOpInterface grid, int64_t numParts, Value part,
              GrownBody &body)
      : grid(grid), factor(numParts), part(part), body(body) {}

  void run();

private:
  void collect(Operation *op);
  void moveToLastPart(scf::IfOp branch, bool isAlways);
  void collectRegionValues(Operation *op);
  Value get(Value value, unsigned dim);
  Value getExact(Value value, unsigned dim);
  Value clone(Value value, unsigned dim, const GrownValue &form);
  Value addStart(IotaOp iota);
  int64_t resize(int64_t size) { return part ? size / factor : size * factor; }
  Type grow(Type type, unsigned dim);
  void growLater(Value value, std::optional<unsigned> dim) {
    if (dim)
      types.push_back({value, *dim});
  }

  GridMappingOpInterface grid;
  unsigned dim = 0;
  int64_t factor;
  /// The number of the part; null where blocks grow.
  Value part;
  GrownBody &body;
  llvm::DenseMap<std::pair<Value, unsigned>, Value> grown;
  /// These change when all values are there: types, parts of refs that are
  /// accessed, operands.
  SmallVector<std::pair<Value, unsigned>> types;
  SmallVector<std::pair<RefAccessOpInterface, unsigned>> accesses;
  SmallVector<std::pair<OpOperand *, unsigned>> operands;
};
} // namespace

/// Refs and tensors grow alike.
Type BlockGrower::grow(Type type, unsigned dim) {
  auto shaped = cast<ShapedType>(type);
  SmallVector<int64_t> shape(shaped.getShape());
  shape[dim] = resize(shape[dim]);
  if (auto ref = dyn_cast<RefType>(type))
    return ref.withShape(shape);
  return shaped.clone(shape);
}

/// Copies an operation, behind it, with a result that holds all parts.
Value BlockGrower::clone(Value value, unsigned dim, const GrownValue &form) {
  Operation *op = value.getDefiningOp();
  SmallVector<Value> replaced;
  for (auto [operand, operandDim] :
       llvm::zip_equal(op->getOperands(), form.operandDims)) {
    Value other = operand;
    if (operandDim)
      other = form.takesExact ? getExact(operand, *operandDim)
                              : get(operand, *operandDim);
    replaced.push_back(other);
  }
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  Operation *copy = builder.clone(*op);
  copy->setOperands(replaced);
  for (auto [result, original] :
       llvm::zip_equal(copy->getResults(), op->getResults())) {
    result.setType(grow(original.getType(), dim));
    grown[{original, dim}] = result;
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(copy))
    constant.setValueAttr(
        cast<DenseElementsAttr>(constant.getValue())
            .resizeSplat(cast<ShapedType>(copy->getResult(0).getType())));
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(copy)) {
    SmallVector<int64_t> sizes(slice.getStaticSizes());
    sizes[dim] = resize(sizes[dim]);
    slice.setStaticSizes(sizes);
  }
  if (auto iota = dyn_cast<IotaOp>(copy);
      iota && part && iota.getDimension() == dim)
    grown[{value, dim}] = addStart(iota);
  return grown[{value, dim}];
}

/// Numbers of rows count from the start of the whole block:
///
///   %i = pallas.iota 0 : tensor<32xi32>      of tensor<128xi32>
///   %start = arith.muli %part, %c32
///   %rows = arith.addi %i, %start_of_all
Value BlockGrower::addStart(IotaOp iota) {
  OpBuilder builder(iota->getContext());
  builder.setInsertionPointAfter(iota);
  Location loc = iota.getLoc();
  auto type = cast<RankedTensorType>(iota.getType());
  Value size = arith::ConstantOp::create(
      builder, loc,
      builder.getI32IntegerAttr(type.getDimSize(iota.getDimension())));
  Value start = arith::MulIOp::create(builder, loc, part, size);
  unsigned width = type.getElementTypeBitWidth();
  if (width < 32)
    start = arith::TruncIOp::create(builder, loc, type.getElementType(), start);
  else if (width > 32)
    start = arith::ExtSIOp::create(builder, loc, type.getElementType(), start);
  Value starts = BroadcastOp::create(builder, loc, type, start,
                                     /*dimensions=*/ArrayRef<int64_t>());
  return arith::AddIOp::create(builder, loc, iota, starts);
}

/// Memoized: a value with many users is cloned once per dimension.
Value BlockGrower::get(Value value, unsigned dim) {
  if (Value known = grown.lookup({value, dim}))
    return known;
  const GrownValue *form = body.grow(value, dim);
  assert(form && "the analysis has asked for this value");
  // Reads and what loops carry change their types in place.
  if (body.hasFixedForm(value))
    return value;
  return clone(value, dim, *form);
}

/// Takes out what elements of part `j` are off by:
///
///   %rows = pallas.iota 0 : tensor<32x128xi32>
///   %j = arith.shrui %rows, %c3
///   %exact = arith.subi %v, %excess_times_j
Value BlockGrower::getExact(Value value, unsigned dim) {
  Value all = get(value, dim);
  const GrownValue &form = *body.grow(value, dim);
  if (form.excess == 0)
    return all;
  OpBuilder builder(all.getContext());
  builder.setInsertionPointAfterValue(all);
  Location loc = value.getLoc();
  auto type = cast<RankedTensorType>(grow(value.getType(), dim));
  auto rowType = type.clone(builder.getI32Type());
  auto splat = [&](RankedTensorType of, int64_t number) -> Value {
    unsigned width = of.getElementTypeBitWidth();
    return arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(of, APInt(width, number, /*isSigned=*/true,
                                         /*implicitTrunc=*/true)));
  };
  Value part = IotaOp::create(builder, loc, rowType, dim);
  if (form.partSize != 1)
    part = arith::ShRUIOp::create(builder, loc, part,
                                  splat(rowType, llvm::Log2_64(form.partSize)));
  unsigned width = type.getElementTypeBitWidth();
  if (width < 32)
    part = arith::TruncIOp::create(builder, loc, type, part);
  else if (width > 32)
    part = arith::ExtSIOp::create(builder, loc, type, part);
  Value excess =
      arith::MulIOp::create(builder, loc, part, splat(type, form.excess));
  return arith::SubIOp::create(builder, loc, all, excess);
}

/// Results, arguments and what is yielded change types together, at the end.
void BlockGrower::collectRegionValues(Operation *op) {
  for (OpResult result : op->getResults()) {
    std::optional<unsigned> dim = body.getNaturalDim(result);
    if (!dim)
      continue;
    unsigned index = result.getResultNumber();
    growLater(result, dim);
    for (Region &region : op->getRegions())
      operands.push_back(
          {&region.front().getTerminator()->getOpOperand(index), *dim});
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      operands.push_back({&loop.getInitArgsMutable()[index], *dim});
      growLater(loop.getRegionIterArg(index), dim);
    }
  }
}

/// Only remembers what has to change: changing types during the walk would
/// confuse the analysis, which still asks for the old ones.
void BlockGrower::collect(Operation *op) {
  if (isa<scf::ForOp, scf::IfOp>(op))
    return collectRegionValues(op);
  if (auto scope = dyn_cast<RunScopedOp>(op))
    for (BlockArgument argument : scope.getBody().getArguments())
      growLater(argument, body.getRefDim(argument));
  auto access = dyn_cast<RefAccessOpInterface>(op);
  if (!access)
    return;
  auto dims = body.getAccessedDims(access);
  if (!dims)
    return;
  accesses.push_back({access, dims->first});
  for (Value result : op->getResults())
    growLater(result, dims->second);
  for (OpOperand &operand :
       op->getOpOperands().drop_front(1 + access.getIndices().size()))
    operands.push_back({&operand, dims->second});
}

/// Lets the condition of a branch ask for the last part of the step. One that
/// is always taken goes.
void BlockGrower::moveToLastPart(scf::IfOp branch, bool isAlways) {
  if (isAlways) {
    Block *block = branch.thenBlock();
    branch->getBlock()->getOperations().splice(
        branch->getIterator(), block->getOperations(), block->begin(),
        block->getTerminator()->getIterator());
    branch.erase();
    return;
  }
  llvm::SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.filter = [&](Operation *op) { return grid->isProperAncestor(op); };
  (void)getBackwardSlice(branch.getCondition(), &slice, options);
  llvm::DenseMap<Value, unsigned> ids = findGridIds(grid);
  OpBuilder builder(branch);
  IRMapping mapping;
  for (Operation *op : slice) {
    auto id = op->getNumResults() == 1 ? ids.find(op->getResult(0)) : ids.end();
    if (id != ids.end() && id->second == dim) {
      Value first = op->getResult(0);
      Value last = arith::ConstantOp::create(
          builder, op->getLoc(),
          builder.getIntegerAttr(first.getType(), factor - 1));
      mapping.map(first,
                  arith::AddIOp::create(builder, op->getLoc(), first, last));
    } else if (llvm::any_of(op->getOperands(), [&](Value operand) {
                 return mapping.contains(operand);
               })) {
      builder.clone(*op, mapping);
    }
  }
  branch.getConditionMutable().assign(mapping.lookup(branch.getCondition()));
}

/// Values first, then accesses, and types last. The originals have no uses
/// then.
void BlockGrower::run() {
  Region &kernel = grid.getKernelRegion();
  for (BlockArgument argument : kernel.getArguments())
    if (isa<RefType>(argument.getType()))
      growLater(argument, body.getRefDim(argument));
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != grid.getOperation())
      collect(op);
  });
  if (const PartSums *sums = body.getSums()) {
    llvm::append_range(operands, sums->getOperands());
    for (auto [branch, taken] : sums->getLastBranches())
      moveToLastPart(cast<scf::IfOp>(branch), taken.isAlways);
  }
  for (auto [operand, dim] : operands)
    operand->set(getExact(operand->get(), dim));
  for (auto [access, dim] : accesses) {
    auto entries = llvm::to_vector(access.getIndexer().getEntries());
    if (entries.empty())
      continue;
    entries[dim] = DimIndex::full();
    access->setAttr("indexer", IndexerAttr::get(access.getContext(), entries));
  }
  for (auto [value, dim] : types)
    value.setType(grow(value.getType(), dim));
  // The originals of clones are dead now.
  SmallVector<Operation *> all;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) { all.push_back(op); });
  for (Operation *op : llvm::reverse(all))
    if (!op->getNumRegions() && isOpTriviallyDead(op))
      op->erase();
}

void pallas::growBlocks(GridMappingOpInterface grid, const StepJoin &join,
                        GrownBody &body) {
  BlockGrower(grid, join, body).run();
}

void pallas::shrinkBlocks(GridMappingOpInterface grid, int64_t numParts,
                          Value part, GrownBody &body) {
  BlockGrower(grid, numParts, part, body).run();
}
