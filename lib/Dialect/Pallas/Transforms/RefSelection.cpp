//===- RefSelection.cpp - Parts of the value of a ref ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and writes of a part of a tensor. Rectangles inside of the tensor are
// slices; everything else, such as index arrays and slices that may reach
// outside, goes element by element.
//
//===----------------------------------------------------------------------===//

#include "RefSelection.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "pallas/Dialect/Pallas/IR/AccessBounds.h"
#include "pallas/Dialect/Pallas/Utils/Grid.h"

using namespace mlir;
using namespace mlir::pallas;

static Value createIndex(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value pallas::createHeld(OpBuilder &builder, Location loc, Value array) {
  auto type = dyn_cast<RankedTensorType>(array.getType());
  return type && type.getRank() == 0 ? createElementAt(builder, loc, array, {})
                                     : array;
}

Value pallas::createArray(OpBuilder &builder, Location loc, Value held) {
  if (isa<RankedTensorType>(held.getType()))
    return held;
  return tensor::FromElementsOp::create(
      builder, loc, RankedTensorType::get({}, held.getType()), held);
}

/// Whether an access can't be a slice.
bool pallas::isScattered(RefAccessOpInterface op) {
  auto isSpread = [](const DimIndex &entry) {
    return entry.kind == IndexKind::Gather || entry.stride == 0;
  };
  return llvm::any_of(op.getFullEntries(), isSpread) ||
         (keepsElementsInPlace(op) && mayReachOutside(op));
}

/// Where a slice starts at most that stays inside of a dimension.
///   last = size - 1 - (length - 1) * stride
static Value createLastStart(OpBuilder &builder, Location loc,
                             OpFoldResult length, int64_t stride, Value size) {
  std::optional<int64_t> knownLength = getConstantIntValue(length);
  std::optional<int64_t> knownSize = getConstantIntValue(size);
  // Both are constant in most accesses.
  if (knownLength && knownSize)
    return createIndex(builder, loc,
                       *knownSize - (*knownLength - 1) * stride - 1);
  Value one = createIndex(builder, loc, 1);
  Value steps = arith::SubIOp::create(
      builder, loc, getValueOrCreateConstantIndexOp(builder, loc, length), one);
  Value span = arith::MulIOp::create(builder, loc, steps,
                                     createIndex(builder, loc, stride));
  Value last = arith::SubIOp::create(builder, loc, size, one);
  return arith::SubIOp::create(builder, loc, last, span);
}

/// A slice whose length an operand gives, cut to the elements that there are.
static CutSlice cutSlice(OpBuilder &builder, Location loc, const AccessDim &dim,
                         Value size) {
  OpFoldResult start = builder.getIndexAttr(dim.entry.start);
  if (dim.start)
    start = toIndex(builder, loc, dim.start);
  return createCutSlice(builder, loc, start, dim.size, dim.entry.stride, size);
}

/// The part of `base` that the access selects, cut to what there is where
/// operands give its size.
/// Starts are clamped as XLA does, and negative ones count from the end.
static Rectangle createRectangle(OpBuilder &builder, RefAccessOpInterface op,
                                 Value base) {
  Location loc = op.getLoc();
  Rectangle rectangle;
  for (auto [d, dim] : llvm::enumerate(op.getAccessDims())) {
    bool isScalar = dim.entry.kind == IndexKind::Scalar;
    int64_t stride = isScalar ? 1 : dim.entry.stride;
    // An empty slice may start behind the last element, that of a tensor not.
    bool isEmpty = !isScalar && dim.entry.size == 0;
    OpFoldResult start = builder.getIndexAttr(isEmpty ? 0 : dim.entry.start);
    OpFoldResult extent = builder.getIndexAttr(isScalar ? 1 : dim.entry.size);
    Value size;
    if (dim.start || dim.entry.hasDynamicSize())
      size = getValueOrCreateConstantIndexOp(
          builder, loc, tensor::getMixedSize(builder, loc, base, d));
    if (dim.size) {
      CutSlice cut = cutSlice(builder, loc, dim, size);
      start = cut.start;
      extent = cut.length;
    } else if (dim.entry.hasDynamicSize()) {
      extent = size;
    }
    // A clamp of the start needs the size of the dimension.
    if (dim.start && !dim.size)
      start = createClamped(
          builder, loc,
          createWrapped(builder, loc, toIndex(builder, loc, dim.start), size),
          createLastStart(builder, loc, extent, stride, size));
    rectangle.dropped.push_back(isScalar);
    rectangle.offsets.push_back(start);
    rectangle.sizes.push_back(extent);
    rectangle.strides.push_back(builder.getIndexAttr(stride));
  }
  return rectangle;
}

/// Cuts a rectangle to the size of `value`, and the value to that of the
/// rectangle, where they are known at run time only.
static Value cutToCommonPart(OpBuilder &builder, Location loc, Value value,
                             Rectangle &part) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.hasStaticShape())
    return value;
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, value);
  unsigned dim = 0;
  for (auto [d, size] : llvm::enumerate(part.sizes)) {
    if (part.dropped[d])
      continue;
    OpFoldResult &length = sizes[dim++];
    if (length == size)
      continue;
    length = size =
        arith::MinSIOp::create(
            builder, loc, getValueOrCreateConstantIndexOp(builder, loc, length),
            getValueOrCreateConstantIndexOp(builder, loc, size))
            .getResult();
  }
  SmallVector<OpFoldResult> zeros(sizes.size(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> ones(sizes.size(), builder.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(builder, loc, value, zeros, sizes,
                                        ones);
}

/// Sizes of the selected part. Those known at run time only are given by
/// operands and arrays of indices, but are no more than there is.
static SmallVector<OpFoldResult>
createSizes(OpBuilder &builder, RefAccessOpInterface op, Value base) {
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> sizes =
      getAsIndexOpFoldResult(op.getContext(), op.getAccessShape());
  auto isKnown = [](OpFoldResult size) {
    return getConstantIntValue(size) != ShapedType::kDynamic;
  };
  for (auto [d, dim] : llvm::enumerate(op.getAccessDims())) {
    if (dim.entry.kind == IndexKind::Slice) {
      OpFoldResult &size = sizes[dim.firstSelected];
      if (isKnown(size))
        continue;
      size = tensor::getMixedSize(builder, loc, base, d);
      if (dim.size)
        size = cutSlice(builder, loc, dim,
                        getValueOrCreateConstantIndexOp(builder, loc, size))
                   .length;
      continue;
    }
    auto array = dyn_cast_if_present<RankedTensorType>(
        dim.array ? dim.array.getType() : Type());
    if (!array)
      continue;
    // Shapes of index arrays have their last dimensions in common.
    unsigned first = dim.firstSelected + dim.numSelected - array.getRank();
    for (int64_t k = 0; k < array.getRank(); ++k)
      if (!isKnown(sizes[first + k]))
        sizes[first + k] = tensor::getMixedSize(builder, loc, dim.array, k);
  }
  return sizes;
}

/// Sizes of the base, which may be known at run time only.
static SmallVector<Value> createBaseSizes(OpBuilder &builder,
                                          RefAccessOpInterface op, Value base) {
  SmallVector<Value> sizes;
  for (int64_t d = 0, rank = op.getRef().getType().getRank(); d < rank; ++d)
    sizes.push_back(getValueOrCreateConstantIndexOp(
        builder, op.getLoc(),
        tensor::getMixedSize(builder, op.getLoc(), base, d)));
  return sizes;
}

/// Indices in a base of these sizes of the element at `position` of the
/// selection. Sets `inside` to whether it exists.
///
///   %0 = arith.cmpi ult, %at, %size : index
///
/// The comparison is unsigned, so negative indices are outside, too.
static SmallVector<Value> createPlace(OpBuilder &builder,
                                      RefAccessOpInterface op,
                                      ArrayRef<Value> sizes,
                                      ValueRange position, Value &inside) {
  Location loc = op.getLoc();
  SmallVector<Value> place;
  inside = arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
  for (auto [dim, size] : llvm::zip_equal(op.getAccessDims(), sizes)) {
    Value at, index = dim.start;
    if (dim.array)
      index =
          createElementAt(builder, loc, dim.array,
                          position.slice(dim.firstSelected, dim.numSelected));
    if (index)
      at = toIndex(builder, loc, index);
    else
      at = createIndex(builder, loc, dim.entry.start);
    if (index && countsFromEnd(op, dim))
      at = createWrapped(builder, loc, at, size);
    if (dim.entry.kind == IndexKind::Slice) {
      Value step =
          arith::MulIOp::create(builder, loc, position[dim.firstSelected],
                                createIndex(builder, loc, dim.entry.stride));
      at = arith::AddIOp::create(builder, loc, at, step);
    }
    Value fits = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                       at, size);
    inside = arith::AndIOp::create(builder, loc, inside, fits);
    place.push_back(at);
  }
  return place;
}

/// Reads element by element; places outside are moved inside.
///
///   %r = linalg.generic ... {
///     %0 = tensor.extract %base[%i, %j]
///     linalg.yield %0
///   }
static Value createScatteredRead(OpBuilder &builder, RefAccessOpInterface op,
                                 Value base) {
  Location loc = op.getLoc();
  SmallVector<int64_t> shape = op.getAccessShape();
  SmallVector<Value> sizes = createBaseSizes(builder, op, base);
  auto readAt = [&](OpBuilder &nested, ValueRange position) -> Value {
    Value inside;
    SmallVector<Value> place = createPlace(nested, op, sizes, position, inside);
    // Every element has a value, so places outside are moved inside.
    for (auto [at, size] : llvm::zip(place, sizes)) {
      Value last =
          arith::SubIOp::create(nested, loc, size, createIndex(nested, loc, 1));
      at = createClamped(nested, loc, at, last);
    }
    return tensor::ExtractOp::create(nested, loc, base, place);
  };
  if (shape.empty())
    return readAt(builder, {});
  Value empty =
      tensor::EmptyOp::create(builder, loc, createSizes(builder, op, base),
                              getElementTypeOrSelf(base.getType()));
  SmallVector<utils::IteratorType> iterators(shape.size(),
                                             utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      builder, loc, empty.getType(), ValueRange(), empty,
      builder.getMultiDimIdentityMap(shape.size()), iterators,
      [&](OpBuilder &nested, Location, ValueRange) {
        SmallVector<Value> position;
        for (unsigned dim = 0; dim < shape.size(); ++dim)
          position.push_back(linalg::IndexOp::create(nested, loc, dim));
        linalg::YieldOp::create(nested, loc, readAt(nested, position));
      });
  return generic.getResult(0);
}

/// The cases in order: all of it, nothing to read, elements, a slice.
Value pallas::createSelection(OpBuilder &builder, RefAccessOpInterface op,
                              Value base) {
  Location loc = op.getLoc();
  if (op.isWholeAccess())
    return base;
  // Where nothing is inside, nothing can be read.
  SmallVector<int64_t> shape = op.getAccessShape();
  if (!ShapedType::isDynamicShape(shape) &&
      llvm::is_contained(op.getRef().getType().getShape(), 0)) {
    TypedAttr value =
        getUninitializedValue(getElementTypeOrSelf(base.getType()));
    Type type = getValueType(shape, value.getType());
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      value = DenseElementsAttr::get(tensor, Attribute(value));
    return arith::ConstantOp::create(builder, loc, value);
  }
  if (isScattered(op))
    return createScatteredRead(builder, op, base);
  return createExtract(builder, loc, base, createRectangle(builder, op, base));
}

/// A loop over the elements of the selection, with `body` for each.
SmallVector<Value> pallas::createElementLoops(
    OpBuilder &builder, RefAccessOpInterface op, ValueRange carried,
    function_ref<SmallVector<Value>(OpBuilder &, ValueRange, ValueRange, Value,
                                    ValueRange)>
        body) {
  Location loc = op.getLoc();
  SmallVector<int64_t> shape = op.getAccessShape();
  SmallVector<Value> lower(shape.size(), createIndex(builder, loc, 0));
  SmallVector<Value> step(shape.size(), createIndex(builder, loc, 1));
  SmallVector<Value> upper = getValueOrCreateConstantIndexOp(
      builder, loc, createSizes(builder, op, carried.front()));
  SmallVector<Value> sizes = createBaseSizes(builder, op, carried.front());
  scf::LoopNest nest = scf::buildLoopNest(
      builder, loc, lower, upper, step, carried,
      [&](OpBuilder &nested, Location, ValueRange position, ValueRange values) {
        Value inside;
        SmallVector<Value> place =
            createPlace(nested, op, sizes, position, inside);
        return scf::ValueVector(body(nested, place, position, inside, values));
      });
  return SmallVector<Value>(nest.results);
}

/// Whether `inside` holds and `value`, which may be shorter than what the
/// access selects where sizes are known at run time only, has an element there.
static Value createIsPartOf(OpBuilder &builder, Location loc,
                            RefAccessOpInterface op, Value value,
                            ValueRange position, Value inside) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return inside;
  for (auto [d, size] : llvm::enumerate(op.getAccessShape())) {
    if (!type.isDynamicDim(d) && !ShapedType::isDynamic(size))
      continue;
    Value fits = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ult, position[d],
        getValueOrCreateConstantIndexOp(
            builder, loc, tensor::getMixedSize(builder, loc, value, d)));
    inside = arith::AndIOp::create(builder, loc, inside, fits);
  }
  return inside;
}

/// The base with the part replaced. Elements outside of the base are skipped.
Value pallas::createUpdate(OpBuilder &builder, RefAccessOpInterface op,
                           Value base, Value value) {
  Location loc = op.getLoc();
  if (op.isWholeAccess())
    return value;
  if (isScattered(op))
    return createElementLoops(
        builder, op, base,
        [&](OpBuilder &nested, ValueRange place, ValueRange position,
            Value inside, ValueRange carried) {
          inside = createIsPartOf(nested, loc, op, value, position, inside);
          auto choice = scf::IfOp::create(
              nested, loc, inside,
              [&](OpBuilder &b, Location) {
                Value element = createElementAt(b, loc, value, position);
                scf::YieldOp::create(
                    b, loc,
                    tensor::InsertOp::create(b, loc, element, carried[0], place)
                        .getResult());
              },
              [&](OpBuilder &b, Location) {
                scf::YieldOp::create(b, loc, carried[0]);
              });
          return SmallVector<Value>{choice.getResult(0)};
        })[0];
  Rectangle part = createRectangle(builder, op, base);
  value = cutToCommonPart(builder, loc, value, part);
  return createInsert(builder, loc, base, value, part);
}
