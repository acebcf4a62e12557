//===- Tiles.cpp - What memory moves as one -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file computes the tiles in which TPUs hold arrays.
//
//===----------------------------------------------------------------------===//

#include "pallas/Support/Tiles.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

/// For 8 x 128 words, `64x256xbf16` has tiles of 8 x 128 elements, two rows per
/// word, and `3x256xf32` has tiles of 4 x 128, because its rows are few.
/// Booleans have a word each.
SmallVector<int64_t> mlir::pallas::getPackedTile(ArrayRef<int64_t> shape,
                                                 Type element, int64_t rows,
                                                 int64_t columns) {
  int64_t bits = element.isInteger(1) ? 32 : element.getIntOrFloatBitWidth();
  int64_t packing = std::max<int64_t>(1, 32 / bits);
  SmallVector<int64_t> tile(shape.size(), 1);
  if (tile.size() == 1) {
    tile[0] = columns * packing;
  } else if (tile.size() > 1) {
    tile.back() = columns;
    int64_t few = llvm::PowerOf2Ceil(shape[shape.size() - 2]);
    tile[tile.size() - 2] = std::max(std::min<int64_t>(few, rows), packing);
  }
  return tile;
}

std::string mlir::pallas::spellNearestMultiples(int64_t size, int64_t unit,
                                                int64_t whole) {
  SmallVector<int64_t, 3> sizes;
  int64_t below = size / unit * unit;
  for (int64_t near : {below, below + unit})
    if (near > 0 && near < whole)
      sizes.push_back(near);
  sizes.push_back(whole);
  std::string text;
  for (auto [index, near] : llvm::enumerate(sizes)) {
    if (index > 0)
      text += index + 1 == sizes.size() ? " and " : ", ";
    text += std::to_string(near);
  }
  return text;
}
