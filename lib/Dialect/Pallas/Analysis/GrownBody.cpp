//===- GrownBody.cpp - Kernels that treat parts of a block alike ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A write to a ref asks for its value with the parts along a dimension, and
// the request goes back through the operations to refs, constants and iotas:
//
//   pallas.swap %o[...], %d        the parts of %o lie along dimension 0
//   %d = arith.divf %x, %b         so do those of %d, %x and %b,
//   %b = pallas.broadcast %s dims [0]
//   %s = pallas.reduce <add> %x dims [1]     and of %s, whose rows they are
//   %x = pallas.get %i[...]        which %i has there, too
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/Pallas/Analysis/GrownBody.h"
#include "GrownDimensions.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "pallas/Dialect/Pallas/Analysis/PartConditions.h"
#include "pallas/Dialect/Pallas/Analysis/PartSums.h"
#include "pallas/Dialect/Pallas/IR/RefEffects.h"
#include "pallas/Dialect/Pallas/Utils/OperationTraits.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::pallas;

/// The ids and sizes of grid dimension `dim` that the kernel asks for.
static llvm::DenseMap<Value, bool> findGridQueries(GridMappingOpInterface grid,
                                                   unsigned dim) {
  llvm::DenseMap<Value, bool> queries;
  forEachGridQuery(grid, [&](Value value, unsigned queried, bool isSize) {
    if (queried == dim)
      queries[value] = isSize;
  });
  return queries;
}

GrownBody::GrownBody(GridMappingOpInterface grid, const StepJoin &join,
                     bool reassociate)
    : grid(grid), gridDim(join.dim), walks(join.walks),
      queries(findGridQueries(grid, join.dim)) {
  if (reassociate)
    sums = std::make_unique<PartSums>(grid, join, *this);
}

GrownBody::GrownBody(GridMappingOpInterface grid, int64_t numParts)
    : grid(grid), numParts(numParts) {}

GrownBody::~GrownBody() = default;

/// The first obstacle wins. Later ones are often consequences of it.
LogicalResult GrownBody::refuse(Operation *op, const Twine &why) {
  if (!obstacle)
    obstacle = JoinObstacle{op->getLoc(), why.str()};
  return failure();
}

//===----------------------------------------------------------------------===//
// Refs
//===----------------------------------------------------------------------===//

/// The dimension of a selection that is dimension `refDim` of the ref, if the
/// access takes all of it. Most accesses do, of all dimensions.
static std::optional<unsigned> getWholeDim(RefAccessOpInterface op,
                                           unsigned refDim) {
  ArrayRef<DimIndex> entries = op.getIndexer().getEntries();
  if (llvm::all_of(entries, [](const DimIndex &entry) {
        return entry.kind == IndexKind::Full;
      }))
    return refDim;
  SmallVector<AccessDim> dims = op.getAccessDims();
  int64_t size = op.getRef().getType().getDimSize(refDim);
  bool hasArray =
      llvm::any_of(dims, [](const AccessDim &dim) { return bool(dim.array); });
  if (hasArray || !(dims[refDim].entry == DimIndex::slice(0, size)))
    return std::nullopt;
  return dims[refDim].firstSelected;
}

/// The dimension along which a ref holds the parts; none if all parts share it.
/// A slice inherits the dimension if it takes all of it:
///
///   %v = pallas.slice_ref %r[:, ds(0, 64)]     parts of %r along 0: of %v, too
std::optional<unsigned> GrownBody::getRefDim(Value ref) const {
  if (auto it = refDims.find(ref); it != refDims.end())
    return it->second;
  if (auto view = ref.getDefiningOp<SliceRefOp>())
    if (std::optional<unsigned> source = getRefDim(view.getRef()))
      return getWholeDim(cast<RefAccessOpInterface>(view.getOperation()),
                         *source);
  return std::nullopt;
}

