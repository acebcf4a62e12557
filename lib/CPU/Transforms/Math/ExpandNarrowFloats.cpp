//===- ExpandNarrowFloats.cpp - Conversions of narrow floats --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has the pass pallas-cpu-expand-narrow-floats. No CPU converts
// floats of at most 8 bits, but their bits lie in those of f32: both
// conversions are a few integer operations, which vectorize. Subnormal numbers
// take the detour over a sum with a power of two, which aligns them. The same
// goes for f16 if the CPU has no instructions, and for bf16 everywhere: the
// instruction that some CPUs have takes subnormal numbers as zero, and for the
// others LLVM would call a function.
//   %y = arith.extf %x : bf16 to f32
// becomes
//   %bits = arith.bitcast %x : bf16 to i16
//   %code = arith.extui %bits : i16 to i32
//   %word = arith.shli %code, %c16 : i32
//   %y = arith.bitcast %word : i32 to f32
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "pallas/CPU/Target/Target.h"
#include "pallas/CPU/Transforms/Passes.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASCPUEXPANDNARROWFLOATS
#include "pallas/CPU/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

/// Types with an exponent and a sign in at most 8 bits. E2M1 has upstream
/// patterns of its own.
static bool isNarrow(Type type) {
  return isa<Float6E2M3FNType, Float6E3M2FNType, Float8E3M4Type, Float8E4M3Type,
             Float8E4M3B11FNUZType, Float8E4M3FNType, Float8E4M3FNUZType,
             Float8E5M2Type, Float8E5M2FNUZType, Float8E8M0FNUType>(
      getElementTypeOrSelf(type));
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
  Value number(int64_t value) {
    TypedAttr attr = builder.getI32IntegerAttr(int32_t(value));
    if (auto shaped = dyn_cast<ShapedType>(getWord()))
      attr = DenseElementsAttr::get(shaped, Attribute(attr));
    return arith::ConstantOp::create(builder, loc, attr);
  }
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
  Value compare(arith::CmpIPredicate predicate, Value lhs, int64_t rhs) {
    return arith::CmpIOp::create(builder, loc, predicate, lhs, number(rhs));
  }
  Value select(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(builder, loc, condition, yes, no);
  }

private:
  OpBuilder &builder;
  Location loc;
  Type shape;
};

/// Where the fields of a format are, as codes without the sign.
struct Format {
  explicit Format(FloatType type)
      : width(type.getWidth()), mantissa(type.getFPMantissaWidth() - 1),
        hasInfinity(llvm::APFloat::semanticsHasInf(type.getFloatSemantics())),
        hasNaN(llvm::APFloat::semanticsHasNaN(type.getFloatSemantics())),
        bias(1 - llvm::APFloat::semanticsMinExponent(type.getFloatSemantics())),
        largest(getCode(llvm::APFloat::getLargest(type.getFloatSemantics()))) {
    if (hasNaN)
      nan = getCode(llvm::APFloat::getNaN(type.getFloatSemantics()));
    signBit = int64_t(1) << (width - 1);
    shift = 23 - mantissa;
    // Formats with one zero have NaN where the negative one would be.
    hasSignedZero = nan != signBit;
  }
  static int64_t getCode(const llvm::APFloat &value) {
    return value.bitcastToAPInt().getZExtValue();
  }

  int64_t width, mantissa;
  bool hasInfinity, hasNaN, hasSignedZero = true;
  int64_t bias, largest, nan = 0, signBit, shift;
};
} // namespace

/// The f32 that is this power of two. The smallest one is subnormal there.
static Value decodePower(BitBuilder &bits, OpBuilder &builder, Value value) {
  Value code = bits.cast<arith::ExtUIOp>(
      builder.getI32Type(),
      bits.cast<arith::BitcastOp>(builder.getI8Type(), value));
  Value normal = bits.binary<arith::ShLIOp>(code, bits.number(23));
  Value result = bits.select(bits.compare(arith::CmpIPredicate::eq, code, 0),
                             bits.number(1 << 22), normal);
  // All ones are NaN, which the fields alone would make infinity.
  result = bits.select(bits.compare(arith::CmpIPredicate::eq, code, 0xFF),
                       bits.number(0x7FC00000), result);
  return bits.toFloat(result);
}

