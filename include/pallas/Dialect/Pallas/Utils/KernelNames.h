//===- KernelNames.h - What users call their kernels ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_PALLAS_UTILS_KERNELNAMES_H
#define PALLAS_DIALECT_PALLAS_UTILS_KERNELNAMES_H

#include "mlir/IR/Operation.h"

namespace mlir::pallas {

/// The name that a call gives its kernel, of a mesh the first one; empty if it
/// gives none.
StringRef getKernelName(Operation *op);

/// The same, or else the name of the function around the call; empty for
/// operations that call no kernel.
StringRef getKernelTitle(Operation *op);

} // namespace mlir::pallas

#endif // PALLAS_DIALECT_PALLAS_UTILS_KERNELNAMES_H
