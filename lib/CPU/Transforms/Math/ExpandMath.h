//===- ExpandMath.h - Math by arithmetic ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CPU_TRANSFORMS_MATH_EXPANDMATH_H
#define PALLAS_LIB_CPU_TRANSFORMS_MATH_EXPANDMATH_H

#include "mlir/IR/PatternMatch.h"
#include "pallas/CPU/Target/Target.h"

namespace mlir::pallas::cpu {

/// States that the argument of an exponential is at most zero, or NaN, so that
/// it doesn't overflow.
constexpr llvm::StringLiteral atMostZeroAttrName = "pallas_cpu.at_most_zero";

/// `math.exp` and `math.exp2` on f32, within 1 ULP; results below the smallest
/// normal number may be zero. AVX-512 reaches subnormal numbers too.
void populateExpandExpPatterns(RewritePatternSet &patterns,
                               const Target &target);

/// `math.sin` and `math.cos` on vectors of f32, within 2 ULP, and `math.powf`,
/// within 1 ULP.
void populateExpandFunctionPatterns(RewritePatternSet &patterns,
                                    const Target &target);

/// `math.erf` and `math.erfc` on f32, within 5 and 6 ULP. For CPUs that sum
/// products with one rounding.
void populateExpandErfPatterns(RewritePatternSet &patterns);

/// 1 + tanh(x) on f32 as a whole, which is faster and more exact than its
/// parts.
void expandOnePlusTanh(Operation *root, const Target &target);

/// Conversions of floats to integers: they saturate, and NaN becomes zero.
void populateExpandConversionPatterns(RewritePatternSet &patterns);

} // namespace mlir::pallas::cpu

#endif // PALLAS_LIB_CPU_TRANSFORMS_MATH_EXPANDMATH_H
