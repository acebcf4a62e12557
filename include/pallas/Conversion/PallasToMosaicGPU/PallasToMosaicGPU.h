//===- PallasToMosaicGPU.h - From pallas to mosaic_gpu ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_CONVERSION_PALLASTOMOSAICGPU_PALLASTOMOSAICGPU_H
#define PALLAS_CONVERSION_PALLASTOMOSAICGPU_PALLASTOMOSAICGPU_H

#include "mlir/Pass/Pass.h"

namespace mlir {
class ModuleOp;
class OpPassManager;
} // namespace mlir

namespace mlir::pallas {

#define GEN_PASS_DECL_CONVERTPALLASTOMOSAICGPU
#include "pallas/Conversion/Passes.h.inc"

/// Appends the passes that make each kernel one that the conversion takes for
/// this architecture. The conversion reports one that it does not know.
void addGPUPreparation(OpPassManager &pm, StringRef arch);

} // namespace mlir::pallas

#endif // PALLAS_CONVERSION_PALLASTOMOSAICGPU_PALLASTOMOSAICGPU_H
