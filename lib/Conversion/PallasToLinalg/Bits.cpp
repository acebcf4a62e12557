//===- Bits.cpp - Casts of bits to linalg ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file lowers `pallas.bitcast`. If both element types have the same width
// it is an `arith.bitcast`. Otherwise elements are cut from wider ones, or
// joined to wider ones, by shifts. Low bits come first, as in memory on a
// little-endian machine.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "Tensors.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "pallas/Dialect/Pallas/Utils/Elements.h"

using namespace mlir;
using namespace mlir::pallas;
using namespace mlir::pallas::linalgconv;

/// The bits of a scalar or tensor as elements of a type of the same width.
static Value castBits(OpBuilder &builder, Location loc, Value value,
                      Type element) {
  if (getElementTypeOrSelf(value.getType()) == element)
    return value;
  Type type = element;
  if (auto tensor = dyn_cast<RankedTensorType>(value.getType()))
    type = tensor.clone(element);
  return arith::BitcastOp::create(builder, loc, type, value);
}

/// The integer type with as many bits as `element`.
static IntegerType getBits(Type element) {
  return IntegerType::get(element.getContext(),
                          element.getIntOrFloatBitWidth());
}

/// Position `index * bits` of a part within a word of type `word`.
static Value createBitOffset(OpBuilder &builder, Location loc, unsigned dim,
                             unsigned bits, Type word) {
  Value part = arith::IndexCastOp::create(
      builder, loc, word, linalg::IndexOp::create(builder, loc, dim));
  Value width = arith::ConstantOp::create(builder, loc,
                                          builder.getIntegerAttr(word, bits));
  return arith::MulIOp::create(builder, loc, part, width);
}

/// All loops but `dropped`. For example, `(d0, d1, d2) -> (d0, d2)` for
/// `dropped` = 1.
static AffineMap getMapWithout(unsigned dropped, unsigned rank,
                               MLIRContext *context) {
  AffineMap all = AffineMap::getMultiDimIdentityMap(rank, context);
  return all.dropResult(dropped);
}

/// Splits the dimension of the narrow elements into words and the parts of a
/// word, and returns the shape with the number of the dimension of the parts.
/// For example, `[8, 128]` and dimension 0 with ratio 4 yield `[2, 4, 128]`, 1.
static std::pair<SmallVector<int64_t>, unsigned>
getPartShape(ArrayRef<int64_t> narrowShape, int64_t dim, int64_t ratio) {
  SmallVector<int64_t> shape(narrowShape);
  if (dim < 0)
    return {shape, unsigned(shape.size() - 1)};
  shape[dim] /= ratio;
  shape.insert(shape.begin() + dim + 1, ratio);
  return {shape, unsigned(dim + 1)};
}

/// Splits words into narrower elements. For example:
///
///   %1 = pallas.bitcast %0 dim 0 : tensor<2x128xi32> -> tensor<8x128xi8>
///
/// becomes a `linalg.generic` over `2x4x128`, the second dimension of which
/// counts the bytes of a word:
///
///   %part = linalg.index 1 : index
///   %offset = arith.muli %part_i32, %c8_i32 : i32
///   %shifted = arith.shrui %word, %offset : i32
///   %byte = arith.trunci %shifted : i32 to i8
///
/// and then a reshape to `8x128`.
static Value createSplit(OpBuilder &builder, BitcastOp op, int64_t ratio) {
  Location loc = op.getLoc();
  Value words = asTensor(builder, loc, op.getInput());
  auto type = cast<RankedTensorType>(op.getResult().getType());
  Type element = type.getElementType(),
       word = getBits(getTensorType(words).getElementType());
  auto [shape, part] = getPartShape(type.getShape(), *op.getDimension(), ratio);
  unsigned partDim = part;
  AffineMap map = getMapWithout(partDim, shape.size(), op.getContext());
  Value parts = createElementwise(
      builder, loc, words, map, shape, element,
      [&](OpBuilder &nested, Location, ValueRange args) {
        Value bits = castBits(nested, loc, args[0], word);
        Value offset = createBitOffset(nested, loc, partDim,
                                       element.getIntOrFloatBitWidth(), word);
        Value shifted = arith::ShRUIOp::create(nested, loc, bits, offset);
        Value low =
            arith::TruncIOp::create(nested, loc, getBits(element), shifted);
        return castBits(nested, loc, low, element);
      });
  return reshape(builder, loc, parts, type.getShape());
}

/// Joins neighboring elements to words, the inverse of `createSplit`. The parts
/// of a word are a reduction dimension:
///
///   %wide = arith.extui %byte : i8 to i32
///   %placed = arith.shli %wide, %offset : i32
///   %word = arith.ori %placed, %so_far : i32
static Value createJoin(OpBuilder &builder, BitcastOp op, int64_t ratio) {
  Location loc = op.getLoc();
  RankedTensorType type = getTensorType(op.getInput());
  Type element = type.getElementType(), resultType = op.getResult().getType();
  Type word = getBits(getElementTypeOrSelf(resultType));
  auto [shape, part] = getPartShape(type.getShape(), *op.getDimension(), ratio);
  unsigned partDim = part;
  Value parts = reshape(builder, loc, op.getInput(), shape);
  Value zeros = createFilled(builder, loc, getValueShape(resultType),
                             createZero(builder, loc, word));
  SmallVector<utils::IteratorType> iterators(shape.size(),
                                             utils::IteratorType::parallel);
  iterators[partDim] = utils::IteratorType::reduction;
  auto words = linalg::GenericOp::create(
      builder, loc, zeros.getType(), parts, zeros,
      {builder.getMultiDimIdentityMap(shape.size()),
       getMapWithout(partDim, shape.size(), op.getContext())},
      iterators, [&](OpBuilder &nested, Location, ValueRange args) {
        Value bits = castBits(nested, loc, args[0], getBits(element));
        Value wide = arith::ExtUIOp::create(nested, loc, word, bits);
        Value offset = createBitOffset(nested, loc, partDim,
                                       element.getIntOrFloatBitWidth(), word);
        Value placed = arith::ShLIOp::create(nested, loc, wide, offset);
        linalg::YieldOp::create(
            nested, loc,
            arith::OrIOp::create(nested, loc, placed, args[1]).getResult());
      });
  Value result = castBits(builder, loc, words.getResult(0),
                          getElementTypeOrSelf(resultType));
  return asValue(builder, loc, result, resultType);
}

namespace {
/// Converts `pallas.bitcast`, by the ratio of the widths.
struct ConvertBitcast : public OpRewritePattern<BitcastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BitcastOp op,
                                PatternRewriter &rewriter) const override {
    Type to = getElementTypeOrSelf(op.getResult().getType());
    unsigned fromBits =
        getElementTypeOrSelf(op.getInput().getType()).getIntOrFloatBitWidth();
    unsigned toBits = to.getIntOrFloatBitWidth();
    if (fromBits == toBits)
      rewriter.replaceOp(op,
                         castBits(rewriter, op.getLoc(), op.getInput(), to));
    else if (fromBits > toBits)
      rewriter.replaceOp(op, createSplit(rewriter, op, fromBits / toBits));
    else
      rewriter.replaceOp(op, createJoin(rewriter, op, toBits / fromBits));
    return success();
  }
};
} // namespace

void linalgconv::populateBitPatterns(RewritePatternSet &patterns) {
  patterns.add<ConvertBitcast>(patterns.getContext());
}
