//===- Windows.cpp - Where the blocks of a program are --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file creates the window that a program sees of each array. In the common
// case it is a subview of the array. Arrays that their blocks do not divide are
// padded here, or handled by EdgeWindows.cpp.
//
//===----------------------------------------------------------------------===//

#include "GridLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "pallas/Dialect/Pallas/Utils/Grid.h"
#include "pallas/Dialect/Pallas/Utils/GridWindows.h"

using namespace mlir;
using namespace mlir::pallas;

/// Returns the part of a padded array that holds the array itself.
static Value getInterior(OpBuilder &b, Location loc, Value padded,
                         ArrayRef<int64_t> shape, ArrayRef<int64_t> low) {
  SmallVector<int64_t> strides(shape.size(), 1);
  return memref::SubViewOp::create(b, loc, padded, low, shape, strides);
}

/// For example, an array of 8 with one element of padding on both sides and
/// blocks of 4:
///
///   %padded = memref.alloc() : memref<12xf32>
///   linalg.fill ins(%nan : f32) outs(%padded : memref<12xf32>)
///   %interior = memref.subview %padded[1] [8] [1] : memref<12xf32> to ...
///   memref.copy %array, %interior
///
/// Padding is NaN, as in JAX's interpreter, so that results that depend on it
/// show. Without `copyContents` the array is an output that nothing has
/// written.
Value GridLowering::padArray(Value array, BlockMappingAttr mapping,
                             bool copyContents) {
  auto type = cast<MemRefType>(array.getType());
  SmallVector<int64_t> shape = getPaddedShape(type.getShape(), mapping);
  if (ArrayRef<int64_t>(shape) == type.getShape())
    return array;
  return padMemory(array.getLoc(), array, shape, getLowPadding(mapping),
                   copyContents);
}

Value GridLowering::padMemory(Location loc, Value memory,
                              ArrayRef<int64_t> shape, ArrayRef<int64_t> low,
                              bool copyContents) {
  auto type = cast<MemRefType>(memory.getType());
  Value padded = memref::AllocOp::create(
      b, loc, MemRefType::get(shape, type.getElementType()),
      b.getI64IntegerAttr(64));
  if (shape != type.getShape())
    b.fill(loc, padded, getUninitializedValue(type.getElementType()));
  checker.checkRegion(padded, "a padded array", ByteState::Padding);
  Value interior = getInterior(b, loc, padded, type.getShape(), low);
  if (copyContents)
    memref::CopyOp::create(b, loc, memory, interior);
  checker.checkSameContents(memory, interior);
  return padded;
}

/// The inverse of `padArray`, after the last program.
void GridLowering::cropArray(Value padded, Value array,
                             BlockMappingAttr mapping) {
  if (padded != array)
    cropMemory(array.getLoc(), padded, array, getLowPadding(mapping));
}

void GridLowering::cropMemory(Location loc, Value padded, Value memory,
                              ArrayRef<int64_t> low) {
  ArrayRef<int64_t> shape = cast<MemRefType>(memory.getType()).getShape();
  Value interior = getInterior(b, loc, padded, shape, low);
  memref::CopyOp::create(b, loc, interior, memory);
  checker.checkSameContents(interior, memory);
}

///   %p = pallas.pad_ref %x low [1]
///       : !pallas.ref<8xf32, any> -> !pallas.ref<12xf32, any>
///
/// becomes what `padArray` makes for a call.
LogicalResult GridLowering::lowerPad(PadRefOp op) {
  memory[op.getPadded()] =
      padMemory(op.getLoc(), getMemory(op.getRef()),
                op.getPadded().getType().getShape(), op.getLow(),
                /*copyContents=*/true);
  return success();
}

/// See `cropArray`.
LogicalResult GridLowering::lowerUnpad(UnpadRefOp op) {
  cropMemory(op.getLoc(), getMemory(op.getPadded()), getMemory(op.getRef()),
             op.getLow());
  b.eraseOp(op);
  return success();
}

/// Moves the index map of a block in front of the insertion point, and returns
/// its results. The moved operations are lowered with those of the kernel.
SmallVector<Value> GridLowering::evaluateIndexMap(Grid &grid, unsigned index) {
  Location loc = grid.op.getLoc();
  Region *map = grid.op.getIndexMap(index);
  BlockMappingAttr mapping = grid.op.getMappings()[index];
  if (!map)
    return SmallVector<Value>(mapping.getNumIndexMapResults(),
                              b.createIndex(loc, 0));
  Block &block = map->front();
  unsigned rank = grid.op.getGridRank();
  for (BlockArgument argument : block.getArguments()) {
    unsigned position = argument.getArgNumber();
    Value value;
    if (position < rank) {
      value = grid.ids[position];
      if (value.getType() != argument.getType())
        value = arith::IndexCastOp::create(b, loc, argument.getType(), value);
    } else if (position < rank + grid.indexMemory.size()) {
      memory[argument] = grid.indexMemory[position - rank];
      continue;
    } else {
      value =
          grid.op
              .getCaptureOperands()[position - rank - grid.indexMemory.size()];
      if (Value captured = getMemory(value)) {
        memory[argument] = captured;
        continue;
      }
    }
    argument.replaceAllUsesWith(value);
  }
  return moveIndexMap(b, *map);
}

