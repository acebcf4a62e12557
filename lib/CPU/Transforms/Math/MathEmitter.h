//===- MathEmitter.h - Arithmetic on vectors of floats ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CPU_TRANSFORMS_MATH_MATHEMITTER_H
#define PALLAS_LIB_CPU_TRANSFORMS_MATH_MATHEMITTER_H

#include "pallas/Support/VectorMath.h"

namespace mlir::pallas::cpu {

/// Arithmetic for CPUs, which sum products with one rounding or expand that.
class MathEmitter : public VectorMath {
public:
  using VectorMath::select;
  using VectorMath::VectorMath;

  Value fma(Value x, Value y, Value z) {
    return math::FmaOp::create(b, x, y, z);
  }
  Value select(arith::CmpFPredicate predicate, Value x, Value bound, Value then,
               Value otherwise) {
    return select(compare(predicate, x, bound), then, otherwise);
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
};

} // namespace mlir::pallas::cpu

#endif // PALLAS_LIB_CPU_TRANSFORMS_MATH_MATHEMITTER_H
