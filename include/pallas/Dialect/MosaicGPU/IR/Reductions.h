//===- Reductions.h - What loads of all devices combine ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_MOSAICGPU_IR_REDUCTIONS_H
#define PALLAS_DIALECT_MOSAICGPU_IR_REDUCTIONS_H

#include "pallas/Dialect/MosaicGPU/IR/MosaicGPU.h"

namespace mlir::mosaic_gpu {

/// What is wrong with combining elements of this type so across devices, for
/// the end of a message; empty where the hardware does it.
StringRef getMultimemReductionError(MultimemLoadReductionType kind,
                                    Type element);

} // namespace mlir::mosaic_gpu

#endif // PALLAS_DIALECT_MOSAICGPU_IR_REDUCTIONS_H
