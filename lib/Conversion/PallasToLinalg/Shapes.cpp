//===- Shapes.cpp - Changes of shape to linalg and tensor -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file lowers operations that move elements: iota, broadcast, transpose,
// reshape and rev.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "Tensors.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "pallas/Dialect/Pallas/Utils/Elements.h"

using namespace mlir;
using namespace mlir::pallas;
using namespace mlir::pallas::linalgconv;

namespace {
/// Converts `pallas.iota`:
///
///   %index = linalg.index 1 : index
///   %number = arith.index_cast %index : index to i32
///   %element = arith.sitofp %number : i32 to f32
///
/// A narrow float is rounded from f32, which is exact for all indices up to
/// 2^24.
struct ConvertIota : public OpRewritePattern<IotaOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(IotaOp op,
                                PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getType());
    Type element = type.getElementType();
    Value result = createElementwise(
        rewriter, op.getLoc(), {}, type.getShape(), element,
        [&](OpBuilder &nested, Location loc, ValueRange) -> Value {
          Value index = linalg::IndexOp::create(nested, loc, op.getDimension());
          if (element.isIndex())
            return index;
          if (isa<IntegerType>(element))
            return arith::IndexCastOp::create(nested, loc, element, index);
          Value number = arith::IndexCastOp::create(nested, loc,
                                                    nested.getI32Type(), index);
          Type wide = getSumType(element);
          Value exact = arith::SIToFPOp::create(nested, loc, wide, number);
          return convertFloat(nested, loc, exact, element);
        });
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// Converts `pallas.broadcast`. For example:
///
///   %1 = pallas.broadcast %0 dims [1] : tensor<128xf32> -> tensor<8x128xf32>
///
/// becomes a `linalg.generic` with the map `(d0, d1) -> (d1)`, and a scalar a
/// fill.
struct ConvertBroadcast : public OpRewritePattern<BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BroadcastOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(op.getType());
    auto input = dyn_cast<RankedTensorType>(op.getInput().getType());
    if (!input) {
      rewriter.replaceOp(
          op, createFilled(rewriter, loc, type.getShape(), op.getInput()));
      return success();
    }
    // Dimensions that repeat are dropped, so that the rest is a projection.
    SmallVector<AffineExpr> exprs;
    SmallVector<int64_t> shape;
    for (auto [size, dim] : llvm::zip(input.getShape(), op.getDimensions()))
      if (size == type.getDimSize(dim)) {
        exprs.push_back(rewriter.getAffineDimExpr(dim));
        shape.push_back(size);
      }
    Value source = reshape(rewriter, loc, op.getInput(), shape);
    AffineMap map = AffineMap::get(type.getRank(), 0, exprs, op.getContext());
    rewriter.replaceOp(
        op,
        createElementwise(
            rewriter, loc, source, map, type.getShape(), type.getElementType(),
            [](OpBuilder &, Location, ValueRange args) { return args[0]; }));
    return success();
  }
};

/// Converts `pallas.transpose`:
///
///   %1 = linalg.transpose ins(%0 : tensor<8x128xf32>)
///       outs(%empty : tensor<128x8xf32>) permutation = [1, 0]
struct ConvertTranspose : public OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getType());
    Value empty = createEmpty(rewriter, op.getLoc(), type.getShape(),
                              type.getElementType());
    rewriter.replaceOpWithNewOp<linalg::TransposeOp>(op, op.getInput(), empty,
                                                     op.getPermutation());
    return success();
  }
};

/// Converts `pallas.reshape`, between scalars and tensors too:
///
///   %1 = tensor.collapse_shape %0 [[0, 1]]
///       : tensor<8x4xf32> into tensor<32xf32>
struct ConvertReshape : public OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type type = op.getResult().getType();
    Value input = op.getInput();
    if (!isa<RankedTensorType>(input.getType())) {
      if (input.getType() != type)
        input = tensor::FromElementsOp::create(
            rewriter, loc, cast<RankedTensorType>(type), input);
      rewriter.replaceOp(op, input);
      return success();
    }
    if (!isa<RankedTensorType>(type)) {
      SmallVector<Value> zeros(getTensorType(input).getRank(),
                               createIndex(rewriter, loc, 0));
      rewriter.replaceOpWithNewOp<tensor::ExtractOp>(op, input, zeros);
      return success();
    }
    rewriter.replaceOp(op, reshape(rewriter, loc, input, getValueShape(type)));
    return success();
  }
};

/// Converts `pallas.rev` to a `linalg.generic` whose input map counts down,
/// such as `(d0, d1) -> (d0, 127 - d1)`. An empty dimension would yield `-1 -
/// d0`.
///
///   %y = pallas.rev %x dims [1] : tensor<8x128xf32>
/// -->
///   %y = linalg.generic {indexing_maps = [(d0, d1) -> (d0, 127 - d1),
///                                         (d0, d1) -> (d0, d1)]}
///       ins(%x) outs(%empty) { yield the element }
struct ConvertRev : public OpRewritePattern<RevOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(RevOp op,
                                PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getType());
    if (type.getNumElements() == 0) {
      rewriter.replaceOp(op, op.getInput());
      return success();
    }
    SmallVector<AffineExpr> exprs;
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      AffineExpr expr = rewriter.getAffineDimExpr(dim);
      exprs.push_back(llvm::is_contained(op.getDimensions(), dim)
                          ? type.getDimSize(dim) - 1 - expr
                          : expr);
    }
    AffineMap map = AffineMap::get(type.getRank(), 0, exprs, op.getContext());
    rewriter.replaceOp(
        op, createElementwise(rewriter, op.getLoc(), op.getInput(), map,
                              type.getShape(), type.getElementType(),
                              [](OpBuilder &, Location, ValueRange args) {
                                return args[0];
                              }));
    return success();
  }
};
} // namespace

void linalgconv::populateShapePatterns(RewritePatternSet &patterns) {
  patterns.add<ConvertBroadcast, ConvertIota, ConvertReshape, ConvertRev,
               ConvertTranspose>(patterns.getContext());
}
