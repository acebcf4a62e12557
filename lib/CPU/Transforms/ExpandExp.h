//===- ExpandExp.h - Exponentials by arithmetic -----------------*- C++ -*-===//

#ifndef PALLAS_LIB_CPU_TRANSFORMS_EXPANDEXP_H
#define PALLAS_LIB_CPU_TRANSFORMS_EXPANDEXP_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::pallas::cpu {

/// `math.exp` and `math.exp2` on f32, within 1 ULP; results below the smallest
/// normal number are zero.
void populateExpandExpPatterns(RewritePatternSet &patterns);

} // namespace mlir::pallas::cpu

#endif // PALLAS_LIB_CPU_TRANSFORMS_EXPANDEXP_H
