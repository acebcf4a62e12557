//===- PipelineWindow.cpp - What a pipeline copies and when ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inputs and outputs have two windows, or as many as they ask for, that take
// turns, so that the others are copied while the body works on one. Those whose
// block stays have one.
//
// The windows of a pipeline: how many buffers each has, where its blocks are,
// and the copies. PallasExpandPipelines.cpp decides when copies run.
//
//===----------------------------------------------------------------------===//

#include "PipelineWindow.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "pallas/Dialect/Pallas/Utils/Grid.h"
#include "pallas/Support/Tiles.h"

using namespace mlir;
using namespace mlir::pallas;

static Value createI32(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getI32IntegerAttr(value));
}

PipelineWindow::PipelineWindow(EmitPipelineOp op, unsigned index, TileSize tile)
    : op(op), grid(cast<GridMappingOpInterface>(op.getOperation())),
      loc(op.getLoc()), index(index), isInput(index < grid.getNumInputs()),
      mapping(grid.getMappings()[index]),
      array(isInput ? op.getInputs()[index]
                    : op.getOutputs()[index - grid.getNumInputs()]),
      tile(tile), invariant(isFixed()), changing(!invariant && changesAlways()),
      numBuffers(countBuffers()) {}

/// Whether the map has the same results everywhere: it uses neither the point
/// nor the contents of memory.
bool PipelineWindow::isFixed() {
  Region *map = grid.getIndexMap(index);
  if (!map)
    return true;
  return llvm::all_of(map->getArguments().take_front(grid.getGridRank()),
                      [](Value id) { return id.use_empty(); }) &&
         llvm::all_of(map->front().without_terminator(), [](Operation &nested) {
           return isMemoryEffectFree(&nested);
         });
}

/// Whether the map returns the index that differs from point to point.
///
/// The fastest dimension changes at each point, so a map that yields its index
/// needs no comparison of positions.
bool PipelineWindow::changesAlways() {
  SmallVector<int64_t> shape = grid.getGridShape();
  auto isOne = [](int64_t size) { return size == 1; };
  auto fastest = llvm::find_if_not(llvm::reverse(shape), isOne);
  if (fastest == shape.rend() || ShapedType::isDynamic(*fastest))
    return false;
  Block &map = grid.getIndexMap(index)->front();
  Value id = map.getArgument(shape.rend() - fastest - 1);
  return llvm::is_contained(map.getTerminator()->getOperands(), id);
}

/// More than two buffers only pay off for blocks that always change.
int64_t PipelineWindow::countBuffers() {
  if (invariant)
    return 1;
  PipelineModeAttr mode = mapping.getPipelineMode();
  int64_t count = mode ? mode.getBufferCount() : 2;
  return changing ? count : std::min<int64_t>(count, 2);
}

/// Whether the last block is only partly in the array.
bool PipelineWindow::hasEdge(unsigned dim) {
  BlockDimAttr block = mapping.getDims()[dim];
  int64_t size = cast<RefType>(array.getType()).getShape()[dim];
  return block.getKind() == BlockDimKind::Blocked &&
         size % block.getSize() != 0;
}

/// Memory without tiles moves single elements.
int64_t PipelineWindow::getTile(unsigned dim) {
  if (tile.columns == 0)
    return 1;
  auto type = cast<RefType>(array.getType());
  return getPackedTile(type.getShape(), type.getElementType(), tile.rows,
                       tile.columns)[dim];
}

