//===- StepJoining.cpp - Which steps of a grid may become one -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Joining runs the bodies of several neighbouring steps as one. The result is
// the same only if windows move evenly, stay inside of their arrays, and no
// step sees what another one of the same group left behind. Each check that
// fails names its obstacle, since users choose by hand how many steps to join.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/Pallas/Analysis/StepJoining.h"
#include "WindowMotion.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "pallas/Dialect/Pallas/Analysis/GrownBody.h"
#include "pallas/Dialect/Pallas/Analysis/PartSums.h"
#include "pallas/Dialect/Pallas/Analysis/ProgramEvaluator.h"
#include "pallas/Dialect/Pallas/IR/RefEffects.h"
#include "pallas/Dialect/Pallas/Utils/OperationTraits.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// How windows move
//===----------------------------------------------------------------------===//

/// Squeezed dimensions have no counterpart in the ref:
///
///   block<[sq, 8, 128]>: array dimension 1 is dimension 0 of the ref
std::optional<unsigned> pallas::getRefDimension(BlockMappingAttr mapping,
                                                unsigned arrayDim) {
  ArrayRef<BlockDimAttr> dims = mapping.getDims();
  auto isSqueezed = [](BlockDimAttr dim) {
    return dim.getKind() == BlockDimKind::Squeezed;
  };
  if (isSqueezed(dims[arrayDim]))
    return std::nullopt;
  return arrayDim - llvm::count_if(dims.take_front(arrayDim), isSqueezed);
}

unsigned pallas::getResultPosition(BlockMappingAttr mapping,
                                   unsigned arrayDim) {
  return arrayDim + llvm::count_if(mapping.getDims().take_front(arrayDim),
                                   [](BlockDimAttr dim) {
                                     return dim.getKind() ==
                                            BlockDimKind::BoundedSlice;
                                   });
}

namespace {
/// Decides about the steps of one dimension.
class JoinAnalysis {
public:
  JoinAnalysis(GridMappingOpInterface grid, unsigned dim, int64_t factor)
      : grid(grid), mappings(grid.getMappings()) {
    result.dim = dim;
    result.factor = factor;
  }

  JoinAnalysis(GridMappingOpInterface grid, StepJoin windows)
      : grid(grid), mappings(grid.getMappings()), result(std::move(windows)) {}

  StepJoin runOnWindows(IndexTables &tables);
  StepJoin runOnBody(std::unique_ptr<GrownBody> *grown, JoinOptions options);
  bool grow(std::unique_ptr<GrownBody> *grown, bool reassociate);

private:
  LogicalResult checkGrid();
  LogicalResult checkPipeline(EmitPipelineOp pipeline);
  LogicalResult findWalk(unsigned block, MotionAnalysis &motions);
  LogicalResult checkMotion(unsigned block, unsigned arrayDim, Value index,
                            const Motion &motion);
  LogicalResult checkInside(unsigned block, unsigned arrayDim, Value index,
                            const Motion &motion);
  LogicalResult checkRemainder(unsigned block, unsigned arrayDim, Value index);
  LogicalResult checkAliases();
  LogicalResult checkSharedWindows();
  LogicalResult checkOrder();
  LogicalResult checkEffects();
  LogicalResult checkOrder(Operation *op);
  LogicalResult refuse(Location loc, const Twine &why);
  bool startsOver(Value scratch);
  bool isOutput(unsigned block) { return block >= grid.getNumInputs(); }
  std::string describe(unsigned block);

  GridMappingOpInterface grid;
  SmallVector<BlockMappingAttr> mappings;
  StepJoin result;
  /// Scratch memory, and whether the first step of each group overwrites it.
  llvm::SmallDenseMap<Value, bool> overwritten;
};
} // namespace

LogicalResult JoinAnalysis::refuse(Location loc, const Twine &why) {
  result.obstacle = JoinObstacle{loc, why.str()};
  return failure();
}

std::string JoinAnalysis::describe(unsigned block) {
  if (isOutput(block))
    return "output " + std::to_string(block - grid.getNumInputs());
  return "input " + std::to_string(block);
}

