//===- ElementPatterns.cpp - Elementwise operations -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "mlir/Dialect/Math/IR/Math.h"

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

struct RaiseReciprocal : RaisePattern<tpu::ReciprocalOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::ReciprocalOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    return Value(ReciprocalOp::create(builder, op.getLoc(), adaptor.getInput(),
                                      op.getApprox(), op.getFullRange()));
  }
};

/// Infinite or not a number: not less than infinity in magnitude.
struct RaiseWeird : RaisePattern<tpu::WeirdOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::WeirdOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    Location loc = op.getLoc();
    Value input = adaptor.getInput();
    Type type = input.getType();
    auto element = cast<FloatType>(getElementTypeOrSelf(type));
    TypedAttr infinity = builder.getFloatAttr(
        element, APFloat::getInf(element.getFloatSemantics()));
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      infinity = DenseElementsAttr::get(tensor, Attribute(infinity));
    Value limit = arith::ConstantOp::create(builder, loc, infinity);
    Value magnitude = math::AbsFOp::create(builder, loc, input);
    return Value(arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UEQ,
                                       magnitude, limit));
  }
};

struct RaiseStochasticConvert : RaisePattern<tpu::StochasticConvertOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::StochasticConvertOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    return Value(
        StochasticRoundOp::create(builder, op.getLoc(), toTensor(op.getType()),
                                  adaptor.getInput(), adaptor.getRandom()));
  }
};

struct RaisePackElementwise : RaisePattern<tpu::PackElementwiseOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::PackElementwiseOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    return Value(
        PackElementwiseOp::create(builder, op.getLoc(), toTensor(op.getType()),
                                  adaptor.getSources(), op.getTargetType()));
  }
};

struct RaiseUnpackElementwise : RaisePattern<tpu::UnpackElementwiseOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::UnpackElementwiseOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    return Value(UnpackElementwiseOp::create(
        builder, op.getLoc(), toTensor(op.getType()), adaptor.getSource(),
        op.getSourceType(), op.getIndex()));
  }
};

struct RaiseBitcast : RaisePattern<tpu::BitcastOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::BitcastOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    auto from = cast<VectorType>(op.getInput().getType());
    auto to = cast<VectorType>(op.getType());
    IntegerAttr dimension;
    if (from.getShape() != to.getShape())
      dimension = builder.getI64IntegerAttr(from.getRank() - 2);
    return Value(BitcastOp::create(builder, op.getLoc(), toTensor(to),
                                   adaptor.getInput(), dimension));
  }
};

struct RaiseVectorBitcast : RaisePattern<vector::BitCastOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(vector::BitCastOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    if (op.getSourceVectorType().getShape() != op.getType().getShape())
      return op.emitOpError("changes the width of elements along the last "
                            "dimension; use tpu.bitcast, which does so along "
                            "the one before");
    return Value(BitcastOp::create(builder, op.getLoc(), toTensor(op.getType()),
                                   adaptor.getSource(), IntegerAttr()));
  }
};

struct RaiseAssumeMultiple : RaisePattern<tpu::AssumeMultipleOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::AssumeMultipleOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    return Value(
        MultipleOfOp::create(builder, op.getLoc(), adaptor.getValue(),
                             builder.getDenseI64ArrayAttr({op.getMultiple()})));
  }
};

} // namespace

bool mlir::pallas::isSplatOf(Value value, TypedAttr element) {
  DenseElementsAttr elements;
  return matchPattern(value, m_Constant(&elements)) && elements.isSplat() &&
         elements.getSplatValue<Attribute>() == element;
}

void mlir::pallas::populateElementPatterns(const TypeConverter &types,
                                           RewritePatternSet &patterns) {
  patterns
      .add<RaiseArithmetic, RaiseReciprocal, RaiseWeird, RaiseStochasticConvert,
           RaisePackElementwise, RaiseUnpackElementwise, RaiseBitcast,
           RaiseVectorBitcast, RaiseAssumeMultiple>(types,
                                                    patterns.getContext());
  patterns.add<RaiseConstant>(types, patterns.getContext(), /*benefit=*/2);
}
