//===- Gather.cpp - Gathers to linalg and loops ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file lowers `pallas.gather` and `pallas.take_along`. Indices out of
// bounds are clamped, or their elements replaced by a fill value, by the mode
// of the operation.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "Tensors.h"
#include "WindowPlaces.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "pallas/Dialect/Pallas/Utils/Elements.h"

using namespace mlir;
using namespace mlir::pallas;
using namespace mlir::pallas::linalgconv;

/// The value of a gather outside of its operand: NaN, the least integer, true.
static Value createFillElement(OpBuilder &builder, Location loc, Type type) {
  TypedAttr fill;
  if (auto floatType = dyn_cast<FloatType>(type))
    fill = builder.getFloatAttr(
        type, llvm::APFloat::getNaN(floatType.getFloatSemantics()));
  else if (type.isInteger(1))
    fill = builder.getBoolAttr(true);
  else
    fill = builder.getIntegerAttr(
        type, llvm::APInt::getSignedMinValue(
                  type.isIndex() ? IndexType::kInternalStorageBitWidth
                                 : type.getIntOrFloatBitWidth()));
  return arith::ConstantOp::create(builder, loc, fill);
}

namespace {
/// Converts `pallas.gather`, which reads one slice per index tuple. Single
/// elements are read by a linalg operation, which becomes vector gathers, and
/// so are slices with long rows, which operations behind it are fused with;
/// other slices are copied in a loop.
struct ConvertGather : public OpRewritePattern<GatherOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GatherOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type type = op.getResult().getType();
    WindowPlaces places = getPlaces(op);
    SmallVector<int64_t> batchDims;
    for (int64_t dim = 0, rank = getValueShape(type).size(); dim < rank; ++dim)
      if (!llvm::is_contained(op.getOffsetDims(), dim))
        batchDims.push_back(dim);
    bool isElements = computeProduct(op.getSliceSizes()) == 1;
    Value result = isElements || hasLongRows(op)
                       ? gatherElements(rewriter, op, places, batchDims,
                                        /*hasRows=*/!isElements)
                       : gatherSlices(rewriter, op, places, batchDims);
    rewriter.replaceOp(op, asValue(rewriter, loc, result, type));
    return success();
  }

  /// The windows are the slices.
  static WindowPlaces getPlaces(GatherOp op) {
    return {op.getStartIndices(),
            op.getStartIndexMap(),
            op.getOperandBatchingDims(),
            op.getStartIndicesBatchingDims(),
            SmallVector<int64_t>(op.getSliceSizes()),
            op.getOperand().getType().getShape()};
  }

  ///   %1 = linalg.generic outs(%empty : tensor<4xf32>) {
  ///     %i = linalg.index 0 : index
  ///     %start = tensor.extract %indices[%i, %c0] : tensor<4x1xi32>
  ///     %at = ... %start as an index, clamped into [0, 7] ...
  ///     %v = tensor.extract %operand[%at] : tensor<8xf32>
  ///     linalg.yield %v : f32
  ///   }
  ///
  /// Rows have one start for many elements, which is an input:
  ///
  ///   %starts = tensor.extract_slice %indices[0, 0] [4, 1] [1, 1]
  ///   %1 = linalg.generic ins(%starts : tensor<4xi32>)
  ///       outs(%empty : tensor<4x128xf32>) {
  ///   ^bb0(%start: i32, %out: f32):
  ///     %j = linalg.index 1 : index
  ///     %v = tensor.extract %operand[%at, %j] : tensor<8x128xf32>
  ///
  /// With mode `fill` the read is clamped as well: the select behind it does
  /// not keep it from happening.
  static Value gatherElements(OpBuilder &builder, GatherOp op,
                              const WindowPlaces &places,
                              ArrayRef<int64_t> batchDims, bool hasRows) {
    ArrayRef<int64_t> shape = getValueShape(op.getResult().getType());
    Type element = op.getOperand().getType().getElementType();
    SmallVector<Value> components;
    // Indices of single elements that lie side by side fuse with what makes
    // them.
    bool areInputs = hasRows || places.indexedDims.size() == 1;
    if (areInputs)
      components = places.createComponents(builder, op.getLoc());
    SmallVector<AffineExpr> batchExprs;
    for (int64_t dim : batchDims)
      batchExprs.push_back(builder.getAffineDimExpr(dim));
    SmallVector<AffineMap> maps(
        components.size(),
        AffineMap::get(shape.size(), 0, batchExprs, builder.getContext()));
    return createElementwise(
        builder, op.getLoc(), components, maps, shape, element,
        [&](OpBuilder &nested, Location loc, ValueRange args) -> Value {
          SmallVector<Value> batch;
          for (int64_t dim : batchDims)
            batch.push_back(linalg::IndexOp::create(nested, loc, dim));
          auto getComponent = [&](unsigned i) -> Value { return args[i]; };
          SmallVector<Value> starts =
              areInputs ? places.createStarts(nested, loc, batch, getComponent)
                        : places.createStarts(nested, loc, batch);
          SmallVector<Value> at = places.createClamped(nested, loc, starts);
          Value value = tensor::ExtractOp::create(
              nested, loc, op.getOperand(),
              hasRows ? addOffsets(nested, op, at) : at);
          if (op.getMode() != GatherMode::Fill)
            return value;
          return arith::SelectOp::create(
              nested, loc, places.createIsInside(nested, loc, starts), value,
              createFillElement(nested, loc, element));
        });
  }

  /// Whether rows of the slices are rows of the result, and long enough for
  /// vectors.
  static bool hasLongRows(GatherOp op) {
    constexpr int64_t shortest = 16;
    int64_t last = op.getOperand().getType().getRank() - 1;
    int64_t rank = getValueShape(op.getResult().getType()).size();
    return op.getSliceSizes()[last] >= shortest &&
           llvm::is_contained(op.getOffsetDims(), rank - 1) &&
           !llvm::is_contained(op.getCollapsedSliceDims(), last) &&
           !llvm::is_contained(op.getOperandBatchingDims(), last);
  }

  /// The element of the window that belongs to an element of the result.
  static SmallVector<Value> addOffsets(OpBuilder &builder, GatherOp op,
                                       SmallVector<Value> starts) {
    const auto *offsetDim = op.getOffsetDims().begin();
    for (auto [dim, start] : llvm::enumerate(starts)) {
      if (llvm::is_contained(op.getCollapsedSliceDims(), dim) ||
          llvm::is_contained(op.getOperandBatchingDims(), dim))
        continue;
      Value offset =
          linalg::IndexOp::create(builder, op.getLoc(), *offsetDim++);
      start = getConstantIntValue(start) == 0
                  ? offset
                  : arith::AddIOp::create(builder, op.getLoc(), start, offset);
    }
    return starts;
  }

  ///   %1 = scf.for %i = %c0 to %c4 step %c1 iter_args(%out = %empty) {
  ///     %row = tensor.extract_slice %operand[%at, 0] [1, 128] [1, 1]
  ///     %new = tensor.insert_slice %row into %out[%i, 0] [1, 128] [1, 1]
  ///     scf.yield %new : tensor<4x128xf32>
  ///   }
  static Value gatherSlices(OpBuilder &builder, GatherOp op,
                            const WindowPlaces &places,
                            ArrayRef<int64_t> batchDims) {
    ArrayRef<int64_t> shape = getValueShape(op.getResult().getType());
    Location loc = op.getLoc();
    Value result = createEmpty(builder, loc, shape,
                               op.getOperand().getType().getElementType());
    SmallVector<int64_t> batchShape = getSizes(shape, batchDims);
    auto body = [&](OpBuilder &nested, Location, ValueRange batch,
                    ValueRange carried) {
      SmallVector<Value> starts = places.createStarts(nested, loc, batch);
      Value slice = createSlice(nested, op, places, starts);
      Rectangle target(shape, nested.getContext());
      for (auto [dim, index] : llvm::zip(batchDims, batch))
        target.select(dim, index);
      return SmallVector<Value>{
          createInsert(nested, loc, carried[0], slice, target)};
    };
    return createLoops(builder, loc, batchShape, result, body)[0];
  }

  /// With mode `fill` a slice that is not inside as a whole is filled as a
  /// whole, as XLA does it.
  static Value createSlice(OpBuilder &builder, GatherOp op,
                           const WindowPlaces &places, ArrayRef<Value> starts) {
    Location loc = op.getLoc();
    SmallVector<int64_t> dropped(op.getCollapsedSliceDims());
    llvm::append_range(dropped, op.getOperandBatchingDims());
    Rectangle window = places.createWindow(
        builder, places.createClamped(builder, loc, starts), dropped);
    if (op.getMode() != GatherMode::Fill)
      return createExtract(builder, loc, op.getOperand(), window);
    auto choice = scf::IfOp::create(
        builder, loc, places.createIsInside(builder, loc, starts),
        [&](OpBuilder &nested, Location) {
          scf::YieldOp::create(
              nested, loc, createExtract(nested, loc, op.getOperand(), window));
        },
        [&](OpBuilder &nested, Location) {
          Value fill = createFillElement(
              nested, loc, op.getOperand().getType().getElementType());
          scf::YieldOp::create(
              nested, loc, createFilled(nested, loc, window.getShape(), fill));
        });
    return choice.getResult(0);
  }
};

