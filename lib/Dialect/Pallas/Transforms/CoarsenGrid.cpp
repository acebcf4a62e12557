//===- CoarsenGrid.cpp - Fewer, larger steps ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Four steps become one, on blocks that hold the four:
//
//   grid(16) in(%x) block<[8, 128]> map(%i) -> (%i, 0)
// becomes
//   grid(4) in(%x) block<[32, 128]> map(%i) -> (%i, 0)
//
// and where the body does not treat the rows of all parts alike, it runs in
//
//   scf.for %j = %c0 to %c4 step %c1 : i32 {
//     %part = pallas.slice_ref %x[ds(%start, 8), :]      %start = 8 * %j
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/Pallas/Transforms/CoarsenGrid.h"
#include "GrowBlocks.h"
#include "SplitConditions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "pallas/Dialect/Pallas/Utils/Grid.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Blocks and their index maps
//===----------------------------------------------------------------------===//

BlockMappingAttr pallas::growMapping(BlockMappingAttr mapping, unsigned walk,
                                     int64_t factor) {
  SmallVector<BlockDimAttr> dims(mapping.getDims());
  BlockDimAttr dim = dims[walk];
  bool isSqueezed = dim.getKind() == BlockDimKind::Squeezed;
  dims[walk] = BlockDimAttr::get(
      mapping.getContext(), isSqueezed ? BlockDimKind::Blocked : dim.getKind(),
      isSqueezed ? factor : dim.getSize() * factor, dim.getPadLow(),
      dim.getPadHigh());
  return BlockMappingAttr::get(
      mapping.getContext(), dims, mapping.getMemorySpace(),
      mapping.getPipelineMode(), mapping.getTransforms(), mapping.getOrigin());
}

/// Lets an index map count steps of several parts, and along the walked
/// dimension blocks of as many. The first part starts at a multiple.
static void coarsenMap(Region &map, BlockMappingAttr mapping,
                       const StepJoin &join, std::optional<unsigned> walk) {
  Value id = map.getArgument(join.dim);
  Operation *yield = map.front().getTerminator();
  bool countsBlocks =
      walk && mapping.getDims()[*walk].getKind() != BlockDimKind::Element;
  OpOperand *walked =
      countsBlocks ? &yield->getOpOperand(getResultPosition(mapping, *walk))
                   : nullptr;
  bool isId = walked && walked->get() == id;
  OpBuilder builder = OpBuilder::atBlockBegin(&map.front());
  Location loc = map.getLoc();
  auto createFactor = [&](Type type) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getIntegerAttr(type, join.factor));
  };
  if (llvm::any_of(id.getUses(),
                   [&](OpOperand &use) { return !(isId && &use == walked); })) {
    Value factor = createFactor(id.getType());
    Value first = arith::MulIOp::create(builder, loc, id, factor);
    id.replaceUsesWithIf(first, [&](OpOperand &use) {
      return use.getOwner() != first.getDefiningOp() &&
             !(isId && &use == walked);
    });
  }
  if (!walked || isId || getConstantInteger(walked->get()) == 0)
    return;
  builder.setInsertionPoint(yield);
  Value factor = createFactor(walked->get().getType());
  walked->set(arith::DivSIOp::create(builder, loc, walked->get(), factor));
}

//===----------------------------------------------------------------------===//
// Parts one after the other
//===----------------------------------------------------------------------===//

/// The id of the joined step. A call's kernel asks for it by an axis, which
/// there is unless kernels don't see the dimension, and a pipeline's gets it.
static Value createStep(OpBuilder &builder, Location loc,
                        GridMappingOpInterface grid, unsigned dim) {
  if (isa<EmitPipelineOp>(grid))
    return grid.getKernelRegion().getArgument(dim);
  unsigned axis = 0;
  while (grid.getGridDimensionOfAxis(axis) != dim)
    ++axis;
  return ProgramIdOp::create(builder, loc, axis);
}

static Value createNumber(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getI32IntegerAttr(value));
}

