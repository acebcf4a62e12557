//===- ElementPatterns.cpp - Elementwise operations -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise operations of tpu. Those with a counterpart map to it; others are
// expanded to arith and math, which all targets of pallas have.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::pallas;

namespace {

///   %0 = pallas.reciprocal %x approx : tensor<8x128xf32>
struct RaiseReciprocal : RaisePattern<tpu::ReciprocalOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::ReciprocalOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    return Value(ReciprocalOp::create(builder, op.getLoc(), adaptor.getInput(),
                                      op.getApprox(), op.getFullRange()));
  }
};

/// A value of `type` with this number in all elements.
static Value createNumber(OpBuilder &builder, Location loc, Type type,
                          double number) {
  auto tensor = cast<RankedTensorType>(type);
  Type element = tensor.getElementType();
  TypedAttr attr =
      isa<FloatType>(element)
          ? TypedAttr(builder.getFloatAttr(element, number))
          : builder.getIntegerAttr(element, static_cast<int64_t>(number));
  return arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(tensor, Attribute(attr)));
}

/// Computes on f32, as the tpu dialect does for narrow floats.
static Value computeWide(OpBuilder &builder, Location loc, Value input,
                         function_ref<Value(Value)> compute) {
  auto type = cast<RankedTensorType>(input.getType());
  RankedTensorType wide = type.clone(builder.getF32Type());
  if (type == wide)
    return compute(input);
  Value result = compute(arith::ExtFOp::create(builder, loc, wide, input));
  return arith::TruncFOp::create(builder, loc, type, result);
}

///   %0 = arith.negf %x : tensor<8x128xf32>
///   %1 = math.exp %0 : tensor<8x128xf32>
///   %2 = arith.addf %one, %1 : tensor<8x128xf32>
///   %3 = arith.divf %one, %2 : tensor<8x128xf32>
struct RaiseLogistic : RaisePattern<tpu::LogisticOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::LogisticOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    Location loc = op.getLoc();
    if (op.getType().getElementTypeBitWidth() > 32)
      return op.emitOpError("takes elements wider than f32");
    return computeWide(builder, loc, adaptor.getInput(), [&](Value x) -> Value {
      Value one = createNumber(builder, loc, x.getType(), 1);
      Value negated = arith::NegFOp::create(builder, loc, x);
      Value exp = math::ExpOp::create(builder, loc, negated);
      Value sum = arith::AddFOp::create(builder, loc, one, exp);
      return arith::DivFOp::create(builder, loc, one, sum);
    });
  }
};

/// Rounds to fewer bits of exponent and mantissa, as lax.reduce_precision does.
/// Works on the bits of f32.
/// Rounding is to nearest even: adding half of the last bit may carry into the
/// exponent, which is the right result.
struct RaiseReducePrecision : RaisePattern<tpu::ReducePrecisionOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::ReducePrecisionOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    return computeWide(builder, op.getLoc(), adaptor.getInput(), [&](Value x) {
      return round(builder, op.getLoc(), x, op.getExponentBits(),
                   op.getMantissaBits());
    });
  }

