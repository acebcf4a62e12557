//===- Sort.cpp - Sorts to loops ------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file lowers `pallas.sort`. Each row is sorted on its own: a bottom-up
// merge sort of the positions of its elements, then the elements of all
// operands are moved to their places. The merge is stable and takes n log n
// steps without a branch. Where only the first few elements are used, as by
// `top_k`, a list of their positions takes in what precedes its last one.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "Tensors.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
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
  /// The first `count` of them.
  Value createFirst(OpBuilder &builder, ValueRange row, int64_t count) const;
  /// The element of `input` at `position` of the row.
  Value createElement(OpBuilder &builder, Value input, ValueRange row,
                      Value position) const;

private:
  Value createComesBefore(OpBuilder &builder, ValueRange row, Value first,
                          Value second) const;
  Value createMergedPass(OpBuilder &builder, ValueRange row, Value width,
                         Value from, Value to) const;
  Value createInsertion(OpBuilder &builder, ValueRange row, Value order,
                        Value position) const;
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

/// Puts a position in front of the first one in `order` that it precedes; those
/// from there on move up, and the last one leaves. While the list is not full,
/// places from `position` on are free.
Value RowSorter::createInsertion(OpBuilder &builder, ValueRange row,
                                 Value order, Value position) const {
  int64_t count = getTensorType(order).getDimSize(0);
  Value number =
      arith::IndexCastOp::create(builder, loc, builder.getI32Type(), position);
  SmallVector<Value> results = createLoops(
      builder, loc, count, {order, number},
      [&](OpBuilder &inner, Location, ValueRange at, ValueRange carried) {
        Value here = tensor::ExtractOp::create(inner, loc, carried[0], at);
        Value isFree = arith::CmpIOp::create(
            inner, loc, arith::CmpIPredicate::sge, at[0], position);
        Value moves = arith::OrIOp::create(
            inner, loc, isFree,
            createComesBefore(inner, row, position, toIndex(inner, loc, here)));
        Value next =
            arith::SelectOp::create(inner, loc, moves, carried[1], here);
        Value rest =
            arith::SelectOp::create(inner, loc, moves, here, carried[1]);
        return SmallVector<Value>{
            tensor::InsertOp::create(inner, loc, next, carried[0], at), rest};
      });
  return results[0];
}

/// Most elements of a row only take a comparison with the last one of the list:
///
///   %r = scf.for %i = %c0 to %n step %c1 iter_args(%order = %zeros) {
///     %enters = arith.ori %is_not_full, %precedes_last : i1
///     %next = scf.if %enters -> tensor<4xi32> { ... } else { %order }
///     scf.yield %next : tensor<4xi32>
///   }
Value RowSorter::createFirst(OpBuilder &builder, ValueRange row,
                             int64_t count) const {
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(0));
  Value order = createFilled(builder, loc, count, zero);
  SmallVector<Value> results = createLoops(
      builder, loc, length, order,
      [&](OpBuilder &outer, Location, ValueRange ivs, ValueRange carried) {
        Value last = tensor::ExtractOp::create(
            outer, loc, carried[0], createIndex(outer, loc, count - 1));
        Value isNotFull =
            arith::CmpIOp::create(outer, loc, arith::CmpIPredicate::slt, ivs[0],
                                  createIndex(outer, loc, count));
        Value enters = arith::OrIOp::create(
            outer, loc, isNotFull,
            createComesBefore(outer, row, ivs[0], toIndex(outer, loc, last)));
        auto branches = scf::IfOp::create(
            outer, loc, enters,
            [&](OpBuilder &inner, Location) {
              scf::YieldOp::create(
                  inner, loc, createInsertion(inner, row, carried[0], ivs[0]));
            },
            [&](OpBuilder &inner, Location) {
              scf::YieldOp::create(inner, loc, carried[0]);
            });
        return SmallVector<Value>{branches.getResult(0)};
      });
  return results[0];
}

