//===- MathEmitter.h - Arithmetic on vectors of floats ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CPU_TRANSFORMS_MATH_MATHEMITTER_H
#define PALLAS_LIB_CPU_TRANSFORMS_MATH_MATHEMITTER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace mlir::pallas::cpu {

/// Emits arithmetic on floats of one type, scalars or vectors.
class MathEmitter {
public:
  MathEmitter(OpBuilder &b, Location loc, Type type)
      : b(b), loc(loc), type(type) {
    element = cast<FloatType>(getElementTypeOrSelf(type));
    words = b.getIntegerType(element.getWidth());
    if (auto shaped = dyn_cast<ShapedType>(type))
      words = shaped.clone(words);
  }

  Value number(double value) {
    return constant(type, b.getFloatAttr(element, value));
  }
  Value integer(int64_t value) {
    return constant(words,
                    b.getIntegerAttr(getElementTypeOrSelf(words), value));
  }
  Value toBits(Value value) {
    return arith::BitcastOp::create(b, loc, words, value);
  }
  Value fromBits(Value value) {
    return arith::BitcastOp::create(b, loc, type, value);
  }
  Value fma(Value x, Value y, Value z) {
    return math::FmaOp::create(b, loc, x, y, z);
  }
  Value select(arith::CmpFPredicate predicate, Value x, Value bound, Value then,
               Value otherwise) {
    Value condition = arith::CmpFOp::create(b, loc, predicate, x, bound);
    return arith::SelectOp::create(b, loc, condition, then, otherwise);
  }

  /// The polynomial of `x` with these coefficients, from the highest.
  Value polynomial(Value x, ArrayRef<double> coefficients) {
    Value sum = number(coefficients.front());
    for (double next : coefficients.drop_front())
      sum = fma(sum, x, number(next));
    return sum;
  }

  /// Emits `fast` if all lanes are in `isFast`, for which it is accurate.
  /// Otherwise emits `op` lane by lane, as functions of the C library. For 1-D
  /// vectors.
  Value unlessSpecial(Operation *op, Value isFast,
                      llvm::function_ref<Value()> fast);

protected:
  Value constant(Type type, TypedAttr value) {
    if (auto shaped = dyn_cast<ShapedType>(type))
      value = DenseElementsAttr::get(shaped, value);
    return arith::ConstantOp::create(b, loc, value);
  }

  OpBuilder &b;
  Location loc;
  Type type, words;
  FloatType element;
};

} // namespace mlir::pallas::cpu

#endif // PALLAS_LIB_CPU_TRANSFORMS_MATH_MATHEMITTER_H