/// Sizes of copies are rounded up to tiles. They must not reach into the next
/// block.
LogicalResult PipelineWindow::verify() {
  ArrayRef<int64_t> shape = cast<RefType>(array.getType()).getShape();
  for (auto [dim, block] : llvm::enumerate(mapping.getDims())) {
    bool isKnown = block.getKind() != BlockDimKind::Indirect;
    if (!isKnown || block.getPadLow() || block.getPadHigh())
      return op.emitOpError()
             << "has the block dimension " << block
             << ", but windows of expanded pipelines are blocks or elements "
                "without padding; copy these parts in the kernel";
    if (hasEdge(dim) && block.getSize() % getTile(dim) != 0)
      return op.emitOpError()
             << "has blocks of " << block.getSize() << " along dimension "
             << dim << ", which has " << shape[dim]
             << "; where memory has tiles they must divide it or be a multiple "
                "of "
             << getTile(dim);
  }
  return success();
}

LogicalResult mlir::pallas::verifyPipelineWindows(EmitPipelineOp op,
                                                  TileSize tile) {
  auto grid = cast<GridMappingOpInterface>(op.getOperation());
  for (unsigned i = 0, e = grid.getNumBlocks(); i < e; ++i)
    if (failed(PipelineWindow(op, i, tile).verify()))
      return failure();
  return success();
}

/// One buffer and one semaphore per turn, in one allocation each:
///
///   pallas.run_scoped (%m: !pallas.ref<2x8x128xf32, vmem>,
///       %s: !pallas.ref<2x!pallas.dma_semaphore, semaphore>)
void PipelineWindow::addMemory(Block *scope) {
  MLIRContext *context = op->getContext();
  auto type = cast<RefType>(grid.sliceBlockOps()[index].getType());
  SmallVector<int64_t> shape(type.getShape()), turns;
  if (numBuffers > 1) {
    shape.insert(shape.begin(), numBuffers);
    turns.push_back(numBuffers);
  }
  memory =
      scope->addArgument(RefType::get(context, shape, type.getElementType(),
                                      type.getMemorySpace(), ArrayAttr()),
                         loc);
  semaphore =
      scope->addArgument(RefType::get(turns, DMASemaphoreType::get(context),
                                      MemorySpace::Semaphore),
                         loc);
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

/// The map is copied, since it is evaluated at several points.
BlockPosition PipelineWindow::createPosition(OpBuilder &builder,
                                             ValueRange ids) {
  Region *map = grid.getIndexMap(index);
  return map ? copyIndexMap(builder, loc, *map, ids) : BlockPosition();
}

///   %0 = arith.cmpi ne, %left, %right
///
/// ored over all positions; equal ones need no comparison.
Value PipelineWindow::createDiffer(OpBuilder &builder, const BlockPosition &lhs,
                                   const BlockPosition &rhs) {
  Value result;
  for (auto [left, right] : llvm::zip_equal(lhs, rhs)) {
    std::optional<int64_t> constant = getConstantInteger(left);
    if (left == right || (constant && constant == getConstantInteger(right)))
      continue;
    Value differs = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ne, left, right);
    result =
        result ? arith::OrIOp::create(builder, loc, result, differs).getResult()
               : differs;
  }
  return result ? result
                : arith::ConstantOp::create(builder, loc,
                                            builder.getBoolAttr(false));
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// The last block ends with the tile that holds the last element. Memory goes
/// on to there.
Value PipelineWindow::createEdgeSize(OpBuilder &builder, unsigned dim,
                                     Value block) {
  int64_t size = cast<RefType>(array.getType()).getShape()[dim];
  int64_t whole = mapping.getDims()[dim].getSize();
  int64_t tile = getTile(dim);
  Value isLast =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge, block,
                            createI32(builder, loc, size / whole));
  Value edge = createI32(builder, loc, llvm::alignTo(size % whole, tile));
  Value result = arith::SelectOp::create(builder, loc, isLast, edge,
                                         createI32(builder, loc, whole));
  // So the compiler takes the size as one that it doesn't know, also where both
  // are the same: what is beyond the array must not look like a mistake.
  return MultipleOfOp::create(builder, loc, result, tile);
}

