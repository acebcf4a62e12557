//===- PallasToMosaicTPU.cpp - From kernels to Mosaic TPU modules ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file puts the passes from kernels to modules for the Mosaic compiler
// together.
//
//===----------------------------------------------------------------------===//

#include "pallas/Pipelines/PallasToMosaicTPU.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "pallas/Conversion/PallasToMosaicTPU/PallasToMosaicTPU.h"
#include "pallas/Dialect/MosaicTPU/Transforms/Passes.h"
#include "pallas/Dialect/MosaicTPU/Utils/TargetInfo.h"
#include "pallas/Dialect/Pallas/Transforms/Passes.h"
#include "pallas/Pipelines/CoarsenGrids.h"

using namespace mlir;
using namespace mlir::pallas;

void pallas::buildPallasToMosaicTPUPipeline(
    OpPassManager &pm, const PallasToMosaicTPUOptions &options) {
  // Rewrite what the target lacks, while operations are still of this dialect.
  addTPUGridCoarsening(pm, options.coarsen, options.reassociate, options.chip);
  pm.addPass(createPallasResolveDeviceMesh());
  pm.addPass(createPallasDistributePipelines());
  PallasExpandPipelinesOptions pipelines;
  DecomposeGatherScatterOptions gathers;
  // Outlining reports unknown chips.
  if (const tpu::TPUChip *chip = tpu::findTPUChip(options.chip)) {
    pipelines.tileRows = gathers.tileRows = chip->sublanes;
    pipelines.tileColumns = gathers.tileColumns = chip->lanes;
  }
  pm.addPass(createPallasExpandPipelines(pipelines));
  pm.addPass(createPallasFoldTransposedViews());
  pm.addPass(createPallasClampMaskedSlices());
  pm.addPass(createDecomposeGatherScatter(gathers));

  // One module per kernel: the Mosaic compiler takes kernels one at a time. The
  // default chip has no SparseCores; their kernels are lowered all the same.
  bool checkMeshes = options.chip.hasValue();
  pm.addPass(createOutlineTPUKernels({options.chip, checkMeshes}));
  pm.addPass(createConvertPallasToMosaicTPU());

  // Rewrite operations that the compiler refuses or compiles slowly.
  OpPassManager &kernels = pm.nest<ModuleOp>();
  kernels.addPass(tpu::createTPUCarryVectorsAsMatrices());
  kernels.addPass(tpu::createTPUUnrollShortLoops());
  kernels.addPass(tpu::createTPULegalizeForGeneration());
  kernels.addPass(tpu::createTPUSettleLaneVectors());
  kernels.addPass(tpu::createTPUStripTarget());
}

void pallas::registerPallasToMosaicTPUPipeline() {
  PassPipelineRegistration<PallasToMosaicTPUOptions>(
      "pallas-to-mosaic-tpu", "Give each kernel a module of the tpu dialect",
      buildPallasToMosaicTPUPipeline);
}
