//===- RaiseKernel.h - Calls out of kernel functions ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_MOSAICTPUTOPALLAS_RAISEKERNEL_H
#define PALLAS_LIB_CONVERSION_MOSAICTPUTOPALLAS_RAISEKERNEL_H

#include "KernelFunction.h"

namespace mlir::pallas {

/// The arrays that a kernel is called with. Operands are the bounds of dynamic
/// grid dimensions, the prefetched arrays and the inputs.
struct KernelCall {
  SmallVector<RankedTensorType> operands, results;
  /// Pairs of operand and result that share one buffer.
  SmallVector<std::pair<int64_t, int64_t>> aliases;
};

/// Reads the attribute of a module that describes how its kernels are called.
/// Without it, the description is inferred from the kernels as far as possible:
/// arrays at the end of the list that they write are results, and an array is
/// as large as its windows cover.
FailureOr<KernelCall> readKernelCall(ModuleOp module,
                                     ArrayRef<KernelFunction> kernels);

/// Creates a `pallas.pallas_call` or `pallas.mpmd_map` that runs copies of the
/// kernels, whose bodies stay as they are. Operands have the types that the
/// kernel takes.
FailureOr<SmallVector<Value>> raisePallasCall(OpBuilder &builder,
                                              const KernelFunction &kernel,
                                              const KernelCall &call,
                                              ValueRange operands);
FailureOr<SmallVector<Value>> raiseMpmdMap(OpBuilder &builder,
                                           ArrayRef<KernelFunction> kernels,
                                           const KernelCall &call,
                                           ValueRange operands);

/// For each array of a kernel, the one to use in its place: an input in memory
/// that is not copied to the core and the output that it is aliased to are one.
SmallVector<unsigned> getSharedArrays(const KernelFunction &kernel,
                                      const KernelCall &call);

/// Copies the kernel to the end of `block`, whose terminator stays the last
/// operation; `refs` replace the arguments behind the grid indices.
void copyKernelBody(const KernelFunction &kernel, Block *block, ValueRange ids,
                    ValueRange refs);

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_MOSAICTPUTOPALLAS_RAISEKERNEL_H