/// The dimension of the ref that has the parts, and the same dimension in what
/// the access selects. They differ behind a scalar index:
///
///   %x = pallas.get %r[%i, :, :]      ref dimension 1 is dimension 0 of %x
std::optional<std::pair<unsigned, unsigned>>
GrownBody::getAccessedDims(RefAccessOpInterface op) const {
  std::optional<unsigned> dim = getRefDim(op.getRef());
  std::optional<unsigned> selected = dim ? getWholeDim(op, *dim) : std::nullopt;
  if (!selected)
    return std::nullopt;
  return std::pair(*dim, *selected);
}

/// The refs of a body that hold what it writes itself.
static void forEachScratch(GridMappingOpInterface grid,
                           function_ref<void(BlockArgument)> body) {
  for (BlockArgument scratch : grid.sliceScratchOps())
    body(scratch);
  visitOperations(grid.getKernelRegion(), [&](Operation *op) {
    if (auto scope = dyn_cast<RunScopedOp>(op))
      for (BlockArgument argument : scope.getBody().getArguments())
        body(argument);
    return WalkResult::advance();
  });
}

/// Scratch memory holds the parts along the dimension along which the values
/// have them that go there:
///
///   %p = pallas.dot_general %x, %y contract [1] x [0]     parts along 0
///   pallas.addupdate %acc[...], %p
LogicalResult GrownBody::assignScratch() {
  // One buffer may be filled from another one, so the search goes on until
  // nothing new is learnt. Each round assigns at least one buffer.
  bool hasChanged = true;
  while (hasChanged) {
    hasChanged = false;
    naturalDims.clear();
    forEachScratch(grid, [&](BlockArgument scratch) {
      auto type = dyn_cast<RefType>(scratch.getType());
      if (!type || type.isSynchronization() || refDims.contains(scratch))
        return;
      for (OpOperand &use : scratch.getUses()) {
        auto access = dyn_cast<RefAccessOpInterface>(use.getOwner());
        if (!access || !isa<SwapOp, AddUpdateOp, MaskedSwapOp>(use.getOwner()))
          continue;
        Value value =
            use.getOwner()->getOperand(1 + access.getIndices().size());
        std::optional<unsigned> dim = getNaturalDim(value);
        if (!dim)
          continue;
        for (auto [refDim, entry] : llvm::enumerate(access.getAccessDims()))
          if (entry.entry.kind == IndexKind::Slice &&
              entry.firstSelected == *dim && !refDims.contains(scratch)) {
            refDims[scratch] = refDim;
            hasChanged = true;
          }
      }
    });
  }
  for (BlockArgument scratch : grid.sliceScratchOps())
    if (refDims.contains(scratch) &&
        !isOverwrittenAtStart(grid, gridDim, scratch))
      return refuse(grid,
                    "it carries scratch memory from one step to the next");
  return success();
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// The values that the regions of an operation yield as its result `index`.
static SmallVector<Value> getYielded(Operation *op, unsigned index) {
  SmallVector<Value> values;
  for (Region &region : op->getRegions())
    if (!region.empty())
      values.push_back(region.front().getTerminator()->getOperand(index));
  return values;
}

/// Where a value has the parts if refs alone decide, before anything is asked
/// of it. Results are kept, but not those that a loop has still to answer: a
/// carried value that depends on itself is undecided, which is not the same as
/// no parts.
std::optional<unsigned> GrownBody::getNaturalDim(Value value) {
  auto [it, isNew] = naturalDims.try_emplace(value, std::nullopt);
  if (!isNew)
    return it->second;
  // Values that a loop carries depend on themselves; another operand may tell.
  // Values that depend on nothing else are asked again.
  bool isLoop = isa_and_nonnull<scf::ForOp>(value.getDefiningOp());
  numOpenLoops += isLoop;
  std::optional<unsigned> dim = findNaturalDim(value);
  numOpenLoops -= isLoop;
  naturalDims[value] = dim;
  if (!dim && numOpenLoops)
    undecided.push_back(value);
  if (!numOpenLoops)
    for (Value other : std::exchange(undecided, {}))
      naturalDims.erase(other);
  return dim;
}

/// Forwards from what is known: refs know their dimension, loops and branches
/// ask their yields, and other operations take the first dimension for which an
/// operand agrees.
std::optional<unsigned> GrownBody::findNaturalDim(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop || argument == loop.getInductionVar())
      return std::nullopt;
    return getNaturalDim(loop.getTiedLoopResult(argument));
  }
  auto result = cast<OpResult>(value);
  Operation *op = result.getOwner();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    if (auto dim = getNaturalDim(loop.getInitArgs()[result.getResultNumber()]))
      return dim;
  if (isa<scf::ForOp, scf::IfOp>(op)) {
    for (Value yielded : getYielded(op, result.getResultNumber()))
      if (auto dim = getNaturalDim(yielded))
        return dim;
    return std::nullopt;
  }
  if (auto access = dyn_cast<RefAccessOpInterface>(op)) {
    auto dims = getAccessedDims(access);
    return dims ? std::optional(dims->second) : std::nullopt;
  }
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || op->getNumRegions())
    return std::nullopt;
  auto isPossible = [&](unsigned dim) {
    return !numParts || type.getDimSize(dim) % *numParts == 0;
  };
  // Most operations have the dimensions of their operands.
  if (op->getNumResults() == 1 && isElementwise(op)) {
    std::optional<unsigned> first;
    for (Value operand : op->getOperands()) {
      std::optional<unsigned> dim = isa<RankedTensorType>(operand.getType())
                                        ? getNaturalDim(operand)
                                        : std::nullopt;
      if (dim && isPossible(*dim) && (!first || *dim < *first))
        first = dim;
      if (first == 0)
        break;
    }
    return first;
  }
  for (unsigned dim = 0; dim < type.getRank(); ++dim) {
    auto operandDims = mapDims(op, dim);
    if (!operandDims || !isPossible(dim))
      continue;
    for (auto [operand, operandDim] :
         llvm::zip_equal(op->getOperands(), *operandDims))
      if (operandDim && getNaturalDim(operand) == operandDim)
        return dim;
  }
  return std::nullopt;
}

