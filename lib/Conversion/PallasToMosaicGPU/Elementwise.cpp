//===- Elementwise.cpp - Arithmetic on vectors ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::pallas;

/// A splat has no layout, so each user gets it in the one that it needs:
///   %c = arith.constant dense<1.0> : tensor<64x128xf32>
/// -->
///   %c = arith.constant dense<1.0> : vector<64x128xf32>
static LogicalResult convertConstant(arith::ConstantOp op,
                                     KernelEmitter &emit) {
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!elements) {
    emit.values[op] = emit.b.clone(*op)->getResult(0);
    return success();
  }
  if (!elements.isSplat())
    return op.emitOpError(
        "has elements that differ; on GPUs the elements of a "
        "constant are equal, others come from memory or iota");
  auto element = elements.getSplatValue<TypedAttr>();
  auto type = dyn_cast<VectorType>(KernelEmitter::convertType(op.getType()));
  TypedAttr value =
      type ? DenseElementsAttr::get(type, Attribute(element)) : element;
  emit.values[op] = arith::ConstantOp::create(emit.b, emit.loc, value);
  return success();
}

/// Whether hardware has a faster, less exact form.
static bool hasApproximation(Operation *op) {
  return isa<math::ExpOp, math::Exp2Op, math::LogOp, math::Log2Op, math::SinOp,
             math::CosOp, math::TanhOp, math::RsqrtOp>(op);
}

LogicalResult mlir::pallas::convertElementwise(Operation *op,
                                               KernelEmitter &emit) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return convertConstant(constant, emit);
  IRMapping mapping;
  for (Value operand : op->getOperands()) {
    FailureOr<Value> value = emit.getValue(operand);
    if (failed(value))
      return failure();
    mapping.map(operand, *value);
  }
  Operation *copy = emit.b.clone(*op, mapping);
  for (auto [from, to] :
       llvm::zip_equal(op->getResults(), copy->getResults())) {
    to.setType(KernelEmitter::convertType(from.getType()));
    emit.values[from] = to;
  }
  if (emit.params && emit.params.getApproxMath() && hasApproximation(op))
    copy->setAttr("fastmath", arith::FastMathFlagsAttr::get(
                                  op->getContext(), arith::FastMathFlags::afn));
  return success();
}

//===----------------------------------------------------------------------===//
// Elementwise operations of pallas
//===----------------------------------------------------------------------===//

///   %i = pallas.bitcast %x : tensor<64x128xf32> -> tensor<64x128xi32>
/// -->
///   %i = arith.bitcast %x : vector<64x128xf32> to vector<64x128xi32>
static LogicalResult convertBitcast(BitcastOp op, KernelEmitter &emit) {
  FailureOr<Value> value = emit.getValue(op.getInput());
  if (failed(value))
    return failure();
  Type from = getElementTypeOrSelf(op.getInput().getType()),
       to = getElementTypeOrSelf(op.getType());
  if (from.getIntOrFloatBitWidth() != to.getIntOrFloatBitWidth())
    return op.emitOpError("reads elements of type ")
           << from << " as " << to
           << "; on GPUs both have the same width, since lanes keep their "
              "elements";
  Type type = KernelEmitter::convertType(op.getType());
  emit.values[op] =
      type == (*value).getType()
          ? *value
          : arith::BitcastOp::create(emit.b, emit.loc, type, *value);
  return success();
}

///   %y = pallas.reciprocal %x approx
/// -->
///   %y = arith.divf %one, %x fastmath<arcp>
static LogicalResult convertReciprocal(ReciprocalOp op, KernelEmitter &emit) {
  FailureOr<Value> value = emit.getValue(op.getInput());
  if (failed(value))
    return failure();
  Type type = (*value).getType();
  auto one = FloatAttr::get(getElementTypeOrSelf(type), 1.0);
  TypedAttr ones = one;
  if (auto vector = dyn_cast<VectorType>(type))
    ones = DenseElementsAttr::get(vector, Attribute(one));
  auto flags =
      op.getApprox() ? arith::FastMathFlags::arcp : arith::FastMathFlags::none;
  emit.values[op] = arith::DivFOp::create(
      emit.b, emit.loc, arith::ConstantOp::create(emit.b, emit.loc, ones),
      *value, flags);
  return success();
}

void mlir::pallas::addElementwiseRules(RuleTable &rules) {
  rules.add<BitcastOp>(convertBitcast);
  rules.add<ReciprocalOp>(convertReciprocal);
}
