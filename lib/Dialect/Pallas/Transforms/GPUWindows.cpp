//===- GPUWindows.cpp - Blocks that a kernel of a GPU sees ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GPUWindows.h"
#include "GPUArrayAccesses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "pallas/Dialect/Pallas/Analysis/ProgramEvaluator.h"
#include "pallas/Dialect/Pallas/IR/RefEffects.h"
#include "pallas/Dialect/Pallas/Utils/CompilerParams.h"
#include "pallas/Dialect/Pallas/Utils/GridWindows.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Properties of blocks
//===----------------------------------------------------------------------===//

/// Rows of copies are multiples of this.
static constexpr int64_t kCopyBits = 16 * 8;

/// Whether the hardware copies blocks of this shape of such an array: rows
/// start at multiples of 16 bytes and are that long.
static bool canCopyBlocks(ShapedType array, BlockMappingAttr mapping) {
  if (array.getRank() == 0)
    return false;
  int64_t bits = array.getElementType().getIntOrFloatBitWidth();
  auto isRow = [&](int64_t size) { return size * bits % kCopyBits == 0; };
  // An array of one dimension has no rows that start anywhere else.
  bool startsAligned = array.getRank() == 1 || isRow(array.getShape().back());
  return startsAligned && isRow(mapping.getDims().back().getSize());
}

/// Whether whole blocks tile the array, so that none is partial.
static bool tilesArray(ShapedType array, BlockMappingAttr mapping) {
  return llvm::all_of(llvm::zip_equal(array.getShape(), mapping.getDims()),
                      [](auto dim) {
                        auto [size, block] = dim;
                        return size % block.getSize() == 0;
                      });
}

/// Whether both index maps are the same; null is the whole array.
static bool isSameMap(Region *lhs, Region *rhs) {
  if (!lhs || !rhs)
    return lhs == rhs;
  return OperationEquivalence::isRegionEquivalentTo(
      lhs, rhs, OperationEquivalence::IgnoreLocations);
}

/// The number of the input whose memory result `output` has, if there is one.
/// Fails where another step could write what a step reads: blocks are fetched
/// ahead, so both have to be the same block in each step.
static FailureOr<std::optional<unsigned>>
getAliasedInput(GridMappingOpInterface grid, unsigned output) {
  SmallVector<BlockMappingAttr> mappings = grid.getMappings();
  for (auto [input, other] : grid.getInputOutputAliases()) {
    if (other != static_cast<int64_t>(output))
      continue;
    unsigned index = grid.getNumInputs() + output;
    if (mappings[input].getDims() == mappings[index].getDims() &&
        mappings[input].getMemorySpace() == mappings[index].getMemorySpace() &&
        isSameMap(grid.getIndexMap(input), grid.getIndexMap(index)))
      return std::optional<unsigned>(input);
    return grid->emitOpError("lets result ")
           << output << " share the memory of input " << input
           << ", but their blocks differ; on GPUs blocks are fetched ahead, so "
              "give both the same block shape and index map";
  }
  return std::optional<unsigned>();
}

