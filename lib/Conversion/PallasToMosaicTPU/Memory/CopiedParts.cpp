//===- CopiedParts.cpp - What parts of buffers a core can copy ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A DMA moves whole tiles, or rows of one tile in whole words. Copies are
// checked while bodies are converted, where the error has the location of the
// copy.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/MosaicTPU/Utils/CopiedParts.h"
#include "MemRefView.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace mlir::pallas;

/// One dimension in the terms of the shared rule, counted from the last one.
static tpu::CopiedDim getCopiedDim(const MemRefView &view, unsigned fromMinor) {
  const ViewDim &dim = view.dims.rbegin()[fromMinor];
  return {view.getType().getShape().rbegin()[fromMinor], dim.size, dim.start,
          dim.isDynamic(), getKnownMultiple(dim, tpu::kLongestTile)};
}

/// Checks lanes before sublanes: an error in both names the one that the author
/// has to fix first.
LogicalResult mlir::pallas::checkCopiedPart(Emitter &emit, Operation *op,
                                            Value memref) {
  const TPUChip &chip = emit.getChip();
  MemRefView view = resolveView(emit, memref);
  Type element = view.getElementType();
  // Scalars, semaphores and other spaces have no tiles.
  if (view.dims.empty() || !element.isIntOrFloat() ||
      !llvm::is_contained({tpu::MemorySpace::Vmem, tpu::MemorySpace::Hbm,
                           tpu::MemorySpace::Any},
                          view.getSpace()))
    return success();
  int64_t bits = element.getIntOrFloatBitWidth();
  int64_t packing = std::max<int64_t>(1, 32 / bits);
  bool isRow = view.dims.size() == 1;
  // A size of run time is checked by the hardware.
  auto check = [&](unsigned fromMinor, int64_t tile,
                   bool isLegal) -> LogicalResult {
    const ViewDim &dim = *(view.dims.rbegin() + fromMinor);
    if (isLegal || dim.dynamicSize)
      return success();
    InFlightDiagnostic diag = op->emitOpError();
    diag << "copies " << dim.size << " of "
         << view.getType().getShape().rbegin()[fromMinor]
         << " elements along dimension " << view.dims.size() - 1 - fromMinor
         << " of " << view.getType() << " from a start ";
    if (dim.isDynamic())
      diag << "that is known to be a multiple of "
           << getKnownMultiple(dim, tile);
    else
      diag << "of " << dim.start;
    return diag << ", but " << chip.name << " copies tiles of " << tile
                << (fromMinor == 0 ? ""
                                   : ", or rows of one tile in whole words")
                << "; copy whole tiles, or load and store the elements";
  };
  ArrayRef<int64_t> shape = view.getType().getShape();
  // One dimension is packed words along lanes.
  int64_t lanes = isRow ? chip.lanes * packing : chip.lanes;
  if (failed(check(0, lanes, tpu::isMadeOfTiles(getCopiedDim(view, 0), lanes))))
    return failure();
  if (isRow)
    return success();
  // Rows of whole words can be taken out of tiles, but nothing else can.
  for (unsigned fromMinor : {0u, 1u})
    if ((packing > 1 || fromMinor == 0) &&
        !view.dims.rbegin()[fromMinor].visible)
      return op->emitOpError()
             << "copies a part without dimension "
             << view.dims.size() - 1 - fromMinor << " of " << view.getType()
             << ", but " << chip.name
             << " keeps that dimension of tiles of elements of " << bits
             << " bits; index it with a slice of size 1";
  // Arrays of the host have the tiles of XLA.
  int64_t rows =
      view.getSpace() == tpu::MemorySpace::Vmem
          ? getTPUTileRows(shape.rbegin()[1], bits, view.getBuffer(), chip)
          : getTPUWindowRows(bits, chip);
  return check(1, rows, tpu::canCopyRows(getCopiedDim(view, 1), rows, packing));
}