/// The same for the kernel of a pipeline, whose ids are arguments.
static void moveId(GridMappingOpInterface grid, const StepJoin &join,
                   Value part) {
  BlockArgument id = grid.getKernelRegion().getArgument(join.dim);
  if (id.use_empty())
    return;
  Block *block = part ? part.getParentBlock() : id.getOwner();
  auto builder = OpBuilder::atBlockBegin(block);
  Location loc = grid.getLoc();
  Value first = arith::MulIOp::create(builder, loc, id,
                                      createNumber(builder, loc, join.factor));
  Value moved = first;
  if (part)
    moved = arith::AddIOp::create(builder, loc, first, part);
  id.replaceAllUsesExcept(moved, first.getDefiningOp());
}

/// Replaces the kernel's queries of the dimension by their values in the part
/// `part`, or in the first part if that is null.
static void answerQueries(GridMappingOpInterface grid, const StepJoin &join,
                          Value part) {
  if (isa<EmitPipelineOp>(grid))
    return moveId(grid, join, part);
  int64_t size = grid.getGridShape()[join.dim];
  replaceGridQueries(
      grid.getKernelRegion(), grid.getGridDimensionNames(),
      [&](OpBuilder &builder, const GridQuery &query) -> Value {
        if (query.dim != join.dim)
          return {};
        Location loc = query.getLoc();
        if (query.isSize)
          return createNumber(builder, loc, size);
        if (join.factor == size)
          return part ? part : createNumber(builder, loc, 0);
        Value first = arith::MulIOp::create(
            builder, loc, createStep(builder, loc, grid, join.dim),
            createNumber(builder, loc, join.factor));
        return part ? arith::AddIOp::create(builder, loc, first, part) : first;
      });
}

namespace {
/// Puts a kernel into a loop over the parts of a step.
class PartLoop {
public:
  PartLoop(GridMappingOpInterface grid, const StepJoin &join)
      : grid(grid), join(join), kernel(grid.getKernelRegion().front()),
        builder(OpBuilder::atBlockBegin(&kernel)), loc(grid.getLoc()) {}

  /// Returns how many branches run outside of the loop.
  unsigned run(ArrayRef<BlockMappingAttr> mappings);

private:
  Value createConstant(int64_t value) {
    return createNumber(builder, loc, value);
  }
  Value createCount(Value count);
  void viewBlock(unsigned block, BlockMappingAttr mapping);
  void viewScratch(BlockArgument scratch);
  void view(BlockArgument ref, RefType type, unsigned dim, DimIndex entry,
            Value operand);

  GridMappingOpInterface grid;
  const StepJoin &join;
  Block &kernel;
  OpBuilder builder;
  Location loc;
  Value part;
};
} // namespace

/// How many parts this step has.
Value PartLoop::createCount(Value count) {
  int64_t size = grid.getGridShape()[join.dim];
  if (size % join.factor == 0)
    return count;
  Value step = createStep(builder, loc, grid, join.dim);
  Value first = arith::MulIOp::create(builder, loc, step, count);
  Value left = arith::SubIOp::create(builder, loc, createConstant(size), first);
  return arith::MinSIOp::create(builder, loc, left, count);
}

/// Lets the kernel see one part of a ref that has become larger.
void PartLoop::view(BlockArgument ref, RefType type, unsigned dim,
                    DimIndex entry, Value operand) {
  SmallVector<DimIndex> entries(type.getRank(), DimIndex::full());
  entries[dim] = entry;
  ref.setType(type);
  auto view = SliceRefOp::create(
      builder, loc, ref, IndexerAttr::get(builder.getContext(), entries),
      operand);
  ref.replaceAllUsesExcept(view, view);
}

