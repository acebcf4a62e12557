//===- BlockSplitting.cpp - Which blocks fall into parts ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first output tells where the parts lie. What is stored to it is followed
// back to the refs that it is read from, and from these on to what else is
// stored:
//
//   pallas.swap %o[...], %s        the parts of %o lie along dimension 0:
//   %s = arith.addf %x, %b         so do those of %s, %x
//   %b = pallas.broadcast %c dims [1]      but %c is the same for all parts
//   %x = pallas.get %i[...]        and those of the block %i
//
// Whether the kernel then treats the parts alike is decided as for joined
// steps.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/Pallas/Analysis/BlockSplitting.h"
#include "GrownDimensions.h"
#include "WindowMotion.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "pallas/Dialect/Pallas/Analysis/GrownBody.h"
#include "pallas/Dialect/Pallas/IR/RefEffects.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Where refs have their parts
//===----------------------------------------------------------------------===//

namespace {
/// Finds the refs that have parts if one of them does.
class PartSearch {
public:
  PartSearch(GridMappingOpInterface grid, GrownBody &body)
      : grid(grid), body(body) {}

  void run(Value ref, unsigned dim);

private:
  void assign(Value ref, unsigned dim);
  void visitWrite(RefAccessOpInterface op);
  void follow(Value value, unsigned dim);
  void followRead(RefAccessOpInterface op, unsigned dim);

  GridMappingOpInterface grid;
  GrownBody &body;
  llvm::DenseSet<std::pair<Value, unsigned>> seen;
  bool hasChanged = false;
};
} // namespace

/// The dimension of the ref that dimension `dim` of a selection is all of.
static std::optional<unsigned> getSource(RefAccessOpInterface op,
                                         unsigned dim) {
  for (auto [refDim, entry] : llvm::enumerate(op.getAccessDims())) {
    int64_t size = op.getRef().getType().getDimSize(refDim);
    if (entry.firstSelected == dim && entry.entry == DimIndex::slice(0, size))
      return refDim;
  }
  return std::nullopt;
}

/// A slice has its parts where the ref has them that it is taken from. The
/// first request decides; the analysis refuses others.
void PartSearch::assign(Value ref, unsigned dim) {
  while (auto view = ref.getDefiningOp<SliceRefOp>()) {
    std::optional<unsigned> source =
        getSource(cast<RefAccessOpInterface>(view.getOperation()), dim);
    if (!source)
      return;
    ref = view.getRef();
    dim = *source;
  }
  if (!isa<BlockArgument>(ref) || body.getRefDim(ref))
    return;
  body.assumeRefDim(ref, dim);
  hasChanged = true;
}

void PartSearch::followRead(RefAccessOpInterface op, unsigned dim) {
  if (std::optional<unsigned> source = getSource(op, dim))
    assign(op.getRef(), *source);
}

/// Goes back from a value whose dimension `dim` has the parts. What yields or
/// carries it has them there, too.
void PartSearch::follow(Value value, unsigned dim) {
  if (!isa<RankedTensorType>(value.getType()) ||
      !seen.insert({value, dim}).second)
    return;
  auto result = dyn_cast<OpResult>(value);
  Operation *op =
      result ? result.getOwner() : value.getParentRegion()->getParentOp();
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    if (!result && value == loop.getInductionVar())
      return;
    if (!result)
      result = loop.getTiedLoopResult(cast<BlockArgument>(value));
    unsigned index = result.getResultNumber();
    follow(loop.getInitArgs()[index], dim);
    follow(loop.getRegionIterArg(index), dim);
    return follow(loop.getYieldedValues()[index], dim);
  }
  if (!result)
    return;
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    for (Region &region : branch->getRegions())
      if (!region.empty())
        follow(region.front().getTerminator()->getOperand(
                   result.getResultNumber()),
               dim);
    return;
  }
  if (auto access = dyn_cast<RefAccessOpInterface>(op))
    return followRead(access, dim);
  auto operandDims = mapToOperands(
      op, dim, [&](Value operand) { return body.getNaturalDim(operand); });
  if (!operandDims)
    return;
  for (auto [operand, operandDim] :
       llvm::zip_equal(op->getOperands(), *operandDims))
    if (operandDim)
      follow(operand, *operandDim);
}

