//===- MemoryAccess.cpp - Loads and stores of parts of buffers ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers are loaded from aligned tiles. What isn't aligned is loaded with
// the tiles around it and moved into place; stores replace elements in these
// tiles.
//
//===----------------------------------------------------------------------===//

#include "MemoryAccess.h"
#include "pallas/Dialect/MosaicTPU/Utils/VectorShapes.h"

using namespace mlir;
using namespace mlir::pallas;

/// How many scalars are worth being moved one by one.
/// Each takes a load and a select, so code grows with their number.
static constexpr int64_t kMaxScalarAccesses = 256;

/// The multiple that the start of dimension `dim` has to be of when it is not
/// known at compile time.
/// Constant starts need no alignment: the compiler shifts registers by a
/// constant.
static int64_t getStartAlignment(Emitter &emit, const MemRefView &view,
                                 int64_t dim) {
  const TPUChip &chip = emit.getChip();
  MemRefType type = view.getType();
  int64_t bits = type.getElementTypeBitWidth();
  int64_t fromMinor = type.getRank() - 1 - dim;
  if (type.getRank() == 1)
    // In one dimension lanes hold packed words.
    return chip.lanes * (32 / bits);
  if (fromMinor == 0)
    return chip.lanes;
  if (fromMinor > 1)
    return 1;
  // Narrow elements share words between rows.
  if (bits < 32)
    return getTPUTileRows(type.getDimSize(dim), bits, view.getBuffer(), chip);
  // Rows follow each other in memory only where a tile is as wide as the
  // buffer.
  bool rowsFollow = type.getShape().back() <= chip.lanes;
  return rowsFollow || view.dims[dim].size == 1 ? 1 : chip.sublanes;
}

static bool isUnaligned(Emitter &emit, const MemRefView &view, int64_t dim) {
  const ViewDim &part = view.dims[dim];
  if (!part.isDynamic())
    return false;
  int64_t alignment = getStartAlignment(emit, view, dim);
  return getKnownMultiple(part, alignment) < alignment;
}

/// Where an access starts, as indices of the base. Sums stay in the type of the
/// dynamic part, which avoids a cast for starts of type index.
SmallVector<Value> mlir::pallas::getStartIndices(Emitter &emit,
                                                 const MemRefView &view) {
  return llvm::map_to_vector(view.dims, [&](const ViewDim &dim) -> Value {
    if (!dim.dynamicStart)
      return emit.index(dim.start);
    Value start = dim.dynamicStart;
    if (dim.start != 0)
      start = emit.add(start, start.getType().isIndex() ? emit.index(dim.start)
                                                        : emit.i32(dim.start));
    return emit.toIndex(start);
  });
}

static Value getStartI32(Emitter &emit, const ViewDim &dim) {
  if (!dim.dynamicStart)
    return emit.i32(dim.start);
  Value start = emit.toI32(dim.dynamicStart);
  return dim.start ? emit.add(start, emit.i32(dim.start)) : start;
}

static SmallVector<int32_t> getStrides(const MemRefView &view) {
  return llvm::map_to_vector(
      view.dims, [](const ViewDim &dim) { return int32_t(dim.stride); });
}

/// Whether the load and store units can step over elements as the view does:
/// over rows that fit into registers, each from its first element.
///
///   %0 = tpu.strided_load %m[%i, %j] {strides = array<i32: 2, 1>}
static bool hasNativeStrides(Emitter &emit, const MemRefView &view) {
  MemRefType type = view.getType();
  const ViewDim &lanes = view.dims.back();
  // Narrow elements would split words, and strides of lanes need a rotate.
  return type.getElementTypeBitWidth() == 32 && lanes.stride == 1 &&
         !lanes.isDynamic() && lanes.start == 0 &&
         type.getShape().back() <= emit.getChip().lanes && type.getRank() > 1;
}

/// The view widened to all elements between the first and the last one.
/// The elements in between are loaded, too, and dropped from registers.
static MemRefView withoutStrides(const MemRefView &view) {
  MemRefView dense = view;
  for (ViewDim &dim : dense.dims) {
    dim.size = (dim.size - 1) * dim.stride + 1;
    dim.stride = 1;
  }
  return dense;
}

