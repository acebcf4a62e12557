//===- PallasCallToGPUKernel.cpp - Blocks as copies of a GPU kernel -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parallel dimensions of the grid become the grid of a mesh. The others are a
// loop, whose step s reads slot s % S of a ring of S blocks per operand:
//
//   copy the blocks of the first S steps
//   for s in 0..N:
//     wait for the barrier of the slot
//     wait until the copy that read the output slot S steps ago is done
//     body
//     copy the output blocks
//     copy the input blocks of step s + S into the slot
//   copy the outputs that are the same for all steps; wait
//
//===----------------------------------------------------------------------===//

#include "GPUWindows.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "pallas/Dialect/Pallas/Transforms/Passes.h"
#include "pallas/Dialect/Pallas/Utils/Grid.h"
#include "pallas/Dialect/Pallas/Utils/ProgramOrder.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASCALLTOGPUKERNEL
#include "pallas/Dialect/Pallas/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

namespace {

class KernelWriter {
public:
  explicit KernelWriter(PallasCallOp call)
      : call(call), grid(cast<GridMappingOpInterface>(call.getOperation())),
        b(call), loc(call.getLoc()) {}

  LogicalResult run();

private:
  LogicalResult check();
  LogicalResult splitGrid();
  MeshAttr makeMesh();
  MpmdMapOp makeKernel();
  void writeScope(ArrayRef<Value> arrays);
  void writeSchedule();
  void writeStep(Value step, bool isOnly);
  Value getRef(const GPUWindow &window, Value step, Value slot);
  void fillOutputs(Value step, Value slot);
  void inlineBody(Value step, Value slot);
  void copyOutputs(Value step, Value slot);
  void refill(Value step, int64_t delay);
  void copyIn(const GPUWindow &window, Value step, Value slot);
  void copyOut(const GPUWindow &window, Value step, Value slot);

  Value i32(int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
  }
  Value getSlot(Value step) {
    return arith::RemSIOp::create(b, loc, step, i32(depth));
  }
  /// The slot of a window in a step; all inputs have the same one.
  Value getSlot(const GPUWindow &window, Value step, Value slot) {
    if (window.run == 1)
      return slot;
    return getSlot(arith::DivSIOp::create(b, loc, step, i32(window.run)));
  }
  RefType getSlotType(const GPUWindow &window);
  SmallVector<Value> getIds(Value step);
  Value sliceArray(const GPUWindow &window, Value step);
  Value sliceMemory(const GPUWindow &window, Value slot);
  bool hasInputs() const {
    return llvm::any_of(windows, [](const GPUWindow &window) {
      return window.isInput && !window.isGlobal;
    });
  }
  bool isParallel(unsigned dim) const {
    return llvm::is_contained(parallelDims, dim);
  }

  PallasCallOp call;
  GridMappingOpInterface grid;
  OpBuilder b;
  Location loc;
  SmallVector<unsigned> parallelDims, sequentialDims;
  SmallVector<GPUWindow> windows;
  /// Steps of the loop, and blocks in a ring.
  int64_t steps = 1, depth = 1;
  Value barriers;
  SmallVector<Value> scratch;
};

} // namespace

//===----------------------------------------------------------------------===//
// Parts of a call
//===----------------------------------------------------------------------===//

LogicalResult KernelWriter::check() {
  if (!grid.hasStaticGrid())
    return call.emitOpError("has a grid that is known at run time only; a "
                            "launch on a GPU has static sizes");
  if (grid.getNumIndexOperands() || grid.getNumCaptures())
    return call.emitOpError("prefetches or captures values; kernels for GPUs "
                            "read them from global memory");
  return success();
}