/// Steps that run on other cores have no order that one core could follow, and
/// a kernel with several blocks cannot become the body of a loop.
LogicalResult JoinAnalysis::checkGrid() {
  SmallVector<int64_t> shape = grid.getGridShape();
  if (ShapedType::isDynamic(shape[result.dim]))
    return refuse(grid.getLoc(), "its size is known at run time only");
  SmallVector<DimensionSemantics> semantics = grid.getGridDimensionSemantics();
  if (!semantics.empty() &&
      (semantics[result.dim] == DimensionSemantics::CoreParallel ||
       semantics[result.dim] == DimensionSemantics::SubcoreParallel))
    return refuse(grid.getLoc(), "its steps run on cores of their own");
  if (!grid.getKernelRegion().hasOneBlock())
    return refuse(grid.getLoc(), "the kernel has several blocks");
  if (shape[result.dim] % result.factor &&
      llvm::is_contained(grid.getVmappedDimensions(), int64_t(result.dim)))
    return refuse(grid.getLoc(), "the coarsening factor " +
                                     Twine(result.factor) +
                                     " does not divide its size of " +
                                     Twine(shape[result.dim]) +
                                     ", and kernels do not see this dimension");
  for (int64_t size : ArrayRef(shape).drop_front(result.dim + 1))
    result.isOuter |= size != 1;
  auto pipeline = dyn_cast<EmitPipelineOp>(grid.getOperation());
  return pipeline ? checkPipeline(pipeline) : success();
}

/// The arrays of a pipeline are memory that its kernel reaches, too. It may not
/// touch them while their windows are on the way, and there is an order between
/// windows of one array that are read and written.
LogicalResult JoinAnalysis::checkPipeline(EmitPipelineOp pipeline) {
  if (pipeline.getCoreAxis() || pipeline.getNumComputeWarpgroups())
    return refuse(grid.getLoc(), "its steps run on cores of their own");
  if (!pipeline.getInitCarry().empty())
    return refuse(grid.getLoc(), "steps hand values to the next ones");
  if (GridMappingOpInterface outer = getEnclosingGrid(pipeline);
      outer && !outer.getInputOutputAliases().empty())
    return refuse(grid.getLoc(), "the call around the pipeline has aliases");
  llvm::SmallDenseSet<Value> arrays;
  for (Value input : pipeline.getInputs())
    arrays.insert(skipAliases(input));
  for (Value output : pipeline.getOutputs())
    if (!arrays.insert(skipAliases(output)).second)
      return refuse(grid.getLoc(), "windows of one array are read and written");
  for (Region &region : pipeline->getRegions()) {
    WalkResult found = region.walk([&](Operation *op) {
      for (Value operand : op->getOperands())
        if (isa<RefType>(operand.getType()) &&
            (&region != &pipeline.getKernel() ||
             arrays.contains(skipAliases(operand))))
          return WalkResult(refuse(
              op->getLoc(), &region == &pipeline.getKernel()
                                ? "the kernel accesses an array of the pipeline"
                                : "an index map reads memory"));
      return WalkResult::advance();
    });
    if (found.wasInterrupted())
      return failure();
  }
  return success();
}

/// A last step of fewer parts sees a window that ends behind the array. That is
/// right if the array ends where the steps do.
LogicalResult JoinAnalysis::checkRemainder(unsigned block, unsigned arrayDim,
                                           Value index) {
  int64_t size = grid.getGridShape()[result.dim];
  if (size % result.factor == 0)
    return success();
  BlockMappingAttr mapping = mappings[block];
  BlockDimAttr dim = mapping.getDims()[arrayDim];
  auto remainder = [&](const Twine &why) {
    return refuse(grid.getLoc(), "the coarsening factor " +
                                     Twine(result.factor) +
                                     " does not divide its size of " +
                                     Twine(size) + ", and " + why);
  };
  if (dim.getKind() == BlockDimKind::Element)
    return remainder("windows of " + describe(block) +
                     " are counted in "
                     "elements");
  ShapedType array = getArrayShapedType(grid.getArrayType(block));
  int64_t length = array.getDimSize(arrayDim);
  int64_t covered = mapping.getBlockShape()[arrayDim] * size;
  if (isOutput(block) && (!isa<BlockArgument>(index) || covered < length))
    return remainder("the last window of " + describe(block) +
                     " would cover more than its steps write");
  return success();
}

