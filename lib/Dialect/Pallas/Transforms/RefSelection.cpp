//===- RefSelection.cpp - Parts of the value of a ref ---------------------===//

#include "RefSelection.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::pallas;

static Value createIndex(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

bool pallas::isScattered(RefAccessOpInterface op, bool isMasked) {
  for (auto [entry, size] :
       llvm::zip(op.getFullEntries(), op.getRef().getType().getShape())) {
    if (entry.kind == IndexKind::Gather || entry.stride == 0)
      return true;
    if (isMasked && (entry.hasDynamicStart() || entry.getLast() >= size))
      return true;
  }
  return false;
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
  for (auto [dim, size] :
       llvm::zip(op.getAccessDims(), op.getRef().getType().getShape())) {
    bool isScalar = dim.entry.kind == IndexKind::Scalar;
    int64_t stride = isScalar ? 1 : dim.entry.stride;
    OpFoldResult start = builder.getIndexAttr(dim.entry.start);
    OpFoldResult extent = builder.getIndexAttr(isScalar ? 1 : dim.entry.size);
    if (dim.size)
      extent = toIndex(builder, loc, dim.size);
    if (dim.start)
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

/// Indices in the base of the element at `position` of the selection. Sets
/// `inside` to whether it exists.
static SmallVector<Value> createPlace(OpBuilder &builder,
                                      RefAccessOpInterface op,
                                      ValueRange position, Value &inside) {
  Location loc = op.getLoc();
  SmallVector<Value> place;
  inside = arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
  for (auto [dim, size] :
       llvm::zip(op.getAccessDims(), op.getRef().getType().getShape())) {
    Value at, index = dim.start;
    if (dim.array)
      index =
          createElementAt(builder, loc, dim.array,
                          position.slice(dim.firstSelected, dim.numSelected));
    if (index)
      at = createWrapped(builder, loc, toIndex(builder, loc, index), size);
    else
      at = createIndex(builder, loc, dim.entry.start);
    if (dim.entry.kind == IndexKind::Slice) {
      Value step =
          arith::MulIOp::create(builder, loc, position[dim.firstSelected],
                                createIndex(builder, loc, dim.entry.stride));
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