/// The power of two nearest to an f32, of two the larger one; NaN for what is
/// not positive or too large.
static Value encodePower(BitBuilder &bits, OpBuilder &builder, Value value,
                         Type target) {
  using Predicate = arith::CmpIPredicate;
  Value word = bits.toBits(value);
  Value rounded = bits.binary<arith::AddIOp>(word, bits.number(1 << 22));
  Value code = bits.binary<arith::ShRUIOp>(rounded, bits.number(23));
  // No number lies below 2^-127, but 3 * 2^-128 lies in the middle of the two
  // smallest ones and its fields are those of a subnormal number.
  code = bits.select(bits.compare(Predicate::ult, word, 0x00600000),
                     bits.number(0), code);
  Value isPositive = bits.compare(Predicate::sgt, word, 0);
  Value isKnown = bits.binary<arith::AndIOp>(
      isPositive, bits.compare(Predicate::ult, word, 0x7F800000));
  code = bits.select(isKnown, code, bits.number(0xFF));
  return bits.cast<arith::BitcastOp>(
      target, bits.cast<arith::TruncIOp>(builder.getI8Type(), code));
}

/// The f32 of a code. Shifting moves exponent and mantissa to the fields of
/// f32, and an addition corrects the bias:
///
///   %fields = arith.shli %magnitude, %shift : i32
///   %normal = arith.addi %fields, %rebias : i32
static Value decode(BitBuilder &bits, OpBuilder &builder, Value value,
                    const Format &format) {
  Type storage = builder.getIntegerType(format.width);
  Value code = bits.cast<arith::ExtUIOp>(
      builder.getI32Type(), bits.cast<arith::BitcastOp>(storage, value));
  Value sign = bits.binary<arith::AndIOp>(code, bits.number(format.signBit));
  Value magnitude =
      bits.binary<arith::AndIOp>(code, bits.number(format.signBit - 1));
  Value fields =
      bits.binary<arith::ShLIOp>(magnitude, bits.number(format.shift));
  int64_t rebias = (127 - format.bias) << 23;
  Value normal = bits.binary<arith::AddIOp>(fields, bits.number(rebias));
  // Without an implicit one: what is left of a number that has one.
  Value one = bits.number(rebias + (1 << 23));
  Value subnormal = bits.toBits(bits.binary<arith::SubFOp>(
      bits.toFloat(bits.binary<arith::AddIOp>(fields, one)),
      bits.toFloat(one)));
  Value result = bits.select(bits.compare(arith::CmpIPredicate::ult, magnitude,
                                          int64_t(1) << format.mantissa),
                             subnormal, normal);
  int64_t infinity = 0xFF << 23;
  if (format.hasInfinity)
    // Infinity and NaN have the same fields, only wider.
    result = bits.select(
        bits.compare(arith::CmpIPredicate::ugt, magnitude, format.largest),
        bits.binary<arith::OrIOp>(fields, bits.number(infinity)), result);
  else if (format.hasNaN)
    result = bits.select(bits.compare(arith::CmpIPredicate::eq,
                                      format.hasSignedZero ? magnitude : code,
                                      format.nan),
                         bits.number(infinity | 1 << 22), result);
  Value placed =
      bits.binary<arith::ShLIOp>(sign, bits.number(32 - format.width));
  return bits.toFloat(bits.binary<arith::OrIOp>(result, placed));
}

