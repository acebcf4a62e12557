//===- KernelArrays.h - The arrays that a kernel takes ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_MOSAICGPU_IR_KERNELARRAYS_H
#define PALLAS_DIALECT_MOSAICGPU_IR_KERNELARRAYS_H

#include "llvm/ADT/StringRef.h"

namespace mlir::mosaic_gpu {

/// On the function of a kernel, the types of the arrays that it takes, where
/// code names some of them by no memref.
inline constexpr llvm::StringLiteral kArraysAttrName = "mosaic_gpu.arrays";

} // namespace mlir::mosaic_gpu

#endif // PALLAS_DIALECT_MOSAICGPU_IR_KERNELARRAYS_H
