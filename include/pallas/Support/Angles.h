//===- Angles.h - Arctangents by polynomials --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_SUPPORT_ANGLES_H
#define PALLAS_SUPPORT_ANGLES_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::pallas {

/// `math.atan` and `math.atan2` on f32, within 2 ULP, with the signs of zeros
/// and at infinity. With `fuses`, sums of products have one rounding.
void populateExpandAnglePatterns(RewritePatternSet &patterns, bool fuses);

} // namespace mlir::pallas

#endif // PALLAS_SUPPORT_ANGLES_H
