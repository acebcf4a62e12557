//===- KernelFunctions.h - What passes on kernels change --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_DIALECT_MOSAICTPU_TRANSFORMS_KERNELFUNCTIONS_H
#define PALLAS_LIB_DIALECT_MOSAICTPU_TRANSFORMS_KERNELFUNCTIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "pallas/Dialect/MosaicTPU/Utils/TargetInfo.h"

namespace mlir::tpu {

/// The kernel modules under `root`, or `root` itself: those with `tpu.target`,
/// or all with functions in them if `chip` names one.
FailureOr<SmallVector<std::pair<ModuleOp, const TPUChip *>>>
findKernelModules(Operation *root, StringRef chip);

/// Visits the functions of these modules, with the chip that they are for.
LogicalResult
forEachKernelFunction(Operation *root, StringRef chip,
                      function_ref<void(func::FuncOp, const TPUChip &)> visit);

} // namespace mlir::tpu

#endif // PALLAS_LIB_DIALECT_MOSAICTPU_TRANSFORMS_KERNELFUNCTIONS_H
