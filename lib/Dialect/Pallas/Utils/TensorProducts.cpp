//===- TensorProducts.cpp - What products in tensor memory mean -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hardware reads scales and the places of sparse elements in an order that
// suits its lanes. Here they become tensors of rows and columns.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/Pallas/Utils/TensorProducts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::pallas;

namespace {
/// Writes operations on tensors.
struct TensorWriter {
  OpBuilder &b;
  Location loc;

  static RankedTensorType getType(Value value) {
    return cast<RankedTensorType>(value.getType());
  }
  Value reshape(Value value, ArrayRef<int64_t> shape) {
    return ReshapeOp::create(
        b, loc, RankedTensorType::get(shape, getType(value).getElementType()),
        value);
  }
  Value transpose(Value value, ArrayRef<int64_t> permutation) {
    return TransposeOp::create(b, loc, value, permutation);
  }
  /// Repeats dimensions of size 1.
  Value broadcast(Value value, ArrayRef<int64_t> shape) {
    auto dims = llvm::to_vector(llvm::seq<int64_t>(shape.size()));
    return BroadcastOp::create(
        b, loc, RankedTensorType::get(shape, getType(value).getElementType()),
        value, dims);
  }
  /// The first rows of a matrix.
  Value takeRows(Value value, int64_t rows) {
    int64_t columns = getType(value).getDimSize(1);
    if (getType(value).getDimSize(0) == rows)
      return value;
    return tensor::ExtractSliceOp::create(
        b, loc, value,
        ArrayRef<OpFoldResult>{b.getIndexAttr(0), b.getIndexAttr(0)},
        ArrayRef<OpFoldResult>{b.getIndexAttr(rows), b.getIndexAttr(columns)},
        ArrayRef<OpFoldResult>{b.getIndexAttr(1), b.getIndexAttr(1)});
  }
  Value toFloat32(Value value) {
    Type type = getType(value).clone(b.getF32Type());
    return type == value.getType() ? value
                                   : arith::ExtFOp::create(b, loc, type, value);
  }

  Value orderPlaces(Value places, unsigned bits);
  Value addZeros(Value held, Value places);
  Value scale(Value factor, Value scales);
};
} // namespace

/// The places of each row in the order of its elements. Operands of 16 bits
/// have them in another one.
Value TensorWriter::orderPlaces(Value places, unsigned bits) {
  if (bits == 8)
    return places;
  int64_t rows = getType(places).getDimSize(0),
          columns = getType(places).getDimSize(1);
  Value tiles = reshape(places, {rows / 128, 8, 2, 8, columns / 64, 4, 2, 8});
  return reshape(transpose(tiles, {0, 1, 6, 3, 4, 5, 2, 7}), {rows, columns});
}

/// Of four elements in a row, an operand holds two: element i is the first one
/// if that has place i, the second one if that has, and zero otherwise.
Value TensorWriter::addZeros(Value held, Value places) {
  RankedTensorType type = getType(held);
  int64_t rows = type.getDimSize(0), pairs = type.getDimSize(1) / 2;
  SmallVector<int64_t> whole{rows, pairs, 4};
  Value wide = arith::ExtUIOp::create(
      b, loc, getType(places).clone(b.getI32Type()), places);
  Value number = IotaOp::create(
      b, loc, RankedTensorType::get(whole, b.getI32Type()), /*dimension=*/2);
  auto take = [&](Value from, int64_t which) {
    auto i = [&](int64_t value) -> OpFoldResult {
      return b.getIndexAttr(value);
    };
    Value part = tensor::ExtractSliceOp::create(
        b, loc, reshape(from, {rows, pairs, 2}),
        ArrayRef<OpFoldResult>{i(0), i(0), i(which)},
        ArrayRef<OpFoldResult>{i(rows), i(pairs), i(1)},
        ArrayRef<OpFoldResult>{i(1), i(1), i(1)});
    return broadcast(part, whole);
  };
  auto wholeType = RankedTensorType::get(whole, type.getElementType());
  Value result = arith::ConstantOp::create(
      b, loc, cast<TypedAttr>(b.getZeroAttr(wholeType)));
  for (int64_t which : {1, 0}) {
    Value isHere = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                         take(wide, which), number);
    result = arith::SelectOp::create(b, loc, isHere, take(held, which), result);
  }
  return reshape(result, {rows, 4 * pairs});
}

/// The rows of a matrix in f32, each part of a row times its scale.
Value TensorWriter::scale(Value factor, Value scales) {
  int64_t rows = getType(factor).getDimSize(0),
          depth = getType(factor).getDimSize(1),
          parts = getType(scales).getDimSize(1);
  Value wide = toFloat32(takeRows(scales, rows));
  Value repeated =
      broadcast(reshape(wide, {rows, parts, 1}), {rows, parts, depth / parts});
  return arith::MulFOp::create(b, loc, toFloat32(factor),
                               reshape(repeated, {rows, depth}));
}

/// Tiles of 128 rows by 4 scales: each of their 32 rows has the scales of four
/// rows, and two tiles may be one of twice the height. Tiles of metadata have
/// the places of 128 rows.
Value mlir::pallas::arrangeTensorCopy(OpBuilder &builder, Location loc,
                                      TensorCopyKind kind, Value source,
                                      RankedTensorType target) {
  TensorWriter writer{builder, loc};
  ArrayRef<int64_t> tiles = TensorWriter::getType(source).getShape();
  switch (kind) {
  case TensorCopyKind::Matrix:
    return source;
  case TensorCopyKind::Scales:
    source =
        writer.reshape(source, {tiles[0], tiles[1], tiles[2] / 32, 32, 4, 4});
    source = writer.transpose(source, {0, 2, 4, 3, 1, 5});
    break;
  case TensorCopyKind::SparseMetadata:
    source = writer.transpose(source, {0, 2, 1, 3});
    break;
  }
  return writer.reshape(source, target.getShape());
}

/// Zeros come before scales, as a scale belongs to elements of the whole row,
/// those that are not held included. The scales of the right operand are those
/// of its columns, which become rows for that.
LogicalResult mlir::pallas::spellOutFactors(OpBuilder &builder, Location loc,
                                            ProductFactors &factors) {
  TensorWriter writer{builder, loc};
  if (factors.lhsMetadata) {
    Type element = TensorWriter::getType(factors.lhs).getElementType();
    unsigned bits = element.getIntOrFloatBitWidth();
    if (bits != 8 && bits != 16)
      return emitError(loc) << "multiplies a sparse operand of " << element
                            << "; it has elements of 8 or 16 bits";
    factors.lhs = writer.addZeros(
        factors.lhs, writer.orderPlaces(factors.lhsMetadata, bits));
  }
  if (factors.lhsScale) {
    factors.lhs = writer.scale(factors.lhs, factors.lhsScale);
    Value columns = writer.transpose(factors.rhs, {1, 0});
    factors.rhs =
        writer.transpose(writer.scale(columns, factors.rhsScale), {1, 0});
  }
  return success();
}