/// A ref with parts asks for those of what is stored to it; others get the
/// parts of that.
void PartSearch::visitWrite(RefAccessOpInterface op) {
  if (!isa<SwapOp, AddUpdateOp, MaskedSwapOp>(op.getOperation()))
    return;
  auto operands = op->getOperands().drop_front(1 + op.getIndices().size());
  if (body.getRefDim(skipAliases(op.getRef()))) {
    if (auto dims = body.getAccessedDims(op))
      for (Value operand : operands)
        follow(operand, dims->second);
  } else if (std::optional<unsigned> dim =
                 body.getNaturalDim(operands.front())) {
    followRead(op, *dim);
  }
}

/// Each round assigns at least one ref, and the next one may learn from it.
void PartSearch::run(Value ref, unsigned dim) {
  body.assumeRefDim(ref, dim);
  do {
    hasChanged = false;
    seen.clear();
    grid.getKernelRegion().walk(
        [&](RefAccessOpInterface op) { visitWrite(op); });
  } while (hasChanged);
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

namespace {
/// Decides about one split.
class SplitAnalysis {
public:
  SplitAnalysis(GridMappingOpInterface grid, int64_t numParts) : grid(grid) {
    result.numParts = numParts;
    result.dims.resize(grid.getNumBlocks());
  }

  BlockSplit run(unsigned arrayDim, std::unique_ptr<GrownBody> &body);

private:
  void findDims(unsigned arrayDim, GrownBody &body);
  LogicalResult checkBlock(unsigned block, unsigned arrayDim);
  LogicalResult checkInside(unsigned block, unsigned arrayDim);
  LogicalResult checkOutputs();
  LogicalResult refuse(const Twine &why) {
    result.obstacle = JoinObstacle{grid.getLoc(), why.str()};
    return failure();
  }
  std::string describe(unsigned block);

  GridMappingOpInterface grid;
  BlockSplit result;
};
} // namespace

std::string SplitAnalysis::describe(unsigned block) {
  unsigned numInputs = grid.getNumInputs();
  return block < numInputs ? "input " + std::to_string(block)
                           : "output " + std::to_string(block - numInputs);
}

/// The dimension of the array that dimension `refDim` of its block is.
static unsigned getArrayDim(BlockMappingAttr mapping, unsigned refDim) {
  unsigned dim = 0;
  while (getRefDimension(mapping, dim) != refDim)
    ++dim;
  return dim;
}

/// A dimension of which a block holds a single index has no parts, so the
/// kernel sees the one that is split.
void SplitAnalysis::findDims(unsigned arrayDim, GrownBody &body) {
  unsigned numInputs = grid.getNumInputs();
  auto refs = grid.sliceBlockOps();
  PartSearch(grid, body)
      .run(refs[numInputs],
           *getRefDimension(grid.getMappings()[numInputs], arrayDim));
  for (auto [block, ref] : llvm::enumerate(refs))
    if (std::optional<unsigned> dim = body.getRefDim(ref))
      result.dims[block] = getArrayDim(grid.getMappings()[block], *dim);
}

/// The least and the greatest result of an index map in all programs.
static std::optional<std::pair<int64_t, int64_t>>
findRange(GridMappingOpInterface grid, Value index) {
  if (std::optional<int64_t> constant = getConstantInteger(index))
    return std::pair(*constant, *constant);
  IndexTables tables(grid);
  for (unsigned dim = 0; dim < grid.getGridRank(); ++dim)
    if (std::optional<Motion> motion =
            MotionAnalysis(grid, dim, /*factor=*/1, tables).get(index))
      if (motion->range)
        return motion->range;
  return std::nullopt;
}

/// A window that lies outside of its array is moved inside as a whole, and so
/// would be a part that lies there:
///
///   blocks of 64 on 70 elements: [0, 64), [64, 70)
///   parts of 16:  [0, 16), ... [64, 70), and three more behind the array
LogicalResult SplitAnalysis::checkInside(unsigned block, unsigned arrayDim) {
  auto leaves = [&](const Twine &why) {
    return refuse("parts of " + describe(block) + " along dimension " +
                  Twine(arrayDim) + " " + why);
  };
  BlockMappingAttr mapping = grid.getMappings()[block];
  Operation *yield = grid.getIndexMap(block)->front().getTerminator();
  auto range =
      findRange(grid, yield->getOperand(getResultPosition(mapping, arrayDim)));
  if (!range)
    return leaves("may lie outside of the array");
  int64_t size = mapping.getDims()[arrayDim].getSize() / result.numParts;
  int64_t length =
      getArrayShapedType(grid.getArrayType(block)).getDimSize(arrayDim);
  int64_t last = (range->second + 1) * result.numParts - 1;
  if (range->first < 0 || length == 0 || last > (length - 1) / size)
    return leaves("start at up to " + Twine(last * size) +
                  ", but the array ends at " + Twine(length));
  return success();
}

LogicalResult SplitAnalysis::checkBlock(unsigned block, unsigned arrayDim) {
  BlockMappingAttr mapping = grid.getMappings()[block];
  BlockDimAttr dim = mapping.getDims()[arrayDim];
  auto unfit = [&](const Twine &why) {
    return refuse(describe(block) + " " + why);
  };
  if (dim.getKind() != BlockDimKind::Blocked)
    return unfit("does not count its windows along dimension " +
                 Twine(arrayDim) + " in blocks");
  if (mapping.getTransforms())
    return unfit("has a layout of its own");
  // The kernel reaches all of an array there.
  MemorySpace space = mapping.getMemorySpace().getSpace();
  if (space == MemorySpace::Any || space == MemorySpace::Hbm ||
      space == MemorySpace::Gmem || space == MemorySpace::Host)
    return unfit("has no windows in memory space " +
                 stringifyMemorySpace(space));
  if (dim.getSize() % result.numParts)
    return unfit("has " + Twine(dim.getSize()) + " elements along dimension " +
                 Twine(arrayDim) + ", which are no multiple of " +
                 Twine(result.numParts));
  return checkInside(block, arrayDim);
}

/// All parts would write an output that is not split.
LogicalResult SplitAnalysis::checkOutputs() {
  for (unsigned block = grid.getNumInputs(); block < grid.getNumBlocks();
       ++block)
    if (!result.dims[block])
      return refuse(describe(block) + " has no parts of its own");
  if (std::optional<int64_t> output = findAliasOfOtherParts(grid, result.dims))
    return refuse("output " + Twine(*output) +
                  " is an alias of an operand that is split in another way");
  return success();
}

BlockSplit SplitAnalysis::run(unsigned arrayDim,
                              std::unique_ptr<GrownBody> &body) {
  if (!grid.getKernelRegion().hasOneBlock()) {
    (void)refuse("the kernel has several blocks");
    return result;
  }
  if (llvm::any_of(grid.getGridDimensionSemantics(),
                   [](DimensionSemantics semantics) {
                     return semantics == DimensionSemantics::CoreParallel ||
                            semantics == DimensionSemantics::SubcoreParallel;
                   })) {
    (void)refuse("its steps run on cores of their own");
    return result;
  }
  auto found = std::make_unique<GrownBody>(grid, result.numParts);
  findDims(arrayDim, *found);
  for (auto [block, dim] : llvm::enumerate(result.dims))
    if (dim && failed(checkBlock(block, *dim)))
      return result;
  if (failed(checkOutputs()))
    return result;
  if (failed(found->analyze()))
    result.obstacle = found->getObstacle();
  else
    body = std::move(found);
  return result;
}

BlockSplit pallas::analyzeBlockSplit(GridMappingOpInterface grid,
                                     unsigned arrayDim, int64_t numParts,
                                     std::unique_ptr<GrownBody> &body) {
  return SplitAnalysis(grid, numParts).run(arrayDim, body);
}
