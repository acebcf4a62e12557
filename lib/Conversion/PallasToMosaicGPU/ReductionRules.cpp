//===- ReductionRules.cpp - Reductions of vectors -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "pallas/Dialect/Pallas/Utils/Combining.h"

using namespace mlir;
using namespace mlir::pallas;

static FailureOr<vector::CombiningKind> getKind(ReduceOp op, Type element) {
  switch (op.getKind()) {
  case CombiningKind::Add:
  case CombiningKind::Max:
  case CombiningKind::Min:
  case CombiningKind::UMax:
  case CombiningKind::UMin:
    return getVectorKind(op.getKind(), element);
  default:
    return op.emitOpError("combines by ")
           << stringifyCombiningKind(op.getKind())
           << "; on GPUs reductions add, or take the min or max";
  }
}

/// Where warps exchange what each has reduced. The memory is free again when
/// the reduction is done.
static void setScratch(KernelEmitter &emit, Operation *op) {
  int64_t bytes = emit.params ? emit.params.getReductionScratchBytes() : 2048;
  int64_t mark = emit.getUsedBytes();
  op->setAttr("offset", emit.b.getI32IntegerAttr(emit.allocate(bytes)));
  op->setAttr("scratch_size", emit.b.getI32IntegerAttr(bytes));
  emit.releaseTo(mark);
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

static LogicalResult convertReduce(ReduceOp op, KernelEmitter &emit) {
  FailureOr<Value> input = emit.getValue(op.getInput());
  auto type = cast<RankedTensorType>(op.getInput().getType());
  Type element = type.getElementType();
  FailureOr<vector::CombiningKind> kind = getKind(op, element);
  if (failed(input) || failed(kind))
    return failure();
  OpBuilder &b = emit.b;
  Value value = *input;
  // Nothing is reduced along dimensions of size 1.
  if (value.getType() == KernelEmitter::convertType(op.getType())) {
    emit.values[op] = value;
    return success();
  }
  if (!isa<VectorType>(KernelEmitter::convertType(op.getType()))) {
    // Lanes hold the same number of elements of a flat vector, or the vector
    // keeps its shape for a layout.
    auto flat = VectorType::get(type.getNumElements(), element);
    if (cast<VectorType>(value.getType()).getRank() != 1 &&
        type.getNumElements() % 128 == 0)
      value = vector::ShapeCastOp::create(b, emit.loc, flat, value);
    while (cast<VectorType>(value.getType()).getRank() > 1)
      value = reduceDim(emit, value, *kind, 0);
    auto reduction = vector::ReductionOp::create(b, emit.loc, *kind, value);
    setScratch(emit, reduction);
    emit.values[op] = reduction;
    return success();
  }
  // One dimension at a time, from the last, so that the others keep their
  // numbers.
  SmallVector<int64_t> dims;
  for (int64_t dim : op.getDimensions())
    if (auto kept = KernelEmitter::convertDim(type.getShape(), dim))
      dims.push_back(*kept);
  llvm::sort(dims, std::greater<>());
  for (int64_t dim : dims)
    value = reduceDim(emit, value, *kind, dim);
  emit.values[op] = value;
  return success();
}

void mlir::pallas::addReductionRules(RuleTable &rules) {
  rules.add<ReduceOp>(convertReduce);
}