/// Converts `pallas.take_along`, which reads along one dimension only:
///
///   %1 = pallas.take_along %0 at %i dim 1
///       : tensor<8x128xf32>, tensor<8x128xi32>
///
/// becomes
///
///   %1 = linalg.generic ins(%i : tensor<8x128xi32>)
///       outs(%empty : tensor<8x128xf32>) {
///     %row = linalg.index 0 : index
///     %v = tensor.extract %0[%row, %clamped] : tensor<8x128xf32>
///     linalg.yield %v : f32
///   }
struct ConvertTakeAlong : public OpRewritePattern<TakeAlongOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TakeAlongOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType type = getTensorType(op.getResult());
    RankedTensorType input = op.getInput().getType();
    int64_t dim = op.getDimension();
    // With mode fill all elements of an empty dimension are outside.
    if (input.getDimSize(dim) == 0) {
      Value fill =
          createFillElement(rewriter, op.getLoc(), type.getElementType());
      rewriter.replaceOp(
          op, createFilled(rewriter, op.getLoc(), type.getShape(), fill));
      return success();
    }
    int64_t last = input.getDimSize(dim) - 1;
    Value result = createElementwise(
        rewriter, op.getLoc(), op.getIndices(), type.getShape(),
        type.getElementType(),
        [&](OpBuilder &nested, Location loc, ValueRange args) -> Value {
          SmallVector<Value> at = createIndices(nested, loc, type.getRank());
          Value index = toIndex(nested, loc, args[0]);
          at[dim] = createClamped(nested, loc, index, last);
          Value value =
              tensor::ExtractOp::create(nested, loc, op.getInput(), at);
          if (op.getMode() != GatherMode::Fill)
            return value;
          return arith::SelectOp::create(
              nested, loc, isIndexInside(nested, loc, index, last), value,
              createFillElement(nested, loc, type.getElementType()));
        });
    rewriter.replaceOp(op, result);
    return success();
  }
};
} // namespace

void linalgconv::populateGatherPatterns(RewritePatternSet &patterns) {
  patterns.add<ConvertGather, ConvertTakeAlong>(patterns.getContext());
}
