//===- Functions.h - Functions that the compiler lacks ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_DIALECT_MOSAICGPU_TRANSFORMS_FUNCTIONS_H
#define PALLAS_LIB_DIALECT_MOSAICGPU_TRANSFORMS_FUNCTIONS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::mosaic_gpu {

/// Expands powers, hyperbolic functions and inverse ones of vectors.
void populateFunctionPatterns(RewritePatternSet &patterns);

} // namespace mlir::mosaic_gpu

#endif // PALLAS_LIB_DIALECT_MOSAICGPU_TRANSFORMS_FUNCTIONS_H