/// Source and target of the copy of one block, as views:
///
///   %a = pallas.slice_ref %array[ds(%start, 8), :]
///   %b = pallas.slice_ref %memory[%slot, :, :]
std::pair<Value, Value>
PipelineWindow::createEnds(OpBuilder &builder, const BlockPosition &position,
                           Value slot) {
  SmallVector<DimIndex> blockEntries, windowEntries;
  SmallVector<Value> blockOperands, windowOperands;
  if (numBuffers > 1) {
    windowEntries.push_back(DimIndex::scalar(ShapedType::kDynamic));
    windowOperands.push_back(slot);
  }
  const Value *next = position.begin();
  for (auto [dim, block] : llvm::enumerate(mapping.getDims())) {
    Value start = next == position.end() ? createI32(builder, loc, 0) : *next++;
    if (block.getKind() == BlockDimKind::Squeezed) {
      blockEntries.push_back(DimIndex::scalar(ShapedType::kDynamic));
      blockOperands.push_back(start);
      continue;
    }
    // A bounded slice has its size among the results of the map.
    Value size;
    if (block.getKind() == BlockDimKind::BoundedSlice)
      size = *next++;
    else if (hasEdge(dim))
      size = createEdgeSize(builder, dim, start);
    if (block.getKind() == BlockDimKind::Blocked)
      start = arith::MulIOp::create(builder, loc, start,
                                    createI32(builder, loc, block.getSize()));
    blockOperands.push_back(start);
    int64_t length = block.getSize();
    if (size) {
      length = ShapedType::kDynamic;
      blockOperands.push_back(size);
      windowOperands.push_back(size);
    }
    blockEntries.push_back(DimIndex::slice(ShapedType::kDynamic, length));
    windowEntries.push_back(size ? DimIndex::slice(0, length)
                                 : DimIndex::full());
  }
  auto slice = [&](Value ref, ArrayRef<DimIndex> entries, ValueRange operands) {
    return SliceRefOp::create(builder, loc, ref,
                              IndexerAttr::get(op->getContext(), entries),
                              operands);
  };
  Value block = slice(array, blockEntries, blockOperands);
  Value window = slice(memory, windowEntries, windowOperands);
  if (isInput)
    return {block, window};
  return {window, block};
}

/// One of those that take turns.
static Value selectSlot(OpBuilder &builder, Location loc, Value ref,
                        Value slot) {
  SmallVector<DimIndex> entries(cast<RefType>(ref.getType()).getRank(),
                                DimIndex::full());
  entries.front() = DimIndex::scalar(ShapedType::kDynamic);
  return SliceRefOp::create(
      builder, loc, ref, IndexerAttr::get(builder.getContext(), entries), slot);
}

Value PipelineWindow::createWindow(OpBuilder &builder, Value slot) {
  return numBuffers == 1 ? memory : selectSlot(builder, loc, memory, slot);
}

Value PipelineWindow::createSemaphore(OpBuilder &builder, Value slot) {
  return numBuffers == 1 ? semaphore
                         : selectSlot(builder, loc, semaphore, slot);
}

///   pallas.dma_start %a to %b signals %s
void PipelineWindow::startCopy(OpBuilder &builder,
                               const BlockPosition &position, Value slot) {
  auto [source, target] = createEnds(builder, position, slot);
  DMAStartOp::create(builder, loc, source, target,
                     createSemaphore(builder, slot), Value(), ValueRange(),
                     Value(), DeviceIdTypeAttr(), ArrayAttr(), /*priority=*/0,
                     /*add=*/false);
}

///   pallas.dma_wait %a to %b signals %s
///
/// The views are created again, because a wait may be in another iteration.
void PipelineWindow::waitForCopy(OpBuilder &builder,
                                 const BlockPosition &position, Value slot) {
  auto [source, target] = createEnds(builder, position, slot);
  DMAWaitOp::create(builder, loc, source, target,
                    createSemaphore(builder, slot), Value(), ValueRange(),
                    Value(), DeviceIdTypeAttr(), ArrayAttr());
}
