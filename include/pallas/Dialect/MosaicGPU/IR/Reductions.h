//===- Reductions.h - What loads of all devices combine ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_MOSAICGPU_IR_REDUCTIONS_H
#define PALLAS_DIALECT_MOSAICGPU_IR_REDUCTIONS_H

#include "pallas/Dialect/MosaicGPU/IR/MosaicGPU.h"

namespace mlir::mosaic_gpu {

/// Why loads of all devices do not combine elements of this type so, for the
/// end of a message; empty where they do.
StringRef getMultimemReductionError(MultimemLoadReductionType kind,
                                    Type element);

} // namespace mlir::mosaic_gpu

#endif // PALLAS_DIALECT_MOSAICGPU_IR_REDUCTIONS_H