/// How many elements from the front of each row users take: all of them, unless
/// each user is a slice.
static int64_t countUsed(SortOp op) {
  int64_t dim = op.getDimension(), count = 1;
  for (Operation *user : op->getUsers()) {
    auto slice = dyn_cast<tensor::ExtractSliceOp>(user);
    if (!slice || !isZeroInteger(slice.getMixedOffsets()[dim]) ||
        !isOneInteger(slice.getMixedStrides()[dim]) ||
        ShapedType::isDynamic(slice.getStaticSizes()[dim]))
      return getTensorType(op.getInputs()[0]).getDimSize(dim);
    count = std::max(count, slice.getStaticSizes()[dim]);
  }
  return count;
}

namespace {
/// Converts `pallas.sort`. Operands have rank three, as for cumulative
/// operations; the middle dimension is sorted.
struct ConvertSort : public OpRewritePattern<SortOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SortOp op,
                                PatternRewriter &rewriter) const override {
    if (op.use_empty()) {
      rewriter.eraseOp(op);
      return success();
    }
    Location loc = op.getLoc();
    RankedTensorType type = getTensorType(op.getInputs()[0]);
    SmallVector<int64_t> shape =
        getShapeAround(type.getShape(), op.getDimension());
    // An element that enters a list passes all of it. Where each one enters,
    // longer lists take more than twice the time of a sort.
    int64_t count = countUsed(op);
    bool isShort =
        count < shape[1] && count <= 8 * int64_t(llvm::Log2_64_Ceil(shape[1]));
    if (!isShort)
      count = shape[1];
    SmallVector<Value> inputs, moved, outputs;
    for (auto [input, result] : llvm::zip(op.getInputs(), op.getResults())) {
      inputs.push_back(reshape(rewriter, loc, input, shape));
      if (result.use_empty())
        continue;
      moved.push_back(inputs.back());
      outputs.push_back(createEmpty(rewriter, loc, {shape[0], count, shape[2]},
                                    getTensorType(input).getElementType()));
    }
    RowSorter sorter(op, inputs, shape);
    outputs = createLoops(
        rewriter, loc, {shape[0], shape[2]}, outputs,
        [&](OpBuilder &outer, Location, ValueRange row, ValueRange carried) {
          Value order = isShort ? sorter.createFirst(outer, row, count)
                                : sorter.createOrder(outer, row);
          return moveElements(outer, sorter, row, order, count, moved, carried);
        });
    replaceUsed(rewriter, op, outputs, count);
    return success();
  }

private:
  /// Puts the elements of a row to the places that they have in `order`.
  static SmallVector<Value> moveElements(OpBuilder &builder,
                                         const RowSorter &sorter,
                                         ValueRange row, Value order,
                                         int64_t count, ArrayRef<Value> inputs,
                                         ValueRange outputs) {
    return createLoops(
        builder, order.getLoc(), count, outputs,
        [&](OpBuilder &inner, Location loc, ValueRange at, ValueRange targets) {
          Value position = toIndex(
              inner, loc, tensor::ExtractOp::create(inner, loc, order, at));
          SmallVector<Value> results;
          for (auto [input, target] : llvm::zip(inputs, targets))
            results.push_back(tensor::InsertOp::create(
                inner, loc, sorter.createElement(inner, input, row, position),
                target, ValueRange{row[0], at[0], row[1]}));
          return results;
        });
  }

  /// Replaces the results that are used, or their slices by those of shorter
  /// values.
  static void replaceUsed(PatternRewriter &rewriter, SortOp op,
                          ArrayRef<Value> outputs, int64_t count) {
    const Value *next = outputs.begin();
    for (OpResult result : op.getResults()) {
      if (result.use_empty())
        continue;
      RankedTensorType type = getTensorType(result);
      SmallVector<int64_t> shape(type.getShape());
      bool isWhole = std::exchange(shape[op.getDimension()], count) == count;
      Value output = reshape(rewriter, op.getLoc(), *next++, shape);
      if (isWhole)
        rewriter.replaceAllUsesWith(result, output);
      else
        for (Operation *user : llvm::make_early_inc_range(result.getUsers())) {
          auto slice = cast<tensor::ExtractSliceOp>(user);
          rewriter.modifyOpInPlace(
              slice, [&] { slice.getSourceMutable().assign(output); });
        }
    }
    rewriter.eraseOp(op);
  }
};
} // namespace

void linalgconv::populateSortPatterns(RewritePatternSet &patterns) {
  patterns.add<ConvertSort>(patterns.getContext());
}
