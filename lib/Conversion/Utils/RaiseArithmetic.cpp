//===- RaiseArithmetic.cpp - Arithmetic on tensors
//--------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Math/IR/Math.h"
#include "pallas/Conversion/Utils/Raising.h"

using namespace mlir;
using namespace mlir::pallas;

namespace {

/// Arithmetic is the same on vectors and on tensors.
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
