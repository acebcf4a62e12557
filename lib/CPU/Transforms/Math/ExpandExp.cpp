//===- ExpandExp.cpp - Exponentials by arithmetic -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file expands exponentials. exp(x) = 2^n * exp(r), where n is the integer
// nearest to x / ln 2, and r is at most ln 2 / 2 away from zero. The loops that
// need it, softmax above all, are bound by these operations, so there are as
// few of them as 1 ULP allows. AVX-512 looks the fraction's sixteenths up in a
// register, which leaves a short polynomial, and takes the integer part of n by
// itself.
//
//===----------------------------------------------------------------------===//

#include "ExpandMath.h"
#include "MathEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include <cmath>

using namespace mlir;
using namespace mlir::pallas;
using cpu::MathEmitter;

/// Of a register of AVX-512.
static constexpr int64_t registerLanes = 16;

namespace {
/// Adds the instructions of AVX-512 that no operation of `arith` or `math` has.
class Emitter : public MathEmitter {
public:
  using MathEmitter::MathEmitter;

  /// value * 2^n, where the low bits of `shifted` are n.
  Value scale(Value value, Value shifted) {
    Value exponent = arith::ShLIOp::create(b, toBits(shifted), integer(23));
    Value sum = arith::AddIOp::create(b, toBits(value), exponent);
    return fromBits(sum);
  }

  /// 2^n, where the low bits of `shifted` are n with the bias of an exponent:
  /// from 0, for which it is zero, to 255, for which it is infinite.
  Value getPowerOfTwo(Value shifted) {
    return fromBits(arith::ShLIOp::create(b, toBits(shifted), integer(23)));
  }

  /// value * 2^n, n rounded down.
  Value scaleByInstruction(Value value, Value n) {
    return mask("llvm.x86.avx512.mask.scalef.ps.512", {value, n}, {});
  }

  /// The integer next to `value`, and the distance from it; of infinities zero.
  Value roundToInteger(Value value) {
    return mask("llvm.x86.avx512.mask.rndscale.ps.512", {value}, toNearest());
  }
  Value distanceToInteger(Value value) {
    return mask("llvm.x86.avx512.mask.reduce.ps.512", {value}, toNearest());
  }

  /// 2^(j/16), where the low four bits of `shifted` are j.
  Value lookUpSixteenths(Value shifted) {
    SmallVector<float> powers;
    for (int j = 0; j < registerLanes; ++j)
      powers.push_back(static_cast<float>(std::exp2(j / 16.0)));
    auto registerType = VectorType::get({registerLanes}, b.getF32Type());
    Value table = arith::ConstantOp::create(
        b, DenseElementsAttr::get(registerType, ArrayRef<float>(powers)));
    auto words = VectorType::get({registerLanes}, b.getI32Type());
    return byRegister(ArrayRef(shifted), [&](ValueRange parts) {
      Value index = arith::BitcastOp::create(b, words, parts[0]);
      return call("llvm.x86.avx512.permvar.sf.512", {table, index});
    });
  }

private:
  Value call(StringRef name, ValueRange operands) {
    auto registerType = VectorType::get({registerLanes}, b.getF32Type());
    return LLVM::CallIntrinsicOp::create(b, registerType, b.getStringAttr(name),
                                         operands)
        .getResult(0);
  }

  /// Applies `emit` to the parts of `values` that fit in a register.
  Value byRegister(ArrayRef<Value> values,
                   llvm::function_ref<Value(ValueRange)> emit) {
    auto cut = [&](Value from, int64_t at) -> Value {
      return vector::ExtractStridedSliceOp::create(
          b, from, ArrayRef(at), ArrayRef(registerLanes), ArrayRef<int64_t>(1));
    };
    Value result = values[0];
    int64_t lanes = cast<VectorType>(type).getNumElements();
    for (int64_t at = 0; at < lanes; at += registerLanes) {
      SmallVector<Value> parts;
      for (Value value : values)
        parts.push_back(cut(value, at));
      result = vector::InsertStridedSliceOp::create(
          b, emit(parts), result, ArrayRef(at), ArrayRef<int64_t>(1));
    }
    return result;
  }

