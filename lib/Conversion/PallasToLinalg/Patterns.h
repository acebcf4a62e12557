//===- Patterns.h - Patterns by family of operations ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOLINALG_PATTERNS_H
#define PALLAS_LIB_CONVERSION_PALLASTOLINALG_PATTERNS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::pallas::linalgconv {

void populateBitPatterns(RewritePatternSet &patterns);
void populateContractionPatterns(RewritePatternSet &patterns);
void populateCumulativePatterns(RewritePatternSet &patterns);
void populateGatherPatterns(RewritePatternSet &patterns);
void populateHintPatterns(RewritePatternSet &patterns);
void populateMaskPatterns(RewritePatternSet &patterns);
void populatePackingPatterns(RewritePatternSet &patterns);
void populateReductionPatterns(RewritePatternSet &patterns);
void populateRollPatterns(RewritePatternSet &patterns);
void populateScatterPatterns(RewritePatternSet &patterns);
void populateShapePatterns(RewritePatternSet &patterns);
void populateSortPatterns(RewritePatternSet &patterns);

} // namespace mlir::pallas::linalgconv

#endif // PALLAS_LIB_CONVERSION_PALLASTOLINALG_PATTERNS_H
