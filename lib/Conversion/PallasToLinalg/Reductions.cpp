//===- Reductions.cpp - Reductions to linalg ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file lowers `pallas.reduce` and `pallas.arg_reduce`.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "Tensors.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "pallas/Dialect/Pallas/Utils/Combining.h"
#include "pallas/Dialect/Pallas/Utils/Elements.h"

using namespace mlir;
using namespace mlir::pallas;
using namespace mlir::pallas::linalgconv;

/// Maps of the input and of the result, and the kinds of the loops.
/// For dimension 1 of `tensor<8x128xf32>` these are `(d0, d1) -> (d0, d1)` and
/// `(d0, d1) -> (d0)`, with a parallel and a reduction loop.
static std::pair<SmallVector<AffineMap>, SmallVector<utils::IteratorType>>
getReductionLoops(RankedTensorType input, ArrayRef<int64_t> reduced) {
  MLIRContext *context = input.getContext();
  SmallVector<utils::IteratorType> iterators;
  SmallVector<AffineExpr> kept;
  for (int64_t dim = 0; dim < input.getRank(); ++dim) {
    bool isReduced = llvm::is_contained(reduced, dim);
    iterators.push_back(isReduced ? utils::IteratorType::reduction
                                  : utils::IteratorType::parallel);
    if (!isReduced)
      kept.push_back(getAffineDimExpr(dim, context));
  }
  SmallVector<AffineMap> maps = {
      AffineMap::getMultiDimIdentityMap(input.getRank(), context),
      AffineMap::get(input.getRank(), 0, kept, context)};
  return {maps, iterators};
}

namespace {
/// Converts `pallas.reduce`. For example:
///
///   %1 = pallas.reduce <add> %0 dims [1] : tensor<8x128xbf16>
///
/// becomes
///
///   %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<8xf32>)
///   %sum = linalg.generic {iterator_types = ["parallel", "reduction"]}
///       ins(%0 : tensor<8x128xbf16>) outs(%zeros : tensor<8xf32>) {
///     %wide = arith.extf %in : bf16 to f32
///     %next = arith.addf %wide, %out : f32
///     linalg.yield %next : f32
///   }
///   %1 = arith.truncf %sum : tensor<8xf32> to tensor<8xbf16>
struct ConvertReduce : public OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReduceOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType input = op.getInput().getType();
    Type element = input.getElementType(), resultType = op.getType();
    CombiningKind kind = op.getKind();
    // Sums are rounded once. The greatest of rounded elements needs no
    // rounding, but floats of 8 bits may lack the infinity that it starts from.
    bool isSum = kind == CombiningKind::Add || kind == CombiningKind::Mul ||
                 element.getIntOrFloatBitWidth() <= 8;
    Type sumType = isSum ? getSumType(element) : element;
    auto [maps, iterators] = getReductionLoops(input, op.getDimensions());
    Value init = createFilled(rewriter, loc, getValueShape(resultType),
                              createNeutral(rewriter, loc, kind, sumType));
    auto generic = linalg::GenericOp::create(
        rewriter, loc, init.getType(), op.getInput(), init, maps, iterators,
        [&](OpBuilder &nested, Location nestedLoc, ValueRange args) {
          Value value =
              isSum ? convertFloatIfFloat(nested, args[0], sumType) : args[0];
          linalg::YieldOp::create(
              nested, nestedLoc,
              createCombined(nested, nestedLoc, kind, value, args[1]));
        });
    Value rounded =
        convertFloatIfFloat(rewriter, generic.getResult(0), element);
    rewriter.replaceOp(op, asValue(rewriter, loc, rounded, resultType));
    return success();
  }

  /// Integers keep their type.
  static Value convertFloatIfFloat(OpBuilder &builder, Value value,
                                   Type element) {
    if (!isa<FloatType>(element))
      return value;
    return convertFloat(builder, value.getLoc(), value, element);
  }
};

/// Converts `pallas.arg_reduce`, which yields the index of the greatest or
/// least element. The reduction carries the best element and its index:
///
///   %index = linalg.index 1 : index
///   %value = arith.select %wins, %in, %best : f32
///   %at = arith.select %wins, %index_i32, %best_index : i32
///   linalg.yield %value, %at : f32, i32
struct ConvertArgReduce : public OpRewritePattern<ArgReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ArgReduceOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType input = op.getInput().getType();
    Type indexType = op.getIndexType(), resultType = op.getType();
    int64_t dim = op.getDimension();
    auto [maps, iterators] = getReductionLoops(input, dim);
    maps.push_back(maps.back());
    ArrayRef<int64_t> shape = getValueShape(resultType);
    Value best = createFilled(
        rewriter, loc, shape,
        createNeutral(rewriter, loc, op.getKind(), input.getElementType()));
    // A row of neutral elements never wins, so it keeps this index: that of its
    // first element, which a tie takes as well.
    Value place = createFilled(rewriter, loc, shape,
                               createZero(rewriter, loc, indexType));
    auto generic = linalg::GenericOp::create(
        rewriter, loc, TypeRange{best.getType(), place.getType()},
        op.getInput(), ValueRange{best, place}, maps, iterators,
        [&](OpBuilder &nested, Location nestedLoc, ValueRange args) {
          Value index = arith::IndexCastOp::create(
              nested, nestedLoc, indexType,
              linalg::IndexOp::create(nested, nestedLoc, dim));
          Value wins = createWins(nested, nestedLoc, op.getKind(), args[0],
                                  args[1], index, args[2]);
          Value value = arith::SelectOp::create(nested, nestedLoc, wins,
                                                args[0], args[1]);
          Value at =
              arith::SelectOp::create(nested, nestedLoc, wins, index, args[2]);
          linalg::YieldOp::create(nested, nestedLoc, ValueRange{value, at});
        });
    rewriter.replaceOp(
        op, asValue(rewriter, loc, generic.getResult(1), resultType));
    return success();
  }

  /// Whether the element at `index` beats the best one so far, which is at
  /// `bestIndex`. Loops may be reordered, so ties are decided by the index.
  static Value createWins(OpBuilder &builder, Location loc, CombiningKind kind,
                          Value value, Value best, Value index,
                          Value bestIndex) {
    bool isUnsigned =
        kind == CombiningKind::UMax || kind == CombiningKind::UMin;
    bool isGreatest = kind == CombiningKind::Max || kind == CombiningKind::UMax;
    Value wins;
    if (isGreatest) {
      wins = createLess(builder, loc, best, value, isUnsigned);
    } else if (isa<FloatType>(value.getType())) {
      // NaN is less than all here: negation turns the order round.
      wins = createLess(builder, loc, arith::NegFOp::create(builder, loc, best),
                        arith::NegFOp::create(builder, loc, value), false);
    } else {
      wins = createLess(builder, loc, value, best, isUnsigned);
    }
    Value ties = createEquivalent(builder, loc, value, best);
    Value earlier = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ult, index, bestIndex);
    return arith::OrIOp::create(
        builder, loc, wins, arith::AndIOp::create(builder, loc, ties, earlier));
  }
};
} // namespace

void linalgconv::populateReductionPatterns(RewritePatternSet &patterns) {
  patterns.add<ConvertReduce, ConvertArgReduce>(patterns.getContext());
}
