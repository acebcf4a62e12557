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
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "pallas/Dialect/Pallas/Utils/Grid.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::pallas;

/// More slots than steps would never be filled.
LogicalResult GPUSchedule::plan(ArrayRef<unsigned> stepDims, int64_t maxSteps) {
  llvm::append_range(sequentialDims, stepDims);
  for (unsigned dim : stepDims)
    steps *= grid.getGridShape()[dim];
  depth = std::max<int64_t>(1, std::min(maxSteps, steps));
  FailureOr<SmallVector<GPUWindow>> found =
      findGPUWindows(grid, sequentialDims, steps, depth);
  if (failed(found))
    return failure();
  windows = std::move(*found);
  return success();
}

/// The warpgroup that copies counts steps, not windows, so all windows must
/// come and go alike.
LogicalResult GPUSchedule::specialize(StringAttr axis, int64_t compute,
                                      int64_t registers) {
  threadAxis = axis;
  numCompute = compute;
  memoryRegisters = registers;
  std::optional<int64_t> delay;
  for (const GPUWindow &window : windows) {
    if (window.isGlobal)
      continue;
    if (!window.isInput && numCompute > 1)
      return grid->emitOpError("has an output in shared memory, which ")
             << numCompute << " warpgroups would write; on GPUs keep outputs "
             << "in gmem, or let one warpgroup compute";
    if (!window.isInput)
      continue;
    if (!window.changes && steps > 1)
      return grid->emitOpError("copies input ")
             << window.index << " again for each of " << steps
             << " steps, though its block stays; copy it before the pipeline";
    if (delay && *delay != window.delay)
      return grid->emitOpError("keeps blocks of input ")
             << window.index << " for " << window.delay
             << " steps more, those of others for " << *delay
             << "; where a warpgroup copies, give all the same delay_release";
    delay = window.delay;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// A block, with room for others in front when the steps have one each.
RefType GPUSchedule::getSlotType(const GPUWindow &window) {
  ShapedType array = getArrayShapedType(grid.getArrayType(window.index));
  SmallVector<int64_t> shape = window.mapping.getRefShape();
  if (window.isInput || window.changes)
    shape.insert(shape.begin(), depth);
  RefType plain =
      RefType::get(shape, array.getElementType(), MemorySpace::Smem);
  return RefType::get(b.getContext(), shape, array.getElementType(),
                      plain.getMemorySpace(), window.mapping.getTransforms());
}

/// The program ids in a step: those of the launch, and the step by digits.
SmallVector<Value> GPUSchedule::getIds(Value step) {
  SmallVector<int64_t> shape = grid.getGridShape();
  SmallVector<Value> ids;
  for (unsigned dim = 0; dim < shape.size(); ++dim) {
    if (!llvm::is_contained(sequentialDims, dim)) {
      ids.push_back(getIndex(dim));
      continue;
    }
    int64_t stride = 1;
    for (unsigned later : sequentialDims)
      if (later > dim)
        stride *= shape[later];
    Value id = step;
    if (stride != 1)
      id = arith::DivSIOp::create(b, loc, id, i32(stride));
    if (dim != sequentialDims.front())
      id = arith::RemSIOp::create(b, loc, id, i32(shape[dim]));
    ids.push_back(id);
  }
  return ids;
}

static Value slice(OpBuilder &b, Location loc, Value ref,
                   ArrayRef<DimIndex> entries, ArrayRef<Value> indices) {
  return SliceRefOp::create(b, loc, ref,
                            IndexerAttr::get(b.getContext(), entries), indices);
}

/// The block of a step, in global memory.
Value GPUSchedule::sliceArray(const GPUWindow &window, Value step) {
  SmallVector<Value> indices(window.mapping.getDims().size());
  if (Region *map = grid.getIndexMap(window.index))
    indices = copyIndexMap(b, loc, *map, getIds(step));
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
  if (!window.isInput && !window.changes)
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
  return grid.hasTrivialWindow(window.index) ? window.array
                                             : sliceArray(window, step);
}

/// The barrier of a slot.
Value GPUSchedule::getBarrier(Value barriers, Value slot) {
  return slice(b, loc, barriers, DimIndex::scalar(ShapedType::kDynamic), slot);
}

/// Each window of the step arrives at the barrier once, so one wait is for all
/// of them.
void GPUSchedule::copyIn(const GPUWindow &window, Value step, Value slot) {
  Value barrier = getBarrier(barriers, slot);
  CopyGmemToSmemOp::create(b, loc, sliceArray(window, step),
                           sliceMemory(window, slot), barrier, Value(),
                           ArrayAttr(), UnitAttr(), IntegerAttr());
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
        value = i32(
            grid.getGridShape()[grid.getGridDimensionOfAxis(count.getAxis())]);
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
    if (steps > 1 && (!window.changes || window.run > 1)) {
      Value place = step;
      if (window.changes)
        place = arith::RemSIOp::create(b, loc, step, i32(window.run));
      Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                            place, i32(0));
      auto branch =
          scf::IfOp::create(b, loc, isFirst, /*withElseRegion=*/false);
      b.setInsertionPointToStart(branch.thenBlock());
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
    if (window.run > 1) {
      Value next = arith::AddIOp::create(b, loc, step, i32(1));
      Value place = arith::RemSIOp::create(b, loc, next, i32(window.run));
      Value isLast = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                           place, i32(0));
      auto branch = scf::IfOp::create(b, loc, isLast, /*withElseRegion=*/false);
      b.setInsertionPointToStart(branch.thenBlock());
    }
    copyOut(window, step, slot);
  }
  CommitSmemToGmemGroupOp::create(b, loc);
}

