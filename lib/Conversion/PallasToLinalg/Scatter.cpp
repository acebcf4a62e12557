//===- Scatter.cpp - Scatters to loops ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file lowers `pallas.scatter`.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "Tensors.h"
#include "WindowPlaces.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "pallas/Dialect/Pallas/Utils/Combining.h"
#include "pallas/Dialect/Pallas/Utils/Elements.h"

using namespace mlir;
using namespace mlir::pallas;
using namespace mlir::pallas::linalgconv;

namespace {
/// Converts `pallas.scatter`. Takes the updates in order, one window after the
/// other, so that several updates of one place all count. A window that isn't
/// inside as a whole is dropped, as in XLA. For example, a scatter of rows:
///
///   %1 = scf.for %i = %c0 to %c4 step %c1 iter_args(%out = %operand) {
///     %new = scf.if %inside -> (tensor<8x128xf32>) {
///       %row = tensor.extract_slice %updates[%i, 0] [1, 128] [1, 1]
///       %old = tensor.extract_slice %out[%at, 0] [1, 128] [1, 1]
///       %sum = linalg.generic ... arith.addf ...
///       %2 = tensor.insert_slice %sum into %out[%at, 0] [1, 128] [1, 1]
///       scf.yield %2 : tensor<8x128xf32>
///     } else {
///       scf.yield %out : tensor<8x128xf32>
///     }
///     scf.yield %new : tensor<8x128xf32>
///   }
struct ConvertScatter : public OpRewritePattern<ScatterOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ScatterOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value updates = asTensor(rewriter, loc, op.getUpdates());
    ArrayRef<int64_t> updateShape = getTensorType(updates).getShape();
    SmallVector<int64_t> batchDims, dropped(op.getInsertedWindowDims());
    for (int64_t dim = 0, rank = updateShape.size(); dim < rank; ++dim)
      if (!llvm::is_contained(op.getUpdateWindowDims(), dim))
        batchDims.push_back(dim);
    llvm::append_range(dropped, op.getOperandBatchingDims());
    WindowPlaces places = getPlaces(op, updateShape, dropped);
    // No place would do for a window that is larger than the operand.
    for (auto [size, window] :
         llvm::zip(places.operandShape, places.windowSizes))
      if (window > size) {
        rewriter.replaceOp(op, op.getOperand());
        return success();
      }

    auto body = [&](OpBuilder &outer, Location, ValueRange batch,
                    ValueRange carried) {
      SmallVector<Value> starts = places.createStarts(outer, loc, batch);
      auto choice = scf::IfOp::create(
          outer, loc, places.createIsInside(outer, loc, starts),
          [&](OpBuilder &nested, Location) {
            Rectangle source(updateShape, nested.getContext());
            for (auto [dim, index] : llvm::zip(batchDims, batch))
              source.select(dim, index);
            Value update = createExtract(nested, loc, updates, source);
            Rectangle target = places.createWindow(nested, starts, dropped);
            Value updated =
                createUpdated(nested, op, carried[0], update, target);
            scf::YieldOp::create(nested, loc, updated);
          },
          [&](OpBuilder &nested, Location) {
            scf::YieldOp::create(nested, loc, carried[0]);
          });
      return SmallVector<Value>{choice.getResult(0)};
    };
    SmallVector<int64_t> batchShape = getSizes(updateShape, batchDims);
    rewriter.replaceOp(
        op, createLoops(rewriter, loc, batchShape, op.getOperand(), body));
    return success();
  }

  /// Dropped dimensions have windows of size 1; the others have the sizes of
  /// the updates, in order.
  static WindowPlaces getPlaces(ScatterOp op, ArrayRef<int64_t> updateShape,
                                ArrayRef<int64_t> dropped) {
    ArrayRef<int64_t> shape = op.getOperand().getType().getShape();
    SmallVector<int64_t> windowSizes(shape.size(), 1);
    ArrayRef<int64_t> windowDims = op.getUpdateWindowDims();
    for (int64_t dim = 0, rank = shape.size(); dim < rank; ++dim)
      if (!llvm::is_contained(dropped, dim)) {
        windowSizes[dim] = updateShape[windowDims.front()];
        windowDims = windowDims.drop_front();
      }
    return {op.getScatterIndices(),
            op.getScatterDimsToOperandDims(),
            op.getOperandBatchingDims(),
            op.getScatterIndicesBatchingDims(),
            windowSizes,
            shape};
  }

  /// Without a kind the update replaces what was there.
  static Value createUpdated(OpBuilder &builder, ScatterOp op, Value into,
                             Value update, const Rectangle &target) {
    Location loc = op.getLoc();
    if (std::optional<CombiningKind> kind = op.getKind()) {
      Value old = createExtract(builder, loc, into, target);
      auto type = dyn_cast<RankedTensorType>(old.getType());
      if (!type) {
        update = createCombined(builder, loc, *kind, old, update);
      } else {
        update = createElementwise(
            builder, loc, {old, update}, type.getShape(), type.getElementType(),
            [&](OpBuilder &nested, Location, ValueRange args) {
              return createCombined(nested, loc, *kind, args[0], args[1]);
            });
      }
    }
    return createInsert(builder, loc, into, update, target);
  }
};
} // namespace

void linalgconv::populateScatterPatterns(RewritePatternSet &patterns) {
  patterns.add<ConvertScatter>(patterns.getContext());
}
