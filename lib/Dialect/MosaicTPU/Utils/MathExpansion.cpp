//===- MathExpansion.cpp - Functions out of other functions ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that no unit of a TPU has, out of those that it has. MLIR's own
// expansions are less exact in places; docs/Upstream.md compares them.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/MosaicTPU/Utils/MathExpansion.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "pallas/Dialect/MosaicTPU/Utils/VectorShapes.h"
#include "llvm/ADT/TypeSwitch.h"
#include <limits>

using namespace mlir;
using namespace mlir::tpu;

using arith::CmpFPredicate;
using arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

///   %0 = tpu.bitcast %v : vector<8x128xf32> -> vector<8x128xi32>
///
/// Constants are cast at once, so that patterns see their bits.
Value mlir::tpu::bitcastElements(Emitter &emit, Value value, Type element) {
  Type type = withElementType(value.getType(), element);
  if (type == value.getType())
    return value;
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant))) {
    if (auto splat = dyn_cast<SplatElementsAttr>(constant))
      constant = splat.getSplatValue<Attribute>();
    if (auto real = dyn_cast<FloatAttr>(constant); real && element.isInteger())
      return emit.splat(
          type, IntegerAttr::get(element, real.getValue().bitcastToAPInt()));
  }
  if (isa<VectorType>(type))
    return emit.create<tpu::BitcastOp>(type, value);
  return emit.create<arith::BitcastOp>(type, value);
}

/// With lhs = l1 * 2^16 + l0 and rhs = r1 * 2^16 + r0, the product is the sum
/// of four products of 32 bits. Each sum below is in range: a product of halves
/// plus two halves is less than 2^32.
Value mlir::tpu::multiplyHigh(Emitter &emit, Value lhs, Value rhs,
                              bool isSigned) {
  Type type = lhs.getType();
  Value low = emit.integer(type, 0xFFFF), half = emit.integer(type, 16);
  auto lower = [&](Value v) -> Value {
    return emit.create<arith::AndIOp>(v, low);
  };
  auto upper = [&](Value v) -> Value {
    return emit.create<arith::ShRUIOp>(v, half);
  };
  Value l0 = lower(lhs), l1 = upper(lhs), r0 = lower(rhs), r1 = upper(rhs);
  Value cross = emit.add(emit.mul(l1, r0), upper(emit.mul(l0, r0)));
  Value carry = emit.add(emit.mul(l0, r1), lower(cross));
  Value high = emit.add(emit.mul(l1, r1), emit.add(upper(cross), upper(carry)));
  if (!isSigned)
    return high;
  // A negative operand was taken for one that is larger by 2^32.
  Value zero = emit.zero(type);
  auto correction = [&](Value factor, Value other) {
    return emit.select(emit.compare(CmpIPredicate::slt, factor, zero), other,
                       zero);
  };
  high = emit.sub(high, correction(lhs, rhs));
  return emit.sub(high, correction(rhs, lhs));
}

/// How many bits of words are set. Scalar units don't count them, so they are
/// added up in pairs, fours and bytes, and the bytes by a product.
static Value countBits(Emitter &emit, Value words) {
  if (isa<VectorType>(words.getType()))
    return emit.create<math::CtPopOp>(words);
  auto shifted = [&](Value word, int64_t by) {
    return emit.create<arith::ShRUIOp>(word, emit.i32(by));
  };
  auto masked = [&](Value word, int64_t mask) {
    return emit.create<arith::AndIOp>(word, emit.i32(mask));
  };
  Value pairs = emit.sub(words, masked(shifted(words, 1), 0x55555555));
  Value fours = emit.add(masked(pairs, 0x33333333),
                         masked(shifted(pairs, 2), 0x33333333));
  Value bytes = masked(emit.add(fours, shifted(fours, 4)), 0x0f0f0f0f);
  return shifted(emit.mul(bytes, emit.i32(0x01010101)), 24);
}