/// The dimensions of the operands that become dimension `dim` of the result;
/// none where the operation mixes elements along it, as a sort or a scan does.
std::optional<SmallVector<std::optional<unsigned>>>
GrownBody::mapDims(Operation *op, unsigned dim) {
  return mapToOperands(op, dim,
                       [&](Value value) { return getNaturalDim(value); });
}

/// Values of memory or control flow cannot be recomputed with the parts along
/// another dimension: they keep the form that they have.
bool GrownBody::hasFixedForm(Value value) {
  Operation *op = value.getDefiningOp();
  return !op || (!isArithmetic(op) &&
                 isa<RefAccessOpInterface, scf::ForOp, scf::IfOp>(op));
}

/// Operations in which elements that are off by a number are so afterwards.
static std::optional<int64_t> combineExcess(Operation *op,
                                            ArrayRef<int64_t> excess) {
  if (isa<arith::AddIOp>(op))
    return excess[0] + excess[1];
  if (isa<arith::SubIOp>(op))
    return excess[0] - excess[1];
  if (isa<arith::MulIOp>(op))
    for (unsigned side : {0, 1})
      if (auto constant = getConstantInteger(op->getOperand(side)))
        return excess[1 - side] * *constant;
  if (isa<BroadcastOp, ReshapeOp, TransposeOp, MultipleOfOp>(op))
    return excess[0];
  return std::nullopt;
}

/// How much larger a value is that all parts would share than in the first
/// part: 0 if it is the same in all, none if it differs in another way.
std::optional<int64_t> GrownBody::getCommonExcess(Value value) {
  auto it = common.find(value);
  if (it != common.end())
    return it->second;
  std::optional<int64_t> excess = computeCommonExcess(value);
  common[value] = excess;
  return excess;
}

