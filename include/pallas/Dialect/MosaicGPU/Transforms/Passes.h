//===- Passes.h - Passes on the mosaic_gpu dialect --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_MOSAICGPU_TRANSFORMS_PASSES_H
#define PALLAS_DIALECT_MOSAICGPU_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::mosaic_gpu {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "pallas/Dialect/MosaicGPU/Transforms/Passes.h.inc"
} // namespace mlir::mosaic_gpu

#endif // PALLAS_DIALECT_MOSAICGPU_TRANSFORMS_PASSES_H
