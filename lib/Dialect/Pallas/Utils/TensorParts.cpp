//===- TensorParts.cpp - Reading and writing parts of tensors -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/Pallas/Utils/TensorParts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "pallas/Dialect/Pallas/IR/AccessBounds.h"

using namespace mlir;
using namespace mlir::pallas;

static Value createIndex(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

/// A constant of the type of an index, which may be an integer, too.
static Value createLike(OpBuilder &builder, Location loc, Value index,
                        int64_t value) {
  return arith::ConstantOp::create(
      builder, loc, builder.getIntegerAttr(index.getType(), value));
}

static SmallVector<int64_t> getStaticSizes(const Rectangle &part) {
  return llvm::map_to_vector(part.sizes, [](OpFoldResult size) {
    return getConstantIntValue(size).value_or(ShapedType::kDynamic);
  });
}

/// The whole of a tensor: offsets of zero, strides of one, nothing dropped.
Rectangle::Rectangle(ArrayRef<int64_t> shape, MLIRContext *context)
    : offsets(shape.size(), Builder(context).getIndexAttr(0)),
      sizes(getAsIndexOpFoldResult(context, shape)),
      strides(shape.size(), Builder(context).getIndexAttr(1)),
      dropped(shape.size()) {}

/// A selected dimension has size one and is missing in the result.
void Rectangle::select(unsigned dim, Value index) {
  offsets[dim] = getAsOpFoldResult(index);
  sizes[dim] = Builder(index.getContext()).getIndexAttr(1);
  dropped.set(dim);
}

SmallVector<int64_t> Rectangle::getShape() const {
  SmallVector<int64_t> shape;
  for (auto [dim, size] : llvm::enumerate(getStaticSizes(*this)))
    if (!dropped.test(dim))
      shape.push_back(size);
  return shape;
}

/// Whether a slice with fewer dimensions would not tell which ones it lacks.
/// tensor.extract_slice drops dimensions of size one by the shapes alone. For
/// example, a row of tensor<4x1x8xf32> as tensor<1x8xf32> could lack the first
/// or the second dimension.
bool Rectangle::isAmbiguous() const {
  return dropped.any() &&
         llvm::count(getStaticSizes(*this), 1) > int64_t(dropped.count());
}

/// The groups of a collapse that drops the selected dimensions: each is joined
/// to the next dimension that stays, and the last ones to the one before.
SmallVector<ReassociationIndices> Rectangle::getGroups() const {
  SmallVector<ReassociationIndices> groups;
  ReassociationIndices group;
  for (unsigned dim = 0; dim < sizes.size(); ++dim) {
    group.push_back(dim);
    if (dropped[dim])
      continue;
    groups.push_back(group);
    group.clear();
  }
  llvm::append_range(groups.back(), group);
  return groups;
}

/// A single element is extracted, and other parts are slices:
///
///   %0 = tensor.extract_slice %x[%i, 0] [1, 8] [1, 1]
///        : tensor<4x8xf32> to tensor<8xf32>
///
/// An ambiguous part is sliced with all dimensions, and then collapsed.
Value pallas::createExtract(OpBuilder &builder, Location loc, Value base,
                            const Rectangle &part) {
  if (part.dropped.all())
    return tensor::ExtractOp::create(
        builder, loc, base,
        getValueOrCreateConstantIndexOp(builder, loc, part.offsets));
  bool collapses = part.isAmbiguous();
  auto type =
      RankedTensorType::get(collapses ? getStaticSizes(part) : part.getShape(),
                            getElementTypeOrSelf(base.getType()));
  Value slice = tensor::ExtractSliceOp::create(
      builder, loc, type, base, part.offsets, part.sizes, part.strides);
  if (!collapses)
    return slice;
  return tensor::CollapseShapeOp::create(builder, loc, slice, part.getGroups());
}

/// The inverse of createExtract: an ambiguous part is expanded first.
Value pallas::createInsert(OpBuilder &builder, Location loc, Value base,
                           Value value, const Rectangle &part) {
  if (part.dropped.all())
    return tensor::InsertOp::create(
        builder, loc, value, base,
        getValueOrCreateConstantIndexOp(builder, loc, part.offsets));
  if (part.isAmbiguous())
    value = tensor::ExpandShapeOp::create(
        builder, loc,
        RankedTensorType::get(getStaticSizes(part),
                              getElementTypeOrSelf(base.getType())),
        value, part.getGroups());
  return tensor::InsertSliceOp::create(builder, loc, value, base, part.offsets,
                                       part.sizes, part.strides);
}

/// Follows the rules of NumPy for broadcasts: dimensions are aligned at the
/// end, and one of size 1 is always read at 0.
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

Value pallas::toIndex(OpBuilder &builder, Location loc, Value value) {
  return getValueOrCreateCastToIndexLike(builder, loc, builder.getIndexType(),
                                         value);
}

Value pallas::createGivenLength(OpBuilder &builder, Location loc, Value ref,
                                unsigned dim) {
  Value length = getGivenLength(ref, dim);
  if (!length)
    return {};
  length = toIndex(builder, loc, length);
  return arith::MaxSIOp::create(builder, loc, length,
                                createIndex(builder, loc, 0));
}

///   %0 = arith.cmpi slt, %index, %c0 : index
///   %1 = arith.addi %index, %size : index
///   %2 = arith.select %0, %1, %index : index
Value pallas::createWrapped(OpBuilder &builder, Location loc, Value index,
                            Value size) {
  Value isNegative =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, index,
                            createLike(builder, loc, index, 0));
  Value wrapped = arith::AddIOp::create(builder, loc, index, size);
  return arith::SelectOp::create(builder, loc, isNegative, wrapped, index);
}

