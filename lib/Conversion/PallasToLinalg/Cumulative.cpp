//===- Cumulative.cpp - Running combinations to loops ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file lowers `pallas.cumulative`: running sums, products, maxima, minima
// and logsumexp along one dimension.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/Pallas/IR/Cumulative.h"
#include "Patterns.h"
#include "Tensors.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "pallas/Dialect/Pallas/Utils/Combining.h"
#include "pallas/Dialect/Pallas/Utils/Elements.h"

using namespace mlir;
using namespace mlir::pallas;
using namespace mlir::pallas::linalgconv;

namespace {
/// Walks along the middle one of three dimensions with a running value, which
/// is a row of the last dimension, or a scalar when that has size 1. For
/// example, a running sum of the rows of a matrix:
///
///   %1 = pallas.cumulative <sum> %0 dim 0 : tensor<8x128xf32>
///
/// becomes
///
///   %r:2 = scf.for %i = %c0 to %c8 step %c1
///       iter_args(%run = %zeros, %out = %empty) {
///     %row = tensor.extract_slice %in[0, %i, 0] [1, 1, 128] [1, 1, 1]
///     %next = linalg.generic ... arith.addf ... -> tensor<128xf32>
///     %new = tensor.insert_slice %next into %out[0, %i, 0] [1, 1, 128]
///         [1, 1, 1]
///     scf.yield %next, %new : tensor<128xf32>, tensor<1x8x128xf32>
///   }
///
/// Dimensions before and after are collapsed, so that there is one form. The
/// running value is kept in f32 if the elements are narrower floats.
struct ConvertCumulative : public OpRewritePattern<CumulativeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CumulativeOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(op.getInput().getType());
    Type element = type.getElementType(), sumType = getSumType(element);
    SmallVector<int64_t> shape =
        getShapeAround(type.getShape(), op.getDimension());
    Value input = reshape(rewriter, loc, op.getInput(), shape);
    Value output = createEmpty(rewriter, loc, shape, element);
    // log(0), the neutral element of logsumexp, is that of max.
    CombiningKind kind =
        getCombiningKind(op.getKind()).value_or(CombiningKind::Max);
    Value neutral = createNeutral(rewriter, loc, kind, sumType);
    if (shape[2] != 1)
      neutral = createFilled(rewriter, loc, shape[2], neutral);

    output =
        createLoops(rewriter, loc, shape[0], output,
                    [&](OpBuilder &outer, Location, ValueRange outerIvs,
                        ValueRange outputs) {
                      SmallVector<Value> results = createLoops(
                          outer, loc, shape[1], {neutral, outputs[0]},
                          [&](OpBuilder &inner, Location, ValueRange innerIvs,
                              ValueRange carried) {
                            return createStep(inner, op, input, outerIvs[0],
                                              innerIvs[0], carried, shape);
                          });
                      return SmallVector<Value>{results[1]};
                    })[0];
    rewriter.replaceOp(op, reshape(rewriter, loc, output, type.getShape()));
    return success();
  }

  /// One step of the loop. A reverse combination walks from the end, so the
  /// carried value is the same in both directions.
  static SmallVector<Value> createStep(OpBuilder &builder, CumulativeOp op,
                                       Value input, Value row, Value step,
                                       ValueRange carried,
                                       ArrayRef<int64_t> shape) {
    Location loc = op.getLoc();
    Value place = step;
    if (op.getReverse())
      place = arith::SubIOp::create(
          builder, loc, createIndex(builder, loc, shape[1] - 1), step);
    Rectangle window(shape, builder.getContext());
    window.select(0, row);
    window.select(1, place);
    if (shape[2] == 1)
      window.select(2, createIndex(builder, loc, 0));
    Value value = createExtract(builder, loc, input, window);
    auto [running, rounded] = combineNext(builder, op, carried[0], value);
    return {running, createInsert(builder, loc, carried[1], rounded, window)};
  }

  /// The new running value, and the same as elements of the result.
  static std::pair<Value, Value>
  combineNext(OpBuilder &builder, CumulativeOp op, Value running, Value value) {
    Location loc = op.getLoc();
    auto row = dyn_cast<RankedTensorType>(value.getType());
    if (!row) {
      Value next = combineRunning(builder, op, running, value);
      return {next, round(builder, next, value.getType())};
    }
    Type element = row.getElementType();
    AffineMap identity = builder.getMultiDimIdentityMap(1);
    SmallVector<Value> targets = {running};
    // The running value keeps its precision; the result is a second output.
    bool isNarrow = getSumType(element) != element;
    if (isNarrow)
      targets.push_back(createEmpty(builder, loc, row.getShape(), element));
    auto generic = linalg::GenericOp::create(
        builder, loc, TypeRange(ValueRange(targets)), value, targets,
        SmallVector<AffineMap>(targets.size() + 1, identity),
        utils::IteratorType::parallel,
        [&](OpBuilder &nested, Location, ValueRange args) {
          SmallVector<Value> results = {
              combineRunning(nested, op, args[1], args[0])};
          if (isNarrow)
            results.push_back(round(nested, results[0], element));
          linalg::YieldOp::create(nested, loc, results);
        });
    return {generic.getResult(0), generic->getResults().back()};
  }

  /// Integers are summed in their own type and need no rounding.
  static Value round(OpBuilder &builder, Value value, Type element) {
    if (!isa<FloatType>(element))
      return value;
    return convertFloat(builder, value.getLoc(), value, element);
  }

  /// Logsumexp is the one kind that is no arithmetic operation.
  static Value combineRunning(OpBuilder &builder, CumulativeOp op,
                              Value running, Value value) {
    Location loc = op.getLoc();
    if (isa<FloatType>(value.getType()))
      value = convertFloat(builder, loc, value, running.getType());
    if (std::optional<CombiningKind> kind = getCombiningKind(op.getKind()))
      return createCombined(builder, loc, *kind, running, value);
    return createLogAddExp(builder, loc, running, value);
  }
};
} // namespace

void linalgconv::populateCumulativePatterns(RewritePatternSet &patterns) {
  patterns.add<ConvertCumulative>(patterns.getContext());
}