  /// An intrinsic with a mask, of all lanes here, and a rounding mode, the one
  /// at hand.
  Value mask(StringRef name, ArrayRef<Value> values,
             ArrayRef<Value> immediates) {
    auto registerType = VectorType::get({registerLanes}, b.getF32Type());
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(registerType));
    Value all = arith::ConstantIntOp::create(b, -1, 16);
    Value rounding = arith::ConstantIntOp::create(b, 4, 32);
    return byRegister(values, [&](ValueRange parts) {
      SmallVector<Value> operands(parts);
      llvm::append_range(operands, immediates);
      operands.append({zero, all, rounding});
      return call(name, operands);
    });
  }

  /// Rounding to the nearest integer, ties to even, without exceptions.
  SmallVector<Value> toNearest() {
    return {arith::ConstantIntOp::create(b, 8, 32)};
  }
};

/// An exponential as n, rounded by adding a number so large that n is in the
/// low bits of the sum, `shifted`, too, and the rest r.
struct Reduced {
  Value n, shifted, r;
};

/// Splits the argument:
///
///   %shifted = math.fma %x, %inverse_of_ln2, %round : vector<16xf32>
///   %n = arith.subf %shifted, %round : vector<16xf32>
///   %r1 = math.fma %n, %minus_ln2_high, %x : vector<16xf32>
///   %r = math.fma %n, %minus_ln2_low, %r1 : vector<16xf32>
template <typename OpTy>
constexpr bool isExp2 = std::is_same_v<OpTy, math::Exp2Op>;

/// Adding these rounds to integers, or to sixteenths.
constexpr float integers = 0x1.8p23f, sixteenths = 0x1.8p19f;

/// Of the exponents of f32.
constexpr float bias = 127;
} // namespace

template <typename OpTy>
static Reduced reduce(OpBuilder &b, Location loc, Emitter &emit, Value x,
                      float unit) {
  Reduced result;
  Value round = emit.number(unit);
  result.shifted = isExp2<OpTy>
                       ? arith::AddFOp::create(b, loc, x, round).getResult()
                       : emit.fma(x, emit.number(0x1.715476p0f), round);
  result.n = arith::SubFOp::create(b, loc, result.shifted, round);
  if (isExp2<OpTy>) {
    result.r = arith::SubFOp::create(b, loc, x, result.n);
  } else {
    // ln 2 in two parts, the first of which has so few bits that its multiples
    // are exact.
    result.r = emit.fma(result.n, emit.number(-0x1.63p-1f), x);
    result.r = emit.fma(result.n, emit.number(0x1.bd0106p-13f), result.r);
  }
  return result;
}

/// Whether these are vectors of f32 in whole registers of AVX-512.
static bool fillsRegisters(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.getElementType().isF32() && vector.getRank() == 1 &&
         vector.getNumElements() % registerLanes == 0;
}

namespace {
/// Expands exponentials by plain arithmetic, for any CPU. The result is 2^n
/// times a polynomial, with zero below the normal numbers and infinity above
/// f32.
template <typename OpTy> struct ExpandExp : public OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    Location loc = op.getLoc();
    Value x = op.getOperand();
    Emitter emit(rewriter, loc, op.getType());
    if (op->hasAttr(cpu::atMostZeroAttrName)) {
      rewriter.replaceOp(op, expandAtMostZero(rewriter, loc, emit, x));
      return success();
    }
    Reduced reduced = reduce<OpTy>(rewriter, loc, emit, x, integers);
    Value power = getPower(rewriter, loc, emit, reduced.r);
    Value result = emit.scale(power, reduced.shifted);
    float lowest = isExp2<OpTy> ? -126.0f : -0x1.5d589ep6f;
    float highest = isExp2<OpTy> ? 0x1.fffffep6f : 0x1.62e42ep6f;
    result = emit.select(arith::CmpFPredicate::OLT, x, emit.number(lowest),
                         emit.number(0), result);
    // NaN goes this way too and stays what it is.
    Value above = arith::MulFOp::create(
        rewriter, loc, x, emit.number(std::numeric_limits<float>::infinity()));
    rewriter.replaceOp(op, emit.select(arith::CmpFPredicate::UGT, x,
                                       emit.number(highest), above, result));
    return success();
  }

