//===- PallasToMosaicTPU.cpp - From kernels to Mosaic TPU modules ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pallas/Pipelines/PallasToMosaicTPU.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "pallas/Conversion/PallasToMosaicTPU/PallasToMosaicTPU.h"
#include "pallas/Conversion/PallasToMosaicTPU/TargetInfo.h"
#include "pallas/Dialect/Pallas/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::pallas;

void pallas::buildPallasToMosaicTPUPipeline(
    OpPassManager &pm, const PallasToMosaicTPUOptions &options) {
  // Kernels as the target can have them.
  pm.addPass(createPallasResolveDeviceMesh());
  pm.addPass(createPallasDistributePipelines());
  PallasExpandPipelinesOptions pipelines;
  // The conversion refuses chips that are unknown.
  if (const TPUChip *chip = findTPUChip(options.chip)) {
    pipelines.tileRows = chip->sublanes;
    pipelines.tileColumns = chip->lanes;
  }
  pm.addPass(createPallasExpandPipelines(pipelines));
  pm.addPass(createPallasFoldTransposedViews());
  pm.addPass(createPallasClampMaskedSlices());

  pm.addPass(createConvertPallasToMosaicTPU({options.chip}));
}

void pallas::registerPallasToMosaicTPUPipeline() {
  PassPipelineRegistration<PallasToMosaicTPUOptions>(
      "pallas-to-mosaic-tpu", "Give each kernel a module of the tpu dialect",
      buildPallasToMosaicTPUPipeline);
}
