//===- Tiles.h - What memory moves as one -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_SUPPORT_TILES_H
#define PALLAS_SUPPORT_TILES_H

#include "mlir/IR/Types.h"

namespace mlir::pallas {

/// Elements along each dimension of a tile of `rows` x `columns` 32-bit words,
/// in a buffer of this shape. Narrow elements of one column share a word;
/// buffers with few rows have tiles of fewer.
SmallVector<int64_t> getPackedTile(ArrayRef<int64_t> shape, Type element,
                                   int64_t rows, int64_t columns);

/// The sizes near `size` that a dimension may have: the multiples of `unit`
/// around it, and `whole`, as in "64, 128 and 512".
std::string spellNearestMultiples(int64_t size, int64_t unit, int64_t whole);

} // namespace mlir::pallas

#endif // PALLAS_SUPPORT_TILES_H
