//===- GridRules.h - Where in the grid a block is ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOMOSAICGPU_GRIDRULES_H
#define PALLAS_LIB_CONVERSION_PALLASTOMOSAICGPU_GRIDRULES_H

#include "KernelEmitter.h"

namespace mlir::pallas {

/// The index of this program along an axis of the mesh: of its block, of its
/// block in the cluster, or of its warpgroup.
FailureOr<Value> getAxisIndex(Operation *op, StringRef name,
                              KernelEmitter &emit);

/// The index along an axis of the grid of the block whose ids `getBlock` gives
/// as i32, for each dimension of the launch.
FailureOr<Value> getGridIndex(Operation *op, StringRef name,
                              KernelEmitter &emit,
                              function_ref<Value(gpu::Dimension)> getBlock);

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOMOSAICGPU_GRIDRULES_H
