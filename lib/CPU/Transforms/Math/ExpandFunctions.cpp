//===- ExpandFunctions.cpp - Sines, cosines and powers by arithmetic ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file expands sines, cosines and powers. Common arguments are computed in
// vectors. The C library computes lanes whose argument is one for which the
// polynomial is inaccurate.
//
//===----------------------------------------------------------------------===//

#include "ExpandMath.h"
#include "MathEmitter.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <limits>

using namespace mlir;
using namespace mlir::pallas;
using cpu::MathEmitter;

///   %all = vector.reduction <and>, %fast : vector<16xi1> into i1
///   %r = scf.if %all -> (vector<16xf32>) {
///     scf.yield %value
///   } else {
///     scf.for %lane = %c0 to %c16 step %c1 iter_args(%v = %value) {
///       %is_fast = vector.extract %fast[%lane] : i1 from vector<16xi1>
///       scf.if %is_fast { %v } else {
///         %x = vector.extract %operand[%lane] : f32 from vector<16xf32>
///         %s = math.sin %x : f32
///         vector.insert %s, %v[%lane]
///       }
///     }
///   }
///
/// The scalar operation becomes a call of libm later. The result of a lane does
/// not depend on its neighbors, which may be padding.
Value MathEmitter::unlessSpecial(Operation *op, Value isFast,
                                 llvm::function_ref<Value()> fast) {
  Value all =
      vector::ReductionOp::create(b, vector::CombiningKind::AND, isFast);
  Value value = fast();
  auto index = [&](int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  };
  auto yield = [&](Value value) { scf::YieldOp::create(b, value); };
  auto emitLane = [&](OpBuilder &, Location, Value lane, ValueRange carried) {
    auto patched = scf::IfOp::create(
        b, vector::ExtractOp::create(b, isFast, lane),
        [&](OpBuilder &, Location) { yield(carried[0]); },
        [&](OpBuilder &, Location) {
          SmallVector<Value> operands;
          for (Value operand : op->getOperands())
            operands.push_back(vector::ExtractOp::create(b, operand, lane));
          OperationState state(b.getLoc(), op->getName(), operands,
                               getElementTypeOrSelf(type));
          Value result = b.create(state)->getResult(0);
          yield(vector::InsertOp::create(b, result, carried[0], lane));
        });
    yield(patched.getResult(0));
  };
  auto result = scf::IfOp::create(
      b, all, [&](OpBuilder &, Location) { yield(value); },
      [&](OpBuilder &, Location) {
        Value lanes = index(cast<VectorType>(type).getNumElements());
        auto loop =
            scf::ForOp::create(b, index(0), lanes, index(1), value, emitLane);
        yield(loop.getResult(0));
      });
  return result.getResult(0);
}

/// Scalars are left to libm.
static bool isVectorOfF32(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.getRank() == 1 && vector.getElementType().isF32();
}

namespace {
/// x = n * pi/2 + r, with r at most pi/4 away from zero: the sine or the cosine
/// of r with a sign, by the remainder of n.
template <typename OpTy> struct ExpandSine : public OpRewritePattern<OpTy> {
  ExpandSine(MLIRContext *context, bool hasFMA)
      : OpRewritePattern<OpTy>(context, /*benefit=*/2), hasFMA(hasFMA) {}

  LogicalResult matchAndRewrite(OpTy op, PatternRewriter &b) const override {
    if (!isVectorOfF32(op.getType()))
      return failure();
    Location loc = op.getLoc();
    MathEmitter emit(b, loc, op.getType());
    Value x = op.getOperand();
    Value isFast = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ULT,
                                         math::AbsFOp::create(b, loc, x),
                                         emit.number(largest));
    b.replaceOp(op, emit.unlessSpecial(
                        op, isFast, [&] { return compute(b, loc, emit, x); }));
    return success();
  }

private:
  static constexpr double largest = 65536;