/// Copies the blocks of the step that uses the slot next, when there is one.
void GPUSchedule::refill(Value step, int64_t delay) {
  Value next = arith::AddIOp::create(b, loc, step, i32(depth - delay));
  Value isThere = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, next,
                                        i32(steps));
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
    if (window.isInput && !window.isGlobal && window.delay == delay)
      copyIn(window, next, slot);
}

/// Copies blocks into the slots that this step, or one before, is done with.
void GPUSchedule::refillAll(Value step, bool multiplies) {
  llvm::SmallMapVector<int64_t, bool, 2> delays;
  for (const GPUWindow &window : windows)
    if (window.isInput && !window.isGlobal)
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

/// Copies the blocks of the first steps.
void GPUSchedule::startSteps() {
  for (int64_t step = 0; step < depth; ++step)
    for (const GPUWindow &window : windows)
      if (window.isInput && !window.isGlobal)
        copyIn(window, i32(step), i32(step));
}

/// Copies the outputs that all steps see, and waits for all copies.
void GPUSchedule::finishSteps() {
  bool hasOutputs = false, hasLast = false;
  for (const GPUWindow &window : windows) {
    hasOutputs |= !window.isInput && !window.isGlobal;
    hasLast |= !window.isInput && !window.isGlobal && !window.changes;
  }
  if (hasLast) {
    CommitSmemOp::create(b, loc);
    for (const GPUWindow &window : windows)
      if (!window.isInput && !window.isGlobal && !window.changes)
        copyOut(window, i32(steps - 1), Value());
    CommitSmemToGmemGroupOp::create(b, loc);
  }
  if (hasOutputs)
    WaitSmemToGmemOp::create(b, loc, b.getI64IntegerAttr(0), UnitAttr());
}

/// Runs all steps; returns the carried values.
SmallVector<Value> GPUSchedule::writeLoop(ValueRange carried) {
  SmallVector<Value> results;
  if (steps == 1) {
    results = writeStep(i32(0), carried);
  } else {
    auto loop = scf::ForOp::create(b, loc, i32(0), i32(steps), i32(1), carried);
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
// A warpgroup for copies
//===----------------------------------------------------------------------===//

/// Registers that a thread of a warpgroup that computes gets: what the one that
/// copies leaves of those of four warpgroups with 128 each.
static int64_t getComputeRegisters(int64_t memoryRegisters,
                                   int64_t numCompute) {
  int64_t share = (512 - memoryRegisters) / numCompute / 8 * 8;
  return std::min<int64_t>(256, share);
}

/// Signals that this warpgroup is done with the slot of the step `delay`
/// before.
void GPUSchedule::release(Value step, bool multiplies) {
  const auto *input = llvm::find_if(windows, [](const GPUWindow &window) {
    return window.isInput && !window.isGlobal;
  });
  int64_t delay = input->delay;
  if (multiplies)
    WGMMAWaitOp::create(b, loc, b.getI64IntegerAttr(delay));
  OpBuilder::InsertionGuard guard(b);
  Value done = step;
  if (delay) {
    Value isUsed = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge,
                                         step, i32(delay));
    auto branch = scf::IfOp::create(b, loc, isUsed, /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
    done = arith::SubIOp::create(b, loc, step, i32(delay));
  }
  BarrierArriveOp::create(b, loc, getBarrier(consumed, getSlot(done)));
}

/// Copies the blocks of all steps, each as soon as its slot is free. The last
/// waits leave the barriers as they were found.
void GPUSchedule::writeCopies() {
  if (!hasInputs())
    return;
  startSteps();
  int64_t delay = 0;
  for (const GPUWindow &window : windows)
    if (window.isInput && !window.isGlobal)
      delay = window.delay;
  auto loop = scf::ForOp::create(b, loc, i32(0), i32(steps - delay), i32(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value step = loop.getInductionVar();
  BarrierWaitOp::create(b, loc, getBarrier(consumed, getSlot(step)));
  if (depth == steps)
    return;
  Value next = arith::AddIOp::create(b, loc, step, i32(depth));
  Value isThere = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, next,
                                        i32(steps));
  auto branch = scf::IfOp::create(b, loc, isThere, /*withElseRegion=*/false);
  b.setInsertionPointToStart(branch.thenBlock());
  for (const GPUWindow &window : windows)
    if (window.isInput && !window.isGlobal)
      copyIn(window, next, getSlot(next));
}

/// One warpgroup copies, and the others compute with the registers that it
/// gives up:
///
///   %computes = arith.cmpi ne, %warpgroup, %last
///   %r = scf.if %computes {
///     pallas.set_max_registers 240 increase
///     ... the steps ...
///   } else {
///     pallas.set_max_registers 40
///     ... the copies of all steps ...
///   }
SmallVector<Value> GPUSchedule::writeSpecialized(ValueRange carried) {
  Value warpgroup = AxisIndexOp::create(b, loc, b.getI32Type(), threadAxis);
  Value computes = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                                         warpgroup, i32(numCompute));
  auto branch = scf::IfOp::create(b, loc, carried.getTypes(), computes,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  auto writeBranch = [&](Block *block, int64_t registers, bool isIncrease,
                         llvm::function_ref<SmallVector<Value>()> write) {
    if (!block->empty())
      block->getTerminator()->erase();
    b.setInsertionPointToEnd(block);
    SetMaxRegistersOp::create(b, loc, b.getI64IntegerAttr(registers),
                              isIncrease ? b.getUnitAttr() : UnitAttr());
    SmallVector<Value> results = write();
    scf::YieldOp::create(b, loc, results);
  };
  writeBranch(branch.thenBlock(),
              getComputeRegisters(memoryRegisters, numCompute),
              /*isIncrease=*/true, [&] { return writeLoop(carried); });
  // Only those that compute know the carried values.
  writeBranch(branch.elseBlock(), memoryRegisters, /*isIncrease=*/false, [&] {
    writeCopies();
    return llvm::to_vector(carried);
  });
  return llvm::to_vector_of<Value>(branch.getResults());
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
  int64_t copies = 0;
  for (GPUWindow &window : windows) {
    window.array = arrays[window.index];
    if (window.isGlobal)
      continue;
    window.memory = body->addArgument(getSlotType(window), loc);
    copies += window.isInput;
  }
  auto addBarriers = [&](int64_t arrivals) {
    auto type = BarrierType::get(b.getContext(), arrivals, false);
    return body->addArgument(RefType::get({depth}, type, MemorySpace::Smem),
                             loc);
  };
  if (copies)
    barriers = addBarriers(copies);
  if (copies && threadAxis)
    consumed = addBarriers(numCompute);
  YieldOp::create(b, loc, writeSchedule(carried));
  return scope;
}