///   %0 = arith.extui %x : vector<32x128xi8> to vector<32x128xi32>
///   %1 = math.ctlz %0 : vector<32x128xi32>
///   %2 = arith.subi %1, %c24
///
/// The leading zeros of the wider type count too.
static Value expandBitCount(Emitter &emit, Operation *op, Value value) {
  Type element = getElementType(value.getType());
  int64_t width = element.getIntOrFloatBitWidth();
  Value wide =
      emit.resize(value, emit.getBuilder().getI32Type(), /*isSigned=*/false);
  Type type = wide.getType();
  Value result;
  if (isa<math::CtPopOp>(op)) {
    result = countBits(emit, wide);
  } else if (isa<math::CountLeadingZerosOp>(op)) {
    result = emit.sub(emit.create<math::CountLeadingZerosOp>(wide),
                      emit.integer(type, 32 - width));
  } else {
    // Trailing zeros are the ones below the lowest set bit; a sentinel above
    // the value ends the zeros of a zero.
    if (width < 32)
      wide = emit.create<arith::OrIOp>(wide, emit.integer(type, 1ll << width));
    Value below = emit.create<arith::AndIOp>(
        emit.create<arith::XOrIOp>(wide, emit.integer(type, -1)),
        emit.sub(wide, emit.integer(type, 1)));
    result = countBits(emit, below);
  }
  return narrow(emit, result, element);
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// Division truncates. If there is a remainder, floor subtracts one where the
/// signs differ, and ceil adds one where they agree.
static Value expandRoundedDivision(Emitter &emit, Operation *op, Value lhs,
                                   Value rhs) {
  Type element = getElementType(lhs.getType());
  bool isSigned = !isa<arith::CeilDivUIOp>(op);
  auto i32 = emit.getBuilder().getI32Type();
  lhs = emit.resize(lhs, i32, isSigned);
  rhs = emit.resize(rhs, i32, isSigned);
  Type type = lhs.getType();
  Value zero = emit.zero(type), one = emit.integer(type, 1);
  Value quotient = isSigned ? emit.create<arith::DivSIOp>(lhs, rhs).getResult()
                            : emit.create<arith::DivUIOp>(lhs, rhs).getResult();
  Value rest = emit.sub(lhs, emit.mul(quotient, rhs));
  Value isInexact = emit.compare(CmpIPredicate::ne, rest, zero);
  Value adjusted;
  if (isa<arith::CeilDivUIOp>(op)) {
    adjusted = emit.add(quotient, one);
  } else {
    Value differ = emit.compare(CmpIPredicate::slt,
                                emit.create<arith::XOrIOp>(lhs, rhs), zero);
    bool isFloor = isa<arith::FloorDivSIOp>(op);
    isInexact = emit.create<arith::AndIOp>(
        isInexact, isFloor ? differ : emit.logicalNot(differ));
    adjusted = isFloor ? emit.sub(quotient, one) : emit.add(quotient, one);
  }
  return narrow(emit, emit.select(isInexact, adjusted, quotient), element);
}

/// Comparisons of booleans are logic. The compiler brings comparisons of wider
/// ones back to booleans, which it then can't compare.
static Value compareBools(Emitter &emit, CmpIPredicate predicate, Value lhs,
                          Value rhs) {
  auto both = [&](Value a, Value b) -> Value {
    return emit.create<arith::AndIOp>(a, b);
  };
  auto either = [&](Value a, Value b) -> Value {
    return emit.create<arith::OrIOp>(a, b);
  };
  switch (predicate) {
  case CmpIPredicate::eq:
    return emit.logicalNot(emit.create<arith::XOrIOp>(lhs, rhs));
  case CmpIPredicate::ne:
    return emit.create<arith::XOrIOp>(lhs, rhs);
  // As unsigned numbers, true is 1; as signed ones it is -1.
  case CmpIPredicate::ult:
  case CmpIPredicate::sgt:
    return both(emit.logicalNot(lhs), rhs);
  case CmpIPredicate::ule:
  case CmpIPredicate::sge:
    return either(emit.logicalNot(lhs), rhs);
  case CmpIPredicate::ugt:
  case CmpIPredicate::slt:
    return both(lhs, emit.logicalNot(rhs));
  case CmpIPredicate::uge:
  case CmpIPredicate::sle:
    return either(lhs, emit.logicalNot(rhs));
  }
  return {};
}

/// Arithmetic on booleans is logic modulo two; selections take 32 bits.
static Value expandBool(Emitter &emit, Operation *op, ValueRange operands) {
  if (isa<arith::SelectOp>(op)) {
    Value a = emit.boolToI32(operands[1]), b = emit.boolToI32(operands[2]);
    return emit.i32ToBool(emit.select(operands[0], a, b));
  }
  if (isa<arith::MulIOp>(op))
    return emit.create<arith::AndIOp>(operands[0], operands[1]);
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return compareBools(emit, compare.getPredicate(), operands[0], operands[1]);
  return emit.create<arith::XOrIOp>(operands[0], operands[1]);
}

/// `base` to a constant power, by repeated squaring.
static Value raise(Emitter &emit, Value base, int64_t exponent) {
  bool isFloat = isa<FloatType>(getElementType(base.getType()));
  auto one = [&] {
    return isFloat ? emit.real(base.getType(), 1.0)
                   : emit.integer(base.getType(), 1);
  };
  if (exponent == 0)
    return one();
  // A negative power of an integer is the caller's business.
  Value result, square = base;
  for (uint64_t rest = std::abs(exponent); rest; rest >>= 1) {
    if (rest & 1)
      result = result ? emit.mul(result, square) : square;
    if (rest > 1)
      square = emit.mul(square, square);
  }
  if (exponent < 0 && isFloat)
    return emit.create<arith::DivFOp>(one(), result);
  return result;
}

/// A power of floats. Scalar units have none, so that scalars go through a
/// vector of one element.
static Value createPower(Emitter &emit, Value base, Value exponent) {
  if (isa<VectorType>(base.getType()))
    return emit.create<math::PowFOp>(base, exponent);
  SmallVector<int64_t> shape{1, 1}, first{0, 0};
  Value power = emit.create<math::PowFOp>(emit.broadcast(base, shape),
                                          emit.broadcast(exponent, shape));
  return extractElement(emit, power, first);
}

/// A constant exponent is expanded to multiplications. Floats have a power of
/// floats for others.
static FailureOr<Value> expandPower(Emitter &emit, Operation *op, Value base,
                                    Value exponent) {
  APInt constant;
  Attribute attribute;
  // The exponent is looked up at the operation, before its conversion.
  bool isConstant = matchPattern(op->getOperand(1), m_ConstantInt(&constant));
  if (!isConstant && matchPattern(op->getOperand(1), m_Constant(&attribute)))
    if (auto splat = dyn_cast<SplatElementsAttr>(attribute)) {
      constant = splat.getSplatValue<APInt>();
      isConstant = true;
    }
  bool isFloat = isa<FloatType>(getElementType(base.getType()));
  if (isConstant && (isFloat || constant.getSExtValue() >= 0))
    return raise(emit, base, constant.getSExtValue());
  if (!isFloat)
    return op->emitOpError("of integers needs a constant exponent on TPUs; "
                           "multiply in a loop instead");
  Value real = emit.create<arith::SIToFPOp>(base.getType(), exponent);
  return createPower(emit, base, real);
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

/// Comparisons that hold for NaN are negated ordered ones: `ult` is the
/// negation of `oge`.
static Value expandCompare(Emitter &emit, arith::CmpFOp op, Value lhs,
                           Value rhs) {
  auto negated = [&](CmpFPredicate predicate) {
    return emit.logicalNot(emit.compare(predicate, lhs, rhs));
  };
  auto bothNumbers = [&]() -> Value {
    return emit.create<arith::AndIOp>(
        emit.compare(CmpFPredicate::OEQ, lhs, lhs),
        emit.compare(CmpFPredicate::OEQ, rhs, rhs));
  };
  switch (op.getPredicate()) {
  case CmpFPredicate::UEQ:
    return negated(CmpFPredicate::ONE);
  case CmpFPredicate::UNE:
    return negated(CmpFPredicate::OEQ);
  case CmpFPredicate::UGT:
    return negated(CmpFPredicate::OLE);
  case CmpFPredicate::UGE:
    return negated(CmpFPredicate::OLT);
  case CmpFPredicate::ULT:
    return negated(CmpFPredicate::OGE);
  case CmpFPredicate::ULE:
    return negated(CmpFPredicate::OGT);
  case CmpFPredicate::ORD:
    return bothNumbers();
  case CmpFPredicate::UNO:
    return emit.logicalNot(bothNumbers());
  // Constants without operands are folded before; the check keeps this total.
  case CmpFPredicate::AlwaysFalse:
    return emit.zero(
        op->getNumOperands()
            ? withElementType(lhs.getType(), emit.getBuilder().getI1Type())
            : lhs.getType());
  case CmpFPredicate::AlwaysTrue:
    return emit.integer(
        withElementType(lhs.getType(), emit.getBuilder().getI1Type()), 1);
  default:
    return {};
  }
}

///   %0 = arith.andi %magnitude, 0x7FFFFFFF
///   %1 = arith.andi %sign, 0x80000000
///   %2 = arith.ori %0, %1
static Value expandCopySign(Emitter &emit, Value magnitude, Value sign) {
  Type i32 = emit.getBuilder().getI32Type();
  Value bits = bitcastElements(emit, magnitude, i32);
  Value signBits = bitcastElements(emit, sign, i32);
  constexpr int64_t signBit = std::numeric_limits<int32_t>::min();
  Value mask = emit.integer(bits.getType(), signBit);
  // A constant magnitude is often positive.
  APInt known;
  bool isPositive =
      matchPattern(bits, m_ConstantInt(&known)) && known.isNonNegative();
  if (!isPositive)
    bits = emit.create<arith::AndIOp>(
        bits, emit.integer(bits.getType(), ~signBit & 0xFFFFFFFF));
  Value joined = emit.create<arith::OrIOp>(
      bits, emit.create<arith::AndIOp>(signBits, mask).getResult());
  return bitcastElements(emit, joined, getElementType(magnitude.getType()));
}

/// e^x - 1 without cancellation: (e^x + 1) * tanh(x / 2), and e^x - 1 where
/// the tangent has come to 1.
static Value expandExpM1(Emitter &emit, Value x) {
  Type type = x.getType();
  Value exp = emit.create<math::ExpOp>(x);
  Value half = emit.mul(x, emit.real(type, 0.5));
  Value accurate = emit.mul(emit.add(exp, emit.real(type, 1.0)),
                            emit.create<math::TanhOp>(half));
  Value magnitude = emit.create<math::AbsFOp>(x);
  Value isSmall =
      emit.compare(CmpFPredicate::OLT, magnitude, emit.real(type, 1.0));
  return emit.select(isSmall, accurate, emit.sub(exp, emit.real(type, 1.0)));
}

/// log_b(x) = log(x) / log(b).
static Value expandLogScaled(Emitter &emit, Value x, double base) {
  return emit.mul(emit.create<math::LogOp>(x),
                  emit.real(x.getType(), 1.0 / std::log(base)));
}

/// cosh is the mean of e^x and e^-x. The same formula for sinh would cancel for
/// small arguments.
static Value expandSinhCosh(Emitter &emit, Operation *op, Value x) {
  Type type = x.getType();
  if (isa<math::CoshOp>(op)) {
    Value up = emit.create<math::ExpOp>(x);
    Value down = emit.create<math::ExpOp>(emit.sub(emit.zero(type), x));
    return emit.mul(emit.add(up, down), emit.real(type, 0.5));
  }
  // (e + e / (e + 1)) / 2 with e = expm1(x)
  Value e = expandExpM1(emit, x);
  Value ratio =
      emit.create<arith::DivFOp>(e, emit.add(e, emit.real(type, 1.0)));
  return emit.mul(emit.add(e, ratio), emit.real(type, 0.5));
}

/// Inverse trigonometric functions by the angle of a point.
static Value expandArc(Emitter &emit, Operation *op, Value x) {
  Value one = emit.real(x.getType(), 1.0);
  if (isa<math::AtanOp>(op))
    return emit.create<math::Atan2Op>(x, one);
  // The cosine of the angle: sqrt(1 - x^2), factored against cancellation.
  Value other =
      emit.create<math::SqrtOp>(emit.mul(emit.sub(one, x), emit.add(one, x)));
  if (isa<math::AsinOp>(op))
    return emit.create<math::Atan2Op>(x, other);
  return emit.create<math::Atan2Op>(other, x);
}

/// Logarithms of the argument and a root. Differences are factored or computed
/// by log1p, which is exact near zero.
static Value expandAreaHyperbolic(Emitter &emit, Operation *op, Value x) {
  Type type = x.getType();
  Value one = emit.real(type, 1.0);
  if (isa<math::AtanhOp>(op)) {
    Value up = emit.create<math::Log1pOp>(x);
    Value down = emit.create<math::Log1pOp>(emit.sub(emit.zero(type), x));
    return emit.mul(emit.sub(up, down), emit.real(type, 0.5));
  }
  if (isa<math::AcoshOp>(op)) {
    Value root =
        emit.create<math::SqrtOp>(emit.mul(emit.sub(x, one), emit.add(x, one)));
    return emit.create<math::LogOp>(emit.add(x, root));
  }
  // log1p(a + a^2 / (1 + sqrt(1 + a^2))) of the magnitude a keeps small
  // arguments exact.
  Value a = emit.create<math::AbsFOp>(x);
  Value square = emit.mul(a, a);
  Value root = emit.create<math::SqrtOp>(emit.add(square, one));
  Value ratio = emit.create<arith::DivFOp>(square, emit.add(root, one));
  Value result = emit.create<math::Log1pOp>(emit.add(a, ratio));
  return expandCopySign(emit, result, x);
}

/// The power is exact to a few bits less than f32, and loses the sign.
static Value expandCbrt(Emitter &emit, Value x) {
  Type type = x.getType();
  Value magnitude = emit.create<math::AbsFOp>(x);
  Value root = createPower(emit, magnitude, emit.real(type, 1.0 / 3.0));
  // One Newton step brings the power to full precision.
  Value square = emit.mul(root, root);
  Value better =
      emit.mul(emit.add(emit.add(root, root),
                        emit.create<arith::DivFOp>(magnitude, square)),
               emit.real(type, 1.0 / 3.0));
  // A zero would be divided by its square.
  Value isZero = emit.compare(CmpFPredicate::OEQ, magnitude, emit.zero(type));
  return expandCopySign(emit, emit.select(isZero, magnitude, better), x);
}

/// The extreme of two numbers where a NaN counts as missing.
static Value expandNumberExtreme(Emitter &emit, Operation *op, Value lhs,
                                 Value rhs) {
  Value extreme = isa<arith::MaxNumFOp>(op)
                      ? emit.create<arith::MaximumFOp>(lhs, rhs).getResult()
                      : emit.create<arith::MinimumFOp>(lhs, rhs).getResult();
  Value lhsIsNumber = emit.compare(CmpFPredicate::OEQ, lhs, lhs);
  Value rhsIsNumber = emit.compare(CmpFPredicate::OEQ, rhs, rhs);
  return emit.select(lhsIsNumber, emit.select(rhsIsNumber, extreme, lhs), rhs);
}

/// Infinities and NaN by comparisons, without a look at bits.
static Value expandClassify(Emitter &emit, Operation *op, Value x) {
  if (isa<math::IsNaNOp>(op))
    return emit.logicalNot(emit.compare(CmpFPredicate::OEQ, x, x));
  Type type = x.getType();
  Value magnitude = emit.create<math::AbsFOp>(x);
  Value infinity = emit.real(type, std::numeric_limits<double>::infinity());
  if (isa<math::IsInfOp>(op))
    return emit.compare(CmpFPredicate::OEQ, magnitude, infinity);
  return emit.compare(CmpFPredicate::OLT, magnitude, infinity);
  // An ordered comparison is false for NaN.
}

/// Functions of floats that are computed in f32. Others are native.
static Value expandFloat(Emitter &emit, Operation *op, ValueRange operands) {
  Value x = operands[0];
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<math::AcosOp, math::AsinOp, math::AtanOp>(
          [&](auto) { return expandArc(emit, op, x); })
      .Case<math::AcoshOp, math::AsinhOp, math::AtanhOp>(
          [&](auto) { return expandAreaHyperbolic(emit, op, x); })
      .Case<math::SinhOp, math::CoshOp>(
          [&](auto) { return expandSinhCosh(emit, op, x); })
      .Case<math::CbrtOp>([&](auto) { return expandCbrt(emit, x); })
      .Case<math::ExpM1Op>([&](auto) { return expandExpM1(emit, x); })
      .Case<math::Log2Op>([&](auto) { return expandLogScaled(emit, x, 2); })
      .Case<math::Log10Op>([&](auto) { return expandLogScaled(emit, x, 10); })
      .Case<math::ErfcOp>([&](auto) {
        return emit.sub(emit.real(x.getType(), 1.0),
                        emit.create<math::ErfOp>(x));
      })
      .Case<math::FmaOp>(
          [&](auto) { return emit.add(emit.mul(x, operands[1]), operands[2]); })
      .Case<math::ClampFOp>([&](auto) -> Value {
        Value atLeast = emit.create<arith::MaximumFOp>(x, operands[1]);
        return emit.create<arith::MinimumFOp>(atLeast, operands[2]);
      })
      .Case<math::CopySignOp>(
          [&](auto) { return expandCopySign(emit, x, operands[1]); })
      .Case<arith::MaxNumFOp, arith::MinNumFOp>(
          [&](auto) { return expandNumberExtreme(emit, op, x, operands[1]); })
      .Case<math::IsNaNOp, math::IsInfOp, math::IsFiniteOp>(
          [&](auto) { return expandClassify(emit, op, x); })
      .Default([](Operation *) { return Value(); });
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// Booleans go to and from other types through 32 bits.
static Value expandBoolCast(Emitter &emit, Operation *op, Value value,
                            Type type) {
  Type element = getElementType(type);
  if (isa<arith::TruncIOp>(op) && element.isInteger(1)) {
    Value wide = widen(emit, value);
    // The lowest bit is the boolean, as for all integers.
    return emit.i32ToBool(
        emit.create<arith::AndIOp>(wide, emit.integer(wide.getType(), 1)));
  }
  if (!getElementType(value.getType()).isInteger(1))
    return {};
  Value wide = emit.boolToI32(value);
  // A signed boolean is -1 when it is set.
  if (isa<arith::ExtSIOp, arith::SIToFPOp>(op))
    wide = emit.sub(emit.zero(wide.getType()), wide);
  if (isa<arith::ExtUIOp, arith::ExtSIOp>(op))
    return emit.resize(wide, element, /*isSigned=*/false);
  Type f32 = withElementType(type, emit.getBuilder().getF32Type());
  return narrow(emit, emit.create<arith::SIToFPOp>(f32, wide), element);
}

/// Integers go to narrow floats through 32 bits, and scalars of less than 32
/// bits to all floats.
static Value convertThroughWords(Emitter &emit, Operation *op, Value value,
                                 Type type) {
  OpBuilder &builder = emit.getBuilder();
  Value wide = emit.resize(value, builder.getI32Type(),
                           /*isSigned=*/isa<arith::SIToFPOp>(op));
  if (isa<VectorType>(type))
    wide = keepApart(emit, wide);
  Type f32 = withElementType(type, builder.getF32Type());
  return narrow(emit, emit.create<arith::SIToFPOp>(f32, wide),
                getElementType(type));
}

/// Scalar units know 32 bits only.
static bool isCast(Operation *op) {
  return isa<arith::ExtUIOp, arith::ExtSIOp, arith::TruncIOp, arith::SIToFPOp,
             arith::UIToFPOp>(op);
}

/// The cases are ordered by what decides: casts, operations with expansions of
/// their own for integers, booleans, and floats in f32 at the end.
FailureOr<Value> mlir::tpu::expandElementwise(Emitter &emit, Operation *op,
                                              ValueRange operands, Type type,
                                              TPUSupport support) {
  // Casts that the table calls expanded are to narrow floats.
  if (isCast(op) && support == TPUSupport::Expanded)
    return convertThroughWords(emit, op, operands[0], type);
  if (isCast(op))
    return expandBoolCast(emit, op, operands[0], type);
  if (isa<arith::BitcastOp>(op))
    return bitcastElements(emit, operands[0], getElementType(type));
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    return expandCompare(emit, compare, operands[0], operands[1]);
  if (isa<math::PowFOp>(op) && !isa<VectorType>(type))
    return narrow(
        emit,
        createPower(emit, widen(emit, operands[0]), widen(emit, operands[1])),
        getElementType(type));
  if (isa<math::IPowIOp, math::FPowIOp>(op))
    return expandPower(emit, op, operands[0], operands[1]);
  if (isa<arith::MaxUIOp, arith::MinUIOp>(op))
    return expandUnsignedExtreme(emit, op, operands[0], operands[1]);
  if (isa<arith::FloorDivSIOp, arith::CeilDivSIOp, arith::CeilDivUIOp>(op))
    return expandRoundedDivision(emit, op, operands[0], operands[1]);
  if (isa<math::CtPopOp, math::CountLeadingZerosOp, math::CountTrailingZerosOp>(
          op)) {
    bool isNative = getElementType(type).isInteger(32) &&
                    (isa<math::CountLeadingZerosOp>(op) ||
                     (isa<math::CtPopOp>(op) && isa<VectorType>(type)));
    return isNative ? Value() : expandBitCount(emit, op, operands[0]);
  }
  bool isBool = getElementType(operands.back().getType()).isInteger(1);
  if (isBool && isa<arith::SelectOp, arith::AddIOp, arith::SubIOp,
                    arith::MulIOp, arith::CmpIOp>(op))
    return expandBool(emit, op, operands);
  // Neither native nor widened operations need an expansion.
  if (support != TPUSupport::Expanded)
    return Value();
  SmallVector<Value> wide = llvm::map_to_vector(
      operands, [&](Value operand) { return widen(emit, operand); });
  Value result = expandFloat(emit, op, wide);
  return result ? narrow(emit, result, getElementType(type)) : result;
}