LogicalResult KernelWriter::splitGrid() {
  SmallVector<DimensionSemantics> semantics = getProgramOrder(call);
  SmallVector<int64_t> shape = grid.getGridShape();
  for (unsigned dim = 0; dim < shape.size(); ++dim) {
    if (semantics[dim] == DimensionSemantics::Parallel) {
      parallelDims.push_back(dim);
    } else if (semantics[dim] == DimensionSemantics::Sequential ||
               semantics[dim] == DimensionSemantics::Arbitrary) {
      sequentialDims.push_back(dim);
      steps *= shape[dim];
    } else {
      return call.emitOpError("has a grid dimension of kind ")
             << stringifyDimensionSemantics(semantics[dim])
             << "; on GPUs dimensions are parallel or sequential";
    }
    if (shape[dim] < 1)
      return call.emitOpError("has a grid dimension of size ") << shape[dim];
  }
  if (GPUParamsAttr params = getGPUParams(call.getCompilerParams()))
    depth = params.getMaxConcurrentSteps();
  depth = std::max<int64_t>(1, std::min(depth, steps));
  return success();
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

MeshAttr KernelWriter::makeMesh() {
  SmallVector<MeshAxisAttr> axes;
  for (unsigned dim : parallelDims)
    axes.push_back(MeshAxisAttr::get(b.getContext(), MeshAxisRole::Grid,
                                     b.getStringAttr("grid" + Twine(dim)),
                                     grid.getGridShape()[dim]));
  if (axes.empty())
    axes.push_back(MeshAxisAttr::get(b.getContext(), MeshAxisRole::Grid,
                                     b.getStringAttr("grid"), 1));
  return MeshAttr::get(b.getContext(), MeshKind::Gpu, axes);
}

static RefType getGlobalType(Type array) {
  ShapedType shaped = getArrayShapedType(array);
  return RefType::get(shaped.getShape(), shaped.getElementType(),
                      MemorySpace::Gmem);
}

MpmdMapOp KernelWriter::makeKernel() {
  OperationState state(loc, MpmdMapOp::getOperationName());
  state.addOperands(grid.getInputOperands());
  state.addTypes(call.getResultTypes());
  auto &properties = state.getOrAddProperties<MpmdMapOp::Properties>();
  properties.meshes = b.getArrayAttr(makeMesh());
  properties.aliases = b.getDenseI64ArrayAttr(call.getAliases());
  properties.kernelNames = b.getArrayAttr(b.getStringAttr(
      call.getKernelName() ? *call.getKernelName() : StringRef("kernel")));
  properties.compilerParams = call.getCompilerParamsAttr();
  properties.costEstimate = call.getCostEstimateAttr();
  properties.metadata = call.getMetadataAttr();
  Block *body = new Block;
  state.addRegion()->push_back(body);
  for (unsigned index = 0; index < grid.getNumBlocks(); ++index)
    body->addArgument(getGlobalType(grid.getArrayType(index)), loc);
  return cast<MpmdMapOp>(b.create(state));
}

/// A block, with room for others in front when the steps have one each.
RefType KernelWriter::getSlotType(const GPUWindow &window) {
  ShapedType array = getArrayShapedType(grid.getArrayType(window.index));
  SmallVector<int64_t> shape = window.mapping.getRefShape();
  if (window.isInput || window.changes)
    shape.insert(shape.begin(), depth);
  RefType plain =
      RefType::get(shape, array.getElementType(), MemorySpace::Smem);
  return RefType::get(call.getContext(), shape, array.getElementType(),
                      plain.getMemorySpace(), window.mapping.getTransforms());
}

void KernelWriter::writeScope(ArrayRef<Value> arrays) {
  auto scope = RunScopedOp::create(b, loc, TypeRange(), ArrayAttr());
  Block *body = b.createBlock(&scope.getBody());
  YieldOp::create(b, loc);
  b.setInsertionPointToStart(body);
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
  if (copies)
    barriers = body->addArgument(
        RefType::get({depth}, BarrierType::get(b.getContext(), copies, false),
                     MemorySpace::Smem),
        loc);
  writeSchedule();
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// The program ids in a step: those of the launch, and the step by digits.
SmallVector<Value> KernelWriter::getIds(Value step) {
  SmallVector<int64_t> shape = grid.getGridShape();
  SmallVector<Value> ids;
  for (unsigned dim = 0; dim < shape.size(); ++dim) {
    if (isParallel(dim)) {
      ids.push_back(AxisIndexOp::create(b, loc, b.getI32Type(),
                                        b.getStringAttr("grid" + Twine(dim))));
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
Value KernelWriter::sliceArray(const GPUWindow &window, Value step) {
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
Value KernelWriter::sliceMemory(const GPUWindow &window, Value slot) {
  if (!window.isInput && !window.changes)
    return window.memory;
  auto type = cast<RefType>(window.memory.getType());
  SmallVector<DimIndex> entries(type.getRank(), DimIndex::full());
  entries[0] = DimIndex::scalar(ShapedType::kDynamic);
  return slice(b, loc, window.memory, entries, slot);
}

void KernelWriter::copyIn(const GPUWindow &window, Value step, Value slot) {
  Value barrier =
      slice(b, loc, barriers, DimIndex::scalar(ShapedType::kDynamic), slot);
  CopyGmemToSmemOp::create(b, loc, sliceArray(window, step),
                           sliceMemory(window, slot), barrier, Value(),
                           ArrayAttr(), UnitAttr(), IntegerAttr());
}

void KernelWriter::copyOut(const GPUWindow &window, Value step, Value slot) {
  CopySmemToGmemOp::create(b, loc,
                           sliceMemory(window, getSlot(window, step, slot)),
                           sliceArray(window, step), Value(),
                           b.getBoolAttr(false), AtomicKindAttr());
}

//===----------------------------------------------------------------------===//
// The schedule
//===----------------------------------------------------------------------===//

void KernelWriter::writeSchedule() {
  for (int64_t step = 0; step < depth; ++step)
    for (const GPUWindow &window : windows)
      if (window.isInput && !window.isGlobal)
        copyIn(window, i32(step), i32(step));
  if (steps == 1) {
    writeStep(i32(0), /*isOnly=*/true);
  } else {
    auto loop = scf::ForOp::create(b, loc, i32(0), i32(steps), i32(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    writeStep(loop.getInductionVar(), /*isOnly=*/false);
  }
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

/// Whether products may still read the blocks of a step behind it.
static bool hasProducts(Block &body) {
  return body
      .walk([](Operation *op) {
        return isa<WGMMARefOp, WGMMAOp>(op) ? WalkResult::interrupt()
                                            : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Gives outputs what the inputs that they share the memory of hold.
void KernelWriter::fillOutputs(Value step, Value slot) {
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
void KernelWriter::copyOutputs(Value step, Value slot) {
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

void KernelWriter::writeStep(Value step, bool isOnly) {
  Value slot = isOnly ? i32(0) : getSlot(step);
  if (hasInputs())
    BarrierWaitOp::create(
        b, loc,
        slice(b, loc, barriers, DimIndex::scalar(ShapedType::kDynamic), slot));
  bool writes = llvm::any_of(windows, [](const GPUWindow &window) {
    return !window.isInput && !window.isGlobal && window.changes;
  });
  if (writes)
    WaitSmemToGmemOp::create(b, loc, b.getI64IntegerAttr(depth - 1),
                             b.getUnitAttr());
  fillOutputs(step, slot);
  bool multiplies = hasProducts(call.getKernel().front());
  inlineBody(step, slot);
  if (writes)
    copyOutputs(step, slot);
  if (isOnly || !hasInputs())
    return;
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

/// Copies the blocks of the step that uses the slot next, when there is one.
void KernelWriter::refill(Value step, int64_t delay) {
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

//===----------------------------------------------------------------------===//
// The body
//===----------------------------------------------------------------------===//

/// The ref by which the kernel knows a window in a step.
Value KernelWriter::getRef(const GPUWindow &window, Value step, Value slot) {
  if (!window.isGlobal)
    return sliceMemory(window, getSlot(window, step, slot));
  return grid.hasTrivialWindow(window.index) ? window.array
                                             : sliceArray(window, step);
}

/// Temporaries of TPUs lie in the memory of a block.
static void moveTemporaries(Block &body, MemorySpaceAttr shared) {
  body.walk([&](RunScopedOp scope) {
    for (BlockArgument argument : scope.getBody().getArguments())
      if (auto ref = dyn_cast<RefType>(argument.getType()))
        if (ref.getSpace() == MemorySpace::Vmem)
          setMemorySpace(argument, shared);
  });
}

void KernelWriter::inlineBody(Value step, Value slot) {
  SmallVector<Value> ids = getIds(step);
  Block &body = call.getKernel().front();
  moveTemporaries(body,
                  MemorySpaceAttr::get(b.getContext(), MemorySpace::Smem));
  for (auto [window, argument] :
       llvm::zip_equal(windows, grid.sliceBlockOps())) {
    Value ref = getRef(window, step, slot);
    argument.replaceAllUsesWith(ref);
    setMemorySpace(ref, cast<RefType>(ref.getType()).getMemorySpace());
  }
  for (auto [argument, ref] : llvm::zip_equal(grid.sliceScratchOps(), scratch))
    argument.replaceAllUsesWith(ref);
  SmallVector<StringRef> names = grid.getGridDimensionNames();
  body.walk([&](Operation *op) {
    Value value;
    if (auto id = dyn_cast<ProgramIdOp>(op)) {
      if (getEnclosingGrid(op).getOperation() == call)
        value = ids[grid.getGridDimensionOfAxis(id.getAxis())];
    } else if (auto count = dyn_cast<NumProgramsOp>(op)) {
      if (getEnclosingGrid(op).getOperation() == call)
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
  auto &target = b.getInsertionBlock()->getOperations();
  auto end = body.mightHaveTerminator() ? Block::iterator(body.getTerminator())
                                        : body.end();
  target.splice(b.getInsertionPoint(), body.getOperations(), body.begin(), end);
}

LogicalResult KernelWriter::run() {
  if (failed(check()) || failed(splitGrid()))
    return failure();
  FailureOr<SmallVector<GPUWindow>> found =
      findGPUWindows(call, sequentialDims, steps, depth);
  if (failed(found))
    return failure();
  windows = std::move(*found);
  MpmdMapOp kernel = makeKernel();
  Block &body = kernel.getKernels().front().front();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&body);
  YieldOp::create(b, loc);
  b.setInsertionPointToStart(&body);
  SmallVector<Value> arrays(body.getArguments());
  writeScope(arrays);
  kernel->setDiscardableAttrs(call->getDiscardableAttrDictionary());
  call->replaceAllUsesWith(kernel);
  call.erase();
  return success();
}

namespace {
struct CallToGPUKernelPass
    : public pallas::impl::PallasCallToGPUKernelBase<CallToGPUKernelPass> {
  void runOnOperation() override {
    SmallVector<PallasCallOp> calls;
    getOperation()->walk([&](PallasCallOp op) { calls.push_back(op); });
    for (PallasCallOp op : calls)
      if (failed(KernelWriter(op).run()))
        return signalPassFailure();
  }
};
} // namespace
