//===- Packing.cpp - Packing and random rounding to linalg ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file lowers packing of narrow elements into words, unpacking, and
// stochastic rounding. All are elementwise.
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

/// An integer constant.
static Value createInteger(OpBuilder &builder, Location loc, Type type,
                           int64_t value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getIntegerAttr(type, value));
}

/// The bits that an element has after it was narrowed to `packed`.
static Value narrowToBits(OpBuilder &builder, Location loc, Value value,
                          Type packed) {
  Type bits = builder.getIntegerType(packed.getIntOrFloatBitWidth());
  if (!isa<FloatType>(packed))
    return value.getType() == bits
               ? value
               : arith::TruncIOp::create(builder, loc, bits, value).getResult();
  Value narrow = convertFloat(builder, loc, value, packed);
  return arith::BitcastOp::create(builder, loc, bits, narrow);
}

namespace {
/// Converts `pallas.pack_elementwise`, which puts corresponding elements of its
/// operands into one word, the first in the lowest bits. For two bf16:
///
///   %low = arith.extui %bits0 : i16 to i32
///   %wide = arith.extui %bits1 : i16 to i32
///   %high = arith.shli %wide, %c16_i32 : i32
///   %word = arith.ori %low, %high : i32
struct ConvertPack : public OpRewritePattern<PackElementwiseOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(PackElementwiseOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType type = op.getType();
    Type word = type.getElementType(), packed = op.getPackedType();
    unsigned width = packed.getIntOrFloatBitWidth();
    Value result = createElementwise(
        rewriter, op.getLoc(), op.getInputs(), type.getShape(), word,
        [&](OpBuilder &nested, Location loc, ValueRange args) {
          Value sum;
          for (auto [i, value] : llvm::enumerate(args)) {
            Value bits = arith::ExtUIOp::create(
                nested, loc, word, narrowToBits(nested, loc, value, packed));
            Value placed = arith::ShLIOp::create(
                nested, loc, bits, createInteger(nested, loc, word, i * width));
            sum = sum ? arith::OrIOp::create(nested, loc, sum, placed) : placed;
          }
          return sum;
        });
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// Converts `pallas.unpack_elementwise`, the inverse for one of the operands:
///
///   %shifted = arith.shrui %word, %c16_i32 : i32
///   %bits = arith.trunci %shifted : i32 to i16
///   %narrow = arith.bitcast %bits : i16 to bf16
///   %element = arith.extf %narrow : bf16 to f32
struct ConvertUnpack : public OpRewritePattern<UnpackElementwiseOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(UnpackElementwiseOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType type = op.getType();
    Type word = getElementTypeOrSelf(op.getInput().getType());
    Type packed = op.getPackedType(), element = type.getElementType();
    unsigned width = packed.getIntOrFloatBitWidth();
    Value result = createElementwise(
        rewriter, op.getLoc(), op.getInput(), type.getShape(), element,
        [&](OpBuilder &nested, Location loc, ValueRange args) -> Value {
          Value shifted = arith::ShRUIOp::create(
              nested, loc, args[0],
              createInteger(nested, loc, word, op.getIndex() * width));
          Value bits = arith::TruncIOp::create(
              nested, loc, nested.getIntegerType(width), shifted);
          if (isa<FloatType>(packed))
            return convertFloat(
                nested, loc,
                arith::BitcastOp::create(nested, loc, packed, bits), element);
          if (element == bits.getType())
            return bits;
          return arith::ExtSIOp::create(nested, loc, element, bits);
        });
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// Converts `pallas.stochastic_round`. Adds random bits below the part of the
/// mantissa that stays, so that the chance to be rounded away from zero is the
/// dropped fraction. For bf16, which drops 16 bits:
///
///   %exact = arith.bitcast %x : f32 to i32
///   %noise = arith.andi %random, %c0xFFFF : i32
///   %sum = arith.addi %exact, %noise : i32
///   %kept = arith.andi %sum, %c0xFFFF0000 : i32
///   %rounded = arith.bitcast %kept : i32 to f32
///
/// A carry out of the mantissa increments the exponent, which is right.
struct ConvertStochasticRound : public OpRewritePattern<StochasticRoundOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(StochasticRoundOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type type = op.getResult().getType();
    auto target = cast<FloatType>(getElementTypeOrSelf(type));
    Type from = getElementTypeOrSelf(op.getInput().getType());
    Type bits = getElementTypeOrSelf(op.getBits().getType());
    int64_t dropped = 24 - int64_t(target.getFPMantissaWidth());
    int64_t mask = (int64_t(1) << dropped) - 1;
    Value result = createElementwise(
        rewriter, loc,
        {asTensor(rewriter, loc, op.getInput()),
         asTensor(rewriter, loc, op.getBits())},
        getValueShape(type), target,
        [&](OpBuilder &nested, Location, ValueRange args) {
          Value exact = arith::BitcastOp::create(nested, loc, bits, args[0]);
          Value noise = arith::AndIOp::create(
              nested, loc, args[1], createInteger(nested, loc, bits, mask));
          Value sum = arith::AddIOp::create(nested, loc, exact, noise);
          Value kept = arith::AndIOp::create(
              nested, loc, sum, createInteger(nested, loc, bits, ~mask));
          Value rounded = arith::BitcastOp::create(nested, loc, from, kept);
          // Infinities and NaN have no fraction; noise would make one of them
          // the other.
          Value difference =
              arith::SubFOp::create(nested, loc, args[0], args[0]);
          Value isFinite = arith::CmpFOp::create(
              nested, loc, arith::CmpFPredicate::ORD, difference, difference);
          Value chosen =
              arith::SelectOp::create(nested, loc, isFinite, rounded, args[0]);
          return convertFloat(nested, loc, chosen, target);
        });
    rewriter.replaceOp(op, asValue(rewriter, loc, result, type));
    return success();
  }
};
} // namespace

void linalgconv::populatePackingPatterns(RewritePatternSet &patterns) {
  patterns.add<ConvertPack, ConvertStochasticRound, ConvertUnpack>(
      patterns.getContext());
}
