//===- PipelineWindow.cpp - What a pipeline copies and when ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inputs and outputs have two windows, or as many as they ask for, that take
// turns, so that the others are copied while the body works on one. Those whose
// block stays have one.
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

/// Whether the map says the same everywhere: it asks neither for the point nor
/// for what memory holds.
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

/// Whether the map hands on the index that differs from point to point.
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

int64_t PipelineWindow::countBuffers() {
  if (invariant)
    return 1;
  PipelineModeAttr mode = mapping.getPipelineMode();
  int64_t count = mode ? mode.getBufferCount() : 2;
  return changing ? count : std::min<int64_t>(count, 2);
}

bool PipelineWindow::hasEdge(unsigned dim) {
  BlockDimAttr block = mapping.getDims()[dim];
  int64_t size = cast<RefType>(array.getType()).getShape()[dim];
  return block.getKind() == BlockDimKind::Blocked &&
         size % block.getSize() != 0;
}

int64_t PipelineWindow::getTile(unsigned dim) {
  if (tile.columns == 0)
    return 1;
  auto type = cast<RefType>(array.getType());
  return getPackedTile(type.getShape(), type.getElementType(), tile.rows,
                       tile.columns)[dim];
}

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

BlockPosition PipelineWindow::createPosition(OpBuilder &builder,
                                             ValueRange ids) {
  Region *map = grid.getIndexMap(index);
  return map ? copyIndexMap(builder, loc, *map, ids) : BlockPosition();
}

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

void PipelineWindow::startCopy(OpBuilder &builder,
                               const BlockPosition &position, Value slot) {
  auto [source, target] = createEnds(builder, position, slot);
  DMAStartOp::create(builder, loc, source, target,
                     createSemaphore(builder, slot), Value(), ValueRange(),
                     Value(), DeviceIdTypeAttr(), ArrayAttr(), /*priority=*/0,
                     /*add=*/false);
}

void PipelineWindow::waitForCopy(OpBuilder &builder,
                                 const BlockPosition &position, Value slot) {
  auto [source, target] = createEnds(builder, position, slot);
  DMAWaitOp::create(builder, loc, source, target,
                    createSemaphore(builder, slot), Value(), ValueRange(),
                    Value(), DeviceIdTypeAttr(), ArrayAttr());
}
