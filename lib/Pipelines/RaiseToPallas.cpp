//===- RaiseToPallas.cpp - Kernels of targets as calls --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file puts the passes together that turn kernels in the dialects of
// targets into kernels of this dialect.
//
//===----------------------------------------------------------------------===//

#include "pallas/Pipelines/RaiseToPallas.h"
#include "mlir/Pass/PassManager.h"
#include "pallas/Conversion/Passes.h"
#include "pallas/Dialect/MosaicGPU/Transforms/Passes.h"
#include "pallas/Dialect/MosaicTPU/Utils/CustomCall.h"

using namespace mlir;

/// Modules without such kernels stay as they are, so other pipelines may begin
/// with this one.
void pallas::buildRaiseToPallasPipeline(OpPassManager &pm, bool checked) {
  if (checked)
    pm.addPass(mosaic_gpu::createMosaicGPUCheckFences());
  pm.addPass(createConvertMosaicGPUToPallas());
  pm.addPass(createConvertMosaicTPUToPallas());
}

bool pallas::isTargetKernelModule(ModuleOp module) {
  return tpu::isKernelModule(module) || isMosaicGPUKernelModule(module);
}
