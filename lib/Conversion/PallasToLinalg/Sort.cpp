//===- Sort.cpp - Sorts to loops ------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file lowers `pallas.sort`. Each row is sorted on its own: a bottom-up
// merge sort of the positions of its elements, then the elements of all
// operands are moved to their places. The merge is stable and takes n log n
// steps without a branch.
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
/// Emits the loops for one sort, of operands as tensors of rank three.
class RowSorter {
public:
  RowSorter(SortOp op, ArrayRef<Value> inputs, ArrayRef<int64_t> shape)
      : loc(op.getLoc()), keys(inputs.take_front(op.getNumKeys())),
        length(shape[1]), isUnsigned(op.getUnsignedKeys()),
        isDescending(op.getDescending()) {}

  /// The positions of a row's elements in sorted order.
  Value createOrder(OpBuilder &builder, ValueRange row) const;
  /// The element of `input` at `position` of the row.
  Value createElement(OpBuilder &builder, Value input, ValueRange row,
                      Value position) const;

private:
  Value createComesBefore(OpBuilder &builder, ValueRange row, Value first,
                          Value second) const;
  Value createMergedPass(OpBuilder &builder, ValueRange row, Value width,
                         Value from, Value to) const;
  SmallVector<Value> createMergeStep(OpBuilder &builder, ValueRange row,
                                     Value from, Value at, Value middle,
                                     Value end, ValueRange carried) const;
  Value minimum(OpBuilder &builder, Value lhs, Value rhs) const {
    return arith::MinSIOp::create(builder, loc, lhs, rhs);
  }
  Value add(OpBuilder &builder, Value lhs, Value rhs) const {
    return arith::AddIOp::create(builder, loc, lhs, rhs);
  }

  Location loc;
  ArrayRef<Value> keys;
  int64_t length;
  bool isUnsigned, isDescending;
};
} // namespace

Value RowSorter::createElement(OpBuilder &builder, Value input, ValueRange row,
                               Value position) const {
  return tensor::ExtractOp::create(builder, loc, input,
                                   ValueRange{row[0], position, row[1]});
}

/// Whether the element at position `first` must precede that at `second`,
/// compared by the keys in order. A later key decides only if the earlier ones
/// are equivalent:
///
///   %before = arith.ori %less, %equal_and_before_by_next_key : i1
Value RowSorter::createComesBefore(OpBuilder &builder, ValueRange row,
                                   Value first, Value second) const {
  Value before;
  for (Value key : llvm::reverse(keys)) {
    Value lhs = createElement(builder, key, row, first);
    Value rhs = createElement(builder, key, row, second);
    Value less = isDescending ? createLess(builder, loc, rhs, lhs, isUnsigned)
                              : createLess(builder, loc, lhs, rhs, isUnsigned);
    if (before) {
      Value equal = createEquivalent(builder, loc, lhs, rhs);
      less = arith::OrIOp::create(
          builder, loc, less,
          arith::AndIOp::create(builder, loc, equal, before));
    }
    before = less;
  }
  return before;
}

/// Puts the next position of two sorted runs at `at`. Carries the positions in
/// both runs, and the target. The element of the right run is taken if it is
/// less, or if the left run is used up; on a tie the left one goes first, which
/// makes the sort stable.
SmallVector<Value> RowSorter::createMergeStep(OpBuilder &builder,
                                              ValueRange row, Value from,
                                              Value at, Value middle, Value end,
                                              ValueRange carried) const {
  Value left = carried[0], right = carried[1];
  Value last = createIndex(builder, loc, length - 1);
  auto readPosition = [&](Value index) -> Value {
    // A run that is used up may point past the end of the row.
    Value position = tensor::ExtractOp::create(builder, loc, from,
                                               minimum(builder, index, last));
    return position;
  };
  Value leftPosition = readPosition(left), rightPosition = readPosition(right);
  Value rightWins =
      createComesBefore(builder, row, toIndex(builder, loc, rightPosition),
                        toIndex(builder, loc, leftPosition));
  Value leftIsOver = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::sge, left, middle);
  Value rightIsLeft = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::slt, right, end);
  Value takesRight = arith::AndIOp::create(
      builder, loc, rightIsLeft,
      arith::OrIOp::create(builder, loc, leftIsOver, rightWins));
  Value position = arith::SelectOp::create(builder, loc, takesRight,
                                           rightPosition, leftPosition);
  Value target =
      tensor::InsertOp::create(builder, loc, position, carried[2], at);
  Value rightStep = arith::IndexCastUIOp::create(
      builder, loc, builder.getIndexType(), takesRight);
  Value leftStep = arith::SubIOp::create(
      builder, loc, createIndex(builder, loc, 1), rightStep);
  return {add(builder, left, leftStep), add(builder, right, rightStep), target};
}

