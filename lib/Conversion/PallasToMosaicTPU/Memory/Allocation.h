//===- Allocation.h - Memory that kernels can have --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_MEMORY_ALLOCATION_H
#define PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_MEMORY_ALLOCATION_H

#include "pallas/Dialect/MosaicTPU/IR/TPU.h"

namespace mlir::pallas {

/// How long memory lives: as long as the kernel, as its argument, or as long
/// as a region in it.
enum class MemoryLifetime { Kernel, Region };

/// Whether the compiler finds memory of this type for a kernel on `core`; the
/// error names the buffer that is too large.
LogicalResult checkAllocation(Location loc, MemRefType type, tpu::CoreType core,
                              MemoryLifetime lifetime);

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_MEMORY_ALLOCATION_H
