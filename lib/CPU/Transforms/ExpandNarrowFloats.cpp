//===- ExpandNarrowFloats.cpp - Conversions of narrow floats --------------===//
//
// No CPU converts floats of at most 8 bits, but their bits lie in those of f32:
// both conversions are a few integer operations, which vectorize. Subnormal
// numbers take the detour over a sum with a power of two, which aligns them.
// Roundings to bf16 are integer operations, too: the instruction of CPUs for
// them takes subnormal numbers as zero.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
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

/// The f32 that a code stands for.
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

/// The code nearest to an f32; of two, the even one.
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
  // What rounds may be all that tells NaN from infinity.
  Value quiet = bits.binary<arith::OrIOp>(word, bits.number(1 << 22));
  Value isNaN = arith::CmpFOp::create(builder, value.getLoc(),
                                      arith::CmpFPredicate::UNO, value, value);
  Value code = bits.binary<arith::ShRUIOp>(bits.select(isNaN, quiet, rounded),
                                           bits.number(16));
  return bits.cast<arith::BitcastOp>(
      builder.getBF16Type(),
      bits.cast<arith::TruncIOp>(builder.getI16Type(), code));
}

namespace {
struct ExpandExtension : public OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    if (!isNarrow(op.getIn().getType()))
      return failure();
    auto from = cast<FloatType>(getElementTypeOrSelf(op.getIn().getType()));
    Type to = getElementTypeOrSelf(op.getType());
    BitBuilder bits(rewriter, op.getLoc(), op.getType());
    Value result = isa<Float8E8M0FNUType>(from)
                       ? decodePower(bits, rewriter, op.getIn())
                       : decode(bits, rewriter, op.getIn(), Format(from));
    if (to.getIntOrFloatBitWidth() > 32)
      result = bits.cast<arith::ExtFOp>(to, result);
    else if (to.isBF16())
      result = roundToBF16(bits, rewriter, result);
    else if (!to.isF32())
      result = bits.cast<arith::TruncFOp>(to, result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct ExpandTruncation : public OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    auto to = cast<FloatType>(getElementTypeOrSelf(op.getType()));
    Type from = getElementTypeOrSelf(op.getIn().getType());
    BitBuilder bits(rewriter, op.getLoc(), op.getType());
    if (to.isBF16() && from.isF32()) {
      rewriter.replaceOp(op, roundToBF16(bits, rewriter, op.getIn()));
      return success();
    }
    if (!isNarrow(to) || isNarrow(from))
      return failure();
    Value single = op.getIn();
    if (from.getIntOrFloatBitWidth() > 32)
      single = bits.cast<arith::TruncFOp>(rewriter.getF32Type(), single);
    else if (!from.isF32())
      single = bits.cast<arith::ExtFOp>(rewriter.getF32Type(), single);
    rewriter.replaceOp(op,
                       isa<Float8E8M0FNUType>(to)
                           ? encodePower(bits, rewriter, single, to)
                           : encode(bits, rewriter, single, Format(to), to));
    return success();
  }
};

struct ExpandNarrowFloats
    : public pallas::impl::PallasCPUExpandNarrowFloatsBase<ExpandNarrowFloats> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpandExtension, ExpandTruncation>(&getContext());
    arith::populateExpandF4E2M1Patterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};
} // namespace
