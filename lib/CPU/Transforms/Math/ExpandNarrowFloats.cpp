//===- ExpandNarrowFloats.cpp - Conversions of narrow floats --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has the pass pallas-cpu-expand-narrow-floats. No CPU converts
// floats of at most 8 bits, but their bits lie in those of f32: both
// conversions are a few integer operations, which vectorize. The codec in
// Support has the formulas, for TPUs as well. f16 is converted in this way if
// the CPU has no instructions, and bf16 everywhere: the instruction that some
// CPUs have takes subnormal numbers as zero, and for the others LLVM would call
// a function.
//   %y = arith.extf %x : bf16 to f32
// becomes
//   %bits = arith.bitcast %x : bf16 to i16
//   %code = arith.extui %bits : i16 to i32
//   %word = arith.shli %code, %c16 : i32
//   %y = arith.bitcast %word : i32 to f32
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "pallas/CPU/Target/Target.h"
#include "pallas/CPU/Transforms/Passes.h"
#include "pallas/Support/FloatCodec.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASCPUEXPANDNARROWFLOATS
#include "pallas/CPU/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

/// Types with an exponent in at most 8 bits.
static bool isNarrow(Type type) {
  return isa<Float4E2M1FNType, Float6E2M3FNType, Float6E3M2FNType,
             Float8E3M4Type, Float8E4M3Type, Float8E4M3B11FNUZType,
             Float8E4M3FNType, Float8E4M3FNUZType, Float8E5M2Type,
             Float8E5M2FNUZType, Float8E8M0FNUType>(getElementTypeOrSelf(type));
}

namespace {
/// Emits operations on scalars, vectors or tensors of one shape.
class BitBuilder {
public:
  BitBuilder(OpBuilder &builder, Location loc, Type shape)
      : builder(builder), loc(loc), shape(shape) {}

  Type getType(Type element) const {
    if (auto shaped = dyn_cast<ShapedType>(shape))
      return shaped.clone(element);
    return element;
  }
  Type getWord() const { return getType(builder.getI32Type()); }
  template <typename OpTy> Value binary(Value lhs, Value rhs) {
    return OpTy::create(builder, loc, lhs, rhs);
  }
  template <typename OpTy> Value cast(Type element, Value value) {
    return OpTy::create(builder, loc, getType(element), value);
  }
  Value toFloat(Value bits) {
    return cast<arith::BitcastOp>(builder.getF32Type(), bits);
  }
  Value toBits(Value value) {
    return cast<arith::BitcastOp>(builder.getI32Type(), value);
  }

  // The arithmetic of a codec.
  using Word = Value;
  using Flag = Value;

  Value constant(int64_t value) {
    return splat(getWord(), builder.getI32IntegerAttr(int32_t(value)));
  }
  Value add(Value lhs, Value rhs) { return binary<arith::AddIOp>(lhs, rhs); }
  Value bitAnd(Value lhs, Value rhs) { return binary<arith::AndIOp>(lhs, rhs); }
  Value bitOr(Value lhs, Value rhs) { return binary<arith::OrIOp>(lhs, rhs); }
  Value shiftLeft(Value value, Value amount) {
    return binary<arith::ShLIOp>(value, amount);
  }
  Value shiftRight(Value value, Value amount) {
    return binary<arith::ShRUIOp>(value, amount);
  }
  Value isBelow(Value lhs, Value rhs) {
    return compare(arith::CmpIPredicate::slt, lhs, rhs);
  }
  Value isEqual(Value lhs, Value rhs) {
    return compare(arith::CmpIPredicate::eq, lhs, rhs);
  }
  Value isNaN(Value bits) {
    Value number = toFloat(bits);
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO,
                                 number, number);
  }
  Value select(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(builder, loc, condition, yes, no);
  }
  Value addFloat(Value bits, float number) {
    return toBits(binary<arith::AddFOp>(toFloat(bits), real(number)));
  }
  Value scaleInteger(Value integer, float factor) {
    Value number = cast<arith::SIToFPOp>(builder.getF32Type(), integer);
    return toBits(binary<arith::MulFOp>(number, real(factor)));
  }

private:
  Value compare(arith::CmpIPredicate predicate, Value lhs, Value rhs) {
    return arith::CmpIOp::create(builder, loc, predicate, lhs, rhs);
  }
  Value real(float value) {
    return splat(getType(builder.getF32Type()), builder.getF32FloatAttr(value));
  }
  Value splat(Type type, TypedAttr element) {
    if (auto shaped = dyn_cast<ShapedType>(type))
      element = DenseElementsAttr::get(shaped, Attribute(element));
    return arith::ConstantOp::create(builder, loc, element);
  }

