//===- SemaphoreRules.h - Counters in global memory -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOMOSAICGPU_SEMAPHORERULES_H
#define PALLAS_LIB_CONVERSION_PALLASTOMOSAICGPU_SEMAPHORERULES_H

#include "KernelEmitter.h"

namespace mlir::pallas {

/// Gives each semaphore of a kernel a place. The size of their array has to be
/// known before the kernel is written.
SemaphorePlan planSemaphores(Block &kernel, MeshAttr mesh);

/// Makes the semaphores that a scope takes.
LogicalResult makeSemaphores(RunScopedOp op, BlockArgument argument,
                             KernelEmitter &emit);

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOMOSAICGPU_SEMAPHORERULES_H
