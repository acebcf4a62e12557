//===- VectorSlices.cpp - Parts of vectors at computed places -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Slices of tensors may start anywhere, those of vectors at constants. A part
// at a computed place is rotated to a known one first.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/MosaicTPU/Utils/VectorSlices.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "pallas/Dialect/MosaicTPU/Utils/ScopedBuffer.h"
#include "pallas/Dialect/MosaicTPU/Utils/TargetInfo.h"
#include "pallas/Dialect/MosaicTPU/Utils/VectorShapes.h"

using namespace mlir;
using namespace mlir::tpu;

/// XLA moves slices that exceed the array to its end, and so do these.
static Value clampStart(Emitter &emit, Value start, int64_t last) {
  Value wide = emit.toI32(start);
  wide = emit.create<arith::MaxSIOp>(wide, emit.i32(0));
  return emit.create<arith::MinSIOp>(wide, emit.i32(last));
}

/// One dimension after the other. The clamp of the constant start is for slices
/// whose start became constant only here.
Value mlir::tpu::extractPart(Emitter &emit, Value value,
                             ArrayRef<SliceStart> starts,
                             ArrayRef<int64_t> sizes,
                             ArrayRef<int64_t> strides) {
  for (int64_t dim = 0, rank = sizes.size(); dim < rank; ++dim) {
    int64_t extent = (sizes[dim] - 1) * strides[dim] + 1;
    int64_t size = getShape(value.getType())[dim];
    if (extent < size && starts[dim].dynamic)
      value = rotateToFront(
          emit, value, clampStart(emit, starts[dim].dynamic, size - extent),
          dim);
    int64_t first = std::clamp<int64_t>(starts[dim].constant, 0, size - extent);
    value = emit.extractSlice(value, dim, first, extent);
    value = takeEveryNth(emit, value, dim, strides[dim]);
  }
  return value;
}

/// The part is moved to its place in a vector of the whole shape, and positions
/// outside of it keep the elements of `dest`:
///
///   %0 = tpu.dynamic_rotate %padded by %start dim 0
///   %1 = arith.select %isInside, %0, %dest
Value mlir::tpu::insertPart(Emitter &emit, Value source, Value dest,
                            ArrayRef<SliceStart> starts,
                            ArrayRef<int64_t> strides) {
  Value isInside;
  auto require = [&](Value here) {
    isInside = isInside ? emit.create<arith::AndIOp>(isInside, here) : here;
  };
  ArrayRef<int64_t> shape = getShape(dest.getType());
  Value wide = source;
  for (int64_t dim = 0, rank = shape.size(); dim < rank; ++dim) {
    int64_t stride = strides[dim];
    wide = spreadEveryNth(emit, wide, dim, stride);
    int64_t size = getShape(wide.getType())[dim];
    if (size == shape[dim] && stride == 1)
      continue;
    int64_t last = shape[dim] - size;
    Value start =
        starts[dim].dynamic
            ? clampStart(emit, starts[dim].dynamic, last)
            : emit.i32(std::clamp<int64_t>(starts[dim].constant, 0, last));
    // One element needs no rotation: it can be everywhere.
    if (size == 1) {
      SmallVector<int64_t> repeated(getShape(wide.getType()));
      repeated[dim] = shape[dim];
      wide = emit.broadcast(wide, repeated);
    } else if (size != shape[dim]) {
      wide = rotateFromFront(emit, wide, start, dim, shape[dim]);
    }
    Value position =
        emit.sub(emit.iota(shape, dim), emit.broadcast(start, shape));
    Type type = position.getType();
    require(emit.compare(arith::CmpIPredicate::sge, position, emit.zero(type)));
    require(emit.compare(arith::CmpIPredicate::slt, position,
                         emit.integer(type, size)));
    // Only every n-th position belongs to the part.
    if (stride != 1)
      require(emit.compare(
          arith::CmpIPredicate::eq,
          emit.create<arith::RemSIOp>(position, emit.integer(type, stride)),
          emit.zero(type)));
  }
  return isInside ? emit.select(isInside, wide, dest) : wide;
}

/// Swaps pairs from both ends until they meet.
static Value reverseInMemory(Emitter &emit, Value value, int64_t dim) {
  int64_t size = getShape(value.getType())[dim];
  OpBuilder &builder = emit.getBuilder();
  ScopedBuffer buffer(emit, value, dim, value.getType());
  auto loop =
      emit.create<scf::ForOp>(emit.i32(0), emit.i32(size / 2), emit.i32(1));
  builder.setInsertionPointToStart(loop.getBody());
  Value low = loop.getInductionVar();
  Value high = emit.sub(emit.i32(size - 1), low);
  Value first = buffer.load(low);
  buffer.store(buffer.load(high), low);
  buffer.store(first, high);
  builder.setInsertionPointAfter(loop);
  return buffer.finish(buffer.loadAll());
}

