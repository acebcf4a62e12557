//===- PallasToMosaicGPU.h - From kernels to Mosaic GPU modules -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_PIPELINES_PALLASTOMOSAICGPU_H
#define PALLAS_PIPELINES_PALLASTOMOSAICGPU_H

#include "mlir/Pass/PassOptions.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace mlir::pallas {

/// Options of the pipeline `pallas-to-mosaic-gpu`.
struct PallasToMosaicGPUOptions
    : public PassPipelineOptions<PallasToMosaicGPUOptions> {
  Option<std::string> arch{
      *this, "arch",
      llvm::cl::desc("Architecture to compile for: sm_90a or sm_100a"),
      llvm::cl::init("sm_90a")};
  Option<std::string> release{
      *this, "release",
      llvm::cl::desc("Release of jaxlib to write for: 0.10.2 or 0.12.0.1"),
      llvm::cl::init("0.10.2")};

  PallasToMosaicGPUOptions() = default;
  PallasToMosaicGPUOptions(const PallasToMosaicGPUOptions &other)
      : PassPipelineOptions<PallasToMosaicGPUOptions>() {
    copyOptionValuesFrom(other);
  }
  PallasToMosaicGPUOptions &operator=(const PallasToMosaicGPUOptions &other) {
    copyOptionValuesFrom(other);
    return *this;
  }
};

/// Appends the passes that give each kernel a module of the mosaic_gpu dialect.
void buildPallasToMosaicGPUPipeline(OpPassManager &pm,
                                    const PallasToMosaicGPUOptions &options);

/// Makes `pallas-to-mosaic-gpu` known to pass pipelines in text.
void registerPallasToMosaicGPUPipeline();

} // namespace mlir::pallas

#endif // PALLAS_PIPELINES_PALLASTOMOSAICGPU_H