private:
  /// exp(r) or exp2(r) for |r| <= ln 2 / 2 or 1/2, with a relative error of
  /// 3e-9 before rounding.
  static Value getPower(OpBuilder &b, Location loc, Emitter &emit, Value r) {
    if (isExp2<OpTy>)
      r = arith::MulFOp::create(b, loc, r, emit.number(0x1.62e430p-1f));
    return emit.polynomial(r, {0x1.6a23d6p-10f, 0x1.123a20p-7f, 0x1.5558f2p-5f,
                               0x1.555492p-3f, 0x1.fffffcp-2f, 1.0f, 1.0f});
  }

  /// Without large arguments one bound is enough, that of the least n, for
  /// which 2^n becomes 0. The product with it keeps NaN. Arguments up to 88 are
  /// right as well, so it is no matter if one is a rounding above zero.
  static Value expandAtMostZero(OpBuilder &b, Location loc, Emitter &emit,
                                Value x) {
    Value lowest = emit.number(isExp2<OpTy> ? -127.0f : -88.0f);
    x = emit.select(arith::CmpFPredicate::OGT, lowest, x, lowest, x);
    Reduced reduced = reduce<OpTy>(b, loc, emit, x, integers + bias);
    return arith::MulFOp::create(b, loc, getPower(b, loc, emit, reduced.r),
                                 emit.getPowerOfTwo(reduced.shifted));
  }
};

/// The instruction overflows and underflows as it should, so that the argument
/// only needs bounds within which n is exact.
template <typename OpTy> struct ScaleExp : public OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!fillsRegisters(op.getType()))
      return failure();
    Location loc = op.getLoc();
    Emitter emit(rewriter, loc, op.getType());
    Value lowest = emit.number(isExp2<OpTy> ? -160.0f : -110.0f);
    Value highest = emit.number(isExp2<OpTy> ? 130.0f : 90.0f);
    // NaN is neither beyond the one nor beyond the other.
    Value x = op.getOperand();
    x = emit.select(arith::CmpFPredicate::OGT, lowest, x, lowest, x);
    if (!op->hasAttr(cpu::atMostZeroAttrName))
      x = emit.select(arith::CmpFPredicate::OLT, highest, x, highest, x);
    Reduced reduced = reduce<OpTy>(rewriter, loc, emit, x, sixteenths);
    Value table = emit.lookUpSixteenths(reduced.shifted);
    // The term of r, with a relative error of 2e-9 of the whole.
    std::array<double, 3> coefficients = {0x1.555648p-3f, 0x1.000224p-1f, 1.0f};
    if (isExp2<OpTy>)
      coefficients = {0x1.c6ace6p-5f, 0x1.ebfffcp-3f, 0x1.62e430p-1f};
    Value rest = emit.polynomial(reduced.r, coefficients);
    rest = arith::MulFOp::create(rewriter, loc, rest, reduced.r);
    rewriter.replaceOp(
        op, emit.scaleByInstruction(emit.fma(rest, table, table), reduced.n));
    return success();
  }
};
} // namespace

static bool isOne(Value value) {
  if (auto broadcast = value.getDefiningOp<vector::BroadcastOp>())
    value = broadcast.getSource();
  return matchPattern(value, m_OneFloat());
}

