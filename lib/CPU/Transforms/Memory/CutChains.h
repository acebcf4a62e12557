//===- CutChains.h - Values that share memory, in bounded number *- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CPU_TRANSFORMS_MEMORY_CUTCHAINS_H
#define PALLAS_LIB_CPU_TRANSFORMS_MEMORY_CUTCHAINS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::pallas {

/// Copies values at intervals, so that the sets of values that may share memory
/// stay small however long a function is.
void cutChains(func::FuncOp func);

} // namespace mlir::pallas

#endif // PALLAS_LIB_CPU_TRANSFORMS_MEMORY_CUTCHAINS_H