/// The view with an unaligned dimension widened to whole tiles around it, or to
/// all of the buffer where that is not more. `start` becomes where the part
/// starts in there.
///
/// A row %i of an 8-aligned buffer, known to be a multiple of nothing:
///
///   %0 = arith.minsi %i, %last
///   %1 = arith.andi %0, -8
///   %2 = tpu.assume_multiple %1, 8
///   %3 = arith.subi %i, %1
static MemRefView withTilesAround(Emitter &emit, const MemRefView &view,
                                  int64_t dim, Value &start) {
  MemRefView around = view;
  ViewDim &part = around.dims[dim];
  int64_t whole = view.getType().getDimSize(dim);
  int64_t unit = getStartAlignment(emit, view, dim);
  int64_t size =
      llvm::alignTo(part.size + unit - getKnownMultiple(part, unit), unit);
  start = getStartI32(emit, part);
  part.start = 0;
  part.dynamicStart = {};
  part.size = whole;
  // All of the buffer needs no alignment, and is right where tiles don't divide
  // it.
  if (size >= whole || whole % unit != 0)
    return around;
  // The minimum keeps the widened part inside of the buffer.
  Value aligned = emit.create<arith::AndIOp>(
      emit.create<arith::MinSIOp>(start, emit.i32(whole - size)),
      emit.i32(-unit));
  part.dynamicStart = emit.create<tpu::AssumeMultipleOp>(aligned, unit);
  part.size = size;
  start = emit.sub(start, aligned);
  return around;
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// Reads scalars one by one; a vector of them is put together by selects.
///
///   %0 = memref.load %m[%c0]
///   %1 = memref.load %m[%c1]
///   %2 = vector.broadcast %0
///   %3 = arith.select %isSecond, %4, %2
static FailureOr<Value> loadScalars(Emitter &emit, const MemRefView &view) {
  SmallVector<int64_t> sizes = view.getSizes();
  int64_t count = ShapedType::getNumElements(sizes);
  if (count > kMaxScalarAccesses)
    return emitError(emit.getLoc())
           << "reads " << count << " elements of scalar memory, but at most "
           << kMaxScalarAccesses
           << " are read at once; keep the array in vmem, or read it in a loop";
  Value result;
  SmallVector<int64_t> shape = view.getVisibleShape();
  SmallVector<int64_t> flat =
      shape.empty() ? shape : SmallVector<int64_t>{count};
  Value position = flat.empty() ? Value() : emit.iota(flat, 0);
  for (int64_t i = 0; i < count; ++i) {
    MemRefView one = view;
    // The position counts elements in row-major order, from the last dimension.
    int64_t rest = i;
    for (ViewDim &dim : llvm::reverse(one.dims)) {
      dim.start += (rest % dim.size) * dim.stride;
      rest /= dim.size;
    }
    Value element =
        emit.create<memref::LoadOp>(view.base, getStartIndices(emit, one));
    if (!position)
      return element;
    Value all = emit.reshape(element, flat);
    Value here = emit.compare(arith::CmpIPredicate::eq, position,
                              emit.integer(position.getType(), i));
    result = result ? emit.select(here, all, result) : all;
  }
  return reshapeVector(emit, result, shape);
}

static Value loadWide(Emitter &emit, const MemRefView &view);

/// Reads the tiles around dimension `dim` and moves the wanted part to the
/// beginning.
///
///   %0 = vector.load %m[%aligned, %c0] : vector<16x128xf32>
///   %1 = tpu.dynamic_rotate %0 by %back dim 0
///   %2 = vector.extract_strided_slice %1
///
/// A rotate by a value works for all starts, while slices need constants.
static Value loadUnaligned(Emitter &emit, const MemRefView &view, int64_t dim) {
  Value start;
  MemRefView around = withTilesAround(emit, view, dim, start);
  Value wanted = rotateToFront(emit, loadWide(emit, around), start, dim);
  return emit.extractSlice(wanted, dim, 0, view.dims[dim].size);
}

/// Reads all dimensions of a view, visible or not.
///
/// Strides come first: without them, the starts may be aligned. The last
/// dimension is aligned before the others, because each step reads more of the
/// buffer.
static Value loadWide(Emitter &emit, const MemRefView &view) {
  if (view.hasStrides() && !hasNativeStrides(emit, view)) {
    Value result = loadWide(emit, withoutStrides(view));
    for (auto [dim, part] : llvm::enumerate(view.dims))
      result = takeEveryNth(emit, result, dim, part.stride);
    return result;
  }
  for (int64_t dim = view.dims.size() - 1; dim >= 0; --dim)
    if (isUnaligned(emit, view, dim))
      return loadUnaligned(emit, view, dim);
  auto type = VectorType::get(view.getSizes(), view.getElementType());
  if (!view.hasStrides())
    return emit.create<vector::LoadOp>(type, view.base,
                                       getStartIndices(emit, view));
  return emit.create<tpu::StridedLoadOp>(
      type, view.base, getStartIndices(emit, view),
      emit.getBuilder().getDenseI32ArrayAttr(getStrides(view)));
}

/// Checks what no access can have. It runs before anything is emitted.
static LogicalResult checkSpace(Emitter &emit, const MemRefView &view) {
  tpu::MemorySpace space = view.getSpace();
  if (space != tpu::MemorySpace::Vmem && space != tpu::MemorySpace::Smem)
    return emitError(emit.getLoc())
           << "a ref in " << tpu::stringifyMemorySpace(space)
           << " can't be read or written directly; copy the part to vmem or "
              "smem with pallas.dma_start and pallas.dma_wait";
  for (auto [i, dim] : llvm::enumerate(view.dims)) {
    if (dim.dynamicSize)
      return emitError(emit.getLoc())
             << "dimension " << i
             << " of the accessed part has a size known at run time only; "
                "access a part of constant size under a mask";
    if (dim.stride == 0)
      return emitError(emit.getLoc())
             << "dimension " << i << " of the accessed part holds one element "
             << dim.size
             << " times, as its stride is 0; access it once, and broadcast";
  }
  return success();
}

/// Reads a part of a buffer, without its hidden dimensions. SMEM is read by the
/// scalar unit, element by element.
FailureOr<Value> mlir::pallas::loadView(Emitter &emit, const MemRefView &view) {
  if (failed(checkSpace(emit, view)))
    return failure();
  if (view.getSpace() == tpu::MemorySpace::Smem || view.dims.empty())
    return loadScalars(emit, view);
  return reshapeVector(emit, loadWide(emit, view), view.getVisibleShape());
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

/// Stores scalars one by one. There is no masked store to SMEM, and a branch
/// per element would cost more than the store.
static LogicalResult storeScalars(Emitter &emit, const MemRefView &view,
                                  Value value, Value mask) {
  int64_t count = ShapedType::getNumElements(view.getSizes());
  if (mask || count > kMaxScalarAccesses)
    return emitError(emit.getLoc())
           << "stores " << count << (mask ? " masked" : "")
           << " elements to scalar memory, but at most " << kMaxScalarAccesses
           << " without a mask are stored at once; keep the array in vmem";
  for (int64_t i = 0; i < count; ++i) {
    MemRefView one = view;
    SmallVector<int64_t> position;
    int64_t rest = i;
    for (ViewDim &dim : llvm::reverse(one.dims)) {
      if (dim.visible)
        position.push_back(rest % dim.size);
      dim.start += (rest % dim.size) * dim.stride;
      rest /= dim.size;
    }
    std::reverse(position.begin(), position.end());
    Value element =
        position.empty() ? value : extractElement(emit, value, position);
    emit.create<memref::StoreOp>(element, view.base,
                                 getStartIndices(emit, one));
  }
  return success();
}

/// Whether the chip can store a part of a buffer with one dimension: some don't
/// leave out a part of a word.
///
/// A word of two bf16 elements is stored as a whole, so half of it can't stay.
static bool canStoreRow(Emitter &emit, const MemRefView &view) {
  const TPUChip &chip = emit.getChip();
  MemRefType type = view.getType();
  if (type.getRank() != 1 ||
      getTPUSupport(TPUCase::StorePartsOfRows, view.getElementType(), chip) ==
          TPUSupport::Native)
    return true;
  return view.dims[0].size %
             getTPUTile(type.getShape(), view.getElementType(), chip)[0] ==
         0;
}

static LogicalResult storeWide(Emitter &emit, const MemRefView &view,
                               Value value, Value mask);

/// Writes a part whose start is not aligned along `dim`: replaces it in the
/// tiles around it.
///
///   %0 = vector.load %m[%aligned, %c0] : vector<16x128xf32>
///   %1 = arith.select %here, %moved, %0
///   tpu.vector_store %m[%aligned, %c0], %1
///
/// The elements around are read and stored back.
static LogicalResult storeUnaligned(Emitter &emit, const MemRefView &view,
                                    Value value, Value mask, int64_t dim) {
  const ViewDim &part = view.dims[dim];
  Value start;
  MemRefView around = withTilesAround(emit, view, dim, start);
  SmallVector<int64_t> shape = around.getSizes();
  Value position = emit.iota(shape, dim);
  auto spread = [&](Value narrow) {
    if (part.size == 1)
      return emit.broadcast(narrow, shape);
    return rotateFromFront(emit, narrow, start, dim, shape[dim]);
  };
  Value first = emit.broadcast(start, shape);
  Value here;
  // A single row is where the position equals the start; it needs no rotate.
  if (part.size == 1) {
    here = emit.compare(arith::CmpIPredicate::eq, position, first);
  } else {
    Value end = emit.broadcast(emit.add(start, emit.i32(part.size)), shape);
    here = emit.create<arith::AndIOp>(
        emit.compare(arith::CmpIPredicate::sge, position, first),
        emit.compare(arith::CmpIPredicate::slt, position, end));
  }
  // Masks are moved as integers: there is no rotate of i1.
  if (mask)
    here = emit.create<arith::AndIOp>(
        here, emit.i32ToBool(spread(emit.boolToI32(mask))));
  return storeWide(emit, around, spread(value), here);
}

/// Writes all dimensions of a view, visible or not.
///
/// Like `loadWide`, strides first, then one unaligned dimension after the
/// other.
static LogicalResult storeWide(Emitter &emit, const MemRefView &view,
                               Value value, Value mask) {
  if (view.hasStrides() && (mask || !hasNativeStrides(emit, view))) {
    // The elements in between are written back as they were.
    MemRefView dense = withoutStrides(view);
    auto i32Type = emit.getBuilder().getI32Type();
    Value wideMask =
        mask ? emit.boolToI32(mask)
             : emit.integer(withElementType(value.getType(), i32Type), 1);
    for (auto [dim, part] : llvm::enumerate(view.dims)) {
      if (part.stride == 1)
        continue;
      value = spreadEveryNth(emit, value, dim, part.stride);
      wideMask = spreadEveryNth(emit, wideMask, dim, part.stride);
      Value position = emit.iota(getShape(value.getType()), dim);
      Value between = emit.create<arith::RemSIOp>(
          position, emit.integer(position.getType(), part.stride));
      wideMask = emit.select(emit.i32ToBool(between),
                             emit.zero(wideMask.getType()), wideMask);
    }
    return storeWide(emit, dense, value, emit.i32ToBool(wideMask));
  }
  for (int64_t dim = view.dims.size() - 1; dim >= 0; --dim)
    if (isUnaligned(emit, view, dim))
      return storeUnaligned(emit, view, value, mask, dim);
  SmallVector<Value> indices = getStartIndices(emit, view);
  if (view.hasStrides()) {
    emit.create<tpu::StridedStoreOp>(
        value, view.base, indices,
        emit.getBuilder().getDenseI32ArrayAttr(getStrides(view)));
    return success();
  }
  // Masked stores exist for elements of 32 bits, so narrower ones are selected
  // before a plain store.
  if (mask && view.getType().getElementTypeBitWidth() != 32) {
    value = emit.select(mask, value, loadWide(emit, view));
    mask = {};
  }
  if (!canStoreRow(emit, view))
    return emitError(emit.getLoc())
           << "stores " << view.dims[0].size << " elements of type "
           << view.getElementType() << " in one dimension, but "
           << emit.getChip().name << " stores multiples of "
           << getTPUTile(view.getType().getShape(), view.getElementType(),
                         emit.getChip())[0]
           << "; let the ref have a leading dimension of size 1";
  emit.create<tpu::VectorStoreOp>(value, view.base, indices, mask);
  return success();
}

/// Writes a part of a buffer. The mask has the visible shape, and is reshaped
/// as i32 like every mask that moves between registers.
LogicalResult mlir::pallas::storeView(Emitter &emit, const MemRefView &view,
                                      Value value, Value mask) {
  if (failed(checkSpace(emit, view)))
    return failure();
  if (view.getSpace() == tpu::MemorySpace::Smem || view.dims.empty())
    return storeScalars(emit, view, value, mask);
  SmallVector<int64_t> sizes = view.getSizes();
  value = reshapeVector(emit, value, sizes);
  if (mask) {
    if (isa<VectorType>(mask.getType()))
      mask = emit.broadcast(mask, view.getVisibleShape());
    mask = emit.i32ToBool(reshapeVector(emit, emit.boolToI32(mask), sizes));
  }
  return storeWide(emit, view, value, mask);
}
