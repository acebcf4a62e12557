//===- PallasExpandPipelines.cpp - Pipelines inside kernels as loops ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One loop runs over all points of the grid. While the body works at one, the
// blocks that the next points need are copied to the other windows, and those
// that the last ones wrote are copied back. What the next point sees again is
// not copied.
//
// For two buffers per window:
//
//   copy the blocks of point 0
//   %r = scf.for %k = %c0 to %n step %c1 {
//     start copying the inputs of point k + 1
//     wait for the inputs of point k
//     body
//     start copying the outputs of point k
//     wait for the outputs of point k - 1
//   }
//   wait for the outputs of the last point
//
// The order within a point is what overlaps copies with the body: copies start
// before the body, and the waits for outputs come as late as the buffer allows.
//
//===----------------------------------------------------------------------===//

#include "PipelineWindow.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "pallas/Dialect/Pallas/Transforms/Passes.h"
#include "pallas/Dialect/Pallas/Utils/Grid.h"
#include "pallas/Support/Nests.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASEXPANDPIPELINES
#include "pallas/Dialect/Pallas/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

namespace {

/// A point of the grid while it is worked on, and those around it by distance.
struct Step {
  Value number;
  SmallVector<SmallVector<Value>> behind, ahead;
  /// Whether there is such a point; none for the point itself.
  SmallVector<Value> hasBehind, hasAhead;
};

/// The work of a window at one point.
struct Turn {
  PipelineWindow *window;
  /// Which of the buffers it works with.
  Value slot;
  /// The block of the point, and those of the first point that has not been
  /// sent for and of the last that may still be copied back.
  BlockPosition current, ahead, behind;
  /// Whether the previous and the next point see another block; none where
  /// they always do.
  Value isNew, isDone;

  /// How far away the points are whose blocks are copied meanwhile.
  int64_t getReach() const { return window->getNumBuffers() - 1; }
};

/// Expands one pipeline. `run` lists the parts in the order in which they
/// execute.
class PipelineExpansion {
public:
  PipelineExpansion(EmitPipelineOp op, TileSize tile)
      : op(op), grid(cast<GridMappingOpInterface>(op.getOperation())),
        builder(op), loc(op.getLoc()) {
    for (unsigned index = 0; index < grid.getNumBlocks(); ++index)
      reach = std::max(
          reach, windows.emplace_back(op, index, tile).getNumBuffers() - 1);
  }

  LogicalResult run();

  int64_t getNumWindows() const { return windows.size(); }
  /// Windows whose copies run while the body works.
  int64_t getNumOverlapped() {
    return llvm::count_if(windows, [](PipelineWindow &window) {
      return window.getNumBuffers() > 1;
    });
  }

private:
  void createScope();
  /// The point behind `ids`, or before; at the ends of the grid it goes on
  /// with the other end.
  SmallVector<Value> createNeighbor(ValueRange ids, bool isNext);
  void createEnds(bool isStart, ValueRange slots);
  /// The buffers that windows work with: some take turns with the points, for
  /// others the loop knows.
  SmallVector<Value> createSlots(Value number, ValueRange carried);
  SmallVector<Turn> createTurns(const Step &step, ValueRange slots);
  /// The buffer that the window had at the point before, or has at the next.
  Value createNeighborSlot(const Turn &turn, bool isNext);
  void fetchInputs(const Step &step, ArrayRef<Turn> turns);
  SmallVector<Value> runBody(const Step &step, ArrayRef<Turn> turns,
                             ValueRange carried);
  void sendOutputs(const Step &step, ArrayRef<Turn> turns);
  Step createPoint(Value number, ValueRange carried);
  SmallVector<Value> createStep(Value number, ValueRange carried);
  /// Emits code that runs where the condition holds; none means everywhere.
  void when(Value condition, llvm::function_ref<void()> body);

