//===- ReductionRules.cpp - Reductions of vectors -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementLoops.h"
#include "Rules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "pallas/Dialect/Pallas/Utils/Combining.h"
#include "pallas/Dialect/Pallas/Utils/Elements.h"

using namespace mlir;
using namespace mlir::pallas;

/// Whether lanes combine what they hold by instructions of their own.
static bool hasReduction(ReduceOp op) {
  if (op.getInput().getType().getElementType().isInteger(1))
    return false;
  return llvm::is_contained({CombiningKind::Add, CombiningKind::Max,
                             CombiningKind::Min, CombiningKind::UMax,
                             CombiningKind::UMin},
                            op.getKind());
}

/// Where warps exchange what each has reduced. The memory is free again when
/// the reduction is done.
static void setScratch(KernelEmitter &emit, Operation *op) {
  int64_t bytes = emit.params ? emit.params.getReductionScratchBytes() : 2048;
  int64_t offset = allocateReduction(emit, op, bytes);
  op->setAttr("offset", emit.b.getI32IntegerAttr(offset));
  op->setAttr("scratch_size", emit.b.getI32IntegerAttr(bytes));
}

static Value reduceDim(KernelEmitter &emit, Value value,
                       vector::CombiningKind kind, int64_t dim) {
  OpBuilder &b = emit.b;
  auto type = cast<VectorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + dim);
  auto narrowed = VectorType::get(shape, type.getElementType());
  Value neutral = arith::ConstantOp::create(
      b, emit.loc,
      DenseElementsAttr::get(
          narrowed, Attribute(getNeutralElement(kind, type.getElementType()))));
  auto reduction = vector::MultiDimReductionOp::create(
      b, emit.loc, kind, value, neutral, ArrayRef<int64_t>(dim));
  setScratch(emit, reduction);
  return reduction;
}

/// One lane combines all elements of one element of the result.
static void reduceByLanes(ReduceOp op, KernelEmitter &emit, Value input) {
  auto type = cast<RankedTensorType>(op.getInput().getType());
  Type element = type.getElementType(), sumType = getSumType(element);
  auto convert = [&](Value value, Type to) {
    return isa<FloatType>(to) ? convertFloat(emit.b, emit.loc, value, to)
                              : value;
  };
  SmallVector<int64_t> kept(type.getShape());
  for (int64_t dim : op.getDimensions())
    kept[dim] = 1;
  ScratchScope scratch(emit);
  ElementArray from =
      spillElements(emit, convert(input, sumType), type.getShape());
  ElementArray to = allocateElements(emit, kept, sumType);
  forEachPosition(emit, kept, [&](ValueRange position) {
    SmallVector<Value> at(position);
    std::function<Value(ArrayRef<int64_t>, Value)> combine =
        [&](ArrayRef<int64_t> dims, Value running) -> Value {
      if (dims.empty())
        return createCombined(emit.b, emit.loc, op.getKind(), running,
                              loadElement(emit, from, at));
      return forEachStep(emit, type.getDimSize(dims.front()), running,
                         [&](Value step, ValueRange carried) {
                           at[dims.front()] = step;
                           return SmallVector<Value>{
                               combine(dims.drop_front(), carried[0])};
                         })[0];
    };
    Value neutral = createNeutral(emit.b, emit.loc, op.getKind(), sumType);
    storeElement(emit, to, position, combine(op.getDimensions(), neutral));
  });
  emit.values[op] = convert(loadVector(emit, to), element);
}

/// The dimensions of the vector that are reduced.
static SmallVector<int64_t> getReducedDims(ReduceOp op) {
  SmallVector<int64_t> dims;
  for (int64_t dim : op.getDimensions())
    if (auto kept =
            KernelEmitter::convertDim(op.getInput().getType().getShape(), dim))
      dims.push_back(*kept);
  return dims;
}

/// Whether warpgroups would exchange what their warps have reduced in the same
/// memory, whose offset is an attribute. The rows of an accumulator of wgmma
/// are reduced within a warp.
static bool sharesScratch(ReduceOp op, KernelEmitter &emit) {
  if (LaunchGrid(emit.mesh).warpgroups == 1)
    return false;
  auto type =
      dyn_cast<VectorType>(KernelEmitter::convertType(op.getInput().getType()));
  SmallVector<int64_t> dims = getReducedDims(op);
  if (!type || dims.empty())
    return false;
  return type.getRank() != 2 || dims != ArrayRef<int64_t>{1} ||
         type.getDimSize(0) % 64 != 0 || type.getDimSize(1) % 8 != 0;
}

/// Reduces a vector to the result of `op`, or to a scalar. The first dimensions
/// lie in registers of lanes, so these go first where all are reduced.
static Value reduceVector(ReduceOp op, KernelEmitter &emit, Value value,
                          vector::CombiningKind kind) {
  if (!isa<VectorType>(KernelEmitter::convertType(op.getType()))) {
    while (cast<VectorType>(value.getType()).getRank() > 1)
      value = reduceDim(emit, value, kind, 0);
    auto reduction = vector::ReductionOp::create(emit.b, emit.loc, kind, value);
    setScratch(emit, reduction);
    return reduction;
  }
  // One dimension at a time, from the last, so that the others keep their
  // numbers.
  SmallVector<int64_t> dims = getReducedDims(op);
  llvm::sort(dims, std::greater<>());
  for (int64_t dim : dims)
    value = reduceDim(emit, value, kind, dim);
  return value;
}

/// A reduction of no elements yields what changes no other element.
static LogicalResult convertReduce(ReduceOp op, KernelEmitter &emit) {
  Type result = KernelEmitter::convertType(op.getType());
  if (isEmptyArray(op.getInput().getType())) {
    Value neutral = createNeutral(emit.b, emit.loc, op.getKind(),
                                  getElementTypeOrSelf(result));
    emit.values[op] = broadcastScalar(emit, neutral, result);
    return success();
  }
  FailureOr<Value> input = emit.getValue(op.getInput());
  if (failed(input))
    return failure();
  if (!hasReduction(op) || sharesScratch(op, emit)) {
    reduceByLanes(op, emit, *input);
    return success();
  }
  // Nothing is reduced along dimensions of size 1.
  if ((*input).getType() == result) {
    emit.values[op] = *input;
    return success();
  }
  Type element = getElementTypeOrSelf(result);
  vector::CombiningKind kind = getVectorKind(op.getKind(), element);
  auto type = cast<VectorType>((*input).getType());
  if (!element.isInteger(8)) {
    emit.values[op] = reduceVector(op, emit, *input, kind);
    return success();
  }
  // Lanes don't combine bytes.
  Type wide = type.clone(emit.b.getI32Type());
  bool isUnsigned = kind == vector::CombiningKind::MAXUI ||
                    kind == vector::CombiningKind::MINUI;
  Value extended =
      isUnsigned
          ? arith::ExtUIOp::create(emit.b, emit.loc, wide, *input).getResult()
          : arith::ExtSIOp::create(emit.b, emit.loc, wide, *input).getResult();
  emit.values[op] = arith::TruncIOp::create(
      emit.b, emit.loc, result, reduceVector(op, emit, extended, kind));
  return success();
}

void mlir::pallas::addReductionRules(RuleTable &rules) {
  rules.add<ReduceOp>(convertReduce);
}
