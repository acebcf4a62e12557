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
/// and at infinity.
void populateExpandAnglePatterns(RewritePatternSet &patterns);

} // namespace mlir::pallas

#endif // PALLAS_SUPPORT_ANGLES_H