Value pallas::createWrapped(OpBuilder &builder, Location loc, Value index,
                            int64_t size) {
  return createWrapped(builder, loc, index,
                       createLike(builder, loc, index, size));
}

/// The last block of a pipeline over 45 rows in blocks of 16 is `ds(32, 16)`,
/// of which 13 rows are there:
///
///   %from = arith.maxsi %wrapped, %c0 : index
///   %rest = arith.subi %size, %from : index
///   %cut = arith.minsi %length, %rest : index
///   %count = arith.maxsi %cut, %c0 : index
///
/// Even an empty slice starts at an element.
CutSlice pallas::createCutSlice(OpBuilder &builder, Location loc,
                                OpFoldResult start, Value length,
                                int64_t stride, Value size) {
  Value zero = createIndex(builder, loc, 0), rest = size;
  if (!isZeroInteger(start)) {
    Value first = toIndex(builder, loc,
                          getValueOrCreateConstantIndexOp(builder, loc, start));
    first = createWrapped(builder, loc, first, size);
    first = arith::MaxSIOp::create(builder, loc, first, zero);
    rest = arith::SubIOp::create(builder, loc, size, first);
    Value last =
        arith::SubIOp::create(builder, loc, size, createIndex(builder, loc, 1));
    first = arith::MinSIOp::create(builder, loc, first, last);
    start = arith::MaxSIOp::create(builder, loc, first, zero).getResult();
  }
  if (stride > 1)
    rest = arith::CeilDivSIOp::create(builder, loc, rest,
                                      createIndex(builder, loc, stride));
  length =
      arith::MinSIOp::create(builder, loc, toIndex(builder, loc, length), rest);
  return {start, arith::MaxSIOp::create(builder, loc, length, zero)};
}

/// The minimum comes first, so that a part larger than the tensor, whose last
/// start is negative, still starts at 0.
Value pallas::createClamped(OpBuilder &builder, Location loc, Value index,
                            Value last) {
  Value low = arith::MinSIOp::create(builder, loc, index, last);
  return arith::MaxSIOp::create(builder, loc, low,
                                createLike(builder, loc, index, 0));
}

Value pallas::createClamped(OpBuilder &builder, Location loc, Value index,
                            int64_t last) {
  return createClamped(builder, loc, index,
                       createLike(builder, loc, index, last));
}
