//===- SparseCoreCopies.cpp - Legal copies of SparseCores -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks of pallas.dma_start on SparseCores: the alignment of both ends, and
// whether their memories are connected.
//
//===----------------------------------------------------------------------===//

#include "../Memory/MemRefView.h"
#include "Patterns.h"

using namespace mlir;
using namespace mlir::pallas;

/// SparseCores move tiles of eight words: what is copied starts with one.
///   pallas.dma_start %row to %buffer signals %s
///
/// is legal from column 0 of f32, column 8 and so on.
static LogicalResult checkTileStart(DMAStartOp op, const MemRefView &view) {
  Type element = view.getElementType();
  if (!element.isIntOrFloat())
    return success();
  constexpr int64_t bits = 8 * 32;
  int64_t tile = bits / std::min(element.getIntOrFloatBitWidth(), 32u);
  // Scalar memory has no tiles.
  if (view.getSpace() == tpu::MemorySpace::Smem || view.dims.empty() ||
      getKnownMultiple(view.dims.back(), tile) == tile)
    return success();
  return op.emitOpError()
         << "copies a part of " << view.getType() << " whose first element "
         << "along the last dimension is not known to be a multiple of " << tile
         << ", as SparseCores need it; copy from the multiple before, "
            "or state by pallas.multiple_of that it is one";
}

/// Whether the core has a way between two memories. Its own scalar memory is
/// beside the streams of a vector subcore: only shared memory reaches it.
static bool hasWay(tpu::CoreType core, tpu::MemorySpace from,
                   tpu::MemorySpace to) {
  bool fromOwn =
      from == tpu::MemorySpace::Vmem || from == tpu::MemorySpace::Smem;
  bool toOwn = to == tpu::MemorySpace::Vmem || to == tpu::MemorySpace::Smem;
  // A scalar subcore reaches all but one pair.
  if (core == tpu::CoreType::ScScalarSubcore)
    return from != tpu::MemorySpace::Smem || to != tpu::MemorySpace::VmemShared;
  if (from == tpu::MemorySpace::Smem || (fromOwn && toOwn))
    return false;
  return to != tpu::MemorySpace::Smem || from == tpu::MemorySpace::VmemShared;
}

/// Checks both ends before their spaces: an unaligned start is wrong in each.
LogicalResult mlir::pallas::checkSparseCoreCopy(DMAStartOp op, Emitter &emit,
                                                tpu::CoreType core,
                                                Value source, Value target) {
  const Value ends[] = {source, target};
  std::optional<tpu::MemorySpace> spaces[2];
  for (auto [i, end] : llvm::enumerate(ends)) {
    // Rows that indices select are memory of the other side of the core.
    if (!isa<MemRefType>(end.getType()))
      return success();
    MemRefView view = resolveView(emit, end);
    if (failed(checkTileStart(op, view)))
      return failure();
    auto type = cast<MemRefType>(end.getType());
    // Memory of another core is reached over the network.
    if (tpu::getNamedCoreType(type).value_or(core) != core)
      return success();
    spaces[i] = tpu::getMemorySpace(type);
  }
  if (!spaces[0] || !spaces[1] || hasWay(core, *spaces[0], *spaces[1]))
    return success();
  return op.emitOpError()
         << "copies from " << tpu::stringifyMemorySpace(*spaces[0]) << " to "
         << tpu::stringifyMemorySpace(*spaces[1]) << ", between which "
         << tpu::stringifyCoreType(core)
         << " has no way; copy by way of hbm or vmem_shared, or load and "
            "store";
}

/// A list of indices starts with a tile, as far as that is known. Constant
/// lists of words in pairs can get another layout if they select rows.
LogicalResult mlir::pallas::checkIndexList(SliceRefOp op, Emitter &emit,
                                           Value list) {
  if (!isa<MemRefType>(list.getType()))
    return success();
  constexpr int64_t tile = 8;
  ViewDim dim = resolveView(emit, list).dims.back();
  bool isConstant = !dim.isDynamic() && !dim.dynamicSize;
  bool selectsRows = cast<RefType>(op.getRef().getType()).getRank() > 1;
  if (getKnownMultiple(dim, tile) == tile ||
      (isConstant && selectsRows && dim.start % 2 == 0 && dim.size % 2 == 0))
    return success();
  InFlightDiagnostic diag =
      op.emitOpError("selects by a part of a list of indices whose start ");
  if (dim.isDynamic())
    diag << "is not known to be a multiple of " << tile;
  else
    diag << "of " << dim.start << " is no multiple of " << tile;
  return diag << ", as SparseCores need it; start at the multiple before, or "
                 "copy the part to a buffer of its own";
}

/// The end of an indirect copy that no indices select from: elements are moved
/// in tiles, rows are of whole ones.
LogicalResult mlir::pallas::checkIndirectEnd(DMAStartOp op, Emitter &emit,
                                             Value end) {
  MemRefView view = resolveView(emit, end);
  return view.dims.size() > 1 ? success() : checkTileStart(op, view);
}
