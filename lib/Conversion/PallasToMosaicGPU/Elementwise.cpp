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
