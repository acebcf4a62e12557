//===- GPUSchedule.cpp - Blocks that come and go while a GPU works --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks go through a ring of slots in shared memory. A step waits for the
// barrier of its slot, runs the body, and refills the slot for a later step:
//
//   wait %barrier[%slot]; body; copy block of step + depth to %slot
//
// Outputs take the other direction, in groups of asynchronous copies. With
// warpgroups of two kinds, one of them only copies, and slots are released by a
// second set of barriers.
//
//===----------------------------------------------------------------------===//

#include "GPUSchedule.h"
#include "GPUArrayAccesses.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "pallas/Dialect/Pallas/Utils/Grid.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::pallas;

/// More slots than steps would never be filled.
LogicalResult GPUSchedule::plan(ArrayRef<unsigned> stepDims, int64_t maxSteps) {
  llvm::append_range(sequentialDims, stepDims);
  shape = grid.getGridShape();
  hasStaticSteps = llvm::none_of(stepDims, [&](unsigned dim) {
    return ShapedType::isDynamic(shape[dim]);
  });
  if (hasStaticSteps)
    for (unsigned dim : stepDims)
      steps *= shape[dim];
  else
    steps = std::numeric_limits<int32_t>::max();
  depth = std::max<int64_t>(1, std::min(maxSteps, steps));
  FailureOr<SmallVector<GPUWindow>> found =
      findGPUWindows(grid, sequentialDims, steps, depth);
  if (failed(found))
    return failure();
  windows = std::move(*found);
  return success();
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// A block, with room for others in front when the steps have one each.
RefType GPUSchedule::getSlotType(const GPUWindow &window) {
  ShapedType array = getArrayShapedType(grid.getArrayType(window.index));
  SmallVector<int64_t> shape = window.mapping.getRefShape();
  if (window.hasSlots())
    shape.insert(shape.begin(), depth);
  RefType plain =
      RefType::get(shape, array.getElementType(), MemorySpace::Smem);
  return RefType::get(b.getContext(), shape, array.getElementType(),
                      plain.getMemorySpace(), window.mapping.getTransforms());
}

/// The size of a dimension, which a pipeline may know at run time only.
Value GPUSchedule::getSize(unsigned dim) {
  return ShapedType::isDynamic(shape[dim]) ? sizes[dim] : i32(shape[dim]);
}

/// The product of the sizes of these dimensions.
Value GPUSchedule::getProduct(ArrayRef<unsigned> dims) {
  int64_t known = 1;
  Value product;
  for (unsigned dim : dims) {
    if (ShapedType::isStatic(shape[dim])) {
      known *= shape[dim];
      continue;
    }
    Value size = getSize(dim);
    product = product ? arith::MulIOp::create(b, loc, product, size) : size;
  }
  if (product && known == 1)
    return product;
  return product ? arith::MulIOp::create(b, loc, product, i32(known))
                 : i32(known);
}

/// The program ids in a step: those of the launch, and the step by digits.
SmallVector<Value> GPUSchedule::getIds(Value step) {
  SmallVector<Value> ids;
  for (unsigned dim = 0; dim < shape.size(); ++dim) {
    if (!llvm::is_contained(sequentialDims, dim)) {
      ids.push_back(getIndex(dim));
      continue;
    }
    SmallVector<unsigned> later;
    for (unsigned other : sequentialDims)
      if (other > dim && shape[other] != 1)
        later.push_back(other);
    Value id = step;
    if (!later.empty())
      id = arith::DivSIOp::create(b, loc, id, getProduct(later));
    if (dim != sequentialDims.front())
      id = arith::RemSIOp::create(b, loc, id, getSize(dim));
    ids.push_back(id);
  }
  return ids;
}

static Value slice(OpBuilder &b, Location loc, Value ref,
                   ArrayRef<DimIndex> entries, ArrayRef<Value> indices) {
  return SliceRefOp::create(b, loc, ref,
                            IndexerAttr::get(b.getContext(), entries), indices);
}

/// The index of a step's block along each dimension; null for zero.
SmallVector<Value> GPUSchedule::getBlockIndices(const GPUWindow &window,
                                                Value step) {
  if (Region *map = grid.getIndexMap(window.index))
    return copyIndexMap(b, loc, *map, getIds(step));
  return SmallVector<Value>(window.mapping.getDims().size());
}

/// The block of a step, in global memory.
Value GPUSchedule::sliceArray(const GPUWindow &window, Value step) {
  SmallVector<Value> indices = getBlockIndices(window, step);
  ArrayRef<int64_t> shape =
      getArrayShapedType(grid.getArrayType(window.index)).getShape();
  SmallVector<DimIndex> entries;
  SmallVector<Value> starts;
  for (auto [dim, index, whole] :
       llvm::zip_equal(window.mapping.getDims(), indices, shape)) {
    bool isSqueezed = dim.getKind() == BlockDimKind::Squeezed;
    if (!index && !isSqueezed) {
      entries.push_back(DimIndex::slice(0, dim.getSize()));
      continue;
    }
    if (!index)
      index = i32(0);
    entries.push_back(
        isSqueezed ? DimIndex::scalar(ShapedType::kDynamic)
                   : DimIndex::slice(ShapedType::kDynamic, dim.getSize()));
    starts.push_back(isSqueezed ? index
                                : Value(arith::MulIOp::create(
                                      b, loc, index, i32(dim.getSize()))));
  }
  return slice(b, loc, window.array, entries, starts);
}

/// A slot of the ring, or the block when there is only one.
Value GPUSchedule::sliceMemory(const GPUWindow &window, Value slot) {
  if (!window.hasSlots())
    return window.memory;
  auto type = cast<RefType>(window.memory.getType());
  SmallVector<DimIndex> entries(type.getRank(), DimIndex::full());
  entries[0] = DimIndex::scalar(ShapedType::kDynamic);
  return slice(b, loc, window.memory, entries, slot);
}

/// The ref by which the kernel knows a window in a step.
Value GPUSchedule::getRef(const GPUWindow &window, Value step, Value slot) {
  if (!window.isGlobal)
    return sliceMemory(window, getSlot(window, step, slot));
  // A squeezed dimension is in the array, but not in the ref.
  auto array = cast<RefType>(window.array.getType());
  bool isArray =
      grid.hasTrivialWindow(window.index) &&
      grid.getBlockRefType(window.index).getShape() == array.getShape();
  return isArray ? window.array : sliceArray(window, step);
}

/// The barrier of a slot.
Value GPUSchedule::getBarrier(Value barriers, Value slot) {
  return slice(b, loc, barriers, DimIndex::scalar(ShapedType::kDynamic), slot);
}

/// Each window of the step arrives at the barrier once, so one wait is for all
/// of them.
void GPUSchedule::copyIn(const GPUWindow &window, Value step, Value slot) {
  Value barrier = window.isOnce ? once : getBarrier(barriers, slot);
  CopyGmemToSmemOp::create(b, loc, sliceArray(window, step),
                           sliceMemory(window, slot), barrier, Value(),
                           ArrayAttr(), UnitAttr(), IntegerAttr());
}

/// Copies the blocks that all steps see.
void GPUSchedule::copyOnce() {
  for (const GPUWindow &window : windows)
    if (window.isOnce)
      copyIn(window, i32(0), Value());
}

/// Groups, not each copy, are waited for; see `writeStep`.
void GPUSchedule::copyOut(const GPUWindow &window, Value step, Value slot) {
  CopySmemToGmemOp::create(b, loc,
                           sliceMemory(window, getSlot(window, step, slot)),
                           sliceArray(window, step), Value(),
                           b.getBoolAttr(false), AtomicKindAttr());
}

//===----------------------------------------------------------------------===//
// The body
//===----------------------------------------------------------------------===//

/// Temporaries of TPUs lie in the memory of a block.
static void moveTemporaries(Block &body, MemorySpaceAttr shared) {
  body.walk([&](RunScopedOp scope) {
    for (BlockArgument argument : scope.getBody().getArguments())
      if (auto ref = dyn_cast<RefType>(argument.getType()))
        if (ref.getSpace() == MemorySpace::Vmem)
          setMemorySpace(argument, shared);
  });
}

/// Answers what operations of the kernel ask about this grid.
void GPUSchedule::answerQueries(Block &body, ArrayRef<Value> ids) {
  SmallVector<StringRef> names = grid.getGridDimensionNames();
  body.walk([&](Operation *op) {
    Value value;
    if (auto id = dyn_cast<ProgramIdOp>(op)) {
      if (getEnclosingGrid(op) == grid)
        value = ids[grid.getGridDimensionOfAxis(id.getAxis())];
    } else if (auto count = dyn_cast<NumProgramsOp>(op)) {
      if (getEnclosingGrid(op) == grid)
        value = getSize(grid.getGridDimensionOfAxis(count.getAxis()));
    } else if (auto index = dyn_cast<AxisIndexOp>(op)) {
      auto *it = llvm::find(names, index.getAxisName());
      if (it != names.end())
        value = ids[it - names.begin()];
    }
    if (!value)
      return;
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
  });
}

/// Moves the kernel here; returns the values that it carries.
SmallVector<Value> GPUSchedule::inlineBody(Value step, Value slot,
                                           ValueRange carried) {
  SmallVector<Value> ids = getIds(step);
  Block &body = grid.getKernelRegion().front();
  moveTemporaries(body,
                  MemorySpaceAttr::get(b.getContext(), MemorySpace::Smem));
  for (auto [argument, id] : llvm::zip(
           body.getArguments().take_front(grid.getNumLeadingKernelArguments()),
           ids))
    argument.replaceAllUsesWith(id);
  for (auto [window, argument] :
       llvm::zip_equal(windows, grid.sliceBlockOps())) {
    if (window.isInArray) {
      accessInArray(argument, window.mapping, window.array,
                    getBlockIndices(window, step));
      continue;
    }
    Value ref = getRef(window, step, slot);
    argument.replaceAllUsesWith(ref);
    setMemorySpace(ref, cast<RefType>(ref.getType()).getMemorySpace());
  }
  for (auto [argument, ref] : llvm::zip_equal(grid.sliceScratchOps(), scratch))
    argument.replaceAllUsesWith(ref);
  for (auto [argument, value] :
       llvm::zip_equal(body.getArguments().take_back(carried.size()), carried))
    argument.replaceAllUsesWith(value);
  answerQueries(body, ids);
  auto &target = b.getInsertionBlock()->getOperations();
  auto end = body.end();
  SmallVector<Value> results;
  if (body.mightHaveTerminator()) {
    end = Block::iterator(body.getTerminator());
    llvm::append_range(results, body.getTerminator()->getOperands());
  }
  target.splice(b.getInsertionPoint(), body.getOperations(), body.begin(), end);
  return results;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// Gives outputs what the inputs that they share the memory of hold.
void GPUSchedule::fillOutputs(Value step, Value slot) {
  for (const GPUWindow &window : windows) {
    if (!window.source)
      continue;
    // Blocks that several steps see are filled by the first one.
    OpBuilder::InsertionGuard guard(b);
    if (steps > 1 && (!window.changes || !window.runDims.empty())) {
      Value place = step;
      if (window.changes)
        place =
            arith::RemSIOp::create(b, loc, step, getProduct(window.runDims));
      enterIf(arith::CmpIPredicate::eq, place, i32(0));
    }
    Value from = getRef(windows[*window.source], step, slot);
    Value to = getRef(window, step, slot);
    SwapOp::create(b, loc, to, GetOp::create(b, loc, from));
  }
}

/// Copies the outputs whose last step this is.
void GPUSchedule::copyOutputs(Value step, Value slot) {
  CommitSmemOp::create(b, loc);
  for (const GPUWindow &window : windows) {
    if (window.isInput || window.isGlobal || !window.changes)
      continue;
    OpBuilder::InsertionGuard guard(b);
    if (!window.runDims.empty()) {
      Value next = arith::AddIOp::create(b, loc, step, i32(1));
      Value place =
          arith::RemSIOp::create(b, loc, next, getProduct(window.runDims));
      enterIf(arith::CmpIPredicate::eq, place, i32(0));
    }
    copyOut(window, step, slot);
  }
  CommitSmemToGmemGroupOp::create(b, loc);
}

/// Copies the blocks of the step that uses the slot next, when there is one.
void GPUSchedule::refill(Value step, int64_t delay) {
  Value next = arith::AddIOp::create(b, loc, step, i32(depth - delay));
  Value isThere = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, next,
                                        getNumSteps());
  if (delay) {
    Value isUsed = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge,
                                         step, i32(delay));
    isThere = arith::AndIOp::create(b, loc, isThere, isUsed);
  }
  auto branch = scf::IfOp::create(b, loc, isThere, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Value slot = getSlot(next);
  for (const GPUWindow &window : windows)
    if (window.isStreamed() && window.delay == delay)
      copyIn(window, next, slot);
}

/// Copies blocks into the slots that this step, or one before, is done with.
void GPUSchedule::refillAll(Value step, bool multiplies) {
  llvm::SmallMapVector<int64_t, bool, 2> delays;
  for (const GPUWindow &window : windows)
    if (window.isStreamed())
      delays[window.delay] = true;
  if (multiplies) {
    int64_t least = delays.begin()->first;
    for (auto [delay, unused] : delays)
      least = std::min(least, delay);
    WGMMAWaitOp::create(b, loc, b.getI64IntegerAttr(least));
  }
  for (auto [delay, unused] : delays)
    refill(step, delay);
}

/// Whether products may still read the blocks of a step behind it.
static bool hasProducts(Block &body) {
  return body
      .walk([](Operation *op) {
        return isa<WGMMARefOp, WGMMAOp>(op) ? WalkResult::interrupt()
                                            : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Order matters. An output may only be written when the copy that reads its
/// slot is done, and a slot only be refilled when matmuls have read it, which
/// `refillAll` waits for.
SmallVector<Value> GPUSchedule::writeStep(Value step, ValueRange carried) {
  Value slot = steps == 1 ? i32(0) : getSlot(step);
  if (hasInputs())
    BarrierWaitOp::create(b, loc, getBarrier(barriers, slot));
  bool writes = llvm::any_of(windows, [](const GPUWindow &window) {
    return !window.isInput && !window.isGlobal && window.changes;
  });
  if (writes)
    WaitSmemToGmemOp::create(b, loc, b.getI64IntegerAttr(depth - 1),
                             b.getUnitAttr());
  fillOutputs(step, slot);
  bool multiplies = hasProducts(grid.getKernelRegion().front());
  SmallVector<Value> results = inlineBody(step, slot, carried);
  if (threadAxis && hasInputs())
    release(step, multiplies);
  if (writes)
    copyOutputs(step, slot);
  if (!threadAxis && steps > 1 && hasInputs())
    refillAll(step, multiplies);
  return results;
}

/// Copies the blocks of the first steps, as far as there are that many.
void GPUSchedule::startSteps() {
  copyOnce();
  for (int64_t step = 0; step < depth && hasInputs(); ++step) {
    OpBuilder::InsertionGuard guard(b);
    if (!hasStaticSteps)
      enterIf(arith::CmpIPredicate::sgt, getNumSteps(), i32(step));
    for (const GPUWindow &window : windows)
      if (window.isStreamed())
        copyIn(window, i32(step), i32(step));
  }
}

/// Copies the outputs that all steps see, and waits for all copies.
void GPUSchedule::finishSteps() {
  bool hasOutputs = false, hasLast = false;
  for (const GPUWindow &window : windows) {
    hasOutputs |= !window.isInput && !window.isGlobal;
    hasLast |= !window.isInput && !window.isGlobal && !window.changes;
  }
  if (hasLast) {
    OpBuilder::InsertionGuard guard(b);
    Value last = i32(steps - 1);
    if (!hasStaticSteps) {
      // Without steps nothing has been written.
      enterIf(arith::CmpIPredicate::sgt, getNumSteps(), i32(0));
      last = arith::SubIOp::create(b, loc, getNumSteps(), i32(1));
    }
    CommitSmemOp::create(b, loc);
    for (const GPUWindow &window : windows)
      if (!window.isInput && !window.isGlobal && !window.changes)
        copyOut(window, last, Value());
    CommitSmemToGmemGroupOp::create(b, loc);
  }
  if (hasOutputs)
    WaitSmemToGmemOp::create(b, loc, b.getI64IntegerAttr(0), UnitAttr());
}

/// From here on, as long as the builder stays there, only where it holds.
void GPUSchedule::enterIf(arith::CmpIPredicate predicate, Value lhs,
                          Value rhs) {
  Value holds = arith::CmpIOp::create(b, loc, predicate, lhs, rhs);
  auto branch = scf::IfOp::create(b, loc, holds, /*withElseRegion=*/false);
  b.setInsertionPointToStart(branch.thenBlock());
}

/// Runs all steps; returns the carried values.
SmallVector<Value> GPUSchedule::writeLoop(ValueRange carried) {
  SmallVector<Value> results;
  if (once)
    BarrierWaitOp::create(b, loc, once);
  if (steps == 1) {
    results = writeStep(i32(0), carried);
  } else {
    auto loop =
        scf::ForOp::create(b, loc, i32(0), getNumSteps(), i32(1), carried);
    OpBuilder::InsertionGuard guard(b);
    // Without values the loop comes with its end.
    Block *body = loop.getBody();
    if (!body->empty())
      body->getTerminator()->erase();
    b.setInsertionPointToEnd(body);
    SmallVector<Value> next =
        writeStep(loop.getInductionVar(), loop.getRegionIterArgs());
    scf::YieldOp::create(b, loc, next);
    llvm::append_range(results, loop.getResults());
  }
  finishSteps();
  return results;
}

SmallVector<Value> GPUSchedule::writeSchedule(ValueRange carried) {
  if (threadAxis)
    return writeSpecialized(carried);
  startSteps();
  return writeLoop(carried);
}

//===----------------------------------------------------------------------===//
// The scope
//===----------------------------------------------------------------------===//

/// Writes the scope of a pipeline: the scratch memory of the kernel, a ring of
/// slots for each window, a barrier per slot that the copies arrive at, and, if
/// a warpgroup of its own copies, a barrier per slot for those that have read
/// it.
RunScopedOp GPUSchedule::write(ValueRange arrays,
                               llvm::function_ref<Value(unsigned)> indexOf) {
  getIndex = indexOf;
  if (!hasStaticSteps)
    sizes = createGridSizes(b, loc, shape, grid.getDynamicGridOperands(),
                            b.getI32Type());
  ValueRange carried = grid.getCarriedOperands();
  // Warpgroups that work together share the memory.
  ArrayAttr shareAxes = threadAxis ? b.getArrayAttr(threadAxis) : ArrayAttr();
  auto scope = RunScopedOp::create(b, loc, carried.getTypes(), shareAxes);
  OpBuilder::InsertionGuard guard(b);
  Block *body = b.createBlock(&scope.getBody());
  auto shared = MemorySpaceAttr::get(b.getContext(), MemorySpace::Smem);
  for (BlockArgument argument : grid.sliceScratchOps()) {
    auto ref = dyn_cast<RefType>(argument.getType());
    if (ref && ref.getSpace() == MemorySpace::Vmem)
      setMemorySpace(argument, shared);
    scratch.push_back(body->addArgument(argument.getType(), loc));
  }
  int64_t copies = 0, copiesOnce = 0;
  for (GPUWindow &window : windows) {
    window.array = arrays[window.index];
    if (window.isGlobal)
      continue;
    window.memory = body->addArgument(getSlotType(window), loc);
    copies += window.isStreamed();
    copiesOnce += window.isOnce;
  }
  auto addBarriers = [&](int64_t arrivals, ArrayRef<int64_t> shape) {
    auto type = BarrierType::get(b.getContext(), arrivals, false);
    return body->addArgument(RefType::get(shape, type, MemorySpace::Smem), loc);
  };
  if (copies)
    barriers = addBarriers(copies, depth);
  if (copiesOnce)
    once = addBarriers(copiesOnce, {});
  if (copies && threadAxis)
    consumed = addBarriers(numCompute, depth);
  YieldOp::create(b, loc, writeSchedule(carried));
  return scope;
}