  OpBuilder &builder;
  Location loc;
  Type shape;
};
} // namespace

/// An f64 as f32, rounded to odd: if it lies between two floats, this is the
/// one whose last bit is set. A second rounding to fewer bits then comes out as
/// if it were the only one.
static Value roundToOdd(BitBuilder &bits, OpBuilder &builder, Value value) {
  using Predicate = arith::CmpFPredicate;
  Location loc = value.getLoc();
  auto compare = [&](Predicate predicate, Value lhs, Value rhs) -> Value {
    return arith::CmpFOp::create(builder, loc, predicate, lhs, rhs);
  };
  Value nearest = bits.cast<arith::TruncFOp>(builder.getF32Type(), value);
  Value wide = bits.cast<arith::ExtFOp>(builder.getF64Type(), nearest);
  Value word = bits.toBits(nearest);
  Value isEven =
      bits.isEqual(bits.bitAnd(word, bits.constant(1)), bits.constant(0));
  // NaN is as exact as it can be.
  Value moves =
      bits.binary<arith::AndIOp>(isEven, compare(Predicate::ONE, wide, value));
  Value isAbove =
      compare(Predicate::OGT, math::AbsFOp::create(builder, loc, wide),
              math::AbsFOp::create(builder, loc, value));
  Value neighbor =
      bits.add(word, bits.select(isAbove, bits.constant(-1), bits.constant(1)));
  return bits.toFloat(bits.select(moves, neighbor, word));
}

/// Whether the CPU has an instruction that converts between f32 and this type,
/// for operands of the form that LLVM has.
static bool hasInstruction(Type type, bool hasF16) {
  auto vector = dyn_cast<VectorType>(type);
  return hasF16 && getElementTypeOrSelf(type).isF16() &&
         (!isa<ShapedType>(type) || (vector && vector.getRank() == 1));
}

/// Any float of less than 32 bits as f32.
static Value widen(BitBuilder &bits, OpBuilder &builder, Value value,
                   bool hasF16) {
  auto from = cast<FloatType>(getElementTypeOrSelf(value.getType()));
  if (hasInstruction(value.getType(), hasF16))
    return bits.cast<arith::ExtFOp>(builder.getF32Type(), value);
  Type storage = builder.getIntegerType(from.getWidth());
  Value code = bits.cast<arith::ExtUIOp>(
      builder.getI32Type(), bits.cast<arith::BitcastOp>(storage, value));
  FloatFormat format(from.getFloatSemantics());
  return bits.toFloat(FloatCodec(bits, format).decode(code));
}

/// The float of type `to` nearest to an f32.
static Value narrow(BitBuilder &bits, OpBuilder &builder, Value value,
                    FloatType to, bool hasF16) {
  if (hasInstruction(bits.getType(to), hasF16))
    return bits.cast<arith::TruncFOp>(to, value);
  FloatFormat format(to.getFloatSemantics());
  Value code = FloatCodec(bits, format).encode(bits.toBits(value));
  return bits.cast<arith::BitcastOp>(
      to,
      bits.cast<arith::TruncIOp>(builder.getIntegerType(to.getWidth()), code));
}

/// Floats of 16 bits.
static bool isHalf(Type type) { return type.isF16() || type.isBF16(); }