/// The code nearest to an f32; of two, the even one. Adding half of the last
/// place minus one, plus its parity, rounds ties to even:
///
///   %half = arith.addi %magnitude, %half_minus_one : i32
///   %rounded = arith.addi %half, %is_odd : i32
///
/// A carry into the exponent is right, and beyond the largest exponent the code
/// is infinity, NaN or the largest number, as the format has it.
static Value encode(BitBuilder &bits, OpBuilder &builder, Value value,
                    const Format &format, Type target) {
  using Predicate = arith::CmpIPredicate;
  Value word = bits.toBits(value);
  Value magnitude = bits.binary<arith::AndIOp>(word, bits.number(0x7FFFFFFF));
  Value isOdd = bits.binary<arith::AndIOp>(
      bits.binary<arith::ShRUIOp>(magnitude, bits.number(format.shift)),
      bits.number(1));
  Value rounded = bits.binary<arith::AddIOp>(
      bits.binary<arith::AddIOp>(
          magnitude, bits.number((int64_t(1) << (format.shift - 1)) - 1)),
      isOdd);
  Value normal = bits.binary<arith::SubIOp>(
      bits.binary<arith::ShRUIOp>(rounded, bits.number(format.shift)),
      bits.number((127 - format.bias) << format.mantissa));
  // A power of two whose last place is the least subnormal number lets the
  // sum round as needed.
  Value aligner = bits.number((127 + 24 - format.bias - format.mantissa) << 23);
  Value subnormal = bits.binary<arith::SubIOp>(
      bits.toBits(bits.binary<arith::AddFOp>(bits.toFloat(magnitude),
                                             bits.toFloat(aligner))),
      aligner);
  Value code = bits.select(
      bits.compare(Predicate::ult, magnitude, (128 - format.bias) << 23),
      subnormal, normal);
  int64_t overflow = format.hasInfinity ? format.largest + 1
                     : format.hasNaN    ? format.nan
                                        : format.largest;
  Value isOver = bits.compare(Predicate::sgt, code, format.largest);
  code = bits.select(isOver, bits.number(overflow), code);
  Value isNaN = bits.compare(Predicate::ugt, magnitude, 0xFF << 23);
  if (format.hasNaN)
    code = bits.select(isNaN, bits.number(format.nan), code);
  Value sign = bits.binary<arith::AndIOp>(
      bits.binary<arith::ShRUIOp>(word, bits.number(32 - format.width)),
      bits.number(format.signBit));
  Value isSigned = bits.binary<arith::OrIOp>(code, sign);
  if (!format.hasSignedZero)
    isSigned =
        bits.select(bits.compare(Predicate::eq, code, 0), code, isSigned);
  Value narrow = bits.cast<arith::TruncIOp>(
      builder.getIntegerType(format.width), isSigned);
  return bits.cast<arith::BitcastOp>(target, narrow);
}

/// The bf16 nearest to an f32, subnormal or not; of two, the even one.
static Value roundToBF16(BitBuilder &bits, OpBuilder &builder, Value value) {
  Value word = bits.toBits(value);
  Value isOdd = bits.binary<arith::AndIOp>(
      bits.binary<arith::ShRUIOp>(word, bits.number(16)), bits.number(1));
  Value rounded = bits.binary<arith::AddIOp>(
      bits.binary<arith::AddIOp>(word, bits.number(0x7FFF)), isOdd);
  // The bits that are rounded away may be all that tells NaN from infinity.
  Value quiet = bits.binary<arith::OrIOp>(word, bits.number(1 << 22));
  Value isNaN = arith::CmpFOp::create(builder, value.getLoc(),
                                      arith::CmpFPredicate::UNO, value, value);
  Value code = bits.binary<arith::ShRUIOp>(bits.select(isNaN, quiet, rounded),
                                           bits.number(16));
  return bits.cast<arith::BitcastOp>(
      builder.getBF16Type(),
      bits.cast<arith::TruncIOp>(builder.getI16Type(), code));
}

