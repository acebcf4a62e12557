//===- RefSelection.cpp - Parts of the value of a ref ---------------------===//

#include "RefSelection.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::pallas;

static Value createIndex(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

static Value toIndex(OpBuilder &builder, Location loc, Value value) {
  if (value.getType().isIndex())
    return value;
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                    value);
}

/// Counts a negative index from the end, as NumPy does.
static Value createWrapped(OpBuilder &builder, Location loc, Value value,
                           int64_t size) {
  Value isNegative =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, value,
                            createIndex(builder, loc, 0));
  Value wrapped = arith::AddIOp::create(builder, loc, value,
                                        createIndex(builder, loc, size));
  return arith::SelectOp::create(builder, loc, isNegative, wrapped, value);
}

static Value createClamped(OpBuilder &builder, Location loc, Value value,
                           Value last) {
  Value low = arith::MinSIOp::create(builder, loc, value, last);
  return arith::MaxSIOp::create(builder, loc, low,
                                createIndex(builder, loc, 0));
}

static Value createClamped(OpBuilder &builder, Location loc, Value value,
                           int64_t last) {
  return createClamped(builder, loc, value, createIndex(builder, loc, last));
}

bool pallas::isScattered(RefAccessOpInterface op, bool isMasked) {
  for (auto [entry, size] :
       llvm::zip(op.getFullEntries(), op.getRef().getType().getShape())) {
    if (entry.kind == IndexKind::Gather || entry.stride == 0)
      return true;
    if (isMasked && (entry.hasDynamicStart() ||
                     entry.start + (entry.size - 1) * entry.stride >= size))
      return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Rectangles
//===----------------------------------------------------------------------===//

static SmallVector<int64_t> getStaticSizes(const Rectangle &part) {
  return llvm::map_to_vector(part.sizes, [](OpFoldResult size) {
    return getConstantIntValue(size).value_or(ShapedType::kDynamic);
  });
}

/// Whether upstream's canonicalizers may take other dimensions of size 1 for
/// the dropped ones: they don't look which ones the slice drops.
static bool isAmbiguous(const Rectangle &part) {
  return part.dropped.any() &&
         llvm::count(getStaticSizes(part), 1) > int64_t(part.dropped.count());
}

/// Which dimensions of the rectangle make one dimension of its value.
static SmallVector<ReassociationIndices> getGroups(const Rectangle &part) {
  SmallVector<ReassociationIndices> groups;
  ReassociationIndices group;
  for (unsigned dim = 0; dim < part.sizes.size(); ++dim) {
    group.push_back(dim);
    if (part.dropped[dim])
      continue;
    groups.push_back(group);
    group.clear();
  }
  llvm::append_range(groups.back(), group);
  return groups;
}

Value pallas::createExtract(OpBuilder &builder, Location loc, Value base,
                            const Rectangle &part) {
  if (part.dropped.all())
    return tensor::ExtractOp::create(
        builder, loc, base,
        getValueOrCreateConstantIndexOp(builder, loc, part.offsets));
  Type element = getElementTypeOrSelf(base.getType());
  SmallVector<int64_t> sizes = getStaticSizes(part), kept;
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (!part.dropped[dim])
      kept.push_back(size);
  bool collapses = isAmbiguous(part);
  Value slice = tensor::ExtractSliceOp::create(
      builder, loc, RankedTensorType::get(collapses ? sizes : kept, element),
      base, part.offsets, part.sizes, part.strides);
  if (!collapses)
    return slice;
  return tensor::CollapseShapeOp::create(builder, loc, slice, getGroups(part));
}

Value pallas::createInsert(OpBuilder &builder, Location loc, Value base,
                           Value value, const Rectangle &part) {
  if (part.dropped.all())
    return tensor::InsertOp::create(
        builder, loc, value, base,
        getValueOrCreateConstantIndexOp(builder, loc, part.offsets));
  if (isAmbiguous(part))
    value = tensor::ExpandShapeOp::create(
        builder, loc,
        RankedTensorType::get(getStaticSizes(part),
                              getElementTypeOrSelf(base.getType())),
        value, getGroups(part));
  return tensor::InsertSliceOp::create(builder, loc, value, base, part.offsets,
                                       part.sizes, part.strides);
}

/// Where a slice starts at most that stays inside of a dimension.
static Value createLastStart(OpBuilder &builder, Location loc,
                             OpFoldResult length, int64_t stride,
                             int64_t size) {
  if (std::optional<int64_t> known = getConstantIntValue(length))
    return createIndex(builder, loc, size - (*known - 1) * stride - 1);
  Value steps = arith::SubIOp::create(builder, loc, cast<Value>(length),
                                      createIndex(builder, loc, 1));
  Value span = arith::MulIOp::create(builder, loc, steps,
                                     createIndex(builder, loc, stride));
  return arith::SubIOp::create(builder, loc,
                               createIndex(builder, loc, size - 1), span);
}

static Rectangle createRectangle(OpBuilder &builder, RefAccessOpInterface op) {
  Location loc = op.getLoc();
  Rectangle rectangle;
  rectangle.dropped.resize(op.getFullEntries().size());
  auto operand = op.getIndices().begin();
  for (auto [entry, size] :
       llvm::zip(op.getFullEntries(), op.getRef().getType().getShape())) {
    bool isScalar = entry.kind == IndexKind::Scalar;
    rectangle.dropped[rectangle.sizes.size()] = isScalar;
    int64_t length = isScalar ? 1 : entry.size;
    int64_t stride = isScalar ? 1 : entry.stride;
    OpFoldResult start = builder.getIndexAttr(entry.start);
    OpFoldResult extent = builder.getIndexAttr(length);
    Value wrapped;
    if (entry.hasDynamicStart())
      wrapped =
          createWrapped(builder, loc, toIndex(builder, loc, *operand++), size);
    if (!isScalar && entry.hasDynamicSize())
      extent = toIndex(builder, loc, *operand++);
    if (wrapped)
      start =
          createClamped(builder, loc, wrapped,
                        createLastStart(builder, loc, extent, stride, size));
    rectangle.offsets.push_back(start);
    rectangle.sizes.push_back(extent);
    rectangle.strides.push_back(builder.getIndexAttr(stride));
  }
  return rectangle;
}

Value pallas::createElementAt(OpBuilder &builder, Location loc, Value value,
                              ValueRange position) {
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  if (!tensor)
    return value;
  SmallVector<Value> at;
  for (auto [i, size] : llvm::enumerate(tensor.getShape()))
    at.push_back(size == 1 ? createIndex(builder, loc, 0)
                           : position[position.size() - tensor.getRank() + i]);
  return tensor::ExtractOp::create(builder, loc, value, at);
}

/// Indices in the base of the element at `position` of the selection. Sets
/// `inside` to whether it exists.
static SmallVector<Value> createPlace(OpBuilder &builder,
                                      RefAccessOpInterface op,
                                      ValueRange position, Value &inside) {
  Location loc = op.getLoc();
  SmallVector<DimIndex> entries = op.getFullEntries();
  SmallVector<unsigned> integers;
  for (auto [dim, entry] : llvm::enumerate(entries))
    if (entry.kind != IndexKind::Slice)
      integers.push_back(dim);
  unsigned numCommon = position.size() - (entries.size() - integers.size());
  // The common shape of index arrays stands at the first of adjacent ones, else
  // in front.
  bool isAdjacent = !integers.empty() &&
                    integers.back() - integers.front() + 1 == integers.size();
  unsigned firstCommon = isAdjacent ? integers.front() : 0;
  ValueRange common = position.slice(firstCommon, numCommon);

  SmallVector<Value> place;
  inside = arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
  unsigned nextSlice = 0;
  auto operand = op.getIndices().begin();
  for (auto [entry, size] :
       llvm::zip(entries, op.getRef().getType().getShape())) {
    Value at;
    if (entry.kind == IndexKind::Gather)
      at = createWrapped(
          builder, loc,
          toIndex(builder, loc,
                  createElementAt(builder, loc, *operand++, common)),
          size);
    else if (entry.hasDynamicStart())
      at = createWrapped(builder, loc, toIndex(builder, loc, *operand++), size);
    else
      at = createIndex(builder, loc, entry.start);
    if (entry.kind == IndexKind::Slice) {
      unsigned axis = nextSlice + (nextSlice >= firstCommon ? numCommon : 0);
      ++nextSlice;
      Value step =
          arith::MulIOp::create(builder, loc, position[axis],
                                createIndex(builder, loc, entry.stride));
      at = arith::AddIOp::create(builder, loc, at, step);
    }
    Value fits = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                       at, createIndex(builder, loc, size));
    inside = arith::AndIOp::create(builder, loc, inside, fits);
    place.push_back(at);
  }
  return place;
}

/// Reads element by element; places outside are moved inside.
static Value createScatteredRead(OpBuilder &builder, RefAccessOpInterface op,
                                 Value base) {
  Location loc = op.getLoc();
  SmallVector<int64_t> shape = op.getAccessShape();
  ArrayRef<int64_t> baseShape = op.getRef().getType().getShape();
  auto readAt = [&](OpBuilder &nested, ValueRange position) -> Value {
    Value inside;
    SmallVector<Value> place = createPlace(nested, op, position, inside);
    for (auto [at, size] : llvm::zip(place, baseShape))
      at = createClamped(nested, loc, at, size - 1);
    return tensor::ExtractOp::create(nested, loc, base, place);
  };
  if (shape.empty())
    return readAt(builder, {});
  Value empty = tensor::EmptyOp::create(builder, loc, shape,
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

Value pallas::createSelection(OpBuilder &builder, RefAccessOpInterface op,
                              Value base, bool isMasked) {
  Location loc = op.getLoc();
  if (op.isWholeAccess())
    return base;
  if (isScattered(op, isMasked))
    return createScatteredRead(builder, op, base);
  return createExtract(builder, loc, base, createRectangle(builder, op));
}

SmallVector<Value> pallas::createElementLoops(
    OpBuilder &builder, RefAccessOpInterface op, ValueRange carried,
    function_ref<SmallVector<Value>(OpBuilder &, ValueRange, ValueRange, Value,
                                    ValueRange)>
        body) {
  Location loc = op.getLoc();
  SmallVector<int64_t> shape = op.getAccessShape();
  SmallVector<Value> lower(shape.size(), createIndex(builder, loc, 0));
  SmallVector<Value> step(shape.size(), createIndex(builder, loc, 1)), upper;
  for (int64_t size : shape)
    upper.push_back(createIndex(builder, loc, size));
  scf::LoopNest nest = scf::buildLoopNest(
      builder, loc, lower, upper, step, carried,
      [&](OpBuilder &nested, Location, ValueRange position, ValueRange values) {
        Value inside;
        SmallVector<Value> place = createPlace(nested, op, position, inside);
        return scf::ValueVector(body(nested, place, position, inside, values));
      });
  return SmallVector<Value>(nest.results);
}

Value pallas::createUpdate(OpBuilder &builder, RefAccessOpInterface op,
                           Value base, Value value) {
  Location loc = op.getLoc();
  if (op.isWholeAccess())
    return value;
  if (isScattered(op, /*isMasked=*/false))
    return createElementLoops(
        builder, op, base,
        [&](OpBuilder &nested, ValueRange place, ValueRange position,
            Value inside, ValueRange carried) {
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
  return createInsert(builder, loc, base, value, createRectangle(builder, op));
}
