//===- MosaicTPUToPallas.cpp - Kernels of TPUs as calls -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pallas/Pipelines/MosaicTPUToPallas.h"
#include "mlir/Pass/PassManager.h"
#include "pallas/Conversion/Passes.h"

void mlir::pallas::buildMosaicTPUToPallasPipeline(OpPassManager &pm) {
  pm.addPass(createConvertMosaicTPUToPallas());
}