  bool isInput(unsigned index) { return index < grid.getNumInputs(); }
  Value i32(int64_t value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI32IntegerAttr(value));
  }
  template <typename OpTy> Value binary(Value lhs, Value rhs) {
    return OpTy::create(builder, loc, lhs, rhs);
  }
  Value compare(arith::CmpIPredicate predicate, Value lhs, Value rhs) {
    return arith::CmpIOp::create(builder, loc, predicate, lhs, rhs);
  }
  /// Both; none means that it always holds.
  Value both(Value lhs, Value rhs) {
    return lhs && rhs ? binary<arith::AndIOp>(lhs, rhs) : (lhs ? lhs : rhs);
  }
  Value logicalNot(Value value) {
    Value yes =
        arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
    return binary<arith::XOrIOp>(value, yes);
  }
  Value select(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(builder, loc, condition, yes, no);
  }

  EmitPipelineOp op;
  GridMappingOpInterface grid;
  OpBuilder builder;
  Location loc;
  SmallVector<PipelineWindow> windows;
  /// The farthest points that any window looks at.
  int64_t reach = 1;
  /// Dimensions whose indices the loop carries.
  SmallVector<unsigned> carriedDims;
  std::optional<unsigned> countedDim;
  /// Windows whose buffers the loop carries.
  SmallVector<unsigned> carriedSlots;
  SmallVector<Value> sizes;
  Value numPoints;
  SmallVector<Value> scratch;
};

} // namespace