/// Program ids are the source of every excess: in the grown kernel there is one
/// id per group, where each part had its own.
std::optional<int64_t> GrownBody::computeCommonExcess(Value value) {
  // The id of the first step is less than that of step j by j.
  if (auto it = queries.find(value); it != queries.end())
    return it->second ? 0 : -1;
  if (isa<RefType>(value.getType()))
    return getRefDim(value) ? std::nullopt : std::optional<int64_t>(0);
  if (getNaturalDim(value))
    return std::nullopt;
  Operation *op = value.getDefiningOp();
  // Loop counters, what loops carry, reads: users are analyzed by themselves.
  if (!op || isa<scf::ForOp, scf::IfOp, RefAccessOpInterface>(op) ||
      !grid->isProperAncestor(op))
    return 0;
  if (op->getNumRegions() || !hasNoEffects(op))
    return std::nullopt;
  SmallVector<int64_t> excess;
  bool isExact = true;
  for (Value operand : op->getOperands()) {
    std::optional<int64_t> amount = getCommonExcess(operand);
    if (!amount)
      return std::nullopt;
    excess.push_back(*amount);
    isExact &= *amount == 0;
  }
  return isExact ? std::optional<int64_t>(0) : combineExcess(op, excess);
}

/// The excess is subtracted again, times the number of the part. A shift of the
/// row gives that number, which takes parts of a power of two of rows; floats
/// would round.
bool pallas::canSettle(Value value, const GrownValue &grown) {
  Type type = getElementTypeOrSelf(value.getType());
  return grown.excess == 0 || (type.isInteger() && !type.isInteger(1) &&
                               llvm::isPowerOf2_64(grown.partSize));
}

/// Answers once per value and dimension. A value may be asked for in two forms,
/// for example a matrix that is used with rows and with columns.
const GrownValue *GrownBody::grow(Value value, unsigned dim) {
  std::pair key(value, dim);
  auto it = grown.find(key);
  if (it == grown.end()) {
    std::optional<GrownValue> result = computeGrown(value, dim);
    it = grown.try_emplace(key, std::move(result)).first;
  }
  return it->second ? &*it->second : nullptr;
}

