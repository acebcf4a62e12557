//===- Raising.cpp - From target dialects to pallas -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has what the conversions from both Mosaic dialects to `pallas`
// share: types, the driver, and patterns for operations of upstream dialects.
//
//===----------------------------------------------------------------------===//

#include "pallas/Conversion/Utils/Raising.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::pallas;

/// A vector becomes a tensor of the same shape. Casts connect values whose
/// users are converted later; `raiseBody` removes them.
RaisingTypeConverter::RaisingTypeConverter() {
  addConversion([](Type type) { return type; });
  addConversion([](VectorType type) -> Type {
    if (type.isScalable())
      return {};
    return RankedTensorType::get(type.getShape(), type.getElementType());
  });
  auto materialize = [](OpBuilder &builder, Type type, ValueRange inputs,
                        Location loc) -> Value {
    return UnrealizedConversionCastOp::create(builder, loc, type, inputs)
        .getResult(0);
  };
  addSourceMaterialization(materialize);
  addTargetMaterialization(materialize);
}

/// All operations must be converted: what is left of a target's dialect would
/// have no meaning in a kernel of `pallas`.
LogicalResult mlir::pallas::raiseBody(func::FuncOp function,
                                      const ConversionTarget &target,
                                      const FrozenRewritePatternSet &patterns) {
  bool explained = false;
  // The driver reports which operation is left over, without a reason. If a
  // pattern has reported a reason, the second error is dropped.
  ScopedDiagnosticHandler handler(function.getContext(), [&](Diagnostic &diag) {
    if (diag.getSeverity() != DiagnosticSeverity::Error)
      return failure();
    if (explained && StringRef(diag.str()).starts_with("failed to legalize"))
      return success();
    explained = true;
    return failure();
  });
  if (failed(applyFullConversion(function, target, patterns)))
    return failure();
  SmallVector<UnrealizedConversionCastOp> casts;
  function.walk(
      [&](UnrealizedConversionCastOp cast) { casts.push_back(cast); });
  reconcileUnrealizedCasts(casts);
  return success();
}

//===----------------------------------------------------------------------===//
// Patterns of all targets
//===----------------------------------------------------------------------===//

namespace {
///   cf.assert %c, "must hold"
/// -->
///   pallas.check %c, "must hold"
struct RaiseAssert : RaisePattern<cf::AssertOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(cf::AssertOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    CheckOp::create(builder, op.getLoc(), adaptor.getArg(), op.getMsg());
    return none();
  }
};
} // namespace

void mlir::pallas::populateRaisingPatterns(const TypeConverter &types,
                                           RewritePatternSet &patterns) {
  populateArithmeticRaisingPatterns(types, patterns);
  populateVectorRaisingPatterns(types, patterns);
  populateReductionRaisingPatterns(types, patterns);
  populateMemoryRaisingPatterns(types, patterns);
  patterns.add<RaiseAssert>(types, patterns.getContext());
}

/// Operations of arith and math are legal on tensors; on vectors they are
/// converted. Loops and branches only change the types of their values.
void mlir::pallas::markRaisedLegal(const TypeConverter &types,
                                   RewritePatternSet &patterns,
                                   ConversionTarget &target) {
  target.addLegalDialect<PallasDialect, tensor::TensorDialect,
                         func::FuncDialect>();
  target.addLegalOp<UnrealizedConversionCastOp>();
  target.addDynamicallyLegalDialect<arith::ArithDialect, math::MathDialect>(
      [&types](Operation *op) { return types.isLegal(op); });
  scf::populateSCFStructuralTypeConversionsAndLegality(types, patterns, target);
}