/// A squeezed dimension of one index per part becomes a block of several, of
/// which a part sees one:
///
///   block<[sq, 128]>  becomes  block<[4, 128]>, and the part sees %x[%j, :]
void PartLoop::viewBlock(unsigned block, BlockMappingAttr mapping) {
  BlockArgument ref = grid.sliceBlockOps()[block];
  auto oldType = cast<RefType>(ref.getType());
  BlockMappingAttr old = grid.getMappings()[block];
  unsigned walk = *join.walks[block];
  unsigned dim = *getRefDimension(mapping, walk);
  RefType type = mapping.getRefType(oldType.getElementType());
  if (!getRefDimension(old, walk))
    return view(ref, type, dim, DimIndex::scalar(ShapedType::kDynamic), part);
  int64_t size = oldType.getDimSize(dim);
  Value start = arith::MulIOp::create(builder, loc, part, createConstant(size));
  view(ref, type, dim, DimIndex::slice(ShapedType::kDynamic, size), start);
}

/// Other steps come between those of one part, so that each part keeps what it
/// writes to itself.
void PartLoop::viewScratch(BlockArgument scratch) {
  auto type = cast<RefType>(scratch.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin(), join.factor);
  view(scratch, type.withShape(shape), 0,
       DimIndex::scalar(ShapedType::kDynamic), part);
}

/// The body moves to the loop first. What the count and the views need is
/// created around it and at its start, so that it dominates all uses.
unsigned PartLoop::run(ArrayRef<BlockMappingAttr> mappings) {
  Operation *first = &kernel.front(), *yield = kernel.getTerminator();
  Value none = createConstant(0), all = createConstant(join.factor);
  auto loop = scf::ForOp::create(builder, loc, none, all, createConstant(1));
  Block *body = loop.getBody();
  body->getOperations().splice(body->getTerminator()->getIterator(),
                               kernel.getOperations(), first->getIterator(),
                               yield->getIterator());
  part = loop.getInductionVar();
  answerQueries(grid, join, part);
  builder.setInsertionPoint(loop);
  loop.setUpperBound(createCount(all));
  builder.setInsertionPointToStart(body);
  for (unsigned block = 0; block < grid.getNumBlocks(); ++block)
    if (join.walks[block])
      viewBlock(block, mappings[block]);
  if (join.isOuter)
    for (BlockArgument scratch : grid.sliceScratchOps())
      if (!scratch.use_empty())
        viewScratch(scratch);
  return isa<EmitPipelineOp>(grid) ? 0 : splitConditions(grid, join, loop);
}

//===----------------------------------------------------------------------===//
// Grids
//===----------------------------------------------------------------------===//

static void setGrid(GridMappingOpInterface grid, ArrayRef<int64_t> shape,
                    ArrayRef<BlockMappingAttr> mappings) {
  auto list =
      ArrayAttr::get(grid.getContext(),
                     SmallVector<Attribute>(mappings.begin(), mappings.end()));
  auto set = [&](auto op) {
    op.setGrid(shape);
    op.setBlockMappingsAttr(list);
  };
  if (auto pipeline = dyn_cast<EmitPipelineOp>(grid.getOperation()))
    set(pipeline);
  else
    set(cast<PallasCallOp>(grid.getOperation()));
}

/// The grid changes last: analyses of this step still ask for its old size.
/// With `grown`, blocks grow. Returns how many branches of the first or
/// the last part run outside of a loop over parts.
static unsigned coarsen(GridMappingOpInterface grid, const StepJoin &join,
                        GrownBody *grown = nullptr) {
  SmallVector<BlockMappingAttr> mappings = grid.getMappings();
  for (auto [block, walk] : llvm::enumerate(join.walks)) {
    if (Region *map = grid.getIndexMap(block))
      coarsenMap(*map, mappings[block], join, walk);
    if (walk)
      mappings[block] = growMapping(mappings[block], *walk, join.factor);
  }
  unsigned numSplit = 0;
  if (grown) {
    growBlocks(grid, join, *grown);
    answerQueries(grid, join, {});
  } else {
    numSplit = PartLoop(grid, join).run(mappings);
  }
  SmallVector<int64_t> shape = grid.getGridShape();
  shape[join.dim] = llvm::divideCeil(shape[join.dim], join.factor);
  setGrid(grid, shape, mappings);
  return numSplit;
}