/// A window that lies outside of its array is moved inside by itself; what is
/// joined would move as a whole.
LogicalResult JoinAnalysis::checkInside(unsigned block, unsigned arrayDim,
                                        Value index, const Motion &motion) {
  auto leaves = [&](const Twine &why) {
    return refuse(index.getLoc(), "windows of " + describe(block) +
                                      " along dimension " + Twine(arrayDim) +
                                      " " + why);
  };
  if (!motion.range)
    return leaves("may lie outside of the array");
  BlockDimAttr dim = mappings[block].getDims()[arrayDim];
  int64_t length =
      getArrayShapedType(grid.getArrayType(block)).getDimSize(arrayDim) +
      dim.getPadLow() + dim.getPadHigh();
  auto [low, high] = *motion.range;
  // Where the last window that lies inside, or is cut by the end, starts.
  int64_t last = length - 1;
  if (dim.getKind() == BlockDimKind::Element)
    last = length - dim.getSize();
  else if (dim.getKind() == BlockDimKind::Blocked)
    last /= dim.getSize();
  if (low < 0 || high > last)
    return leaves("start at " + Twine(low) + " to " + Twine(high) +
                  ", but those inside of the array at 0 to " + Twine(last));
  return success();
}

LogicalResult JoinAnalysis::checkMotion(unsigned block, unsigned arrayDim,
                                        Value index, const Motion &motion) {
  BlockMappingAttr mapping = mappings[block];
  BlockDimAttr dim = mapping.getDims()[arrayDim];
  auto unfit = [&](const Twine &why) {
    return refuse(index.getLoc(), describe(block) + " moves along dimension " +
                                      Twine(arrayDim) + " " + why);
  };
  if (result.walks[block])
    return unfit("and along another one at once");
  if (mapping.getTransforms())
    return unfit("of a window that has a layout of its own");
  switch (dim.getKind()) {
  case BlockDimKind::Blocked:
  case BlockDimKind::Squeezed:
    if (motion.stride != 1)
      return unfit("by " + Twine(motion.stride) + " blocks per step");
    if (motion.multiple % result.factor)
      return unfit("from starts that are no multiples of " +
                   Twine(result.factor) + " blocks");
    break;
  case BlockDimKind::Element:
    if (motion.stride != dim.getSize())
      return unfit("by " + Twine(motion.stride) +
                   " elements per step, with windows of " +
                   Twine(dim.getSize()));
    // Other dimensions may not lead into the middle of what is joined.
    if (motion.multiple % (result.factor * dim.getSize()))
      return unfit("from starts that are no multiples of " +
                   Twine(result.factor * dim.getSize()) + " elements");
    break;
  default:
    return unfit("by lengths that are known at run time only");
  }
  if (failed(checkInside(block, arrayDim, index, motion)))
    return failure();
  result.walks[block] = arrayDim;
  return checkRemainder(block, arrayDim, index);
}

LogicalResult JoinAnalysis::findWalk(unsigned block, MotionAnalysis &motions) {
  Region *map = grid.getIndexMap(block);
  if (!map)
    return success();
  if (!map->hasOneBlock())
    return refuse(grid.getLoc(), "an index map has several blocks");
  auto next = map->front().getTerminator()->operand_begin();
  for (auto [arrayDim, dim] : llvm::enumerate(mappings[block].getDims())) {
    // A bounded slice has a start and a size.
    unsigned count = dim.getKind() == BlockDimKind::BoundedSlice ? 2 : 1;
    for (unsigned entry = 0; entry < count; ++entry) {
      Value index = *next++;
      std::optional<Motion> motion = motions.get(index);
      if (!motion)
        return refuse(index.getLoc(),
                      "the index map of " + describe(block) +
                          " is not affine in its id along dimension " +
                          Twine(arrayDim));
      if (!motion->stride)
        continue;
      result.movesById &= isa<BlockArgument>(index);
      if (failed(checkMotion(block, arrayDim, index, *motion)))
        return failure();
    }
  }
  return success();
}

