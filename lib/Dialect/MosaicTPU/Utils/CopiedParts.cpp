//===- CopiedParts.cpp - Parts of tiled buffers that copies move ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies move tiles, or rows of one tile. The rules are measured.
//
// Two users share these rules: the conversion of copies, which rejects others
// with an error, and tpu-settle-lane-vectors, which chooses the tiles of a
// kernel.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/MosaicTPU/Utils/CopiedParts.h"
#include "mlir/IR/BuiltinTypeInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

bool mlir::tpu::CopiedDim::isSizeDynamic() const {
  return ShapedType::isDynamic(size);
}

/// Whether a part starts with a tile, and ends with a multiple of `unit`, which
/// divides the tile, or with the dimension.
static bool isMadeOfTiles(const tpu::CopiedDim &dim, int64_t tile,
                          int64_t unit) {
  if (dim.multiple % tile != 0)
    return false;
  // Whether it ends with the dimension is not known.
  if (dim.isSizeDynamic())
    return dim.sizeMultiple % unit == 0;
  // The last tile is padded, so a part that ends with the array ends with a
  // tile. A part as long as the array can only start at 0.
  return dim.size % unit == 0 || dim.size == dim.whole ||
         (!dim.isDynamic && dim.start + dim.size == dim.whole);
}

/// Whether a part consists of whole tiles. For tiles of 128 lanes and a
/// dimension of 300, that is elements 128 to 256, or 128 to the end, but not 0
/// to 100.
bool mlir::tpu::isMadeOfTiles(const CopiedDim &dim, int64_t tile) {
  return ::isMadeOfTiles(dim, tile, tile);
}

/// Whether a part consists of whole tiles, or of rows within one tile that fill
/// words. Elements of 16 bits share a word in pairs of rows.
bool mlir::tpu::canCopyRows(const CopiedDim &rows, const CopiedDim &lanes,
                            int64_t tile, int64_t packing, int64_t sublanes) {
  if (rows.isSizeDynamic() || lanes.isSizeDynamic())
    return ::isMadeOfTiles(rows, tile, std::min(tile, sublanes));
  if (isMadeOfTiles(rows, tile))
    return true;
  // A dynamic start has to be known to keep the rows within a tile and within
  // the array: the size is a power of two that divides the array, and the start
  // a multiple of it.
  if (rows.isDynamic)
    return rows.size < tile && rows.size % packing == 0 &&
           llvm::isPowerOf2_64(rows.size) && rows.multiple % rows.size == 0 &&
           rows.whole % rows.size == 0;
  return rows.start % tile + rows.size <= tile && isMadeOfTiles(rows, packing);
}
