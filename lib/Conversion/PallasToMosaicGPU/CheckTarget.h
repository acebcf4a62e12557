//===- CheckTarget.h - Modules that a GPU cannot compile --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOMOSAICGPU_CHECKTARGET_H
#define PALLAS_LIB_CONVERSION_PALLASTOMOSAICGPU_CHECKTARGET_H

#include "mlir/IR/BuiltinOps.h"
#include "pallas/Dialect/MosaicGPU/Utils/TargetInfo.h"
#include "llvm/Support/JSON.h"

namespace mlir::pallas {

/// Reports everything that the lowering refuses, and the memory of each kernel,
/// as remarks and in `calls`. It lowers a copy, so both agree.
LogicalResult checkGPUTarget(ModuleOp module,
                             const mosaic_gpu::GPUTarget &target,
                             llvm::json::Array &calls);

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOMOSAICGPU_CHECKTARGET_H