  /// x - n * pi/2. Where products are not rounded, pi/2 has three parts, of
  /// which multiples of the first leave nothing over that is lost. In f64, two
  /// parts do, of which multiples of the first are exact.
  Value reduce(OpBuilder &b, Location loc, MathEmitter &emit, Value x,
               Value n) const {
    if (hasFMA) {
      Value r = emit.fma(n, emit.number(-0x1.921fb6p0), x);
      r = emit.fma(n, emit.number(0x1.777a5cp-25), r);
      return emit.fma(n, emit.number(0x1.ee59dap-50), r);
    }
    VectorType wide = cast<VectorType>(x.getType()).clone(b.getF64Type());
    MathEmitter emitWide(b, loc, wide);
    Value r = arith::ExtFOp::create(b, loc, wide, x),
          count = arith::ExtFOp::create(b, loc, wide, n);
    for (double part : {0x1.921fb544p0, 0x1.0b4611a626331p-34})
      r = arith::SubFOp::create(
          b, loc, r,
          arith::MulFOp::create(b, loc, count, emitWide.number(part)));
    return arith::TruncFOp::create(b, loc, x.getType(), r);
  }

  /// Both polynomials are computed, and the parity of n selects one per lane.
  Value compute(OpBuilder &b, Location loc, MathEmitter &emit, Value x) const {
    Value round = emit.number(0x1.8p23);
    Value shifted = emit.fma(x, emit.number(0x1.45f306p-1), round);
    Value n = arith::SubFOp::create(b, loc, shifted, round);
    Value r = reduce(b, loc, emit, x, n);
    Value square = arith::MulFOp::create(b, loc, r, r);
    Value sine = emit.polynomial(
        square, {-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1});
    sine = arith::MulFOp::create(b, loc, sine, square);
    sine = emit.fma(sine, r, r);
    Value cosine =
        emit.polynomial(square, {2.443315711809948e-5, -1.388731625493765e-3,
                                 4.166664568298827e-2, -0.5, 1.0});
    // Cosines are sines a quarter further on.
    Value quarter = emit.toBits(shifted);
    if (std::is_same_v<OpTy, math::CosOp>)
      quarter = arith::AddIOp::create(b, loc, quarter, emit.integer(1));
    Value one = emit.integer(1);
    Value isOdd =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                              arith::AndIOp::create(b, loc, quarter, one), one);
    Value result = arith::SelectOp::create(b, loc, isOdd, cosine, sine);
    Value sign = arith::ShLIOp::create(
        b, loc, arith::AndIOp::create(b, loc, quarter, emit.integer(2)),
        emit.integer(30));
    return emit.fromBits(
        arith::XOrIOp::create(b, loc, emit.toBits(result), sign));
  }

  bool hasFMA;
};

/// x^y = 2^(y * log2(x)), in f64, for positive numbers.
///
/// An error e of the exponent is a relative error e * ln(2) of the result, so
/// it has to be below 2^-24, while the exponent itself may be 2^7. That takes
/// 31 bits, and f32 has 24. Other numbers, zero and infinity among them, are
/// left to the C library.
struct ExpandPow : public OpRewritePattern<math::PowFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::PowFOp op,
                                PatternRewriter &b) const override {
    if (!isVectorOfF32(op.getType()))
      return failure();
    Location loc = op.getLoc();
    MathEmitter emit(b, loc, op.getType());
    Value x = op.getLhs(), y = op.getRhs();
    Value infinity = emit.number(std::numeric_limits<float>::infinity());
    auto compare = [&](arith::CmpFPredicate predicate, Value value,
                       Value bound) -> Value {
      return arith::CmpFOp::create(b, loc, predicate, value, bound);
    };
    Value isNormal =
        compare(arith::CmpFPredicate::OGE, x, emit.number(0x1p-126));
    Value isFinite = compare(arith::CmpFPredicate::OLT, x, infinity);
    Value hasPower = compare(arith::CmpFPredicate::OLT,
                             math::AbsFOp::create(b, loc, y), infinity);
    Value isFast = arith::AndIOp::create(
        b, loc, arith::AndIOp::create(b, loc, isNormal, isFinite), hasPower);
    b.replaceOp(op, emit.unlessSpecial(op, isFast, [&] {
      return compute(b, loc, emit, x, y);
    }));
    return success();
  }

