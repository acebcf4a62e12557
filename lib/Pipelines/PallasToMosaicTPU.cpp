//===- PallasToMosaicTPU.cpp - From kernels to Mosaic TPU modules ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pallas/Pipelines/PallasToMosaicTPU.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "pallas/Conversion/PallasToMosaicTPU/PallasToMosaicTPU.h"

using namespace mlir;
using namespace mlir::pallas;

void pallas::buildPallasToMosaicTPUPipeline(
    OpPassManager &pm, const PallasToMosaicTPUOptions &options) {
  ConvertPallasToMosaicTPUOptions conversion;
  conversion.chip = options.chip;
  pm.addPass(createConvertPallasToMosaicTPU(conversion));
}

void pallas::registerPallasToMosaicTPUPipeline() {
  PassPipelineRegistration<PallasToMosaicTPUOptions>(
      "pallas-to-mosaic-tpu", "Give each kernel a module of the tpu dialect",
      buildPallasToMosaicTPUPipeline);
}