private:
  static constexpr uint32_t kMantissa = 23, kExponent = 8, kBias = 127;
  static constexpr uint32_t kInfinity = 0x7f800000, kSign = 0x80000000;

  static Value round(OpBuilder &builder, Location loc, Value x,
                     uint32_t exponent, uint32_t mantissa) {
    auto type = cast<RankedTensorType>(x.getType()).clone(builder.getI32Type());
    auto number = [&](uint32_t bits) {
      return createNumber(builder, loc, type, static_cast<int32_t>(bits));
    };
    Value bits =
        BitcastOp::create(builder, loc, type, x, /*dimension=*/IntegerAttr());
    Value rounded = bits;
    if (mantissa < kMantissa) {
      // Half of the last bit that stays, or a little less to reach an even one.
      uint32_t dropped = kMantissa - mantissa;
      Value last = arith::ShRUIOp::create(builder, loc, bits, number(dropped));
      last = arith::AndIOp::create(builder, loc, last, number(1));
      Value half = arith::AddIOp::create(builder, loc, last,
                                         number((1u << (dropped - 1)) - 1));
      rounded = arith::AddIOp::create(builder, loc, bits, half);
      rounded = arith::AndIOp::create(builder, loc, rounded,
                                      number(~((1u << dropped) - 1)));
    }
    if (exponent < kExponent)
      rounded = clampExponent(builder, loc, rounded, (1u << (exponent - 1)) - 1,
                              number);
    Value result = BitcastOp::create(builder, loc, x.getType(), rounded,
                                     /*dimension=*/IntegerAttr());
    // A NaN with few bits set could round to infinity.
    Value isNaN =
        arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO, x, x);
    return arith::SelectOp::create(builder, loc, isNaN, x, result);
  }

  /// Infinity and zero for exponents that go beyond `bias` either way.
  static Value clampExponent(OpBuilder &builder, Location loc, Value bits,
                             uint32_t bias,
                             function_ref<Value(uint32_t)> number) {
    Value sign = arith::AndIOp::create(builder, loc, bits, number(kSign));
    Value power = arith::AndIOp::create(builder, loc, bits, number(kInfinity));
    Value infinity =
        arith::OrIOp::create(builder, loc, sign, number(kInfinity));
    Value isLarge =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ugt, power,
                              number((kBias + bias) << kMantissa));
    // Numbers below the smallest normal one become zero with their sign.
    Value isSmall =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ule, power,
                              number((kBias - bias) << kMantissa));
    Value clamped =
        arith::SelectOp::create(builder, loc, isLarge, infinity, bits);
    return arith::SelectOp::create(builder, loc, isSmall, sign, clamped);
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
    // Unordered or equal: true for a NaN and for an infinity.
    return Value(arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UEQ,
                                       magnitude, limit));
  }
};

///   %0 = pallas.stochastic_round %x bits %r : tensor<8x128xf32>, ...
struct RaiseStochasticConvert : RaisePattern<tpu::StochasticConvertOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::StochasticConvertOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    return Value(
        StochasticRoundOp::create(builder, op.getLoc(), toTensor(op.getType()),
                                  adaptor.getInput(), adaptor.getRandom()));
  }
};

///   %0 = pallas.pack_elementwise %a, %b as bf16
struct RaisePackElementwise : RaisePattern<tpu::PackElementwiseOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::PackElementwiseOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    return Value(
        PackElementwiseOp::create(builder, op.getLoc(), toTensor(op.getType()),
                                  adaptor.getSources(), op.getTargetType()));
  }
};

///   %0 = pallas.unpack_elementwise %w[1] as bf16
struct RaiseUnpackElementwise : RaisePattern<tpu::UnpackElementwiseOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::UnpackElementwiseOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    return Value(UnpackElementwiseOp::create(
        builder, op.getLoc(), toTensor(op.getType()), adaptor.getSource(),
        op.getSourceType(), op.getIndex()));
  }
};

///   %0 = tpu.bitcast %v : vector<8x128xf32> -> vector<16x128xbf16>
///
/// becomes
///
///   %0 = pallas.bitcast %v dim 0 : tensor<8x128xf32> -> tensor<16x128xbf16>
///
/// A change of width joins or splits rows, as in registers.
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

/// vector.bitcast would join neighbours in a row, whose order in memory
/// differs.
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

///   %0 = pallas.multiple_of %n, [8] : i32
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

void mlir::pallas::populateElementPatterns(const TypeConverter &types,
                                           RewritePatternSet &patterns) {
  patterns
      .add<RaiseReciprocal, RaiseLogistic, RaiseReducePrecision, RaiseWeird,
           RaiseStochasticConvert, RaisePackElementwise, RaiseUnpackElementwise,
           RaiseBitcast, RaiseVectorBitcast, RaiseAssumeMultiple>(
          types, patterns.getContext());
}
