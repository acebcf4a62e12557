//===- Emitter.cpp - Building kernel code in a few words ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The conversion creates many operations on scalars and vectors. The emitter
// chooses between float and integer operations, folds what needs no operation,
// and knows the forms that Mosaic accepts.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/MosaicTPU/Utils/Emitter.h"
#include "mlir/IR/Matchers.h"
#include "pallas/Support/Combining.h"
#include <limits>

using namespace mlir;
using namespace mlir::tpu;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

Type mlir::tpu::getElementType(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getElementType();
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.getElementType() : type;
  // Vectors have no rank 0 here: a single element is a scalar.
}

// A scalar has the empty shape.
ArrayRef<int64_t> mlir::tpu::getShape(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.getShape() : ArrayRef<int64_t>();
}

Type mlir::tpu::withElementType(Type type, Type element) {
  return getVectorOrScalar(getShape(type), element);
}

Type mlir::tpu::getVectorOrScalar(ArrayRef<int64_t> shape, Type element) {
  return shape.empty() ? element : Type(VectorType::get(shape, element));
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// An equal constant among the operations just before. Accesses name the same
/// few indices again and again, and each costs time in every later step.
///
/// The search is short, because it runs for each index of each access.
static Value findConstant(OpBuilder &builder, TypedAttr value) {
  constexpr int kReach = 16;
  Block *block = builder.getInsertionBlock();
  Block::iterator it = builder.getInsertionPoint();
  for (int i = 0; i < kReach && it != block->begin(); ++i)
    if (auto constant = dyn_cast<arith::ConstantOp>(&*--it))
      if (constant.getValue() == value)
        return constant;
  return {};
}

Value Emitter::index(int64_t value) {
  TypedAttr attr = builder.getIndexAttr(value);
  if (Value known = findConstant(builder, attr))
    return known;
  return create<arith::ConstantOp>(attr);
}

Value Emitter::i32(int64_t value) {
  return create<arith::ConstantOp>(builder.getI32IntegerAttr(value));
}

Value Emitter::splat(Type type, TypedAttr element) {
  if (auto vector = dyn_cast<VectorType>(type))
    return create<arith::ConstantOp>(SplatElementsAttr::get(vector, element));
  return create<arith::ConstantOp>(element);
}

Value Emitter::integer(Type type, int64_t value) {
  return splat(type, builder.getIntegerAttr(getElementType(type), value));
}

/// A constant of a float type.
Value Emitter::real(Type type, double value) {
  return splat(type, builder.getFloatAttr(getElementType(type), value));
}

Value Emitter::zero(Type type) {
  return splat(type,
               cast<TypedAttr>(builder.getZeroAttr(getElementType(type))));
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value Emitter::toIndex(Value value) {
  if (value.getType().isIndex())
    return value;
  return create<arith::IndexCastOp>(builder.getIndexType(), value);
}

/// Conversions between widths are signed, as indices are.
Value Emitter::toI32(Value value) {
  Type i32 = builder.getI32Type();
  if (value.getType() == i32)
    return value;
  if (value.getType().isIndex())
    return create<arith::IndexCastOp>(i32, value);
  return resize(value, i32, /*isSigned=*/true);
}

Value Emitter::add(Value lhs, Value rhs) {
  if (isa<FloatType>(getElementType(lhs.getType())))
    return create<arith::AddFOp>(lhs, rhs);
  return create<arith::AddIOp>(lhs, rhs);
}

Value Emitter::sub(Value lhs, Value rhs) {
  if (isa<FloatType>(getElementType(lhs.getType())))
    return create<arith::SubFOp>(lhs, rhs);
  return create<arith::SubIOp>(lhs, rhs);
}

Value Emitter::mul(Value lhs, Value rhs) {
  if (isa<FloatType>(getElementType(lhs.getType())))
    return create<arith::MulFOp>(lhs, rhs);
  return create<arith::MulIOp>(lhs, rhs);
}

Value Emitter::compare(arith::CmpIPredicate predicate, Value lhs, Value rhs) {
  return create<arith::CmpIOp>(predicate, lhs, rhs);
}

Value Emitter::compare(arith::CmpFPredicate predicate, Value lhs, Value rhs) {
  return create<arith::CmpFOp>(predicate, lhs, rhs);
}

///   %0 = arith.xori %m, %true : vector<8x128xi1>
Value Emitter::logicalNot(Value value) {
  return create<arith::XOrIOp>(value, integer(value.getType(), 1));
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// Reshapes between scalars and vectors are broadcasts and extractions.
Value Emitter::reshape(Value value, ArrayRef<int64_t> shape) {
  ArrayRef<int64_t> from = getShape(value.getType());
  if (from == shape)
    return value;
  if (from.empty())
    return create<vector::BroadcastOp>(
        getVectorOrScalar(shape, value.getType()), value);
  if (shape.empty())
    return create<vector::ExtractOp>(value,
                                     SmallVector<int64_t>(from.size(), 0));
  return create<vector::ShapeCastOp>(
      VectorType::get(shape, getElementType(value.getType())), value);
}

/// Broadcasts to a vector, through 32 bits where that is needed.
Value Emitter::broadcast(Value value, ArrayRef<int64_t> shape) {
  if (getShape(value.getType()) == shape)
    return value;
  Type element = getElementType(value.getType());
  // One narrow element can't go to all sublanes and lanes.
  bool isOne = llvm::all_of(getShape(value.getType()).take_back(2),
                            [](int64_t size) { return size == 1; });
  if (isOne && isa<VectorType>(value.getType()) && element.isInteger() &&
      element.getIntOrFloatBitWidth() < 32) {
    Value wide = resize(value, builder.getI32Type(), /*isSigned=*/true);
    return resize(broadcast(wide, shape), element, /*isSigned=*/true);
  }
  return create<vector::BroadcastOp>(VectorType::get(shape, element), value);
}

///   %0 = vector.extract_strided_slice %v
///       {offsets = [0, 0], sizes = [8, 64], strides = [1, 1]}
Value Emitter::extractSlice(Value value, ArrayRef<int64_t> offsets,
                            ArrayRef<int64_t> sizes) {
  if (getShape(value.getType()) == sizes)
    return value;
  SmallVector<int64_t> strides(sizes.size(), 1);
  return create<vector::ExtractStridedSliceOp>(value, offsets, sizes, strides);
}

Value Emitter::extractSlice(Value value, int64_t dim, int64_t offset,
                            int64_t size) {
  SmallVector<int64_t> sizes(getShape(value.getType()));
  SmallVector<int64_t> offsets(sizes.size(), 0);
  sizes[dim] = size;
  offsets[dim] = offset;
  return extractSlice(value, offsets, sizes);
}

///   %0 = tpu.concatenate %a, %b in 1
Value Emitter::concatenate(ValueRange values, int64_t dim) {
  if (values.size() == 1)
    return values.front();
  auto first = cast<VectorType>(values.front().getType());
  SmallVector<int64_t> shape(first.getShape());
  shape[dim] = 0;
  for (Value value : values)
    shape[dim] += getShape(value.getType())[dim];
  return create<tpu::ConcatenateOp>(
      VectorType::get(shape, first.getElementType()), values,
      static_cast<int32_t>(dim));
}

///   %0 = tpu.iota {dimensions = array<i32: 1>} : vector<8x128xi32>
Value Emitter::iota(ArrayRef<int64_t> shape, int64_t dim) {
  // The hardware counts lanes and sublanes: one dimension is not enough.
  if (shape.size() == 1)
    return reshape(iota({1, shape[0]}, 1), shape);
  return create<tpu::IotaOp>(
      VectorType::get(shape, builder.getI32Type()),
      builder.getDenseI32ArrayAttr({static_cast<int32_t>(dim)}));
}

///   %0 = tpu.dynamic_rotate %v by %n dim 1
Value Emitter::rotate(Value value, Value amount, int64_t dim) {
  Type si32 = builder.getIntegerType(32, /*isSigned=*/true);
  return create<tpu::DynamicRotateOp>(
      value.getType(), value, amount, builder.getIntegerAttr(si32, dim),
      /*stride=*/IntegerAttr(), /*stride_dimension=*/IntegerAttr());
}

Value Emitter::neutral(vector::CombiningKind kind, Type type) {
  return splat(type, pallas::getNeutralElement(kind, getElementType(type)));
}

/// The predicate of numbers with a sign that has the same name.
arith::CmpIPredicate Emitter::toSigned(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::ult:
    return arith::CmpIPredicate::slt;
  case arith::CmpIPredicate::ule:
    return arith::CmpIPredicate::sle;
  case arith::CmpIPredicate::ugt:
    return arith::CmpIPredicate::sgt;
  case arith::CmpIPredicate::uge:
    return arith::CmpIPredicate::sge;
  default:
    return predicate;
  }
}

/// Flipped signs order numbers without a sign:
///   %c = arith.cmpi ult, %a, %b : vector<8x128xi32>
/// -->
///   %x = arith.xori %a, 0x80000000
///   %y = arith.xori %b, 0x80000000
///   %c = arith.cmpi slt, %x, %y
Value Emitter::compareFlipped(arith::CmpIPredicate predicate, Value lhs,
                              Value rhs) {
  Value sign = integer(lhs.getType(), std::numeric_limits<int32_t>::min());
  return compare(toSigned(predicate), create<arith::XOrIOp>(lhs, sign),
                 create<arith::XOrIOp>(rhs, sign));
}

/// The elementwise operation of a kind. Kinds are those of
/// vector.multi_reduction, so that a reduction and its steps agree.
Value Emitter::combine(vector::CombiningKind kind, Value lhs, Value rhs) {
  auto extreme = [&](arith::CmpIPredicate predicate) {
    auto type = dyn_cast<VectorType>(lhs.getType());
    bool isFlipped = type && type.getElementType().isInteger(32);
    return select(isFlipped ? compareFlipped(predicate, lhs, rhs)
                            : compare(predicate, lhs, rhs),
                  lhs, rhs);
  };
  switch (kind) {
  case vector::CombiningKind::ADD:
    return add(lhs, rhs);
  case vector::CombiningKind::MUL:
    return mul(lhs, rhs);
  // The compiler compares unsigned numbers, but takes no extreme of them.
  case vector::CombiningKind::MAXUI:
    return extreme(arith::CmpIPredicate::ugt);
  case vector::CombiningKind::MINUI:
    return extreme(arith::CmpIPredicate::ult);
  case vector::CombiningKind::MAXSI:
    return create<arith::MaxSIOp>(lhs, rhs);
  case vector::CombiningKind::MINSI:
    return create<arith::MinSIOp>(lhs, rhs);
  case vector::CombiningKind::MAXIMUMF:
    return create<arith::MaximumFOp>(lhs, rhs);
  case vector::CombiningKind::MINIMUMF:
    return create<arith::MinimumFOp>(lhs, rhs);
  case vector::CombiningKind::MAXNUMF:
    return create<arith::MaxNumFOp>(lhs, rhs);
  case vector::CombiningKind::MINNUMF:
    return create<arith::MinNumFOp>(lhs, rhs);
  case vector::CombiningKind::AND:
    return create<arith::AndIOp>(lhs, rhs);
  case vector::CombiningKind::OR:
    return create<arith::OrIOp>(lhs, rhs);
  case vector::CombiningKind::XOR:
    return create<arith::XOrIOp>(lhs, rhs);
  }
  llvm_unreachable("all kinds are handled");
}

///   %0 = vector.multi_reduction <add>, %v, %zeros [1]
///       : vector<8x128xf32> to vector<8xf32>
Value Emitter::reduce(vector::CombiningKind kind, Value value,
                      ArrayRef<int64_t> dims) {
  auto type = cast<VectorType>(value.getType());
  SmallVector<int64_t> shape;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (!llvm::is_contained(dims, dim))
      shape.push_back(type.getDimSize(dim));
  // A reduction to a scalar keeps a leading dimension, which is taken out
  // afterwards: the compiler has no reduction that yields a scalar.
  if (shape.empty()) {
    SmallVector<int64_t> wide{1};
    llvm::append_range(wide, type.getShape());
    SmallVector<int64_t> wideDims;
    for (int64_t dim = 1; dim <= type.getRank(); ++dim)
      wideDims.push_back(dim);
    Value one = reduce(kind, reshape(value, wide), wideDims);
    SmallVector<int64_t> unit(wide.size(), 1);
    return reshape(reshape(one, unit), {});
  }
  Type element = type.getElementType();
  // The start is the neutral element, so a reduction never depends on it.
  Value start = neutral(kind, VectorType::get(shape, element));
  // Where lanes are reduced, passes find them last.
  SmallVector<int64_t> inOrder(dims);
  llvm::sort(inOrder);
  return create<vector::MultiDimReductionOp>(
      start.getType(), kind, value, start,
      builder.getDenseI64ArrayAttr(inOrder));
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// Whether the elements are those of a vector of i1, moved perhaps.
static bool holdsBools(Value numbers) {
  // Moves keep the elements zero or one.
  while (auto *move = numbers.getDefiningOp()) {
    if (auto widen = dyn_cast<arith::ExtUIOp>(move))
      return getElementType(widen.getIn().getType()).isInteger(1);
    if (!isa<vector::ShapeCastOp, vector::BroadcastOp, tpu::TransposeOp,
             vector::ExtractStridedSliceOp>(move))
      return false;
    numbers = move->getOperand(0);
  }
  return false;
}

///   %0 = arith.extui %m : vector<8x128xi1> to vector<8x128xi32>
Value Emitter::boolToI32(Value value) {
  // Masks that move twice stay numbers in between.
  if (auto test = value.getDefiningOp<arith::CmpIOp>())
    if (test.getPredicate() == arith::CmpIPredicate::ne &&
        matchPattern(test.getRhs(), m_Zero()) && holdsBools(test.getLhs()))
      return resize(test.getLhs(), builder.getI32Type(), /*isSigned=*/false);
  return create<arith::ExtUIOp>(
      withElementType(value.getType(), builder.getI32Type()), value);
}

///   %0 = arith.cmpi ne, %v, %zeros : vector<8x128xi32>
///
/// An integer that was a mask before becomes that mask.
Value Emitter::i32ToBool(Value value) {
  if (auto widen = value.getDefiningOp<arith::ExtUIOp>())
    if (getElementType(widen.getIn().getType()).isInteger(1))
      return widen.getIn();
  return compare(arith::CmpIPredicate::ne, value, zero(value.getType()));
}

/// Integers of another width. Constants are converted at once: the loop of
/// patterns would convert them otherwise.
Value Emitter::resize(Value value, Type element, bool isSigned) {
  Type type = withElementType(value.getType(), element);
  unsigned from = getElementType(value.getType()).getIntOrFloatBitWidth();
  unsigned to = element.getIntOrFloatBitWidth();
  if (from == to)
    return value;
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return splat(type, builder.getIntegerAttr(
                           element, isSigned ? constant.sextOrTrunc(to)
                                             : constant.zextOrTrunc(to)));
  if (from > to)
    return create<arith::TruncIOp>(type, value);
  if (isSigned)
    return create<arith::ExtSIOp>(type, value);
  return create<arith::ExtUIOp>(type, value);
}

/// Floats of another width; equal widths, such as bf16 and f16, are truncated.
Value Emitter::resizeFloat(Value value, Type element) {
  Type type = withElementType(value.getType(), element);
  unsigned from = getElementType(value.getType()).getIntOrFloatBitWidth();
  unsigned to = element.getIntOrFloatBitWidth();
  if (value.getType() == type)
    return value;
  if (from < to)
    return create<arith::ExtFOp>(type, value);
  return create<arith::TruncFOp>(type, value);
}