/// Leading dimensions are reversed by their slices, in a loop where there are
/// many.
Value mlir::tpu::reverse(Emitter &emit, Value value, int64_t dim) {
  ArrayRef<int64_t> shape = getShape(value.getType());
  int64_t rank = shape.size(), size = shape[dim];
  // Within registers, reversing is a gather.
  if (dim >= rank - 2) {
    Value position = emit.iota(shape, dim);
    Value mirrored =
        emit.sub(emit.integer(position.getType(), size - 1), position);
    return takeAlong(emit, value, mirrored, dim);
  }
  if (size > kMaxStepsWrittenOut)
    return reverseInMemory(emit, value, dim);
  SmallVector<Value> parts;
  for (int64_t k = size - 1; k >= 0; --k)
    parts.push_back(emit.extractSlice(value, dim, k, 1));
  return emit.concatenate(parts, dim);
}

/// Whether the target can rotate this dimension as it is.
static bool canRotate(Emitter &emit, Value value, int64_t dim) {
  ArrayRef<int64_t> shape = getShape(value.getType());
  int64_t rank = shape.size();
  return rank > 1 &&
         shape[dim] % emit.getChip().getRegisterSize(rank, dim) == 0;
}

///   %0 = tpu.dynamic_rotate %v by %shift dim 1
///
/// The size has to be a multiple of a register. Otherwise the dimension is
/// doubled, so that every rotation of it is a slice.
Value mlir::tpu::roll(Emitter &emit, Value value, Value shift, int64_t dim) {
  int64_t size = getShape(value.getType())[dim];
  Type element = getElementType(value.getType());
  if (std::optional<int64_t> constant = getConstantIntValue(shift)) {
    int64_t by = ((*constant % size) + size) % size;
    if (by == 0)
      return value;
    // Narrow rows are joined again, because rotates are of words.
    if (!canRotate(emit, value, dim) || element.getIntOrFloatBitWidth() < 32)
      return emit.concatenate({emit.extractSlice(value, dim, size - by, by),
                               emit.extractSlice(value, dim, 0, size - by)},
                              dim);
    return emit.rotate(value, emit.i32(by), dim);
  }
  // The remainder has the sign of the shift: bring it to [0, size).
  Value n = emit.i32(size);
  Value by = emit.create<arith::RemSIOp>(
      emit.add(emit.create<arith::RemSIOp>(shift, n), n), n);
  if (canRotate(emit, value, dim))
    return narrow(emit, emit.rotate(widen(emit, value), by, dim), element);
  Value twice = emit.concatenate({value, value}, dim);
  Value start = emit.sub(n, by);
  return emit.extractSlice(rotateToFront(emit, twice, start, dim), dim, 0,
                           size);
}

/// Whether the target rotates by another amount in each row of `strideDim`.
static bool canRotateStrided(Emitter &emit, Value value, int64_t dim,
                             int64_t strideDim) {
  int64_t rank = getShape(value.getType()).size();
  bool isLeading = dim < rank - 2, isStrideLeading = strideDim < rank - 2;
  return canRotate(emit, value, dim) && strideDim != rank - 1 &&
         (!isLeading || isStrideLeading);
}

///   %0 = tpu.dynamic_rotate %v by %shift dim 1, stride 1, stride_dim 0
///
/// Elsewhere the number of a row is taken bit by bit: the rows that have the
/// bit are rotated by the stride times its value,
///
///   %1 = tpu.dynamic_rotate %0 by stride * 2 dim 1
///   %2 = arith.select %rowsWithBit1, %1, %0
Value mlir::tpu::rollStrided(Emitter &emit, Value value, Value shift,
                             int64_t dim, int64_t stride, int64_t strideDim) {
  Type element = getElementType(value.getType());
  Value wide = widen(emit, value);
  if (canRotateStrided(emit, wide, dim, strideDim)) {
    Type si32 = emit.getBuilder().getIntegerType(32, /*isSigned=*/true);
    auto attr = [&](int64_t value) {
      return emit.getBuilder().getIntegerAttr(si32, value);
    };
    Value rotated = emit.create<DynamicRotateOp>(
        wide.getType(), wide, shift, attr(dim), attr(stride), attr(strideDim));
    return narrow(emit, rotated, element);
  }
  SmallVector<int64_t> shape(getShape(value.getType()));
  wide = roll(emit, wide, shift, dim);
  Value row = emit.iota(shape, strideDim);
  Type rowType = row.getType();
  int64_t by = stride % shape[dim];
  for (int64_t bit = 1; bit < shape[strideDim]; bit *= 2) {
    if (by != 0) {
      Value hasBit = emit.i32ToBool(
          emit.create<arith::AndIOp>(row, emit.integer(rowType, bit)));
      wide = emit.select(hasBit, roll(emit, wide, emit.i32(by), dim), wide);
    }
    by = 2 * by % shape[dim];
  }
  return narrow(emit, wide, element);
}
