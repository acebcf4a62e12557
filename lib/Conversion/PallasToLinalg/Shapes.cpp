//===- Shapes.cpp - Changes of shape to linalg and tensor -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Elements.h"
#include "Patterns.h"
#include "Tensors.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"

using namespace mlir;
using namespace mlir::pallas;
using namespace mlir::pallas::linalgconv;

namespace {
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
