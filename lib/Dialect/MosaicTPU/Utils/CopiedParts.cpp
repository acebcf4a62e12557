//===- CopiedParts.cpp - Parts of tiled buffers that copies move ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies move tiles, or rows of one tile. The rules are measured.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/MosaicTPU/Utils/CopiedParts.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

bool mlir::tpu::isMadeOfTiles(const CopiedDim &dim, int64_t tile) {
  bool reachesEnd = !dim.isDynamic && dim.start + dim.size == dim.whole;
  return dim.multiple % tile == 0 && (reachesEnd || dim.size % tile == 0);
}

bool mlir::tpu::canCopyRows(const CopiedDim &dim, int64_t tile,
                            int64_t packing) {
  if (isMadeOfTiles(dim, tile))
    return true;
  if (dim.isDynamic)
    return dim.size < tile && dim.size % packing == 0 &&
           llvm::isPowerOf2_64(dim.size) && dim.multiple % dim.size == 0;
  return dim.start % tile + dim.size <= tile && isMadeOfTiles(dim, packing);
}