private:
  static Value compute(OpBuilder &b, Location loc, MathEmitter &emit, Value x,
                       Value y) {
    auto type = cast<VectorType>(x.getType());
    VectorType wide = type.clone(b.getF64Type());
    MathEmitter emitWide(b, loc, wide);
    auto widen = [&](Value value) -> Value {
      return arith::ExtFOp::create(b, loc, wide, value);
    };
    // x = 2^e * m, with m between the root of 1/2 and that of 2.
    Value bits = emit.toBits(x);
    Value e = arith::ShRSIOp::create(
        b, loc, arith::SubIOp::create(b, loc, bits, emit.integer(0x3f3504f3)),
        emit.integer(23));
    Value m = widen(emit.fromBits(arith::SubIOp::create(
        b, loc, bits, arith::ShLIOp::create(b, loc, e, emit.integer(23)))));
    // log2(m) is odd in s = (m - 1) / (m + 1); its relative error is 3e-14.
    Value one = emitWide.number(1);
    Value s =
        arith::DivFOp::create(b, loc, arith::SubFOp::create(b, loc, m, one),
                              arith::AddFOp::create(b, loc, m, one));
    Value logarithm = emitWide.polynomial(
        arith::MulFOp::create(b, loc, s, s),
        {0x1.21b06f7dd8304p-2, 0x1.47955fc047786p-2, 0x1.a61a2e87d8b79p-2,
         0x1.2776c2939b11ep-1, 0x1.ec709dc53c0b6p-1, 0x1.71547652b8251p+1});
    logarithm =
        emitWide.fma(logarithm, s, arith::SIToFPOp::create(b, loc, wide, e));
    Value power = arith::MulFOp::create(b, loc, widen(y), logarithm);
    // Beyond these, f32 has nothing but 0 and infinity.
    for (auto [bound, predicate] :
         {std::pair(200.0, arith::CmpFPredicate::OGT),
          std::pair(-200.0, arith::CmpFPredicate::OLT)}) {
      Value limit = emitWide.number(bound);
      power = emitWide.select(predicate, power, limit, limit, power);
    }
    Value round = emitWide.number(0x1.8p52);
    Value shifted = arith::AddFOp::create(b, loc, power, round);
    Value n = arith::SubFOp::create(b, loc, shifted, round);
    // 2^f for f at most 1/2 away from zero, with a relative error of 3e-9.
    Value result = emitWide.polynomial(
        arith::SubFOp::create(b, loc, power, n),
        {0x1.446c7dcb2d09dp-13, 0x1.5f48c72919caep-10, 0x1.3b29d8b544526p-7,
         0x1.c6aecc557b51fp-5, 0x1.ebfbe0aa0c886p-3, 0x1.62e430d0458ffp-1,
         0x1.ffffffffa70bbp-1});
    Value exponent = arith::ShLIOp::create(b, loc, emitWide.toBits(shifted),
                                           emitWide.integer(52));
    result = emitWide.fromBits(
        arith::AddIOp::create(b, loc, emitWide.toBits(result), exponent));
    return arith::TruncFOp::create(b, loc, type, result);
  }
};
} // namespace

void cpu::populateExpandFunctionPatterns(RewritePatternSet &patterns,
                                         const Target &target) {
  patterns.add<ExpandSine<math::SinOp>, ExpandSine<math::CosOp>>(
      patterns.getContext(), target.hasFMA);
  patterns.add<ExpandPow>(patterns.getContext(), /*benefit=*/2);
}
