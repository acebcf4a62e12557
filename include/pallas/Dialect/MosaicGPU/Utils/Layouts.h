//===- Layouts.h - How lanes share vectors ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_MOSAICGPU_UTILS_LAYOUTS_H
#define PALLAS_DIALECT_MOSAICGPU_UTILS_LAYOUTS_H

#include "pallas/Dialect/MosaicGPU/IR/MosaicGPU.h"

namespace mlir::mosaic_gpu {

/// A layout for vectors of any shape: the powers of two that divide its last
/// dimensions are spread over lanes, then over warps, which hold copies where
/// nothing is left to spread. It is in the form that the compiler calls
/// canonical.
TiledLayoutAttr getSpreadLayout(MLIRContext *context, ArrayRef<int64_t> shape);

} // namespace mlir::mosaic_gpu

#endif // PALLAS_DIALECT_MOSAICGPU_UTILS_LAYOUTS_H
