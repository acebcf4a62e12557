//===- ArrayPlacement.h - Arrays that XLA keeps in VMEM ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_DIALECT_MOSAICTPU_ANALYSIS_ARRAYPLACEMENT_H
#define PALLAS_LIB_DIALECT_MOSAICTPU_ANALYSIS_ARRAYPLACEMENT_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SmallBitVector.h"

namespace mlir::tpu {

/// Where XLA keeps the arrays of a kernel's call, operands first and then
/// results; empty if the module has no call of the kernel.
struct ArrayPlacement {
  llvm::SmallBitVector inVmem;
  /// Arguments of one element, in scalar memory.
  llvm::SmallBitVector inSmem;
};
ArrayPlacement placeArrays(func::FuncOp kernel);

} // namespace mlir::tpu

#endif // PALLAS_LIB_DIALECT_MOSAICTPU_ANALYSIS_ARRAYPLACEMENT_H
