//===- KernelModule.h - The module that holds a kernel ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOMOSAICGPU_KERNELMODULE_H
#define PALLAS_LIB_CONVERSION_PALLASTOMOSAICGPU_KERNELMODULE_H

#include "Rules.h"

namespace mlir {
class SymbolTable;
} // namespace mlir

namespace mlir::pallas {

/// The limits of a GPU.
struct GPUTarget {
  StringRef arch;
  int major, minor;
  /// Shared memory that a block may take.
  int64_t sharedBytes;
};
/// The target of this name, or null.
const GPUTarget *findGPUTarget(StringRef arch);
ArrayRef<GPUTarget> getGPUTargets();

/// Gives a kernel a module of its own and calls it where it stood.
LogicalResult outlineKernel(MpmdMapOp op, SymbolTable &symbols,
                            const GPUTarget &target, const RuleTable &rules);

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOMOSAICGPU_KERNELMODULE_H