/// Equal windows by different code count as different, which is safe.
static bool haveSameMap(Region *left, Region *right) {
  return left && right &&
         OperationEquivalence::isRegionEquivalentTo(
             left, right, OperationEquivalence::IgnoreLocations);
}

/// A step that reads what another one wrote through an alias must stay behind
/// it. Where input and output walk side by side, each part reads what only it
/// writes.
std::optional<int64_t>
pallas::findAliasOfOtherParts(GridMappingOpInterface grid,
                              ArrayRef<std::optional<unsigned>> walks) {
  int64_t numIndex = grid.getNumIndexOperands();
  for (auto [operand, output] : grid.getInputOutputAliases()) {
    unsigned in = operand - numIndex, out = grid.getNumInputs() + output;
    bool isApart =
        operand >= numIndex && walks[in] && walks[in] == walks[out] &&
        grid.getMappings()[in].getDims() == grid.getMappings()[out].getDims() &&
        haveSameMap(grid.getIndexMap(in), grid.getIndexMap(out));
    if (!isApart)
      return output;
  }
  return std::nullopt;
}

LogicalResult JoinAnalysis::checkAliases() {
  std::optional<int64_t> output = findAliasOfOtherParts(grid, result.walks);
  if (!output)
    return success();
  return refuse(grid.getLoc(), "output " + Twine(*output) +
                                   " is an alias of an operand whose windows "
                                   "are not those of the output");
}

/// Stores to the window of an input last until the next step.
LogicalResult JoinAnalysis::checkSharedWindows() {
  for (unsigned block = 0; block < grid.getNumInputs(); ++block)
    if (!result.walks[block] && mayBeWritten(grid.sliceBlockOps()[block]))
      return refuse(grid.getLoc(), "the kernel writes to the window of input " +
                                       Twine(block) +
                                       ", which all parts would share");
  return success();
}

//===----------------------------------------------------------------------===//
// Order of steps
//===----------------------------------------------------------------------===//

/// Whether a condition holds in all steps in which the ids of the dimensions
/// behind `dim` are zero, or of all dimensions.
static bool holdsAtStart(GridMappingOpInterface grid,
                         std::optional<unsigned> dim, Value condition) {
  // Ids of the other dimensions may be anything.
  if (dim && llvm::any_of(findSources(condition), [&](Value value) {
        std::optional<unsigned> queried = getDimensionOfId(grid, value);
        return queried && *queried <= *dim;
      }))
    return false;
  ProgramEvaluator evaluator(grid);
  evaluator.setProgram(SmallVector<int64_t>(grid.getGridRank(), 0));
  return evaluator.evaluate(condition) == 1;
}

/// Goes through the block up to the first operation that touches the ref. Only
/// a store of all of it, whose old value goes unused, ends the search with
/// success:
///
///   %old = pallas.swap %acc[...], %zero      with no use of %old
///
/// A store under `pl.when(program_id == 0)` counts if its condition holds in
/// every step in which the group starts.
static bool isOverwrittenFirst(GridMappingOpInterface grid,
                               std::optional<unsigned> dim, Value ref,
                               Block &block) {
  llvm::SmallPtrSet<Operation *, 8> users;
  walkRefUses(ref, [&](OpOperand &use) {
    if (Operation *user = block.findAncestorOpInBlock(*use.getOwner()))
      users.insert(user);
    return WalkResult::advance();
  });
  for (Operation &op : block) {
    if (!users.contains(&op))
      continue;
    if (auto swap = dyn_cast<SwapOp>(op))
      return swap.getRef() == ref && swap.getOld().use_empty() &&
             cast<RefAccessOpInterface>(op).isWholeAccess();
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return holdsAtStart(grid, dim, branch.getCondition()) &&
             isOverwrittenFirst(grid, dim, ref, branch.getThenRegion().front());
    return false;
  }
  return false;
}

