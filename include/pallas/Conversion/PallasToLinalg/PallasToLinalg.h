//===- PallasToLinalg.h - Operations on values to linalg --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_CONVERSION_PALLASTOLINALG_PALLASTOLINALG_H
#define PALLAS_CONVERSION_PALLASTOLINALG_PALLASTOLINALG_H

#include "mlir/Pass/Pass.h"

namespace mlir {
class RewritePatternSet;

namespace pallas {
#define GEN_PASS_DECL_CONVERTPALLASTOLINALG
#include "pallas/Conversion/Passes.h.inc"

/// Adds a pattern for each operation on values. The tensors that they meet must
/// have static shapes.
void populatePallasToLinalgPatterns(RewritePatternSet &patterns);

} // namespace pallas
} // namespace mlir

#endif // PALLAS_CONVERSION_PALLASTOLINALG_PALLASTOLINALG_H