/// A condition that always holds costs no branch, and most do in static grids.
void PipelineExpansion::when(Value condition, llvm::function_ref<void()> body) {
  if (!condition)
    return body();
  auto branch = scf::IfOp::create(builder, loc, condition, /*withElse=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  body();
}

/// Buffers and semaphores live in a scope around the loop.
void PipelineExpansion::createScope() {
  auto scope = RunScopedOp::create(builder, loc, TypeRange(op.getInitCarry()),
                                   ArrayAttr());
  Block *body = builder.createBlock(&scope.getBody());
  for (PipelineWindow &window : windows)
    window.addMemory(body);
  for (BlockArgument argument : grid.sliceScratchOps())
    scratch.push_back(body->addArgument(argument.getType(), loc));
  builder.setInsertionPointToStart(body);
  op->replaceAllUsesWith(scope->getResults());
}

SmallVector<Value> PipelineExpansion::createNeighbor(ValueRange ids,
                                                     bool isNext) {
  SmallVector<Value> result(ids);
  Value one = i32(1), zero = i32(0), carry;
  // An odometer: the last dimension moves, others where it wraps around.
  for (size_t dim = sizes.size(); dim-- > 0;) {
    // Such a dimension never moves.
    if (grid.getGridShape()[dim] == 1)
      continue;
    Value end = isNext ? sizes[dim] : zero;
    Value moved = isNext ? binary<arith::AddIOp>(ids[dim], one)
                         : binary<arith::SubIOp>(ids[dim], one);
    Value isOutside = isNext
                          ? compare(arith::CmpIPredicate::eq, moved, sizes[dim])
                          : compare(arith::CmpIPredicate::slt, moved, zero);
    Value wrapped =
        select(isOutside,
               isNext ? zero : binary<arith::SubIOp>(sizes[dim], one), moved);
    result[dim] = carry ? select(carry, wrapped, ids[dim]) : wrapped;
    carry = carry ? binary<arith::AndIOp>(carry, isOutside) : isOutside;
  }
  return result;
}

/// Brings the blocks of the first points, or waits for those of the last.
void PipelineExpansion::createEnds(bool isStart, ValueRange slots) {
  // The start counts from the first point, the end from the last.
  SmallVector<Value> ids(sizes.size(), i32(0));
  if (!isStart)
    for (auto [id, size] : llvm::zip_equal(ids, sizes))
      id = binary<arith::SubIOp>(size, i32(1));
  SmallVector<Turn> turns;
  for (auto [index, window] : llvm::enumerate(windows))
    if (isInput(index) == isStart)
      turns.push_back({&window, slots[index], {}, {}, {}, {}, {}});
  auto copyAt = [&](const Turn &turn) {
    BlockPosition position = turn.window->createPosition(builder, ids);
    bool isInvariant = turn.window->isInvariant();
    // A window that never changes is copied once, and waited for at once.
    if (isStart || isInvariant)
      turn.window->startCopy(builder, position, turn.slot);
    if (!isStart || isInvariant)
      turn.window->waitForCopy(builder, position, turn.slot);
  };
  // The grid may be smaller than what is looked ahead.
  for (int64_t distance = 0; distance < reach; ++distance) {
    auto takesPart = [&](const Turn &turn) {
      return distance < turn.getReach() ||
             (distance == 0 && turn.window->isInvariant());
    };
    if (llvm::none_of(turns, takesPart))
      continue;
    bool mayEnd = !grid.hasStaticGrid() || distance > 0;
    Value exists =
        mayEnd ? compare(arith::CmpIPredicate::sgt, numPoints, i32(distance))
               : Value();
    if (distance > 0) {
      ids = createNeighbor(ids, isStart);
      for (Turn &turn : turns)
        if (takesPart(turn))
          turn.slot = createNeighborSlot(turn, isStart);
    }
    when(exists, [&] {
      for (const Turn &turn : turns)
        if (takesPart(turn))
          copyAt(turn);
    });
  }
}

/// Buffers take turns by the number of the point. Windows that may keep their
/// block have a slot that the loop carries.
SmallVector<Value> PipelineExpansion::createSlots(Value number,
                                                  ValueRange carried) {
  Value parity = binary<arith::AndIOp>(number, i32(1));
  SmallVector<Value> slots;
  for (PipelineWindow &window : windows) {
    int64_t count = window.getNumBuffers();
    slots.push_back(count > 2    ? binary<arith::RemSIOp>(number, i32(count))
                    : count == 1 ? i32(0)
                                 : parity);
  }
  for (auto [index, slot] : llvm::zip_equal(carriedSlots, carried))
    slots[index] = slot;
  return slots;
}

/// Evaluates the index maps at the points that the window has to look at.
SmallVector<Turn> PipelineExpansion::createTurns(const Step &step,
                                                 ValueRange slots) {
  SmallVector<Turn> turns;
  for (auto [index, window] : llvm::enumerate(windows)) {
    Turn &turn = turns.emplace_back();
    turn.window = &window;
    turn.slot = slots[index];
    if (window.isInvariant())
      continue;
    bool isKnown = window.alwaysChanges();
    turn.current = window.createPosition(builder, step.ahead[0]);
    if (!isKnown || isInput(index))
      turn.ahead = window.createPosition(
          builder, step.ahead[isKnown ? turn.getReach() : 1]);
    if (!isKnown || !isInput(index))
      turn.behind = window.createPosition(
          builder, step.behind[isKnown ? turn.getReach() : 1]);
    if (isKnown)
      continue;
    turn.isNew = window.createDiffer(builder, turn.current, turn.behind);
    turn.isDone = window.createDiffer(builder, turn.current, turn.ahead);
    // With one buffer, the next block can't be fetched before its point.
    if (turn.getReach() == 0)
      turn.ahead = turn.behind = turn.current;
  }
  return turns;
}

Value PipelineExpansion::createNeighborSlot(const Turn &turn, bool isNext) {
  int64_t count = turn.window->getNumBuffers();
  if (count == 1)
    return turn.slot;
  if (count == 2)
    return binary<arith::SubIOp>(i32(1), turn.slot);
  int64_t end = isNext ? count - 1 : 0;
  Value moved = binary<arith::AddIOp>(turn.slot, i32(isNext ? 1 : -1));
  return select(compare(arith::CmpIPredicate::eq, turn.slot, i32(end)),
                i32(count - 1 - end), moved);
}

/// Sends for what a later point needs, and waits for what this one does.
void PipelineExpansion::fetchInputs(const Step &step, ArrayRef<Turn> turns) {
  auto inputs = llvm::make_filter_range(
      turns.take_front(grid.getNumInputs()),
      [](const Turn &turn) { return !turn.window->isInvariant(); });
  auto isNew = [&](const Turn &turn) {
    return turn.isNew
               ? binary<arith::OrIOp>(turn.isNew, logicalNot(step.hasBehind[1]))
               : Value();
  };
  for (const Turn &turn : inputs) {
    // With one buffer, a block is fetched when it is needed.
    Value isWanted = turn.getReach() == 0
                         ? isNew(turn)
                         : both(step.hasAhead[turn.getReach()], turn.isDone);
    when(isWanted, [&] {
      turn.window->startCopy(builder, turn.ahead,
                             createNeighborSlot(turn, /*isNext=*/false));
    });
  }
  for (const Turn &turn : inputs)
    when(isNew(turn),
         [&] { turn.window->waitForCopy(builder, turn.current, turn.slot); });
}

