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

using namespace mlir;
using namespace mlir::pallas;

/// Returns the part of a padded array that holds the array itself.
static Value getInterior(OpBuilder &b, Location loc, Value padded,
                         ArrayRef<int64_t> shape, BlockMappingAttr mapping) {
  SmallVector<int64_t> offsets, strides(shape.size(), 1);
  for (BlockDimAttr dim : mapping.getDims())
    offsets.push_back(dim.getPadLow());
  return memref::SubViewOp::create(b, loc, padded, offsets,
                                   SmallVector<int64_t>(shape), strides);
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
  Location loc = array.getLoc();
  Value padded = memref::AllocOp::create(
      b, loc, MemRefType::get(shape, type.getElementType()),
      b.getI64IntegerAttr(64));
  b.fill(loc, padded, getUninitializedValue(type.getElementType()));
  checker.checkRegion(padded, "a padded array", ByteState::Padding);
  Value interior = getInterior(b, loc, padded, type.getShape(), mapping);
  if (copyContents)
    memref::CopyOp::create(b, loc, array, interior);
  checker.checkSameContents(array, interior);
  return padded;
}

/// The inverse of `padArray`, after the last program.
void GridLowering::cropArray(Value padded, Value array,
                             BlockMappingAttr mapping) {
  if (padded == array)
    return;
  Location loc = array.getLoc();
  ArrayRef<int64_t> shape = cast<MemRefType>(array.getType()).getShape();
  Value interior = getInterior(b, loc, padded, shape, mapping);
  memref::CopyOp::create(b, loc, interior, array);
  checker.checkSameContents(interior, array);
}

/// Moves the index map of a block in front of the insertion point, and returns
/// its results. The moved operations are lowered with those of the kernel.
FailureOr<SmallVector<Value>> GridLowering::evaluateIndexMap(Grid &grid,
                                                             unsigned index) {
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

/// Returns the memory that one program sees of block `index`. The start is the
/// block index times the size of the block, moved inside of the array unless
/// the index map is known to stay inside.
///
///   %start = arith.muli %i, %c8 : index
///   %window = memref.subview %array[%start, 0] [8, 128] [1, 1]
///       : memref<32x128xf32>
///       to memref<8x128xf32, strided<[128, 1], offset: ?>>
FailureOr<Value> GridLowering::createWindow(Grid &grid, unsigned index) {
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
  FailureOr<SmallVector<Value>> indices = evaluateIndexMap(grid, index);
  SmallVector<int64_t> shape(type.getShape());
  if (grid.edges[index] != EdgeKind::Padded)
    shape = getPaddedShape(shape, mapping);
  Rectangle part(shape, b.getContext());
  SmallVector<Value> starts, insideStarts;
  for (auto [d, dim] : llvm::enumerate(mapping.getDims())) {
    if (dim.getKind() == BlockDimKind::BoundedSlice ||
        dim.getKind() == BlockDimKind::Indirect)
      return grid.op.emitOpError()
             << "block " << index << " has a "
             << stringifyBlockDimKind(dim.getKind())
             << " dimension, which has no form on CPUs; use a blocked or an "
                "element dimension";
    int64_t size = dim.getKind() == BlockDimKind::Squeezed ? 1 : dim.getSize();
    int64_t step = dim.getKind() == BlockDimKind::Blocked ? size : 1;
    Value start = b.toIndex((*indices)[d]);
    if (step != 1)
      start = arith::MulIOp::create(b, loc, start, b.createIndex(loc, step));
    starts.push_back(start);
    start = moveWindowInside(b, loc, start, dim, largest[d], shape[d]);
    insideStarts.push_back(start);
    part.offsets[d] = getAsOpFoldResult(start);
    part.sizes[d] = b.getIndexAttr(size);
    part.dropped[d] = dim.getKind() == BlockDimKind::Squeezed;
  }
  if (ArrayRef<int64_t>(shape) != type.getShape())
    return createEdgeWindow(grid, index, insideStarts);
  Value window = b.createPart(loc, array, part);
  // Reports the start as the kernel computed it, not the one moved inside.
  checker.checkWindow(grid, index, starts, window);
  return window;
}
