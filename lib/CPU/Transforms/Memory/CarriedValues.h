//===- CarriedValues.h - One place for what a loop carries -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CPU_TRANSFORMS_MEMORY_CARRIEDVALUES_H
#define PALLAS_LIB_CPU_TRANSFORMS_MEMORY_CARRIEDVALUES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::pallas {

/// Lets loops within loops start from copies. What an inner loop computes in
/// the place of what an outer one carries can't be forwarded there as well
/// where a branch lies between them.
void copyInnerStarts(func::FuncOp func);

/// Lets loops and branches yield copies, so that no two of their values share
/// memory.
void copyYieldedValues(func::FuncOp func);

/// Makes each loop hand its tensors over in the memory that it got them in, as
/// bufferization demands. What isn't computed there is copied at the end of an
/// iteration:
///
///   scf.yield %next
///
/// becomes
///
///   %placed = bufferization.materialize_in_destination %next in %carried
///   scf.yield %placed
void pinCarriedValues(func::FuncOp func);

} // namespace mlir::pallas

#endif // PALLAS_LIB_CPU_TRANSFORMS_MEMORY_CARRIEDVALUES_H