/// Merges neighbouring runs of `width` positions of `from` into `to`.
///
///   %r = scf.for %start = %c0 to %n step %two_widths iter_args(%t = %to) {
///     %m:3 = scf.for %at = %start to %end step %c1
///         iter_args(%left = %start, %right = %middle, %target = %t) {...}
///     scf.yield %m#2 : tensor<100xi32>
///   }
Value RowSorter::createMergedPass(OpBuilder &builder, ValueRange row,
                                  Value width, Value from, Value to) const {
  Value zero = createIndex(builder, loc, 0), one = createIndex(builder, loc, 1),
        size = createIndex(builder, loc, length);
  Value step = add(builder, width, width);
  auto runs = scf::ForOp::create(
      builder, loc, zero, size, step, to,
      [&](OpBuilder &outer, Location, Value start, ValueRange targets) {
        Value middle = minimum(outer, add(outer, start, width), size);
        Value end = minimum(outer, add(outer, start, step), size);
        auto merge = scf::ForOp::create(
            outer, loc, start, end, one, ValueRange{start, middle, targets[0]},
            [&](OpBuilder &inner, Location, Value at, ValueRange carried) {
              scf::YieldOp::create(
                  inner, loc,
                  createMergeStep(inner, row, from, at, middle, end, carried));
            });
        scf::YieldOp::create(outer, loc, merge.getResult(2));
      });
  return runs.getResult(0);
}

/// Starts from 0, 1, 2, ... and merges runs of 1, 2, 4, ... positions.
Value RowSorter::createOrder(OpBuilder &builder, ValueRange row) const {
  Type positionType = builder.getI32Type();
  Value order = createElementwise(
      builder, loc, {}, length, positionType,
      [&](OpBuilder &nested, Location, ValueRange) -> Value {
        return arith::IndexCastOp::create(
            nested, loc, positionType, linalg::IndexOp::create(nested, loc, 0));
      });
  if (length < 2)
    return order;
  Value merged = createEmpty(builder, loc, length, positionType);
  int64_t numPasses = llvm::Log2_64_Ceil(length);
  SmallVector<Value> results = createLoops(
      builder, loc, numPasses, {order, merged},
      [&](OpBuilder &nested, Location, ValueRange ivs, ValueRange carried) {
        Value width = arith::ShLIOp::create(
            nested, loc, createIndex(nested, loc, 1), ivs[0]);
        Value to = createMergedPass(nested, row, width, carried[0], carried[1]);
        // Copying back lets both buffers stay what they are, where swapping
        // them would allocate in each pass.
        Value from =
            linalg::CopyOp::create(nested, loc, to, carried[0]).getResult(0);
        return SmallVector<Value>{from, to};
      });
  return results[0];
}

namespace {
/// Converts `pallas.sort`. Operands have rank three, as for cumulative
/// operations; the middle dimension is sorted.
struct ConvertSort : public OpRewritePattern<SortOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SortOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType type = getTensorType(op.getInputs()[0]);
    SmallVector<int64_t> shape =
        getShapeAround(type.getShape(), op.getDimension());
    SmallVector<Value> inputs, outputs;
    for (Value input : op.getInputs()) {
      inputs.push_back(reshape(rewriter, loc, input, shape));
      outputs.push_back(createEmpty(rewriter, loc, shape,
                                    getTensorType(input).getElementType()));
    }
    RowSorter sorter(op, inputs, shape);
    outputs = createLoops(
        rewriter, loc, {shape[0], shape[2]}, outputs,
        [&](OpBuilder &outer, Location, ValueRange row, ValueRange carried) {
          Value order = sorter.createOrder(outer, row);
          return createLoops(
              outer, loc, shape[1], carried,
              [&](OpBuilder &inner, Location, ValueRange at,
                  ValueRange targets) {
                Value position =
                    toIndex(inner, loc,
                            tensor::ExtractOp::create(inner, loc, order, at));
                SmallVector<Value> moved;
                for (auto [input, target] : llvm::zip(inputs, targets))
                  moved.push_back(tensor::InsertOp::create(
                      inner, loc,
                      sorter.createElement(inner, input, row, position), target,
                      ValueRange{row[0], at[0], row[1]}));
                return moved;
              });
        });
    for (Value &output : outputs)
      output = reshape(rewriter, loc, output, type.getShape());
    rewriter.replaceOp(op, outputs);
    return success();
  }
};
} // namespace

void linalgconv::populateSortPatterns(RewritePatternSet &patterns) {
  patterns.add<ConvertSort>(patterns.getContext());
}