bool pallas::isOverwrittenAtStart(GridMappingOpInterface grid,
                                  std::optional<unsigned> dim, Value ref) {
  return isOverwrittenFirst(grid, dim, ref, grid.getKernelRegion().front());
}

/// Kernels write to scratch memory in several places; the answer is the same.
bool JoinAnalysis::startsOver(Value scratch) {
  auto [it, isNew] = overwritten.try_emplace(scratch);
  if (isNew)
    it->second = isOverwrittenAtStart(grid, result.dim, scratch);
  return it->second;
}

/// Where other steps come between the parts of a step, joining them changes the
/// order: the parts must not see each other.
LogicalResult JoinAnalysis::checkOrder(Operation *op) {
  bool isAccess =
      isa<GetOp, SwapOp, AddUpdateOp, MaskedLoadOp, MaskedSwapOp>(op);
  if (isa<scf::IfOp, scf::ForOp>(op) || (!isAccess && hasNoEffects(op)))
    return success();
  auto inOrder = [&](const Twine &why) {
    return refuse(op->getLoc(),
                  "other steps come between, and the kernel " + why);
  };
  // Memory of a scope is gone with the step.
  if (auto scope = dyn_cast<RunScopedOp>(op);
      scope && !scope.getCollectiveAxes())
    return success();
  if (!isAccess)
    return inOrder("has '" + op->getName().getStringRef() +
                   "', whose order is seen from outside");
  Value ref = skipAliases(op->getOperand(0));
  auto argument = dyn_cast<BlockArgument>(ref);
  if (!mayWrite(op, op->getOperand(0)))
    return success();
  if (!argument)
    return inOrder("writes to memory that all steps share");
  // Refs around a pipeline are there for all of its steps.
  if (!grid->isAncestor(argument.getOwner()->getParentOp()))
    return inOrder("writes to memory that all steps share");
  if (argument.getOwner() != &grid.getKernelRegion().front())
    return success();
  auto blocks = grid.sliceBlockOps();
  for (auto [block, walk] : llvm::enumerate(result.walks))
    if (blocks[block] == argument && walk)
      return success();
  for (BlockArgument scratch : grid.sliceScratchOps())
    if (scratch == argument && startsOver(scratch))
      return success();
  return inOrder("carries what it writes from one step to the next");
}

/// A kernel that waits or copies by itself may do so for what its windows are
/// copied from, and those of joined steps are copied together.
LogicalResult JoinAnalysis::checkEffects() {
  auto visit = [&](Operation *op) {
    if (hasNoEffects(op) || isRefAlias(op) ||
        isa<scf::IfOp, scf::ForOp, RunScopedOp, GetOp, SwapOp, AddUpdateOp,
            MaskedLoadOp, MaskedSwapOp>(op))
      return WalkResult::advance();
    return WalkResult(
        refuse(op->getLoc(), "'" + op->getName().getStringRef() +
                                 "' may depend on when windows are copied"));
  };
  return failure(
      visitOperations(grid.getKernelRegion(), visit).wasInterrupted());
}

/// Without an inner dimension of more than one step, the parts of a group
/// follow each other already, and their order stays.
LogicalResult JoinAnalysis::checkOrder() {
  if (isa<EmitPipelineOp>(grid) && failed(checkEffects()))
    return failure();
  if (!result.isOuter)
    return success();
  auto visit = [&](Operation *op) { return WalkResult(checkOrder(op)); };
  return failure(
      visitOperations(grid.getKernelRegion(), visit).wasInterrupted());
}