/// Leaves the parts in a loop, or apart.
static void loopOverParts(GridMappingOpInterface grid, const StepJoin &join,
                          CoarsenedDims &result) {
  std::string steps = "steps of grid dimension " + std::to_string(join.dim);
  if (join.form == JoinForm::None) {
    result.remarks.push_back(
        {join.obstacle->loc, steps + " stay apart: " + join.obstacle->why});
    ++result.numRefused;
    return;
  }
  if (join.growObstacle)
    result.remarks.push_back(
        {join.growObstacle->loc,
         steps + " become a loop over parts: " + join.growObstacle->why});
  if (join.wouldReassociate)
    result.remarks.push_back(
        {grid.getLoc(),
         "the parts of " + steps +
             " would become one longer sum if it may be added up in another "
             "order; 'reassociate=true' allows that"});
  result.numSplit += coarsen(grid, join);
  ++result.numLoops;
}

/// For most kernels this is all that a pass does. Only operations with regions
/// are called for, which takes a third of an upstream walk.
static void collectGrids(Operation *op,
                         SmallVector<GridMappingOpInterface> &grids) {
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Operation &nested : block)
        if (nested.getNumRegions() > 0)
          collectGrids(&nested, grids);
  if (isa<PallasCallOp, EmitPipelineOp>(op))
    grids.push_back(cast<GridMappingOpInterface>(op));
}

SmallVector<GridMappingOpInterface> pallas::collectGrids(Operation *root) {
  SmallVector<GridMappingOpInterface> grids;
  ::collectGrids(root, grids);
  return grids;
}

/// A join by another coarsening factor than the known one, without an analysis
/// of the kernel: that depends on the dimensions along which windows move, not
/// on how many there are.
static std::optional<StepJoin> reuseBody(GridMappingOpInterface grid,
                                         const StepJoin &known, int64_t factor,
                                         IndexTables &tables) {
  if (known.form != JoinForm::Grow || known.reassociates)
    return std::nullopt;
  StepJoin join = analyzeJoinedWindows(grid, known, factor, tables);
  if (join.obstacle || join.walks != known.walks)
    return std::nullopt;
  join.form = JoinForm::Grow;
  return join;
}

CoarsenedDims pallas::coarsenGrid(GridMappingOpInterface grid,
                                  ArrayRef<int64_t> factors,
                                  const CoarsenOptions &options) {
  CoarsenedDims result;
  // Blocks grow first: a loop over parts would hide from other dimensions where
  // their steps start.
  SmallVector<StepJoin> left;
  unsigned numKnown = 0;
  for (auto [dim, factor] : llvm::enumerate(factors)) {
    if (factor == 1)
      continue;
    const StepJoin *known =
        options.known.empty() ? nullptr : &options.known[dim];
    std::unique_ptr<GrownBody> grown;
    std::optional<StepJoin> reused;
    if (!result.numGrown && dim < options.bodies.size() && options.bodies[dim])
      reused = reuseBody(grid, *known, factor, *options.tables);
    if (reused)
      grown = std::move(options.bodies[dim]);
    StepJoin join =
        reused ? std::move(*reused)
               : analyzeStepJoin(
                     grid, dim, factor, &grown,
                     {/*mayGrow=*/!known || known->form == JoinForm::Grow,
                      options.reassociate, options.tellReassociation});
    if (!grown) {
      if (known)
        join.growObstacle = known->growObstacle;
      left.push_back(std::move(join));
      continue;
    }
    coarsen(grid, join, grown.get());
    ++result.numGrown;
    numKnown = left.size();
  }
  // Joins that were analyzed before the call has changed are analyzed again.
  for (auto [index, join] : llvm::enumerate(left)) {
    if (index < numKnown || result.numLoops) {
      StepJoin before = std::move(join);
      join = analyzeStepJoin(grid, before.dim, before.factor, /*grown=*/nullptr,
                             {/*mayGrow=*/false});
      join.growObstacle = std::move(before.growObstacle);
      join.wouldReassociate = before.wouldReassociate;
    }
    loopOverParts(grid, join, result);
  }
  return result;
}
