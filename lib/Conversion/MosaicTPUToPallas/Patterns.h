//===- Patterns.h - Conversion patterns by family of operation --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_MOSAICTPUTOPALLAS_PATTERNS_H
#define PALLAS_LIB_CONVERSION_MOSAICTPUTOPALLAS_PATTERNS_H

#include "TypeConversion.h"
#include "pallas/Conversion/Utils/Raising.h"

namespace mlir::pallas {

struct BodyConverter;

/// How a sum, maximum or minimum of the tpu dialect combines elements.
CombiningKind convertKind(tpu::ReductionKind kind);

void populateElementPatterns(const TypeConverter &types,
                             RewritePatternSet &patterns);
void populateMemoryPatterns(const TypeConverter &types,
                            RewritePatternSet &patterns);
void populateViewPatterns(const TypeConverter &types,
                          RewritePatternSet &patterns);
void populateShapePatterns(const TypeConverter &types,
                           RewritePatternSet &patterns);
void populateReductionPatterns(const TypeConverter &types,
                               RewritePatternSet &patterns);
void populateSparseCorePatterns(const TypeConverter &types,
                                RewritePatternSet &patterns);
void populateAsyncPatterns(const TypeConverter &types,
                           RewritePatternSet &patterns);
void populateScopePatterns(const TypeConverter &types,
                           RewritePatternSet &patterns);
void populateMiscPatterns(const TypeConverter &types,
                          RewritePatternSet &patterns);

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_MOSAICTPUTOPALLAS_PATTERNS_H