StepJoin JoinAnalysis::runOnWindows(IndexTables &tables) {
  MotionAnalysis motions(grid, result.dim, result.factor, tables);
  unsigned numBlocks = grid.getNumBlocks();
  result.walks.resize(numBlocks);
  if (failed(checkGrid()))
    return result;
  for (unsigned block = 0; block < numBlocks; ++block)
    if (failed(findWalk(block, motions)))
      return result;
  // A failure leaves its obstacle.
  (void)checkAliases();
  return result;
}

/// Whether blocks may grow.
bool JoinAnalysis::grow(std::unique_ptr<GrownBody> *grown, bool reassociate) {
  if (reassociate && !PartSums::mayJoin(grid, result))
    return false;
  auto body = std::make_unique<GrownBody>(grid, result, reassociate);
  if (succeeded(body->analyze())) {
    if (grown)
      *grown = std::move(body);
    return true;
  }
  if (!result.growObstacle)
    result.growObstacle = body->getObstacle();
  return false;
}

/// Growing the blocks is tried before the loop: one operation on a block of
/// several parts needs no iteration of its own. Growing keeps no order between
/// parts, so `GrownBody` checks that none depends on another, and `checkOrder`
/// is for the loop alone.
StepJoin JoinAnalysis::runOnBody(std::unique_ptr<GrownBody> *grown,
                                 JoinOptions options) {
  if (result.obstacle || failed(checkSharedWindows()))
    return result;
  if (options.mayGrow) {
    bool isAlike = grow(grown, /*reassociate=*/false);
    result.reassociates =
        !isAlike && options.reassociate && grow(grown, /*reassociate=*/true);
    if (isAlike || result.reassociates) {
      result.form = JoinForm::Grow;
      result.growObstacle.reset();
      return result;
    }
  }
  if (failed(checkOrder()))
    return result;
  result.form = JoinForm::Loop;
  result.wouldReassociate = options.tellReassociation && !options.reassociate &&
                            grow(/*grown=*/nullptr, /*reassociate=*/true);
  return result;
}

StepJoin pallas::analyzeJoinedWindows(GridMappingOpInterface grid, unsigned dim,
                                      int64_t factor) {
  IndexTables tables(grid);
  return analyzeJoinedWindows(grid, dim, factor, tables);
}

StepJoin pallas::analyzeJoinedWindows(GridMappingOpInterface grid, unsigned dim,
                                      int64_t factor, IndexTables &tables) {
  return JoinAnalysis(grid, dim, factor).runOnWindows(tables);
}

StepJoin pallas::analyzeJoinedWindows(GridMappingOpInterface grid,
                                      const StepJoin &known, int64_t factor,
                                      IndexTables &tables) {
  if (known.obstacle || !known.movesById ||
      grid.getGridShape()[known.dim] % factor)
    return analyzeJoinedWindows(grid, known.dim, factor, tables);
  StepJoin join;
  join.dim = known.dim;
  join.factor = factor;
  join.walks = known.walks;
  join.isOuter = known.isOuter;
  return join;
}

SmallVector<StepJoin> pallas::analyzeJoinedWindows(GridMappingOpInterface grid,
                                                   ArrayRef<int64_t> factors,
                                                   IndexTables &tables) {
  SmallVector<StepJoin> joins(factors.size());
  for (auto [dim, factor] : llvm::enumerate(factors))
    if (factor != 1)
      joins[dim] = JoinAnalysis(grid, dim, factor).runOnWindows(tables);
  return joins;
}

StepJoin pallas::analyzeJoinedBody(GridMappingOpInterface grid,
                                   StepJoin windows,
                                   std::unique_ptr<GrownBody> *grown,
                                   JoinOptions options) {
  return JoinAnalysis(grid, std::move(windows)).runOnBody(grown, options);
}

StepJoin pallas::analyzeStepJoin(GridMappingOpInterface grid, unsigned dim,
                                 int64_t factor,
                                 std::unique_ptr<GrownBody> *grown,
                                 JoinOptions options) {
  return analyzeJoinedBody(grid, analyzeJoinedWindows(grid, dim, factor), grown,
                           options);
}
