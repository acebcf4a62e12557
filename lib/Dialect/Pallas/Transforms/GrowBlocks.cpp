//===- GrowBlocks.cpp - Kernels on blocks of several steps ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations get larger results:
//
//   %s = arith.addf %x, %y : tensor<8x128xf32>
// becomes
//   %s = arith.addf %x, %y : tensor<32x128xf32>
//
// An operation changes in place if all users take the larger result. Others are
// cloned, as a constant that two values of different size use:
//
//   %c = arith.constant dense<1.0> : tensor<8x128xf32>     for what is not
//   grown %g = arith.constant dense<1.0> : tensor<32x128xf32>
//
// On parts of blocks operations get smaller results, in the same way.
//
//===----------------------------------------------------------------------===//

#include "GrowBlocks.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "pallas/Dialect/Pallas/Analysis/PartSums.h"
#include "pallas/Dialect/Pallas/Utils/OperationTraits.h"
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
  void request(Value value, unsigned dim);
  void chooseForms();
  Value get(Value value, unsigned dim);
  Value getExact(Value value, unsigned dim);
  Value change(Value value, unsigned dim, const GrownValue &form);
  Value clone(Value value, unsigned dim, const GrownValue &form);
  void resizeAttributes(Operation *op, unsigned dim);
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
  /// Along which dimensions a value is asked to hold the parts, and by how many
  /// operations that change in place.
  struct Request {
    unsigned dim;
    unsigned numUsers = 0;
    bool isInPlace = true;
  };
  llvm::DenseMap<Value, Request> requests;
  /// Requested values, each behind its operands.
  SmallVector<Value> requested;
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

/// Notes that an operation wants to have the parts of a value along `dim`, and
/// so those of the operands that they come from.
void BlockGrower::request(Value value, unsigned dim) {
  if (body.hasFixedForm(value))
    return;
  auto [it, isNew] = requests.try_emplace(value, Request{dim});
  if (!isNew) {
    it->second.isInPlace &= it->second.dim == dim;
    return;
  }
  const GrownValue *form = body.grow(value, dim);
  assert(form && "the analysis has asked for this value");
  for (auto [operand, operandDim] :
       llvm::zip_equal(value.getDefiningOp()->getOperands(), form->operandDims))
    if (operandDim)
      request(operand, *operandDim);
  requested.push_back(value);
}

/// Decides which operations change in place. Users come before their operands:
/// the original of a clone still uses small operands, so they are cloned, too.
///
///   %e = math.exp %x        changes if all uses of %e do, along one dimension
void BlockGrower::chooseForms() {
  for (auto [operand, dim] : operands)
    request(operand->get(), dim);
  for (auto [operand, dim] : operands)
    if (auto it = requests.find(operand->get()); it != requests.end())
      ++it->second.numUsers;
  for (Value value : llvm::reverse(requested)) {
    Request &request = requests.find(value)->second;
    Operation *op = value.getDefiningOp();
    request.isInPlace &= op->getNumResults() == 1 &&
                         value.hasNUses(request.numUsers) &&
                         !(part && isa<IotaOp>(op));
    if (!request.isInPlace)
      continue;
    const GrownValue &form = *body.grow(value, request.dim);
    for (auto [operand, operandDim] :
         llvm::zip_equal(op->getOperands(), form.operandDims))
      if (operandDim)
        if (auto it = requests.find(operand); it != requests.end())
          ++it->second.numUsers;
  }
}

/// Some attributes repeat the sizes of the result.
void BlockGrower::resizeAttributes(Operation *op, unsigned dim) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    constant.setValueAttr(
        cast<DenseElementsAttr>(constant.getValue())
            .resizeSplat(cast<ShapedType>(grow(constant.getType(), dim))));
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    SmallVector<int64_t> sizes(slice.getStaticSizes());
    sizes[dim] = resize(sizes[dim]);
    slice.setStaticSizes(sizes);
  }
}

/// Gives an operation operands that hold all parts. Types change at the end.
Value BlockGrower::change(Value value, unsigned dim, const GrownValue &form) {
  Operation *op = value.getDefiningOp();
  for (auto [operand, operandDim] :
       llvm::zip_equal(op->getOpOperands(), form.operandDims))
    if (operandDim)
      operand.set(form.takesExact ? getExact(operand.get(), *operandDim)
                                  : get(operand.get(), *operandDim));
  resizeAttributes(op, dim);
  growLater(value, dim);
  return grown[{value, dim}] = value;
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
  resizeAttributes(copy, dim);
  for (auto [result, original] :
       llvm::zip_equal(copy->getResults(), op->getResults())) {
    result.setType(grow(original.getType(), dim));
    grown[{original, dim}] = result;
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

/// Memoized: a value with many users changes or is cloned once per dimension.
Value BlockGrower::get(Value value, unsigned dim) {
  if (Value known = grown.lookup({value, dim}))
    return known;
  const GrownValue *form = body.grow(value, dim);
  assert(form && "the analysis has asked for this value");
  // Reads and what loops carry change their types in place.
  if (body.hasFixedForm(value))
    return value;
  return requests.find(value)->second.isInPlace ? change(value, dim, *form)
                                                : clone(value, dim, *form);
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
  // `all` may still have its old type.
  return arith::SubIOp::create(builder, loc, type, all, excess);
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
  if (isArithmetic(op))
    return;
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

/// Erases the originals of clones, and what only they have used.
static void eraseUnused(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    for (Region &region : op.getRegions())
      for (Block &nested : region)
        eraseUnused(nested);
    if (op.use_empty() && !op.getNumRegions() && isOpTriviallyDead(&op))
      op.erase();
  }
}

/// Values first, then accesses, and types last. The originals have no uses
/// then.
void BlockGrower::run() {
  Region &kernel = grid.getKernelRegion();
  for (BlockArgument argument : kernel.getArguments())
    if (isa<RefType>(argument.getType()))
      growLater(argument, body.getRefDim(argument));
  visitOperations(kernel, [&](Operation *op) {
    collect(op);
    return WalkResult::advance();
  });
  if (const PartSums *sums = body.getSums()) {
    llvm::append_range(operands, sums->getOperands());
    for (auto [branch, taken] : sums->getLastBranches())
      moveToLastPart(cast<scf::IfOp>(branch), taken.isAlways);
  }
  chooseForms();
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
  eraseUnused(kernel.front());
}

void pallas::growBlocks(GridMappingOpInterface grid, const StepJoin &join,
                        GrownBody &body) {
  BlockGrower(grid, join, body).run();
}

void pallas::shrinkBlocks(GridMappingOpInterface grid, int64_t numParts,
                          Value part, GrownBody &body) {
  BlockGrower(grid, numParts, part, body).run();
}
