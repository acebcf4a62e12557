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

/// The type that elements are combined in. Sums are rounded once. The greatest
/// of rounded elements needs no rounding, but floats of 8 bits may lack the
/// infinity that it starts from.
static Type getCombinedType(CombiningKind kind, Type element) {
  bool isSum = kind == CombiningKind::Add || kind == CombiningKind::Mul ||
               element.getIntOrFloatBitWidth() <= 8;
  return isSum ? getSumType(element) : element;
}

/// Integers keep their type.
static Value convertFloatIfFloat(OpBuilder &builder, Value value,
                                 Type element) {
  if (!isa<FloatType>(element))
    return value;
  return convertFloat(builder, value.getLoc(), value, element);
}

/// The tensors that are stacked along the dimension that `op` reduces; none if
/// its operand is no stack, if others read that, too, or for scalars.
static SmallVector<Value> getStackedValues(ReduceOp op) {
  auto stack = op.getInput().getDefiningOp<tensor::ConcatOp>();
  if (!stack || !stack->hasOneUse() || !isa<RankedTensorType>(op.getType()) ||
      op.getDimensions() != ArrayRef<int64_t>(stack.getDim()))
    return {};
  SmallVector<Value> values;
  for (Value part : stack.getInputs()) {
    Operation *reshape = part.getDefiningOp();
    // The walk has seen reshapes before.
    if (!isa_and_present<ReshapeOp, tensor::ExpandShapeOp>(reshape) ||
        reshape->getOperand(0).getType() != op.getType() ||
        cast<RankedTensorType>(part.getType()).getDimSize(stack.getDim()) != 1)
      return {};
    values.push_back(reshape->getOperand(0));
  }
  return values;
}

namespace {
/// Converts reductions of stacked values, which need no stack. For example:
///
///   %0 = tensor.expand_shape %x [[0, 1]] : tensor<8xf32> into tensor<1x8xf32>
///   %1 = tensor.expand_shape %y [[0, 1]] : tensor<8xf32> into tensor<1x8xf32>
///   %2 = tensor.concat dim(0) %0, %1
///       : (tensor<1x8xf32>, tensor<1x8xf32>) -> tensor<2x8xf32>
///   %3 = pallas.reduce <max> %2 dims [0] : tensor<2x8xf32>
///
/// becomes
///
///   %3 = arith.maximumf %x, %y : tensor<8xf32>
struct ConvertStackedReduce : public OpRewritePattern<ReduceOp> {
  ConvertStackedReduce(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(ReduceOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Value> values = getStackedValues(op);
    if (values.empty())
      return failure();
    Location loc = op.getLoc();
    CombiningKind kind = op.getKind();
    Type element = getElementTypeOrSelf(op.getType());
    Type wide = getCombinedType(kind, element);
    Value combined = createFilled(rewriter, loc, getValueShape(op.getType()),
                                  createNeutral(rewriter, loc, kind, wide));
    for (Value value : values)
      combined =
          createCombined(rewriter, loc, kind,
                         convertFloatIfFloat(rewriter, value, wide), combined);
    rewriter.replaceOp(op, convertFloatIfFloat(rewriter, combined, element));
    return success();
  }
};

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
    Type sumType = getCombinedType(kind, element);
    auto [maps, iterators] = getReductionLoops(input, op.getDimensions());
    Value init = createFilled(rewriter, loc, getValueShape(resultType),
                              createNeutral(rewriter, loc, kind, sumType));
    auto generic = linalg::GenericOp::create(
        rewriter, loc, init.getType(), op.getInput(), init, maps, iterators,
        [&](OpBuilder &nested, Location nestedLoc, ValueRange args) {
          Value value = convertFloatIfFloat(nested, args[0], sumType);
          linalg::YieldOp::create(
              nested, nestedLoc,
              createCombined(nested, nestedLoc, kind, value, args[1]));
        });
    Value rounded =
        convertFloatIfFloat(rewriter, generic.getResult(0), element);
    rewriter.replaceOp(op, asValue(rewriter, loc, rounded, resultType));
    return success();
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
  patterns.add<ConvertStackedReduce, ConvertReduce, ConvertArgReduce>(
      patterns.getContext());
}
