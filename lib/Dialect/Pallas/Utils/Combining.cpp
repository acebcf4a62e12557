//===- Combining.cpp - How kinds of the dialect combine -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/Pallas/Utils/Combining.h"

using namespace mlir;
using namespace mlir::pallas;

/// On booleans, sums and maxima are a disjunction, products and minima a
/// conjunction. The arithmetic operations would wrap: true + true is false in
/// one bit. Signed extremes would be wrong as well, because a signed true
/// is -1, which is less than false.
static CombiningKind getKindOnBooleans(CombiningKind kind) {
  switch (kind) {
  case CombiningKind::Add:
  case CombiningKind::Max:
  case CombiningKind::UMax:
    return CombiningKind::Or;
  case CombiningKind::Mul:
  case CombiningKind::Min:
  case CombiningKind::UMin:
    return CombiningKind::And;
  default:
    return kind;
  }
}

/// Extremes of floats propagate a NaN, as in JAX, so they are MAXIMUMF and not
/// MAXNUMF.
vector::CombiningKind pallas::getVectorKind(CombiningKind kind, Type element) {
  bool isFloat = isa<FloatType>(element);
  if (element.isInteger(1))
    kind = getKindOnBooleans(kind);
  using Kind = vector::CombiningKind;
  switch (kind) {
  case CombiningKind::Add:
    return Kind::ADD;
  case CombiningKind::Mul:
    return Kind::MUL;
  case CombiningKind::Max:
    return isFloat ? Kind::MAXIMUMF : Kind::MAXSI;
  case CombiningKind::Min:
    return isFloat ? Kind::MINIMUMF : Kind::MINSI;
  case CombiningKind::UMax:
    return Kind::MAXUI;
  case CombiningKind::UMin:
    return Kind::MINUI;
  case CombiningKind::And:
    return Kind::AND;
  case CombiningKind::Or:
    return Kind::OR;
  case CombiningKind::Xor:
    return Kind::XOR;
  }
  llvm_unreachable("all kinds are handled");
}

/// Kinds that treat a NaN as missing have no kind of their own in the dialect.
CombiningKind pallas::getCombiningKind(vector::CombiningKind kind) {
  switch (kind) {
  case vector::CombiningKind::ADD:
    return CombiningKind::Add;
  case vector::CombiningKind::MUL:
    return CombiningKind::Mul;
  case vector::CombiningKind::MAXSI:
  case vector::CombiningKind::MAXIMUMF:
  case vector::CombiningKind::MAXNUMF:
    return CombiningKind::Max;
  case vector::CombiningKind::MINSI:
  case vector::CombiningKind::MINIMUMF:
  case vector::CombiningKind::MINNUMF:
    return CombiningKind::Min;
  case vector::CombiningKind::MAXUI:
    return CombiningKind::UMax;
  case vector::CombiningKind::MINUI:
    return CombiningKind::UMin;
  case vector::CombiningKind::AND:
    return CombiningKind::And;
  case vector::CombiningKind::OR:
    return CombiningKind::Or;
  case vector::CombiningKind::XOR:
    return CombiningKind::Xor;
  }
  llvm_unreachable("all kinds are handled");
}

/// An exchange does not combine.
std::optional<CombiningKind> pallas::getCombiningKind(AtomicKind kind) {
  switch (kind) {
  case AtomicKind::Xchg:
    return std::nullopt;
  case AtomicKind::Add:
    return CombiningKind::Add;
  case AtomicKind::Max:
    return CombiningKind::Max;
  case AtomicKind::Min:
    return CombiningKind::Min;
  case AtomicKind::UMax:
    return CombiningKind::UMax;
  case AtomicKind::UMin:
    return CombiningKind::UMin;
  case AtomicKind::And:
    return CombiningKind::And;
  case AtomicKind::Or:
    return CombiningKind::Or;
  case AtomicKind::Xor:
    return CombiningKind::Xor;
  }
  llvm_unreachable("all kinds are handled");
}

Value pallas::createCombined(OpBuilder &builder, Location loc,
                             CombiningKind kind, Value lhs, Value rhs) {
  Type element = getElementTypeOrSelf(lhs.getType());
  return vector::makeArithReduction(builder, loc, getVectorKind(kind, element),
                                    lhs, rhs);
}

Value pallas::createCombined(OpBuilder &builder, Location loc, AtomicKind kind,
                             Value old, Value value) {
  std::optional<CombiningKind> combining = getCombiningKind(kind);
  return combining ? createCombined(builder, loc, *combining, old, value)
                   : value;
}

/// Floats are compared by their bits, as atomic operations of hardware do. A
/// comparison as numbers would never swap a NaN, and would take -0 for 0:
///
///   %0 = arith.bitcast %old : f32 to i32
///   %1 = arith.bitcast %expected : f32 to i32
///   %2 = arith.cmpi eq, %0, %1 : i32
///   %3 = arith.select %2, %value, %old : f32
Value pallas::createCompareAndSwap(OpBuilder &builder, Location loc, Value old,
                                   Value expected, Value value) {
  Value bits = old;
  if (isa<FloatType>(old.getType())) {
    Type type = builder.getIntegerType(old.getType().getIntOrFloatBitWidth());
    bits = arith::BitcastOp::create(builder, loc, type, bits);
    expected = arith::BitcastOp::create(builder, loc, type, expected);
  }
  Value isExpected = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::eq, bits, expected);
  return arith::SelectOp::create(builder, loc, isExpected, value, old);
}
