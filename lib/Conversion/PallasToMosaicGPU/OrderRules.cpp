//===- OrderRules.cpp - Running combinations and sorts --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementLoops.h"
#include "Rules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "pallas/Dialect/Pallas/IR/Cumulative.h"
#include "pallas/Dialect/Pallas/Utils/Combining.h"
#include "pallas/Dialect/Pallas/Utils/Elements.h"

using namespace mlir;
using namespace mlir::pallas;

static Value createIndexOf(KernelEmitter &emit, int64_t value) {
  return arith::ConstantIndexOp::create(emit.b, emit.loc, value);
}

/// `position` with another index along `dim`.
static SmallVector<Value> withIndex(ValueRange position, int64_t dim,
                                    Value index) {
  SmallVector<Value> moved(position);
  moved[dim] = index;
  return moved;
}

//===----------------------------------------------------------------------===//
// Running combinations
//===----------------------------------------------------------------------===//

/// Each lane walks along rows of its own with a running value.
static LogicalResult convertCumulative(CumulativeOp op, KernelEmitter &emit) {
  FailureOr<Value> input = emit.getValue(op.getInput());
  if (failed(input))
    return failure();
  auto type = cast<RankedTensorType>(op.getInput().getType());
  Type element = type.getElementType(), sumType = getSumType(element);
  auto convert = [&](Value value, Type to) {
    return isa<FloatType>(to) ? convertFloat(emit.b, emit.loc, value, to)
                              : value;
  };
  std::optional<CombiningKind> kind = getCombiningKind(op.getKind());
  int64_t dim = op.getDimension(), length = type.getDimSize(dim);
  ScratchScope scratch(emit);
  ElementArray from =
      spillElements(emit, convert(*input, sumType), type.getShape());
  ElementArray to = allocateElements(emit, type.getShape(), sumType);
  SmallVector<int64_t> rows(type.getShape());
  rows[dim] = 1;
  forEachPosition(emit, rows, [&](ValueRange row) {
    // log(0), the neutral element of logsumexp, is that of max.
    Value start = createNeutral(emit.b, emit.loc,
                                kind.value_or(CombiningKind::Max), sumType);
    forEachStep(emit, length, start, [&](Value step, ValueRange carried) {
      Value place = step;
      if (op.getReverse())
        place = arith::SubIOp::create(emit.b, emit.loc,
                                      createIndexOf(emit, length - 1), step);
      SmallVector<Value> at = withIndex(row, dim, place);
      Value next = loadElement(emit, from, at);
      next = kind ? createCombined(emit.b, emit.loc, *kind, carried[0], next)
                  : createLogAddExp(emit.b, emit.loc, carried[0], next);
      storeElement(emit, to, at, next);
      return SmallVector<Value>{next};
    });
  });
  emit.values[op.getResult()] = convert(loadVector(emit, to), element);
  return success();
}

//===----------------------------------------------------------------------===//
// Sorts
//===----------------------------------------------------------------------===//

/// Whether the element at `first` precedes that at `second`; equal elements are
/// ordered by `isEarlier`.
static Value createComesBefore(KernelEmitter &emit, SortOp op,
                               ArrayRef<ElementArray> keys, ValueRange first,
                               ValueRange second, Value isEarlier) {
  OpBuilder &b = emit.b;
  Value before = isEarlier;
  for (const ElementArray &key : llvm::reverse(keys)) {
    Value lhs = loadElement(emit, key, first);
    Value rhs = loadElement(emit, key, second);
    Value ties = createEquivalent(b, emit.loc, lhs, rhs);
    if (op.getDescending())
      std::swap(lhs, rhs);
    Value less = createLess(b, emit.loc, lhs, rhs, op.getUnsignedKeys());
    before = arith::OrIOp::create(
        b, emit.loc, less, arith::AndIOp::create(b, emit.loc, ties, before));
  }
  return before;
}

/// Each element counts the elements of its row that precede it, which is its
/// place:
///   %n = number of %j with key[%j] < key[%i], or equal ones with %j < %i
///   to[%n] = from[%i]
static LogicalResult convertSort(SortOp op, KernelEmitter &emit) {
  ScratchScope scratch(emit);
  SmallVector<ElementArray> from, to;
  for (Value input : op.getInputs()) {
    FailureOr<ElementArray> array = spillElements(emit, input);
    if (failed(array))
      return failure();
    from.push_back(*array);
  }
  for (const ElementArray &array : from)
    to.push_back(allocateElements(emit, array.shape, array.element));
  auto keys = ArrayRef(from).take_front(op.getNumKeys());
  OpBuilder &b = emit.b;
  int64_t dim = op.getDimension();
  forEachPosition(emit, from[0].shape, [&](ValueRange at) {
    Value one = createIndexOf(emit, 1);
    auto count = [&](Value step, ValueRange carried) {
      Value isEarlier = arith::CmpIOp::create(
          b, emit.loc, arith::CmpIPredicate::ult, step, at[dim]);
      Value before = createComesBefore(emit, op, keys, withIndex(at, dim, step),
                                       at, isEarlier);
      Value next = arith::AddIOp::create(b, emit.loc, carried[0], one);
      return SmallVector<Value>{
          arith::SelectOp::create(b, emit.loc, before, next, carried[0])};
    };
    Value place =
        forEachStep(emit, from[0].shape[dim], createIndexOf(emit, 0), count)[0];
    for (auto [source, target] : llvm::zip_equal(from, to))
      storeElement(emit, target, withIndex(at, dim, place),
                   loadElement(emit, source, at));
  });
  for (auto [result, array] : llvm::zip_equal(op.getResults(), to))
    emit.values[result] = loadVector(emit, array);
  return success();
}

void mlir::pallas::addOrderRules(RuleTable &rules) {
  rules.add<CumulativeOp>(convertCumulative);
  rules.add<SortOp>(convertSort);
}
