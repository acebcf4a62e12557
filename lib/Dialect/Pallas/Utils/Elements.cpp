//===- Elements.cpp - Arithmetic on elements ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has scalar arithmetic that several patterns emit: neutral elements,
// conversions of floats, and comparisons with a total order.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/Pallas/Utils/Elements.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "pallas/Dialect/Pallas/Utils/Combining.h"

using namespace mlir;
using namespace mlir::pallas;

/// For example -inf for the maximum of floats, and 1 for a product.
Value mlir::pallas::createNeutral(OpBuilder &builder, Location loc,
                                  CombiningKind kind, Type type) {
  return arith::ConstantOp::create(
      builder, loc, getNeutralElement(getVectorKind(kind, type), type));
}

/// An f64 or an integer is summed in its own type.
Type mlir::pallas::getSumType(Type type) {
  if (isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32)
    return Float32Type::get(type.getContext());
  return type;
}

///   %1 = arith.extf %0 : tensor<8xbf16> to tensor<8xf32>
Value mlir::pallas::convertFloat(OpBuilder &builder, Location loc, Value value,
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

/// The greater operand is taken out of the exponential, which would overflow
/// otherwise:
///
///   %greater = arith.maximumf %lhs, %rhs : f32
///   %delta = arith.subf %lhs, %rhs : f32
///   %magnitude = math.absf %delta : f32
///   %negated = arith.negf %magnitude : f32
///   %ratio = math.exp %negated : f32
///   %log = math.log1p %ratio : f32
///   %sum = arith.addf %greater, %log : f32
Value mlir::pallas::createLogAddExp(OpBuilder &builder, Location loc, Value lhs,
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

/// A NaN is the only value that is unordered with itself.
static Value createIsNaN(OpBuilder &builder, Location loc, Value value) {
  return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO, value,
                               value);
}

/// A merge sort with an order that is not total would lose elements, so NaN
/// needs a place: behind all numbers, as in NumPy and JAX.
Value mlir::pallas::createLess(OpBuilder &builder, Location loc, Value value,
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

/// -0.0 and 0.0 are equivalent, so that a stable sort keeps their order.
Value mlir::pallas::createEquivalent(OpBuilder &builder, Location loc,
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

Value mlir::pallas::createZero(OpBuilder &builder, Location loc, Type type) {
  return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
}

bool mlir::pallas::isEmptyArray(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && llvm::is_contained(tensor.getShape(), 0);
}

bool mlir::pallas::yieldsEmptyArray(Operation *op) {
  return llvm::any_of(op->getResultTypes(), isEmptyArray);
}

Value mlir::pallas::isIndexInside(OpBuilder &builder, Location loc, Value index,
                                  int64_t limit) {
  Value last = arith::ConstantIndexOp::create(builder, loc, limit);
  // A negative index is a great unsigned one.
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ule, index,
                               last);
}
