//===- KernelModule.h - The module that holds a kernel ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOMOSAICGPU_KERNELMODULE_H
#define PALLAS_LIB_CONVERSION_PALLASTOMOSAICGPU_KERNELMODULE_H

#include "Rules.h"

namespace mlir::pallas {

/// The resources that a kernel takes.
struct KernelFootprint {
  SmallVector<SharedBuffer> buffers;
  int64_t sharedBytes = 0, numBarriers = 0;
  /// Registers of a thread that accumulators take, of those that it has.
  int64_t accumulatorRegisters = 0, registers = 0;
  SmallVector<TensorBuffer> tensorBuffers;
  int64_t tensorColumns = 0;
  /// The code that was written.
  Block *body = nullptr;

  /// Adds a note per buffer.
  void attachBuffers(Diagnostic &diag) const;
};

/// Is told of each kernel before it leaves its place.
using FootprintReport =
    function_ref<void(Operation *, const KernelFootprint &)>;

/// The memref of an array at `address`.
UnrealizedConversionCastOp createArray(OpBuilder &b, Location loc,
                                       Value address, MemRefType type);

/// Gives each kernel a module of its own and calls it where it stood. Reports
/// everything that has no form on the target.
LogicalResult outlineKernels(ModuleOp module, const GPUTarget &target,
                             const RuleTable &rules, FootprintReport report);

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOMOSAICGPU_KERNELMODULE_H
