//===- MosaicGPUToPallas.h - From mosaic_gpu to pallas ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_CONVERSION_MOSAICGPUTOPALLAS_MOSAICGPUTOPALLAS_H
#define PALLAS_CONVERSION_MOSAICGPUTOPALLAS_MOSAICGPUTOPALLAS_H

#include "mlir/Pass/Pass.h"

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace mlir::pallas {

#define GEN_PASS_DECL_CONVERTMOSAICGPUTOPALLAS
#include "pallas/Conversion/Passes.h.inc"

/// Whether functions of the module itself launch kernels of the mosaic_gpu
/// dialect: then it has no function yet that a host could call.
bool isMosaicGPUKernelModule(ModuleOp module);

} // namespace mlir::pallas

#endif // PALLAS_CONVERSION_MOSAICGPUTOPALLAS_MOSAICGPUTOPALLAS_H
