//===- Elements.cpp - Arithmetic on elements ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Elements.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "pallas/Dialect/Pallas/Utils/Combining.h"

using namespace mlir;
using namespace mlir::pallas;

Value linalgconv::createNeutral(OpBuilder &builder, Location loc,
                                CombiningKind kind, Type type) {
  return arith::ConstantOp::create(
      builder, loc, getNeutralElement(getVectorKind(kind, type), type));
}

Type linalgconv::getSumType(Type type) {
  if (isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32)
    return Float32Type::get(type.getContext());
  return type;
}

Value linalgconv::convertFloat(OpBuilder &builder, Location loc, Value value,
                               Type elementType) {
  Type from = getElementTypeOrSelf(value.getType());
  if (from == elementType)
    return value;
  Type type = elementType;
  if (auto shaped = dyn_cast<ShapedType>(value.getType()))
    type = shaped.clone(elementType);
  unsigned fromBits = from.getIntOrFloatBitWidth(),
           toBits = elementType.getIntOrFloatBitWidth();
  if (fromBits < toBits)
    return arith::ExtFOp::create(builder, loc, type, value);
  if (fromBits > toBits)
    return arith::TruncFOp::create(builder, loc, type, value);
  // Floats of one width, such as f16 and bf16, meet in f32.
  Value wide = convertFloat(builder, loc, value, builder.getF32Type());
  return convertFloat(builder, loc, wide, elementType);
}

Value linalgconv::createLogAddExp(OpBuilder &builder, Location loc, Value lhs,
                                  Value rhs) {
  Value greater = arith::MaximumFOp::create(builder, loc, lhs, rhs);
  Value delta = arith::SubFOp::create(builder, loc, lhs, rhs);
  Value magnitude = math::AbsFOp::create(builder, loc, delta);
  Value ratio = math::ExpOp::create(
      builder, loc, arith::NegFOp::create(builder, loc, magnitude));
  Value sum = arith::AddFOp::create(builder, loc, greater,
                                    math::Log1pOp::create(builder, loc, ratio));
  // The difference of equal infinities is NaN, while their sum is the answer.
  Value plain = arith::AddFOp::create(builder, loc, lhs, rhs);
  Value isNaN = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO,
                                      delta, delta);
  return arith::SelectOp::create(builder, loc, isNaN, plain, sum);
}

static Value createIsNaN(OpBuilder &builder, Location loc, Value value) {
  return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO, value,
                               value);
}

Value linalgconv::createLess(OpBuilder &builder, Location loc, Value value,
                             Value other, bool isUnsigned) {
  if (!isa<FloatType>(value.getType())) {
    bool unsignedOrder = isUnsigned || value.getType().isInteger(1);
    return arith::CmpIOp::create(builder, loc,
                                 unsignedOrder ? arith::CmpIPredicate::ult
                                               : arith::CmpIPredicate::slt,
                                 value, other);
  }
  // "Less or unordered" is right unless `value` is NaN.
  Value less = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::ULT,
                                     value, other);
  Value isNumber = arith::CmpFOp::create(
      builder, loc, arith::CmpFPredicate::ORD, value, value);
  return arith::AndIOp::create(builder, loc, less, isNumber);
}

Value linalgconv::createEquivalent(OpBuilder &builder, Location loc,
                                   Value value, Value other) {
  if (!isa<FloatType>(value.getType()))
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, value,
                                 other);
  Value equal = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ,
                                      value, other);
  Value bothNaN =
      arith::AndIOp::create(builder, loc, createIsNaN(builder, loc, value),
                            createIsNaN(builder, loc, other));
  return arith::OrIOp::create(builder, loc, equal, bothNaN);
}

Value linalgconv::createZero(OpBuilder &builder, Location loc, Type type) {
  return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
}

Value linalgconv::isIndexInside(OpBuilder &builder, Location loc, Value index,
                                int64_t limit) {
  Value last = arith::ConstantIndexOp::create(builder, loc, limit);
  // A negative index is a great unsigned one.
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ule, index,
                               last);
}