/// Moves the body here; returns what it carries to the next point.
SmallVector<Value> PipelineExpansion::runBody(const Step &step,
                                              ArrayRef<Turn> turns,
                                              ValueRange carried) {
  Block &kernel = grid.getKernelRegion().front();
  for (auto [argument, id] : llvm::zip(kernel.getArguments(), step.ahead[0]))
    argument.replaceAllUsesWith(id);
  for (auto [index, argument] : llvm::enumerate(grid.sliceBlockOps()))
    argument.replaceAllUsesWith(
        windows[index].createWindow(builder, turns[index].slot));
  for (auto [argument, ref] : llvm::zip_equal(grid.sliceScratchOps(), scratch))
    argument.replaceAllUsesWith(ref);
  for (auto [argument, value] : llvm::zip_equal(
           kernel.getArguments().take_back(carried.size()), carried))
    argument.replaceAllUsesWith(value);
  Operation *terminator = kernel.getTerminator();
  SmallVector<Value> results(terminator->getOperands());
  // The values that the body yields are taken before its terminator goes.
  terminator->erase();
  Block *block = builder.getInsertionBlock();
  block->getOperations().splice(builder.getInsertionPoint(),
                                kernel.getOperations());
  return results;
}

/// Sends blocks that no later point adds to, and waits until the buffer is free
/// that the next block gets.
void PipelineExpansion::sendOutputs(const Step &step, ArrayRef<Turn> turns) {
  for (const Turn &turn : turns.drop_front(grid.getNumInputs())) {
    if (turn.window->isInvariant())
      continue;
    Value isDone =
        turn.isDone
            ? binary<arith::OrIOp>(turn.isDone, logicalNot(step.hasAhead[1]))
            : Value();
    when(isDone,
         [&] { turn.window->startCopy(builder, turn.current, turn.slot); });
    Value isBusy = turn.getReach() == 0
                       ? isDone
                       : both(step.hasBehind[turn.getReach()], turn.isNew);
    when(isBusy, [&] {
      turn.window->waitForCopy(builder, turn.behind,
                               createNeighborSlot(turn, /*isNext=*/true));
    });
  }
}

/// The ids of the point and of its neighbors, as far as any window looks.
Step PipelineExpansion::createPoint(Value number, ValueRange carried) {
  Step step;
  step.number = number;
  SmallVector<Value> ids(sizes.size(), i32(0));
  for (auto [dim, id] : llvm::zip(carriedDims, carried))
    ids[dim] = id;
  if (countedDim)
    ids[*countedDim] = number;
  step.behind.push_back(ids);
  step.ahead.push_back(ids);
  step.hasBehind.emplace_back();
  step.hasAhead.emplace_back();
  for (int64_t distance = 1; distance <= reach; ++distance) {
    step.hasBehind.push_back(
        compare(arith::CmpIPredicate::sge, number, i32(distance)));
    step.hasAhead.push_back(
        compare(arith::CmpIPredicate::slt, number,
                binary<arith::SubIOp>(numPoints, i32(distance))));
    step.behind.push_back(createNeighbor(step.behind.back(), /*isNext=*/false));
    step.ahead.push_back(createNeighbor(step.ahead.back(), /*isNext=*/true));
  }
  return step;
}

