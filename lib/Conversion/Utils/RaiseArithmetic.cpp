//===- RaiseArithmetic.cpp - Arithmetic on tensors ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file raises arithmetic and constants. Both Mosaic dialects compute on
// vectors with `arith` and `math`; `pallas` does so on tensors.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Math/IR/Math.h"
#include "pallas/Conversion/Utils/Raising.h"

using namespace mlir;
using namespace mlir::pallas;

namespace {

/// Recreates operations of `arith` and `math` with converted types. For
/// example:
///
///   %1 = arith.addf %0, %0 : vector<8x128xf32>
///
/// becomes
///
///   %1 = arith.addf %0, %0 : tensor<8x128xf32>
struct RaiseArithmetic : ConversionPattern {
  RaiseArithmetic(const TypeConverter &types, MLIRContext *context)
      : ConversionPattern(types, MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isa_and_present<arith::ArithDialect, math::MathDialect>(
            op->getDialect()))
      return failure();
    SmallVector<Type> types;
    if (failed(getTypeConverter()->convertTypes(op->getResultTypes(), types)))
      return failure();
    OperationState state(op->getLoc(), op->getName(), operands, types,
                         op->getAttrs());
    rewriter.replaceOp(op, rewriter.create(state)->getResults());
    return success();
  }
};

/// Raises dense constants: the type is part of the attribute, so the generic
/// pattern would leave a vector.
///
///   %c = arith.constant dense<1.0> : vector<8x128xf32>
/// -->
///   %c = arith.constant dense<1.0> : tensor<8x128xf32>
struct RaiseConstant : RaisePattern<arith::ConstantOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(arith::ConstantOp op, Adaptor,
                         OpBuilder &builder) const override {
    auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
    if (!elements)
      return op.emitOpError() << "has the value " << op.getValue()
                              << ", which is not a dense array of numbers";
    return Value(arith::ConstantOp::create(
        builder, op.getLoc(), elements.reshape(toTensor(op.getType()))));
  }
};

} // namespace

/// Used to find accumulators that have no effect.
bool mlir::pallas::isSplatOf(Value value, TypedAttr element) {
  DenseElementsAttr elements;
  return matchPattern(value, m_Constant(&elements)) && elements.isSplat() &&
         elements.getSplatValue<Attribute>() == element;
}

void mlir::pallas::populateArithmeticRaisingPatterns(
    const TypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<RaiseArithmetic>(types, patterns.getContext());
  patterns.add<RaiseConstant>(types, patterns.getContext(), /*benefit=*/2);
}
