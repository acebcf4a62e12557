//===- MemRefView.h - What part of which buffer a ref is --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_MEMORY_MEMREFVIEW_H
#define PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_MEMORY_MEMREFVIEW_H

#include "TargetUtils.h"
#include "pallas/Dialect/MosaicTPU/Utils/CopiedParts.h"
#include "pallas/Dialect/MosaicTPU/Utils/Divisibility.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"

namespace mlir::pallas {

/// One dimension of a part of a buffer.
struct ViewDim {
  /// First element: a static part and, where there is one, a value.
  int64_t start = 0;
  Value dynamicStart;
  int64_t size = 1;
  /// Set when the size is known at run time only; then `size` is an upper
  /// bound.
  Value dynamicSize;
  int64_t stride = 1;
  /// Whether the dimension is there for the kernel, or was taken out.
  bool visible = true;

  bool isDynamic() const { return bool(dynamicStart); }
};

/// A part of a buffer, dimension by dimension. Loads and stores work on the
/// buffer itself: that is what the compiler knows the layout of.
struct MemRefView {
  Value base;
  SmallVector<ViewDim> dims;

  MemRefType getType() const { return cast<MemRefType>(base.getType()); }
  Type getElementType() const { return getType().getElementType(); }
  tpu::MemorySpace getSpace() const {
    return tpu::getMemorySpace(getType()).value_or(tpu::MemorySpace::Vmem);
  }
  /// Where the buffer comes from.
  TPUBuffer getBuffer() const;
  /// Sizes of all dimensions of the buffer, or of the visible ones.
  SmallVector<int64_t> getSizes() const;
  SmallVector<int64_t> getVisibleShape() const;
  bool hasStrides() const;
  bool coversBase() const;
};

/// Sees through slices and squeezed dimensions to the buffer behind `memref`.
MemRefView resolveView(Emitter &emit, Value memref);

/// Applies entries of an indexer, one per visible dimension; scalar entries
/// hide theirs. `indices` are the operands of the entries.
void applyIndexer(Emitter &emit, MemRefView &view, ArrayRef<DimIndex> entries,
                  ValueRange indices);

/// The view as a memref of its own, for operations that take no indices.
Value materializeView(Emitter &emit, const MemRefView &view);

/// One dimension in the terms of the rules of tiles, counted from the last one.
tpu::CopiedDim getCopiedDim(const MemRefView &view, unsigned fromMinor);

/// Reports an error when a core can't copy this part of a buffer.
LogicalResult checkCopiedPart(Emitter &emit, Operation *op, Value memref);

/// Reports an error when a ref can't be seen as one of shape `to`.
LogicalResult checkReshapedView(Emitter &emit, Operation *op, Value memref,
                                ArrayRef<int64_t> to);

/// The largest power of two up to `limit` that certainly divides the start of a
/// dimension.
int64_t getKnownMultiple(const ViewDim &dim, int64_t limit = 1024);

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_MEMORY_MEMREFVIEW_H