/// The f32 whose upper half this is.
static Value decodeBF16(BitBuilder &bits, OpBuilder &builder, Value value) {
  Value code = bits.cast<arith::ExtUIOp>(
      builder.getI32Type(),
      bits.cast<arith::BitcastOp>(builder.getI16Type(), value));
  return bits.toFloat(bits.binary<arith::ShLIOp>(code, bits.number(16)));
}

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
      bits.compare(arith::CmpIPredicate::eq,
                   bits.binary<arith::AndIOp>(word, bits.number(1)), 0);
  // NaN is as exact as it can be.
  Value moves =
      bits.binary<arith::AndIOp>(isEven, compare(Predicate::ONE, wide, value));
  Value isAbove =
      compare(Predicate::OGT, math::AbsFOp::create(builder, loc, wide),
              math::AbsFOp::create(builder, loc, value));
  Value neighbor =
      bits.select(isAbove, bits.binary<arith::SubIOp>(word, bits.number(1)),
                  bits.binary<arith::AddIOp>(word, bits.number(1)));
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
  if (from.isBF16())
    return decodeBF16(bits, builder, value);
  if (isa<Float8E8M0FNUType>(from))
    return decodePower(bits, builder, value);
  return decode(bits, builder, value, Format(from));
}

/// The float of type `to` nearest to an f32.
static Value narrow(BitBuilder &bits, OpBuilder &builder, Value value,
                    FloatType to, bool hasF16) {
  if (hasInstruction(bits.getType(to), hasF16))
    return bits.cast<arith::TruncFOp>(to, value);
  if (to.isBF16())
    return roundToBF16(bits, builder, value);
  if (isa<Float8E8M0FNUType>(to))
    return encodePower(bits, builder, value, to);
  return encode(bits, builder, value, Format(to), to);
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
    if ((!isHalf(to) && !isNarrow(to)) || isNarrow(from) ||
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

/// Makes conversions between f4E2M1 and other types than f32 go through that:
/// it is all that upstream's patterns take.
static void convertFourBitsByF32(Operation *root) {
  SmallVector<Operation *> ops;
  root->walk([&](Operation *op) {
    if (!isa<arith::ExtFOp, arith::TruncFOp>(op))
      return;
    Type from = getElementTypeOrSelf(op->getOperand(0).getType()),
         to = getElementTypeOrSelf(op->getResult(0).getType());
    if ((isa<Float4E2M1FNType>(from) && !to.isF32()) ||
        (isa<Float4E2M1FNType>(to) && !from.isF32()))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    OpBuilder b(op);
    Value value = op->getOperand(0);
    Type to = getElementTypeOrSelf(op->getResult(0).getType());
    BitBuilder bits(b, op->getLoc(), op->getResult(0).getType());
    if (isa<Float4E2M1FNType>(to)) {
      Type from = getElementTypeOrSelf(value.getType());
      value = from.getIntOrFloatBitWidth() > 32
                  ? roundToOdd(bits, b, value)
                  : bits.cast<arith::ExtFOp>(b.getF32Type(), value);
      value = bits.cast<arith::TruncFOp>(to, value);
    } else {
      value = bits.cast<arith::ExtFOp>(b.getF32Type(), value);
      value = to.getIntOrFloatBitWidth() > 32
                  ? bits.cast<arith::ExtFOp>(to, value)
                  : bits.cast<arith::TruncFOp>(to, value);
    }
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
  }
}

namespace {
struct ExpandNarrowFloats
    : public pallas::impl::PallasCPUExpandNarrowFloatsBase<ExpandNarrowFloats> {
  using PallasCPUExpandNarrowFloatsBase::PallasCPUExpandNarrowFloatsBase;

  LogicalResult initialize(MLIRContext *context) override {
    return cpu::getTarget(context, cpu, target);
  }

  void runOnOperation() override {
    // A walk sees nothing that its patterns make, and these make conversions.
    convertFourBitsByF32(getOperation());
    RewritePatternSet fourBits(&getContext());
    arith::populateExpandF4E2M1Patterns(fourBits);
    walkAndApplyPatterns(getOperation(), std::move(fourBits));
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