/// 1 + 2^e, where e is the exponent, clamped to where n is one of f32:
///
///   %shifted = arith.addf %e, %round : vector<8xf32>
///   %n = arith.subf %shifted, %round : vector<8xf32>
///   %f = arith.subf %e, %n : vector<8xf32>
///   %bits = arith.bitcast %shifted : vector<8xf32> to vector<8xi32>
///   %scale = arith.shli %bits, %c23 : vector<8xi32>
///
/// Adding `%round` leaves n with the bias of an exponent in the low bits, so
/// that these become 2^n by a shift; n = 128 makes infinity.
static Value addPowerToOne(OpBuilder &b, Location loc, Emitter &emit,
                           Value exponent, ArrayRef<double> coefficients) {
  // Comparisons with NaN are false, so NaN passes.
  for (auto [bound, predicate] :
       {std::pair(-126.0, arith::CmpFPredicate::OGT),
        std::pair(128.0, arith::CmpFPredicate::OLT)}) {
    Value limit = emit.number(bound);
    exponent = emit.select(predicate, limit, exponent, limit, exponent);
  }
  Value round = emit.number(integers + bias);
  Value shifted = arith::AddFOp::create(b, loc, exponent, round);
  Value n = arith::SubFOp::create(b, loc, shifted, round);
  Value power =
      emit.polynomial(arith::SubFOp::create(b, loc, exponent, n), coefficients);
  return emit.fma(power, emit.getPowerOfTwo(shifted), emit.number(1.0f));
}

namespace {
/// 1 + tanh(x), the heart of gelu, is 2 / (1 + exp(-2x)), which costs fewer
/// operations than tanh and keeps its digits where tanh is near -1. The error
/// is at most 5 ULP for x above -1; below it grows with -x, since -2x / ln 2 is
/// rounded once.
struct OnePlusTanh : public OpRewritePattern<arith::AddFOp> {
  OnePlusTanh(MLIRContext *context, bool hasReduce)
      : OpRewritePattern(context), hasReduce(hasReduce) {}

  LogicalResult matchAndRewrite(arith::AddFOp op,
                                PatternRewriter &rewriter) const override {
    auto tanh = op.getLhs().getDefiningOp<math::TanhOp>();
    Value one = op.getRhs();
    if (!tanh) {
      tanh = op.getRhs().getDefiningOp<math::TanhOp>();
      one = op.getLhs();
    }
    if (!tanh || !tanh->hasOneUse() || !isOne(one) ||
        !getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    Location loc = op.getLoc();
    Emitter emit(rewriter, loc, op.getType());
    Value exponent = arith::MulFOp::create(rewriter, loc, tanh.getOperand(),
                                           emit.number(-0x1.715476p1f));
    // 2^f for |f| <= 1/2.
    constexpr double coefficients[] = {0x1.5ac9b2p-10f, 0x1.3cec1ap-7f,
                                       0x1.c6b9e8p-5f,  0x1.ebf9b6p-3f,
                                       0x1.62e426p-1f,  1.0f};
    Value sum =
        hasReduce && fillsRegisters(op.getType())
            ? addScaled(rewriter, loc, emit, exponent, coefficients)
            : addPowerToOne(rewriter, loc, emit, exponent, coefficients);
    rewriter.replaceOpWithNewOp<arith::DivFOp>(op, emit.number(2.0f), sum);
    return success();
  }

private:
  /// 1 + 2^e by instructions of AVX-512. Distances from integers are zero for
  /// infinities, so nothing is NaN that was not.
  static Value addScaled(OpBuilder &b, Location loc, Emitter &emit,
                         Value exponent, ArrayRef<double> coefficients) {
    Value power =
        emit.polynomial(emit.distanceToInteger(exponent), coefficients);
    power = emit.scaleByInstruction(power, emit.roundToInteger(exponent));
    return arith::AddFOp::create(b, loc, power, emit.number(1.0f));
  }

  bool hasReduce;
};
} // namespace

void cpu::populateExpandExpPatterns(RewritePatternSet &patterns,
                                    const Target &target) {
  MLIRContext *context = patterns.getContext();
  patterns.add<ExpandExp<math::ExpOp>, ExpandExp<math::Exp2Op>>(context,
                                                                /*benefit=*/2);
  if (target.hasScale)
    patterns.add<ScaleExp<math::ExpOp>, ScaleExp<math::Exp2Op>>(context,
                                                                /*benefit=*/3);
}

void cpu::expandOnePlusTanh(Operation *root, const Target &target) {
  RewritePatternSet patterns(root->getContext());
  patterns.add<OnePlusTanh>(root->getContext(), target.hasReduce);
  walkAndApplyPatterns(root, std::move(patterns));
}
