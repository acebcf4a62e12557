//===- SharedMemory.h - Transforms of shared memory -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_MOSAICGPU_UTILS_SHAREDMEMORY_H
#define PALLAS_DIALECT_MOSAICGPU_UTILS_SHAREDMEMORY_H

#include "pallas/Dialect/MosaicGPU/IR/MosaicGPU.h"

namespace mlir::mosaic_gpu {

/// The tiles and the swizzle that the memory of a view was given; null where
/// the compiler infers them.
WithTransformsOp findTransforms(Value memref);

/// The allocation that a view is of; null if it is of no shared memory, or not
/// of one allocation.
SliceSMEMOp findSharedMemory(Value memref);

/// Gives memory neither tiles nor a swizzle:
///   %m = "mosaic_gpu.slice_smem"() : () -> memref<72x128xf32, #smem>
///   %k = "mosaic_gpu.with_transforms"(%m) <{transforms = []}>
void keepPlain(SliceSMEMOp memory);

} // namespace mlir::mosaic_gpu

#endif // PALLAS_DIALECT_MOSAICGPU_UTILS_SHAREDMEMORY_H