///   map(%i, %j) { pallas.yield %i, %c0 : i32, i32 }
///
/// separates windows along %i. An element dimension does not, as its blocks may
/// overlap. Anything computed from the id is not analyzed.
bool pallas::separatesWindows(GridMappingOpInterface op, unsigned index,
                              unsigned dim) {
  Region *map = op.getIndexMap(index);
  if (!map)
    return false;
  Value id = map->getArgument(dim);
  return llvm::any_of(llvm::zip(op.getMappings()[index].getDims(),
                                map->front().getTerminator()->getOperands()),
                      [&](auto pair) {
                        auto [blockDim, result] = pair;
                        return result == id &&
                               (blockDim.getKind() == BlockDimKind::Blocked ||
                                blockDim.getKind() == BlockDimKind::Squeezed);
                      });
}

/// The block index times the size of the block:
///
///   %start = arith.muli %i, %c8 : index
Value pallas::createWindowStart(MemoryBuilder &b, Location loc,
                                BlockDimAttr dim, Value index) {
  Value start = b.toIndex(index);
  if (dim.getKind() != BlockDimKind::Blocked || dim.getSize() == 1)
    return start;
  return arith::MulIOp::create(b, loc, start,
                               b.createIndex(loc, dim.getSize()));
}

namespace {
/// Where a window lies in an array.
struct WindowPlace {
  /// As the index map has it, and moved inside of the array.
  SmallVector<Value> starts, insideStarts;
  Rectangle part;
};
} // namespace

/// The start is moved inside of an array of this shape unless the index is
/// known to stay inside.
static WindowPlace placeWindow(MemoryBuilder &b, Location loc,
                               BlockMappingAttr mapping, ValueRange indices,
                               ArrayRef<std::optional<int64_t>> largest,
                               ArrayRef<int64_t> shape) {
  WindowPlace place{{}, {}, Rectangle(shape, b.getContext())};
  for (auto [d, dim] : llvm::enumerate(mapping.getDims())) {
    bool isSqueezed = dim.getKind() == BlockDimKind::Squeezed;
    Value start = createWindowStart(b, loc, dim, indices[d]);
    place.starts.push_back(start);
    start = moveWindowInside(b, loc, start, dim, largest[d], shape[d]);
    place.insideStarts.push_back(start);
    place.part.offsets[d] = getAsOpFoldResult(start);
    place.part.sizes[d] = b.getIndexAttr(isSqueezed ? 1 : dim.getSize());
    place.part.dropped[d] = isSqueezed;
  }
  return place;
}

/// Returns the memory that one program sees of block `index`.
///
///   %start = arith.muli %i, %c8 : index
///   %window = memref.subview %array[%start, 0] [8, 128] [1, 1]
///       : memref<32x128xf32>
///       to memref<8x128xf32, strided<[128, 1], offset: ?>>
Value GridLowering::createWindow(Grid &grid, unsigned index) {
  Location loc = grid.op.getLoc();
  Value array = grid.arrays[index];
  auto type = cast<MemRefType>(array.getType());
  BlockMappingAttr mapping = grid.op.getMappings()[index];
  if (grid.op.hasTrivialWindow(index) &&
      ArrayRef<int64_t>(mapping.getRefShape()) == type.getShape()) {
    checker.checkWholeWindow(grid, index);
    return array;
  }
  // Before the map is moved: the bound is found from its program ids.
  SmallVector<std::optional<int64_t>> largest;
  Region *map = grid.op.getIndexMap(index);
  for (unsigned d = 0, e = mapping.getDims().size(); d < e; ++d)
    largest.push_back(getLargestIndex(grid.op, map, d));
  SmallVector<Value> indices = evaluateIndexMap(grid, index);
  SmallVector<int64_t> shape(type.getShape());
  if (grid.edges[index] != EdgeKind::Padded)
    shape = getPaddedShape(shape, mapping);
  WindowPlace place = placeWindow(b, loc, mapping, indices, largest, shape);
  if (ArrayRef<int64_t>(shape) != type.getShape())
    return createEdgeWindow(grid, index, place.insideStarts);
  Value window = b.createPart(loc, array, place.part);
  // Reports the start as the kernel computed it, not the one moved inside.
  checker.checkWindow(grid, index, place.starts, window);
  return window;
}

///   %w = pallas.window %x[%i : i32] block<[8], vmem> : !pallas.ref<32xf32,
///   any>
///
/// is the same of a grid that is loops. A window that stays at all of its array
/// is the array.
LogicalResult GridLowering::lowerWindow(WindowOp op) {
  Location loc = op.getLoc();
  Value array = getMemory(op.getArray());
  BlockMappingAttr mapping = op.getMapping();
  ArrayRef<int64_t> shape = cast<MemRefType>(array.getType()).getShape();
  bool isAtZero = llvm::all_of(op.getIndices(), [](Value index) {
    return getConstantInteger(index) == 0;
  });
  if (isAtZero && ArrayRef<int64_t>(mapping.getRefShape()) == shape) {
    memory[op.getView()] = array;
    return success();
  }
  auto largest = llvm::map_to_vector(
      op.getIndices(), [](Value index) { return getLargestIndex(index); });
  WindowPlace place =
      placeWindow(b, loc, mapping, op.getIndices(), largest, shape);
  memory[op.getView()] = b.createPart(loc, array, place.part);
  return success();
}