/// One point: returns the values carried to the next one.
SmallVector<Value> PipelineExpansion::createStep(Value number,
                                                 ValueRange carried) {
  Step step = createPoint(number, carried.take_front(carriedDims.size()));
  carried = carried.drop_front(carriedDims.size());
  size_t numSlots = carriedSlots.size();
  SmallVector<Turn> turns =
      createTurns(step, createSlots(number, carried.take_front(numSlots)));
  fetchInputs(step, turns);
  SmallVector<Value> forwarded =
      runBody(step, turns, carried.drop_front(numSlots));
  sendOutputs(step, turns);

  SmallVector<Value> results;
  for (unsigned dim : carriedDims)
    results.push_back(step.ahead[1][dim]);
  for (unsigned index : carriedSlots) {
    Value changes = both(step.hasAhead[1], turns[index].isDone);
    Value slot = turns[index].slot;
    results.push_back(select(
        changes, createNeighborSlot(turns[index], /*isNext=*/true), slot));
  }
  llvm::append_range(results, forwarded);
  return results;
}

/// Checks all windows first. Then the scope, the first copies, the loop, and
/// the last waits are built in order.
LogicalResult PipelineExpansion::run() {
  for (PipelineWindow &window : windows)
    if (failed(window.verify()))
      return failure();
  sizes = createGridSizes(builder, loc, grid.getGridShape(),
                          grid.getDynamicGridOperands(), builder.getI32Type());
  numPoints = i32(1);
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    numPoints = binary<arith::MulIOp>(numPoints, size);
    if (grid.getGridShape()[dim] != 1)
      carriedDims.push_back(dim);
  }
  // The loop counts along a single dimension itself.
  if (carriedDims.size() == 1)
    countedDim = carriedDims.pop_back_val();
  // Other windows know their buffer from the number of the point.
  for (auto [index, window] : llvm::enumerate(windows))
    if (window.getNumBuffers() == 2 && !window.alwaysChanges())
      carriedSlots.push_back(index);

  Value zero = i32(0);
  SmallVector<Value> carried(carriedDims.size() + carriedSlots.size(), zero);
  llvm::append_range(carried, op.getInitCarry());
  createScope();
  createEnds(/*isStart=*/true, SmallVector<Value>(windows.size(), zero));
  auto loop =
      scf::ForOp::create(builder, loc, zero, numPoints, i32(1), carried);
  {
    OpBuilder::InsertionGuard guard(builder);
    Block *body = loop.getBody();
    // Without results the loop comes with its end.
    if (body->mightHaveTerminator() && !body->empty())
      body->getTerminator()->erase();
    builder.setInsertionPointToEnd(body);
    SmallVector<Value> results =
        createStep(loop.getInductionVar(), loop.getRegionIterArgs());
    scf::YieldOp::create(builder, loc, results);
  }
  // Indices and slots of the loop are internal; the rest are the results.
  ValueRange results = loop.getResults().drop_front(carriedDims.size());
  createEnds(/*isStart=*/false,
             createSlots(binary<arith::SubIOp>(numPoints, i32(1)),
                         results.take_front(carriedSlots.size())));
  YieldOp::create(builder, loc, results.drop_front(carriedSlots.size()));
  op.erase();
  return success();
}

namespace {
struct ExpandPipelinesPass
    : public pallas::impl::PallasExpandPipelinesBase<ExpandPipelinesPass> {
  using PallasExpandPipelinesBase::PallasExpandPipelinesBase;

  void runOnOperation() override {
    SmallVector<EmitPipelineOp> pipelines;
    walkNests(getOperation(), [&](Operation *op) {
      if (auto pipeline = dyn_cast<EmitPipelineOp>(op))
        pipelines.push_back(pipeline);
    });
    // Inner ones come first.
    for (EmitPipelineOp op : pipelines)
      if (failed(expand(op)))
        return signalPassFailure();
  }

  LogicalResult expand(EmitPipelineOp op) {
    if (op.getCoreAxis())
      return op.emitOpError("shares its grid among cores; run "
                            "pallas-distribute-pipelines before");
    PipelineExpansion expansion(op, {tileRows, tileColumns});
    ++numPipelines;
    numWindows += expansion.getNumWindows();
    numOverlapped += expansion.getNumOverlapped();
    return expansion.run();
  }
};
} // namespace