/// A pure operation grows if all of its operands do, each along the dimension
/// that ends up in `dim`. An iota along the dimension counts on through all
/// parts, so its elements exceed those of one part by multiples of its size:
///
///   %i = pallas.iota dim 0 : tensor<8xi32>       0..7 in each part
///   %i = pallas.iota dim 0 : tensor<32xi32>      0..31, excess 8 per part
std::optional<GrownValue> GrownBody::computeGrown(Value value, unsigned dim) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape() || dim >= type.getRank())
    return std::nullopt;
  GrownValue result;
  result.partSize = type.getDimSize(dim);
  if (numParts && result.partSize % *numParts)
    return std::nullopt;
  if (hasFixedForm(value))
    return getNaturalDim(value) == dim ? std::optional(result) : std::nullopt;
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumRegions() || !hasNoEffects(op))
    return std::nullopt;
  auto operandDims = mapDims(op, dim);
  if (!operandDims)
    return std::nullopt;
  SmallVector<int64_t> excess;
  bool isExact = true, canBeSettled = true;
  for (auto [operand, operandDim] :
       llvm::zip_equal(op->getOperands(), *operandDims)) {
    if (operandDim) {
      const GrownValue *part = grow(operand, *operandDim);
      if (!part)
        return std::nullopt;
      excess.push_back(part->excess);
      canBeSettled &= canSettle(operand, *part);
    } else {
      std::optional<int64_t> amount = getCommonExcess(operand);
      if (!amount)
        return std::nullopt;
      excess.push_back(*amount);
      canBeSettled &= *amount == 0;
    }
    isExact &= excess.back() == 0;
  }
  result.operandDims = std::move(*operandDims);
  auto iota = dyn_cast<IotaOp>(op);
  if (iota && iota.getDimension() == dim) {
    // Floats would round the row at which a part starts.
    if (numParts && !type.getElementType().isInteger())
      return std::nullopt;
    result.excess = numParts ? 0 : result.partSize;
  } else if (!isExact) {
    std::optional<int64_t> combined = combineExcess(op, excess);
    if (!combined && !canBeSettled)
      return std::nullopt;
    result.takesExact = !combined;
    result.excess = combined.value_or(0);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Operations with effects
//===----------------------------------------------------------------------===//

/// On failure, follows the operands to the innermost operation that is to
/// blame: the message then names the one that users can change.
LogicalResult GrownBody::requireGrown(Operation *user, Value value,
                                      unsigned dim) {
  const GrownValue *part = grow(value, dim);
  if (part && canSettle(value, *part))
    return success();
  // The innermost value that has no such form is to blame.
  Operation *blamed = value.getDefiningOp();
  while (blamed && !blamed->getNumRegions() &&
         !isa<RefAccessOpInterface>(blamed)) {
    auto operandDims = mapDims(blamed, dim);
    if (!operandDims)
      break;
    auto pairs = llvm::zip_equal(blamed->getOperands(), *operandDims);
    auto culprit = llvm::find_if(pairs, [&](auto pair) {
      auto [operand, operandDim] = pair;
      return operandDim && !grow(operand, *operandDim);
    });
    if (culprit == pairs.end())
      break;
    auto [operand, operandDim] = *culprit;
    dim = *operandDim;
    if (!operand.getDefiningOp())
      break;
    blamed = operand.getDefiningOp();
  }
  if (!blamed)
    blamed = user;
  return refuse(blamed, "'" + blamed->getName().getStringRef() +
                            "' does not treat dimension " + Twine(dim) +
                            " of its result alike");
}

/// For what runs once for all parts: conditions, loop bounds and indices.
LogicalResult GrownBody::requireCommon(Operation *user, Value value) {
  if (getCommonExcess(value) == 0)
    return success();
  return refuse(user, "'" + user->getName().getStringRef() +
                          "' depends on which of the steps it is");
}

/// Reads are requests that others make; writes make requests. A write to memory
/// without parts would store all of them to one place, of which only the last
/// should stay, so it is refused.
LogicalResult GrownBody::analyzeAccess(RefAccessOpInterface op) {
  for (Value index : op.getIndices())
    if (failed(requireCommon(op, index)))
      return failure();
  Value ref = op.getRef();
  Value root = skipAliases(ref);
  bool isAtEnd = sums && sums->isAtEnd(op);
  if (!getRefDim(root)) {
    if (isa<GetOp, SliceRefOp>(op.getOperation()) || (sums && sums->isSum(op)))
      return success();
    if (!isa<MaskedLoadOp>(op.getOperation()) && !isAtEnd)
      return refuse(op, "it writes to memory that all steps share");
  } else if (isAtEnd) {
    return refuse(op, "a branch of the first or last part takes its part of a "
                      "block");
  }
  auto dims = getAccessedDims(op);
  if (getRefDim(root) && !dims)
    return refuse(op, "'" + op->getName().getStringRef() +
                          "' takes a part of the rows of a block");
  // The value, the mask and what replaces elements without it.
  for (Value operand :
       op->getOperands().drop_front(1 + op.getIndices().size())) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    bool isWhole = type && llvm::equal(type.getShape(), op.getAccessShape());
    if (!dims) {
      if (failed(requireCommon(op, operand)))
        return failure();
    } else if (!isWhole)
      return refuse(op, "an operand broadcasts");
    else if (failed(requireGrown(op, operand, dims->second)))
      return failure();
  }
  return success();
}

