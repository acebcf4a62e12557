//===- NarrowMath.h - Elements of at most 8 bits ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_DIALECT_MOSAICGPU_TRANSFORMS_NARROWMATH_H
#define PALLAS_LIB_DIALECT_MOSAICGPU_TRANSFORMS_NARROWMATH_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::mosaic_gpu {

/// Whether the compiler computes this operation on elements of at most 8 bits,
/// or converts them so. True where there are no such elements.
bool isKnownOnNarrow(Operation *op);

/// Why the hardware can't convert these elements; empty where it can.
std::string explainConversion(Operation *op);

/// A vector of numbers that are all this one.
Value createSplat(ImplicitLocOpBuilder &b, Type type, double value);

/// Computes on wider elements, and converts in steps that the compiler has.
void populateNarrowMathPatterns(RewritePatternSet &patterns);

} // namespace mlir::mosaic_gpu

#endif // PALLAS_LIB_DIALECT_MOSAICGPU_TRANSFORMS_NARROWMATH_H
