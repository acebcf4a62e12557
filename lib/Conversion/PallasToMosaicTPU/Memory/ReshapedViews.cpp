//===- ReshapedViews.cpp - Which reshapes of refs move no data ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A view under another shape keeps the tiles of its buffer where they are. So
// lanes stay, groups of rows are made of whole tiles, and no other tiles lie in
// between:
//
//   memref<64x128xf32> -> memref<2x32x128xf32>    tiles of 8x128 stay whole
//   memref<64x256xf32> -> memref<2x4x8x256xf32>   and here, too
//   memref<64x256xf32> -> memref<32x2x256xf32>    cuts them: an error
//
// Where a buffer of words is one tile wide, each of its rows is a tile. The
// rules are measured.
//
//===----------------------------------------------------------------------===//

#include "MemRefView.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::pallas;

namespace {
/// The tiles of a view, and how they lie.
struct ViewTiles {
  /// Rows of a tile.
  int64_t rows = 1;
  /// Whether no other tiles lie in between.
  bool isContiguous = true;
  /// Whether the rows of its tiles are among its dimensions.
  bool hasRows = true;
};
} // namespace

/// Booleans take a word.
static int64_t getTileBits(Type element) {
  return element.isInteger(1) ? 32 : element.getIntOrFloatBitWidth();
}

/// The rows of a tile of a whole buffer. Few rows have tiles of as many.
static int64_t getBufferTileRows(const MemRefView &view, const TPUChip &chip) {
  MemRefType type = view.getType();
  int64_t rows = type.getShape().rbegin()[1];
  if (rows < chip.sublanes)
    return getTPUTile(type.getShape(), type.getElementType(), chip).rbegin()[1];
  return getTPUTileRows(rows, getTileBits(type.getElementType()),
                        view.getBuffer(), chip);
}

static ViewTiles getTiles(Emitter &emit, const MemRefView &view);

/// The tiles of the buffer that a view is a part of. Its rows are filled up to
/// a multiple of `filled`.
static ViewTiles getBaseTiles(Emitter &emit, const MemRefView &view,
                              int64_t &filled) {
  const TPUChip &chip = emit.getChip();
  if (auto reshape = view.base.getDefiningOp<tpu::MemRefReshapeOp>()) {
    ViewTiles tiles = getTiles(emit, resolveView(emit, reshape.getInput()));
    filled = tiles.rows;
    return tiles;
  }
  int64_t bits = getTileBits(view.getElementType());
  if (auto bitcast = view.base.getDefiningOp<tpu::MemRefBitcastOp>()) {
    ViewTiles tiles = getTiles(emit, resolveView(emit, bitcast.getInput()));
    Type from = getElementTypeOrSelf(bitcast.getInput().getType());
    tiles.rows = std::max<int64_t>(1, tiles.rows * getTileBits(from) / bits);
    filled = tiles.rows;
    return tiles;
  }
  filled = getBufferTileRows(view, chip);
  bool isOneTileWide =
      bits == 32 && view.getType().getShape().back() <= chip.lanes;
  return {isOneTileWide ? 1 : filled};
}

/// Walks the dimensions from the last one, and compares how far the next tile
/// lies with how many there are up to there.
static ViewTiles getTiles(Emitter &emit, const MemRefView &view) {
  int64_t filled = 1;
  ViewTiles tiles = getBaseTiles(emit, view, filled);
  ArrayRef<int64_t> shape = view.getType().getShape();
  int64_t distance = 1, count = 1;
  for (auto [fromMinor, part] : llvm::enumerate(llvm::reverse(view.dims))) {
    int64_t whole = shape.rbegin()[fromMinor];
    int64_t tile = fromMinor == 0   ? emit.getChip().lanes
                   : fromMinor == 1 ? tiles.rows
                                    : 1;
    int64_t size = part.dynamicSize ? whole : part.size;
    int64_t own = llvm::divideCeil(size, tile);
    tiles.isContiguous &= own == 1 || distance == count;
    if (part.visible)
      count *= own;
    distance *= llvm::alignTo(whole, fromMinor == 1 ? filled : tile) / tile;
  }
  tiles.hasRows = tiles.rows == 1 || view.dims.rbegin()[1].visible;
  // The rest of a tile would lie between the rows of two of them, or between
  // the parts of a row that is wider than a tile.
  tpu::CopiedDim rows = getCopiedDim(view, 1), lanes = getCopiedDim(view, 0);
  bool isOneGroup =
      lanes.whole <= emit.getChip().lanes &&
      llvm::all_of(ArrayRef(view.dims).drop_back(2), [](const ViewDim &dim) {
        return dim.size == 1 && !dim.dynamicSize;
      });
  int64_t packing =
      std::max<int64_t>(1, 32 / getTileBits(view.getElementType()));
  tiles.isContiguous &= isOneGroup
                            ? tpu::canCopyRows(rows, lanes, tiles.rows, packing,
                                               emit.getChip().sublanes)
                            : tpu::isMadeOfTiles(rows, tiles.rows);
  return tiles;
}

/// The error for lanes that change, or groups of rows that cut tiles.
static LogicalResult checkLastDims(Operation *op, const MemRefView &view,
                                   ArrayRef<int64_t> from, ArrayRef<int64_t> to,
                                   int64_t rows, const TPUChip &chip) {
  if (from.back() != to.back())
    return op->emitOpError()
           << "turns rows of " << from.back() << " elements into rows of "
           << to.back() << ", but on " << chip.name << " a view of "
           << view.getType()
           << " keeps the last dimension; reshape the loaded value instead";
  int64_t old = from.rbegin()[1], now = to.rbegin()[1];
  if (old != now && (old % rows != 0 || now % rows != 0))
    return op->emitOpError()
           << "turns groups of " << old << " rows into groups of " << now
           << ", but on " << chip.name << " tiles of " << view.getType()
           << " have " << rows
           << " rows; keep whole tiles, or reshape the loaded value instead";
  return success();
}

LogicalResult mlir::pallas::checkReshapedView(Emitter &emit, Operation *op,
                                              Value memref,
                                              ArrayRef<int64_t> to) {
  const TPUChip &chip = emit.getChip();
  MemRefView view = resolveView(emit, memref);
  SmallVector<int64_t> from = view.getVisibleShape();
  // Scalars and semaphores have no tiles.
  if (!view.getElementType().isIntOrFloat() ||
      !llvm::is_contained({tpu::MemorySpace::Vmem, tpu::MemorySpace::Hbm,
                           tpu::MemorySpace::Any},
                          view.getSpace()) ||
      ArrayRef<int64_t>(from) == to)
    return success();
  ViewTiles tiles = getTiles(emit, view);
  if (!tiles.isContiguous || !tiles.hasRows)
    return op->emitOpError()
           << "reshapes a part of " << view.getType() << " that on "
           << chip.name
           << " does not lie in one piece; reshape the whole ref and take the "
              "part of that, or reshape the loaded value";
  // Rows that are tiles are in the same order in all shapes.
  if (tiles.rows == 1 && from.back() % chip.lanes == 0 &&
      to.back() % chip.lanes == 0)
    return success();
  return checkLastDims(op, view, from, to, tiles.rows, chip);
}