namespace {
/// Expands `arith.extf`, through f32 if the result is another type.
struct ExpandExtension : public OpRewritePattern<arith::ExtFOp> {
  ExpandExtension(MLIRContext *context, bool hasF16)
      : OpRewritePattern(context), hasF16(hasF16) {}

  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    Value value = op.getIn();
    Type from = getElementTypeOrSelf(value.getType());
    auto to = cast<FloatType>(getElementTypeOrSelf(op.getType()));
    if ((!isHalf(from) && !isNarrow(from)) ||
        (to.isF32() && hasInstruction(value.getType(), hasF16)))
      return failure();
    BitBuilder bits(rewriter, op.getLoc(), op.getType());
    Value result = widen(bits, rewriter, value, hasF16);
    if (to.getWidth() > 32)
      result = bits.cast<arith::ExtFOp>(to, result);
    else if (!to.isF32())
      result = narrow(bits, rewriter, result, to, hasF16);
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  bool hasF16;
};

/// Expands `arith.truncf`. From f64 the value is rounded to odd first.
struct ExpandTruncation : public OpRewritePattern<arith::TruncFOp> {
  ExpandTruncation(MLIRContext *context, bool hasF16)
      : OpRewritePattern(context), hasF16(hasF16) {}

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    auto from = cast<FloatType>(getElementTypeOrSelf(op.getIn().getType())),
         to = cast<FloatType>(getElementTypeOrSelf(op.getType()));
    if ((!isHalf(to) && !isNarrow(to)) ||
        (from.isF32() && hasInstruction(op.getType(), hasF16)))
      return failure();
    BitBuilder bits(rewriter, op.getLoc(), op.getType());
    Value single = op.getIn();
    if (from.getWidth() > 32)
      single = roundToOdd(bits, rewriter, single);
    else if (!from.isF32())
      single = widen(bits, rewriter, single, hasF16);
    rewriter.replaceOp(op, narrow(bits, rewriter, single, to, hasF16));
    return success();
  }

private:
  bool hasF16;
};

/// Signs of halves, which are no reason to widen them.
///
///   %y = math.absf %x : vector<8xbf16>
///
/// becomes
///
///   %bits = arith.bitcast %x : vector<8xbf16> to vector<8xi16>
///   %kept = arith.andi %bits, %mask : vector<8xi16>
///   %y = arith.bitcast %kept : vector<8xi16> to vector<8xbf16>
///
/// where `%mask` is 0x7FFF. It is exact, and a NaN keeps its payload.
template <typename OpTy> struct ExpandSign : public OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    Type element = getElementTypeOrSelf(op.getType());
    if (!element.isF16() && !element.isBF16())
      return failure();
    Type words = rewriter.getI16Type();
    TypedAttr mask = rewriter.getI16IntegerAttr(0x7FFF),
              sign = rewriter.getI16IntegerAttr(int16_t(0x8000));
    if (auto shaped = dyn_cast<ShapedType>(op.getType())) {
      auto type = cast<ShapedType>(shaped.clone(words));
      mask = DenseElementsAttr::get(type, Attribute(mask));
      sign = DenseElementsAttr::get(type, Attribute(sign));
      words = type;
    }
    Location loc = op.getLoc();
    auto keep = [&](Value value, TypedAttr bits) -> Value {
      return arith::AndIOp::create(
          rewriter, loc, arith::BitcastOp::create(rewriter, loc, words, value),
          arith::ConstantOp::create(rewriter, loc, bits));
    };
    Value result = keep(op->getOperand(0), mask);
    if constexpr (std::is_same_v<OpTy, math::CopySignOp>)
      result =
          arith::OrIOp::create(rewriter, loc, result, keep(op.getRhs(), sign));
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), result);
    return success();
  }
};
} // namespace

namespace {
struct ExpandNarrowFloats
    : public pallas::impl::PallasCPUExpandNarrowFloatsBase<ExpandNarrowFloats> {
  using PallasCPUExpandNarrowFloatsBase::PallasCPUExpandNarrowFloatsBase;

  LogicalResult initialize(MLIRContext *context) override {
    return cpu::getTarget(context, cpu, target);
  }

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpandExtension, ExpandTruncation>(&getContext(),
                                                    target.hasF16Conversion);
    patterns.add<ExpandSign<math::AbsFOp>, ExpandSign<math::CopySignOp>>(
        &getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }

private:
  cpu::Target target;
};
} // namespace
