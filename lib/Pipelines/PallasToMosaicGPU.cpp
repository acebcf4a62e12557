//===- PallasToMosaicGPU.cpp - From kernels to Mosaic GPU modules ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pallas/Pipelines/PallasToMosaicGPU.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "pallas/Conversion/PallasToMosaicGPU/PallasToMosaicGPU.h"
#include "pallas/Dialect/MosaicGPU/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::pallas;

void pallas::buildPallasToMosaicGPUPipeline(
    OpPassManager &pm, const PallasToMosaicGPUOptions &options) {
  addGPUPreparation(pm, options.arch);
  ConvertPallasToMosaicGPUOptions conversion;
  conversion.arch = options.arch;
  pm.addPass(createConvertPallasToMosaicGPU(conversion));
  // Code that nothing uses would get layouts, too. There are no blocks to
  // merge.
  pm.addPass(createCanonicalizerPass(
      GreedyRewriteConfig().setRegionSimplificationLevel(
          GreedySimplifyRegionLevel::Disabled)));
  pm.addPass(createCSEPass());
  pm.addPass(mosaic_gpu::createMosaicGPUExpandMath());
  pm.addPass(mosaic_gpu::createMosaicGPUPinTransforms());
  pm.addPass(mosaic_gpu::createMosaicGPUHoistSplats());
  pm.addPass(mosaic_gpu::createMosaicGPUFlattenReductions());
  pm.addPass(mosaic_gpu::createMosaicGPUSeparatePositions());
  pm.addPass(mosaic_gpu::createMosaicGPUAssignLayouts());
  mosaic_gpu::MosaicGPUSetReleaseOptions release;
  release.release = options.release;
  pm.addPass(mosaic_gpu::createMosaicGPUSetRelease(release));
}

void pallas::registerPallasToMosaicGPUPipeline() {
  PassPipelineRegistration<PallasToMosaicGPUOptions>(
      "pallas-to-mosaic-gpu",
      "Give each kernel a module of the mosaic_gpu dialect",
      buildPallasToMosaicGPUPipeline);
}
