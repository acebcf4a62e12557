//===- CopiedParts.h - Parts of tiled buffers that copies move --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_MOSAICTPU_UTILS_COPIEDPARTS_H
#define PALLAS_DIALECT_MOSAICTPU_UTILS_COPIEDPARTS_H

#include <cstdint>

namespace mlir::tpu {

/// No tile has more elements than a row of 2-bit elements.
inline constexpr int64_t kLongestTile = 2048;

/// The elements that a copy moves along one dimension of a buffer.
struct CopiedDim {
  /// Elements of the buffer, and those that are copied. A size of run time is
  /// ShapedType::kDynamic.
  int64_t whole = 1;
  int64_t size = 1;
  /// The start, or the static part of one that is known at run time only.
  int64_t start = 0;
  bool isDynamic = false;
  /// Powers of two that are known to divide the start and a size of run time.
  int64_t multiple = 1;
  int64_t sizeMultiple = 1;

  bool isSizeDynamic() const;
};

/// Whether a part starts and ends with tiles. The last tile of a dimension may
/// be cut.
bool isMadeOfTiles(const CopiedDim &dim, int64_t tile);

/// Whether rows can be copied: tiles, or rows that are known to be of one tile.
/// Elements that share a word stay together. A size of run time, of the rows or
/// of the lanes beside them, wants whole groups of `sublanes` rows.
bool canCopyRows(const CopiedDim &rows, const CopiedDim &lanes, int64_t tile,
                 int64_t packing, int64_t sublanes);

} // namespace mlir::tpu

#endif // PALLAS_DIALECT_MOSAICTPU_UTILS_COPIEDPARTS_H
