//===- Roll.cpp - Rotations to slices -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file lowers `pallas.roll`, which rotates elements along a dimension.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "Tensors.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "pallas/Dialect/Pallas/Utils/Elements.h"

using namespace mlir;
using namespace mlir::pallas;
using namespace mlir::pallas::linalgconv;

/// `value` modulo `size`, from 0 to `size - 1`. The remainder of `arith.remsi`
/// has the sign of the dividend:
///
///   %rest = arith.remsi %value, %size : index
///   %negative = arith.cmpi slt, %rest, %c0 : index
///   %wrapped = arith.addi %rest, %size : index
///   %modulo = arith.select %negative, %wrapped, %rest : index
static Value createFloorMod(OpBuilder &builder, Location loc, Value value,
                            int64_t size) {
  Value modulus = createIndex(builder, loc, size);
  Value rest = arith::RemSIOp::create(builder, loc, value, modulus);
  Value isNegative =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, rest,
                            createIndex(builder, loc, 0));
  Value wrapped = arith::AddIOp::create(builder, loc, rest, modulus);
  return arith::SelectOp::create(builder, loc, isNegative, wrapped, rest);
}

/// Writes the two parts of `input` that a rotation by `shift` exchanges. Two
/// copies are cheaper than a modulo per element. By 3 of 8:
///
///   %a = tensor.extract_slice %x[0] [5] [1] : tensor<8xf32> to tensor<5xf32>
///   %1 = tensor.insert_slice %a into %empty[3] [5] [1]
///   %b = tensor.extract_slice %x[5] [3] [1] : tensor<8xf32> to tensor<3xf32>
///   %2 = tensor.insert_slice %b into %1[0] [3] [1]
static Value createRotation(OpBuilder &builder, Location loc, Value input,
                            int64_t dim, OpFoldResult shift,
                            OpFoldResult rest) {
  RankedTensorType type = getTensorType(input);
  SmallVector<OpFoldResult> strides(type.getRank(), builder.getIndexAttr(1));
  auto move = [&](Value into, OpFoldResult from, OpFoldResult to,
                  OpFoldResult size) -> Value {
    SmallVector<OpFoldResult> source(type.getRank(), builder.getIndexAttr(0));
    SmallVector<OpFoldResult> target(source), sizes;
    for (int64_t extent : type.getShape())
      sizes.push_back(builder.getIndexAttr(extent));
    source[dim] = from;
    target[dim] = to;
    sizes[dim] = size;
    Value part = tensor::ExtractSliceOp::create(builder, loc, input, source,
                                                sizes, strides);
    return tensor::InsertSliceOp::create(builder, loc, part, into, target,
                                         sizes, strides);
  };
  OpFoldResult zero = builder.getIndexAttr(0);
  Value empty =
      createEmpty(builder, loc, type.getShape(), type.getElementType());
  Value later = move(empty, zero, shift, rest);
  return move(later, rest, zero, shift);
}

namespace {
/// Converts `pallas.roll`. A constant shift makes the sizes of both parts
/// static; a shift that is a multiple of the size does nothing.
struct ConvertRoll : public OpRewritePattern<RollOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(RollOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    int64_t dim = op.getDimension();
    RankedTensorType type = getTensorType(op.getInput());
    if (type.getNumElements() == 0) {
      rewriter.replaceOp(op, op.getInput());
      return success();
    }
    if (op.getStride()) {
      rewriter.replaceOp(op, createStridedRoll(rewriter, op));
      return success();
    }
    int64_t size = type.getDimSize(dim);
    APInt constant;
    if (matchPattern(op.getShift(), m_ConstantInt(&constant))) {
      int64_t shift = ((constant.getSExtValue() % size) + size) % size;
      rewriter.replaceOp(
          op, shift == 0 ? op.getInput()
                         : createRotation(rewriter, loc, op.getInput(), dim,
                                          rewriter.getIndexAttr(shift),
                                          rewriter.getIndexAttr(size - shift)));
      return success();
    }
    Value shift = createFloorMod(rewriter, loc,
                                 toIndex(rewriter, loc, op.getShift()), size);
    Value rest = arith::SubIOp::create(rewriter, loc,
                                       createIndex(rewriter, loc, size), shift);
    rewriter.replaceOp(
        op, createRotation(rewriter, loc, op.getInput(), dim, shift, rest));
    return success();
  }

  /// A stride adds to the shift with each index along its dimension, so there
  /// are no two parts to copy. Each element computes its source instead.
  static Value createStridedRoll(OpBuilder &builder, RollOp op) {
    RankedTensorType type = getTensorType(op.getInput());
    int64_t dim = op.getDimension();
    return createElementwise(
        builder, op.getLoc(), {}, type.getShape(), type.getElementType(),
        [&](OpBuilder &nested, Location loc, ValueRange) -> Value {
          SmallVector<Value> at = createIndices(nested, loc, type.getRank());
          Value stride = createIndex(nested, loc, *op.getStride());
          Value extra = arith::MulIOp::create(
              nested, loc, at[*op.getStrideDimension()], stride);
          Value shift = arith::AddIOp::create(
              nested, loc, toIndex(nested, loc, op.getShift()), extra);
          at[dim] = createFloorMod(
              nested, loc, arith::SubIOp::create(nested, loc, at[dim], shift),
              type.getDimSize(dim));
          return tensor::ExtractOp::create(nested, loc, op.getInput(), at);
        });
  }
};
} // namespace

void linalgconv::populateRollPatterns(RewritePatternSet &patterns) {
  patterns.add<ConvertRoll>(patterns.getContext());
}
