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

static LogicalResult convertReduce(ReduceOp op, KernelEmitter &emit) {
  FailureOr<Value> input = emit.getValue(op.getInput());
  auto type = cast<RankedTensorType>(op.getInput().getType());
  Type element = type.getElementType();
  FailureOr<vector::CombiningKind> kind = getKind(op, element);
  if (failed(input) || failed(kind))
    return failure();
  OpBuilder &b = emit.b;
  Value value = *input;
  if (!isa<RankedTensorType>(op.getResult().getType())) {
    auto flat = VectorType::get(type.getNumElements(), element);
    if (type.getRank() != 1)
      value = vector::ShapeCastOp::create(b, emit.loc, flat, value);
    auto reduction = vector::ReductionOp::create(b, emit.loc, *kind, value);
    setScratch(emit, reduction);
    emit.values[op] = reduction;
    return success();
  }
  // One dimension at a time, from the last, so that the others keep their
  // numbers.
  SmallVector<int64_t> dims(op.getDimensions());
  llvm::sort(dims, std::greater<>());
  for (int64_t dim : dims) {
    SmallVector<int64_t> shape(cast<VectorType>(value.getType()).getShape());
    shape.erase(shape.begin() + dim);
    auto narrowed = VectorType::get(shape, element);
    Value neutral = arith::ConstantOp::create(
        b, emit.loc,
        DenseElementsAttr::get(narrowed,
                               Attribute(getNeutralElement(*kind, element))));
    auto reduction = vector::MultiDimReductionOp::create(
        b, emit.loc, *kind, value, neutral, ArrayRef<int64_t>(dim));
    setScratch(emit, reduction);
    value = reduction;
  }
  emit.values[op] = value;
  return success();
}

void mlir::pallas::addReductionRules(RuleTable &rules) {
  rules.add<ReduceOp>(convertReduce);
}