/// A loop carries one value for all parts: what it starts from, what it yields
/// and what its body sees must have the parts along the same dimension.
LogicalResult GrownBody::analyzeRegionValues(Operation *op) {
  auto require = [&](Value value, std::optional<unsigned> dim) {
    return dim ? requireGrown(op, value, *dim) : requireCommon(op, value);
  };
  for (OpResult result : op->getResults()) {
    unsigned index = result.getResultNumber();
    std::optional<unsigned> dim = getNaturalDim(result);
    SmallVector<Value> values = getYielded(op, index);
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      values.push_back(loop.getInitArgs()[index]);
      if (getNaturalDim(loop.getRegionIterArg(index)) != dim)
        return refuse(op, "a loop carries rows in two forms");
    }
    for (Value value : values)
      if (failed(require(value, dim)))
        return failure();
  }
  return success();
}

/// Only known operations pass. What has effects that nothing here follows, such
/// as a copy or a print, would happen once instead of once per part.
LogicalResult GrownBody::analyzeOperation(Operation *op) {
  if (isArithmetic(op))
    return success();
  if (addsShortRows(op))
    return refuse(op, "how many rows of 8 floats or less there are decides in "
                      "which order CPUs add them");
  if (auto access = dyn_cast<RefAccessOpInterface>(op);
      access &&
      isa<GetOp, SwapOp, AddUpdateOp, MaskedLoadOp, MaskedSwapOp, SliceRefOp>(
          op))
    return analyzeAccess(access);
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    if (sums && sums->isAtEnd(op) && op->getParentOp() == grid)
      return success();
    if (failed(requireCommon(op, branch.getCondition())))
      return failure();
    return analyzeRegionValues(op);
  }
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    for (Value bound :
         {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
      if (failed(requireCommon(op, bound)))
        return failure();
    return analyzeRegionValues(op);
  }
  if (auto scope = dyn_cast<RunScopedOp>(op)) {
    if (op->getNumResults() || scope.getCollectiveAxes())
      return refuse(op, "a scope yields values or is shared");
    return success();
  }
  if (op->hasTrait<OpTrait::IsTerminator>())
    return success();
  // Views other than slices have their parts elsewhere.
  if (isRefAlias(op) && getRefDim(skipAliases(op->getOperand(0))))
    return refuse(op, "'" + op->getName().getStringRef() +
                          "' views a block in another way");
  if (op->getNumRegions() || !hasNoEffects(op))
    return refuse(op, "'" + op->getName().getStringRef() +
                          "' would run once for all steps");
  return success();
}

/// Most blocks that can't grow have an access to a part of their rows, which is
/// found before values are followed:
///
///   %x = pallas.get %i[0, :, :]      has no rows of block<[1, 256, 128]>
LogicalResult GrownBody::checkWindow(BlockArgument window) {
  // The first use comes last.
  Operation *first = nullptr;
  for (OpOperand &use : window.getUses()) {
    auto access = dyn_cast<RefAccessOpInterface>(use.getOwner());
    if (access && access.getRef() == window && !getAccessedDims(access))
      first = access;
  }
  return first ? refuse(first, "'" + first->getName().getStringRef() +
                                   "' takes a part of the rows of a block")
               : success();
}

/// Refs of blocks that move get their dimension first, then scratch memory by
/// the values stored to it, and then each write makes its request.
LogicalResult GrownBody::analyze() {
  auto blocks = grid.sliceBlockOps();
  for (auto [index, walk] : llvm::enumerate(walks)) {
    if (!walk)
      continue;
    std::optional<unsigned> dim =
        getRefDimension(grid.getMappings()[index], *walk);
    if (!dim)
      return refuse(grid, "a block holds a single index of the dimension along "
                          "which it would grow");
    assumeRefDim(blocks[index], *dim);
    if (failed(checkWindow(blocks[index])))
      return failure();
  }
  if (failed(assignScratch()))
    return failure();
  if (sums && failed(sums->analyze()))
    return refuse(grid, "its sums have an order");
  WalkResult found =
      visitOperations(grid.getKernelRegion(), [&](Operation *op) {
        return WalkResult(analyzeOperation(op));
      });
  return failure(found.wasInterrupted());
}
