//===- CopiedParts.cpp - What parts of buffers a core can copy ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A DMA moves whole tiles, or rows of one tile in whole words, or any rows of
// words where each row is in one tile. The rules are measured. Copies are
// checked while bodies are converted, where the error has the location of the
// copy.
//
//===----------------------------------------------------------------------===//

#include "MemRefView.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace mlir::pallas;

tpu::CopiedDim mlir::pallas::getCopiedDim(const MemRefView &view,
                                          unsigned fromMinor) {
  const ViewDim &dim = view.dims.rbegin()[fromMinor];
  tpu::CopiedDim copied{view.getType().getShape().rbegin()[fromMinor], dim.size,
                        dim.start, dim.isDynamic(),
                        getKnownMultiple(dim, tpu::kLongestTile)};
  if (dim.dynamicSize) {
    copied.size = ShapedType::kDynamic;
    copied.sizeMultiple =
        tpu::getKnownMultiple(dim.dynamicSize, tpu::kLongestTile);
  }
  return copied;
}

/// The error for a dimension that is not made of tiles.
static LogicalResult rejectDim(Operation *op, const MemRefView &view,
                               unsigned fromMinor, int64_t tile,
                               const TPUChip &chip) {
  tpu::CopiedDim dim = getCopiedDim(view, fromMinor);
  InFlightDiagnostic diag = op->emitOpError("copies ");
  if (dim.isSizeDynamic())
    diag << "a multiple of " << dim.sizeMultiple;
  else
    diag << dim.size;
  diag << " of " << dim.whole << " elements along dimension "
       << view.dims.size() - 1 - fromMinor << " of " << view.getType()
       << " from a start ";
  if (dim.isDynamic)
    diag << "that is known to be a multiple of "
         << std::min(dim.multiple, tile);
  else
    diag << "of " << dim.start;
  diag << ", but " << chip.name << " copies tiles of " << tile;
  if (dim.isSizeDynamic())
    return diag << "; copy whole tiles, and state by pallas.multiple_of that "
                   "start and size are multiples";
  return diag << (fromMinor == 0 ? "" : ", or rows of one tile in whole words")
              << "; copy whole tiles, or load and store the elements";
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
  ArrayRef<int64_t> shape = view.getType().getShape();
  // One dimension is packed words along lanes.
  int64_t lanes = isRow ? chip.lanes * packing : chip.lanes;
  tpu::CopiedDim minor = getCopiedDim(view, 0);
  if (!isMadeOfTiles(minor, lanes))
    return rejectDim(op, view, 0, lanes, chip);
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
  // Rows of words lie one behind the other where tiles do.
  if (packing == 1 && shape.back() <= chip.lanes)
    return success();
  // Arrays of the host have the tiles of operands.
  bool isOwn = view.getSpace() == tpu::MemorySpace::Vmem;
  int64_t rows =
      getTPUTileRows(shape.rbegin()[1], bits,
                     isOwn ? view.getBuffer() : TPUBuffer::Operand, chip);
  if (!canCopyRows(getCopiedDim(view, 1), minor, rows, packing, chip.sublanes))
    return rejectDim(op, view, 1, rows, chip);
  return success();
}