/// Whether the kernel needs what the array holds before it: not where it first
/// writes all of the block.
static bool needsContents(BlockArgument ref) {
  Block *body = ref.getOwner();
  for (Operation &op : *body) {
    if (auto swap = dyn_cast<SwapOp>(op);
        swap && swap.getRef() == ref && swap.getOld().use_empty() &&
        cast<RefAccessOpInterface>(op).isWholeAccess())
      return false;
    bool usesRef = op.walk([&](Operation *nested) {
                       return llvm::is_contained(nested->getOperands(), ref)
                                  ? WalkResult::interrupt()
                                  : WalkResult::advance();
                     }).wasInterrupted();
    if (usesRef)
      return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// The blocks of a call
//===----------------------------------------------------------------------===//

namespace {
class WindowFinder {
public:
  WindowFinder(GridMappingOpInterface grid, ArrayRef<unsigned> sequentialDims,
               int64_t steps, int64_t depth)
      : grid(grid), sequentialDims(sequentialDims), steps(steps), depth(depth) {
  }

  FailureOr<SmallVector<GPUWindow>> run();

private:
  LogicalResult findSpace(GPUWindow &window);
  LogicalResult findRun(GPUWindow &window);
  bool isCopiedOnce(const GPUWindow &window);
  LogicalResult emitNoRun(const GPUWindow &window);
  bool isShared(const GPUWindow &window);
  LogicalResult findSharedSpace(GPUWindow &window);
  bool findArray(GPUWindow &window);

  GridMappingOpInterface grid;
  ArrayRef<unsigned> sequentialDims;
  int64_t steps, depth;
  bool isForTriton =
      findParams<TritonParamsAttr>(grid.getOperation()) != nullptr;
};
} // namespace

/// The ids that an index map uses, as numbers of grid dimensions.
static llvm::SmallDenseSet<unsigned> getUsedIds(Region *map) {
  llvm::SmallDenseSet<unsigned> used;
  if (map)
    for (BlockArgument argument : map->getArguments())
      if (!argument.use_empty())
        used.insert(argument.getArgNumber());
  return used;
}

/// Whether a result of an index map differs wherever this index does: it is the
/// index, times a number, plus or minus what is the same for all steps.
static bool followsIndex(Value result, Value id) {
  while (result != id) {
    Operation *op = result.getDefiningOp();
    if (!isa_and_present<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
      return false;
    Value lhs = op->getOperand(0), rhs = op->getOperand(1);
    auto isFixed = [&](Value value) {
      if (isa<arith::MulIOp>(op))
        return !matchPattern(value, m_Zero()) &&
               matchPattern(value, m_Constant());
      return matchPattern(value, m_Constant()) ||
             value.getParentRegion() != id.getParentRegion();
    };
    if (!isFixed(rhs))
      std::swap(lhs, rhs);
    if (!isFixed(rhs))
      return false;
    result = lhs;
  }
  return true;
}

/// The same where the result comes from this index alone, and its values can be
/// listed, as those of (j + 1) % n.
static bool differsAlong(GridMappingOpInterface grid, Value result,
                         unsigned dim) {
  constexpr int64_t kMaxValues = 1 << 12;
  SmallVector<int64_t> shape(grid.getGridShape());
  if (ShapedType::isDynamicShape(shape))
    return false;
  ProgramEvaluator evaluator(grid);
  std::optional<ProgramTable> table =
      ProgramTable::compute(evaluator, result, shape, kMaxValues);
  if (!table || table->getShape()[dim] != shape[dim] ||
      llvm::product_of(table->getShape()) != shape[dim])
    return false;
  llvm::SmallDenseSet<int64_t> seen;
  return forEachProgram(table->getShape(), [&](ArrayRef<int64_t> ids) {
    return seen.insert(table->get(ids)).second;
  });
}

/// Whether an index map yields the same block in all steps of these dimensions,
/// like (i, j) -> (j // n, 0) of a grid of mxn.
static bool isSteady(GridMappingOpInterface grid, unsigned index,
                     ArrayRef<unsigned> dims) {
  constexpr int64_t kMaxValues = 1 << 12;
  Region *map = grid.getIndexMap(index);
  llvm::SmallDenseSet<unsigned> used = getUsedIds(map);
  if (llvm::none_of(dims, [&](unsigned dim) { return used.contains(dim); }))
    return true;
  SmallVector<int64_t> shape(grid.getGridShape());
  if (ShapedType::isDynamicShape(shape))
    return false;
  ProgramEvaluator evaluator(grid);
  for (Value result : map->front().getTerminator()->getOperands()) {
    std::optional<ProgramTable> table =
        ProgramTable::compute(evaluator, result, shape, kMaxValues);
    if (!table)
      return false;
    // The first step of each program has the block of the others.
    bool isSame = forEachProgram(table->getShape(), [&](ArrayRef<int64_t> ids) {
      SmallVector<int64_t> first(ids);
      for (unsigned dim : dims)
        first[dim] = 0;
      return table->get(ids) == table->get(first);
    });
    if (!isSame)
      return false;
  }
  return true;
}

LogicalResult WindowFinder::emitNoRun(const GPUWindow &window) {
  return grid->emitOpError("computes the block of result ")
         << window.index - grid.getNumInputs()
         << " from grid indices; on GPUs each step of a sequential dimension "
            "that the map of a result uses has a block of its own";
}

/// Steps see one block of an output after the other: the dimensions that its
/// map leaves out are the last ones.
LogicalResult WindowFinder::findRun(GPUWindow &window) {
  Region *map = grid.getIndexMap(window.index);
  bool isPassed = false;
  for (unsigned dim : llvm::reverse(sequentialDims)) {
    int64_t size = grid.getGridShape()[dim];
    bool isResult =
        map &&
        llvm::any_of(map->front().getTerminator()->getOperands(),
                     [&](Value result) {
                       return followsIndex(result, map->getArgument(dim)) ||
                              differsAlong(grid, result, dim);
                     });
    isPassed |= isResult;
    // Where the results may be the same in some steps and others in the rest,
    // nothing tells the steps of one block.
    if (!isResult && size != 1 && map && !map->getArgument(dim).use_empty())
      return emitNoRun(window);
    if (!isPassed && size != 1)
      window.runDims.push_back(dim);
    if (isPassed && !isResult && size != 1)
      return grid->emitOpError("comes back to a block of result ")
             << window.index - grid.getNumInputs()
             << " after other blocks; on GPUs put the grid dimensions that its "
                "index map leaves out last";
  }
  return isPassed ? success() : emitNoRun(window);
}

/// Whether programs that run at once may have the same block of a result: there
/// is a parallel dimension without an index of its own that follows it.
bool WindowFinder::isShared(const GPUWindow &window) {
  Region *map = grid.getIndexMap(window.index);
  SmallVector<Value> free;
  if (map)
    llvm::append_range(free, map->front().getTerminator()->getOperands());
  for (auto [dim, size] : llvm::enumerate(grid.getGridShape())) {
    if (size == 1 || llvm::is_contained(sequentialDims, dim))
      continue;
    auto *own = llvm::find_if(free, [&, dim = dim](Value result) {
      return followsIndex(result, map->getArgument(dim)) ||
             differsAlong(grid, result, dim);
    });
    if (own == free.end())
      return true;
    free.erase(own);
  }
  return false;
}

/// Partial blocks of Triton are pointers, too: what lies behind the end of the
/// array is masked away.
bool WindowFinder::findArray(GPUWindow &window) {
  ShapedType array = getArrayShapedType(grid.getArrayType(window.index));
  BlockArgument block = grid.sliceBlockOps()[window.index];
  // Writes to the block of an input must not reach the array.
  bool isWritten = window.isInput && mayBeWritten(block);
  window.isInArray = !hasWindowBuffer(grid, window.index) && !isWritten &&
                     canAccessInArray(block, window.mapping, array.getShape());
  window.isGlobal |= window.isInArray;
  return window.isInArray;
}

/// Programs of Triton have pointers to their blocks. Some may write to parts of
/// one block at once, which copies of the block would undo.
LogicalResult WindowFinder::findSharedSpace(GPUWindow &window) {
  if (window.isGlobal || !isForTriton || !isShared(window))
    return success();
  ShapedType array = getArrayShapedType(grid.getArrayType(window.index));
  if (!tilesArray(array, window.mapping)) {
    if (findArray(window))
      return success();
    return grid->emitOpError("lets several programs write to a partial block "
                             "at the end of an array of type ")
           << array << "; give it whole blocks, or pad the array";
  }
  window.isGlobal = true;
  return success();
}

/// Where the kernel sees the blocks: in shared memory, or, where it sees the
/// whole array or copies can't take the blocks, in global memory.
LogicalResult WindowFinder::findSpace(GPUWindow &window) {
  MemorySpace space = window.mapping.getMemorySpace().getSpace();
  ShapedType array = getArrayShapedType(grid.getArrayType(window.index));
  window.isGlobal = space == MemorySpace::Gmem || space == MemorySpace::Any;
  if (window.isGlobal && !tilesArray(array, window.mapping) &&
      !findArray(window))
    return grid->emitOpError("has partial blocks at the end of an array of "
                             "type ")
           << array << " in global memory, where a block is a part of the "
           << "array; give it whole blocks";
  if (!window.isGlobal && space != MemorySpace::Default &&
      space != MemorySpace::Smem && space != MemorySpace::Vmem)
    return grid->emitOpError("has blocks in ")
           << stringifyMemorySpace(space)
           << "; on GPUs blocks lie in smem, arrays in gmem";
  for (BlockDimAttr dim : window.mapping.getDims())
    if (dim.getKind() != BlockDimKind::Blocked &&
        dim.getKind() != BlockDimKind::Squeezed)
      return grid->emitOpError("has a block dimension ")
             << dim << "; on GPUs dimensions are blocked or squeezed";
  // A pipeline sees blocks of shared memory where they lie.
  auto ref = dyn_cast<RefType>(grid.getArrayType(window.index));
  if (ref && ref.getSpace() == MemorySpace::Smem) {
    window.isGlobal = true;
    if (tilesArray(array, window.mapping))
      return success();
    return grid->emitOpError("has partial blocks at the end of ")
           << ref << " in shared memory; give it whole blocks";
  }
  if (window.isGlobal || canCopyBlocks(array, window.mapping))
    return success();
  if (!tilesArray(array, window.mapping) && findArray(window))
    return success();
  if (!tilesArray(array, window.mapping))
    return grid->emitOpError(
               "has partial blocks at the end of an array of type ")
           << array << ", of which rows are no multiple of 16 bytes, so the "
           << "hardware can't copy them; pad the array";
  // Writes to the block of an input must not reach the array.
  if (window.isInput && mayBeWritten(grid.sliceBlockOps()[window.index]))
    return grid->emitOpError("writes to the block of input ")
           << window.index
           << ", whose rows are no multiple of 16 bytes, so the "
           << "hardware can't copy them; write to a scratch ref";
  window.isGlobal = true;
  return success();
}

/// Whether the block of an input may stay in shared memory for all steps. Each
/// step has to see what the array holds: no kernel writes to the block, and no
/// result to the array. Where steps are counted at run time there may be none.
bool WindowFinder::isCopiedOnce(const GPUWindow &window) {
  bool hasStaticSteps = llvm::none_of(sequentialDims, [&](unsigned dim) {
    return ShapedType::isDynamic(grid.getGridShape()[dim]);
  });
  return window.isInput && !window.isGlobal && !window.changes && steps > 1 &&
         hasStaticSteps && !mayBeWritten(grid.sliceBlockOps()[window.index]) &&
         llvm::none_of(grid.getInputOutputAliases(), [&](auto alias) {
           return alias.first == static_cast<int64_t>(window.index);
         });
}

/// Decides for each window where its block lies and when it moves. Blocks that
/// the hardware can copy go through a ring of `depth` slots in shared memory;
/// others are read where the array is. An input that is released late needs a
/// slot for each step that it is kept.
FailureOr<SmallVector<GPUWindow>> WindowFinder::run() {
  SmallVector<GPUWindow> windows;
  SmallVector<BlockMappingAttr> mappings = grid.getMappings();
  for (auto [index, mapping] : llvm::enumerate(mappings)) {
    GPUWindow window;
    window.index = index;
    window.isInput = index < grid.getNumInputs();
    window.mapping = mapping;
    if (failed(findSpace(window)) ||
        (!window.isInput && failed(findSharedSpace(window))))
      return failure();
    window.changes = steps > 1 && !isSteady(grid, index, sequentialDims);
    window.isOnce = isCopiedOnce(window);
    if (PipelineModeAttr mode = mapping.getPipelineMode())
      window.delay = mode.getDelayRelease();
    if (window.delay >= depth && window.isInput && !window.isOnce &&
        steps > 1 && window.delay)
      return grid->emitOpError("keeps blocks for ")
             << window.delay << " steps more, but a ring holds " << depth
             << "; raise maxConcurrentSteps";
    if (!window.isInput) {
      if (window.changes && failed(findRun(window)))
        return failure();
      FailureOr<std::optional<unsigned>> source =
          getAliasedInput(grid, index - grid.getNumInputs());
      if (failed(source))
        return failure();
      // Blocks are copies, so a write must not show in the input at once. An
      // array in global memory is no copy: both are one.
      MemorySpace space = mapping.getMemorySpace().getSpace();
      bool isArray = space == MemorySpace::Gmem || space == MemorySpace::Any;
      if (window.isGlobal && *source && !isArray)
        return grid->emitOpError("lets result ")
               << index - grid.getNumInputs() << " share the memory of input "
               << **source
               << ", whose rows are no multiple of 16 bytes, so the hardware "
                  "can't copy its blocks; give the result another array";
      if (!window.isGlobal && needsContents(grid.sliceBlockOps()[index]))
        window.source = *source;
    }
    windows.push_back(window);
  }
  return windows;
}

FailureOr<SmallVector<GPUWindow>>
mlir::pallas::findGPUWindows(GridMappingOpInterface grid,
                             ArrayRef<unsigned> sequentialDims, int64_t steps,
                             int64_t depth) {
  return WindowFinder(grid, sequentialDims, steps, depth).run();
}

/// Pointers of Triton may have blocks behind them that are larger than shared
/// memory, such as all keys of an attention.
void mlir::pallas::leaveInArrays(GridMappingOpInterface grid,
                                 MutableArrayRef<GPUWindow> windows,
                                 uint64_t room) {
  if (!findParams<TritonParamsAttr>(grid.getOperation()))
    return;
  auto getBytes = [&](const GPUWindow &window) {
    RefType type = grid.getBlockRefType(window.index);
    return llvm::divideCeil(type.getNumElements() *
                                type.getElementType().getIntOrFloatBitWidth(),
                            8);
  };
  SmallVector<GPUWindow *> moved;
  uint64_t bytes = 0;
  for (GPUWindow &window : windows) {
    if (window.isGlobal)
      continue;
    bytes += getBytes(window);
    ShapedType array = getArrayShapedType(grid.getArrayType(window.index));
    bool isWritten =
        window.isInput && mayBeWritten(grid.sliceBlockOps()[window.index]);
    if (!isWritten && !window.source && tilesArray(array, window.mapping))
      moved.push_back(&window);
  }
  llvm::sort(moved, [&](GPUWindow *lhs, GPUWindow *rhs) {
    return std::pair(getBytes(*lhs), lhs->index) >
           std::pair(getBytes(*rhs), rhs->index);
  });
  for (GPUWindow *window : moved) {
    if (bytes <= room)
      return;
    bytes -= getBytes(*window);
    window->isGlobal = true;
    window->isOnce = false;
  }
}

void mlir::pallas::setMemorySpace(Value ref, MemorySpaceAttr space) {
  auto type = cast<RefType>(ref.getType());
  ref.setType(RefType::get(type.getContext(), type.getShape(),
                           type.getElementType(), space, type.getTransforms()));
  for (Operation *user : ref.getUsers())
    if (isa<SliceRefOp, ReshapeRefOp, TransposeRefOp, BitcastRefOp>(user))
      setMemorySpace(user->getResult(0), space);
}
