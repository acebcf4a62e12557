//===- PallasToMosaicTPU.h - From kernels to Mosaic TPU modules -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_PIPELINES_PALLASTOMOSAICTPU_H
#define PALLAS_PIPELINES_PALLASTOMOSAICTPU_H

#include "mlir/Pass/PassOptions.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace mlir::pallas {

/// Options of the pipeline `pallas-to-mosaic-tpu`.
struct PallasToMosaicTPUOptions
    : public PassPipelineOptions<PallasToMosaicTPUOptions> {
  Option<std::string> chip{
      *this, "chip",
      llvm::cl::desc("Chip to compile for, for example v5e or v6e. Kernels on "
                     "cores that a chip lacks are refused if it is named"),
      llvm::cl::init("v5e")};
  ListOption<std::string> coarsen{
      *this, "coarsen",
      llvm::cl::desc("Coarsening factors of the dimensions of grids, as in "
                     "d0=4,d2=2; auto, the default, chooses those of calls "
                     "without pallas.coarsen by the cost model, and off joins "
                     "no steps")};
  Option<bool> reassociate{
      *this, "reassociate",
      llvm::cl::desc("Whether sums over steps that are joined may be added up "
                     "in another order"),
      llvm::cl::init(false)};

  PallasToMosaicTPUOptions() = default;
  PallasToMosaicTPUOptions(const PallasToMosaicTPUOptions &other)
      : PassPipelineOptions<PallasToMosaicTPUOptions>() {
    copyOptionValuesFrom(other);
  }
  PallasToMosaicTPUOptions &operator=(const PallasToMosaicTPUOptions &other) {
    copyOptionValuesFrom(other);
    return *this;
  }
};

/// Appends the passes that give each kernel a module of the tpu dialect.
void buildPallasToMosaicTPUPipeline(OpPassManager &pm,
                                    const PallasToMosaicTPUOptions &options);

/// Makes `pallas-to-mosaic-tpu` known to pass pipelines in text.
void registerPallasToMosaicTPUPipeline();

} // namespace mlir::pallas

#endif // PALLAS_PIPELINES_PALLASTOMOSAICTPU_H
