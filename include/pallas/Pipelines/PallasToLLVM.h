//===- PallasToLLVM.h - From kernels to the LLVM dialect --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_PIPELINES_PALLASTOLLVM_H
#define PALLAS_PIPELINES_PALLASTOLLVM_H

#include "mlir/Pass/PassOptions.h"

namespace mlir {
class DialectRegistry;
class OpPassManager;
} // namespace mlir

namespace mlir::pallas {

/// Options of the pipeline `pallas-to-llvm`.
struct PallasToLLVMOptions : public PassPipelineOptions<PallasToLLVMOptions> {
  Option<std::string> cpu{
      *this, "cpu",
      llvm::cl::desc("CPU that code is made for, by LLVM's name or native, "
                     "that of this machine; without one, that of PALLAS_CPU, "
                     "or native"),
      llvm::cl::init("")};
  Option<bool> parallel{
      *this, "parallel",
      llvm::cl::desc("Run parallel grid dimensions on OpenMP threads"),
      llvm::cl::init(true)};
  Option<bool> checked{
      *this, "checked",
      llvm::cl::desc("Report what happens to refs to the runtime"),
      llvm::cl::init(false)};
  Option<bool> optimize{
      *this, "optimize",
      llvm::cl::desc("Run what makes code faster, and not only what makes it"),
      llvm::cl::init(true)};
  Option<bool> ring{
      *this, "ring",
      llvm::cl::desc("Compute with integers mod 2^w instead of floats"),
      llvm::cl::init(false)};
  Option<bool> separateBuffers{
      *this, "separate-buffers",
      llvm::cl::desc("Give every buffer an allocation of its own, for tools "
                     "that watch what is between them"),
      llvm::cl::init(false)};
  Option<int64_t> partSize{
      *this, "part-size",
      llvm::cl::desc("How many loops and branches, or accesses, make a part of "
                     "a long function; without it, as many as "
                     "pallas-cpu-split-functions takes"),
      llvm::cl::init(0)};
  ListOption<std::string> coarsen{
      *this, "coarsen",
      llvm::cl::desc("Coarsening factors of the dimensions of grids, as in "
                     "d0=4,d2=2; off joins no steps, and without it calls have "
                     "their own in pallas.coarsen")};
  Option<bool> reassociate{
      *this, "reassociate",
      llvm::cl::desc("Whether sums over steps that are joined may be added up "
                     "in another order"),
      llvm::cl::init(false)};

  PallasToLLVMOptions() = default;
  PallasToLLVMOptions(const PallasToLLVMOptions &other)
      : PassPipelineOptions<PallasToLLVMOptions>() {
    copyOptionValuesFrom(other);
  }
  PallasToLLVMOptions &operator=(const PallasToLLVMOptions &other) {
    copyOptionValuesFrom(other);
    return *this;
  }
};

/// Appends the passes that take a module of any stage to the LLVM dialect.
/// Every public function `f` gets a C interface `_mlir_ciface_f`, which takes
/// one memref descriptor per argument and then one per result.
void buildPallasToLLVMPipeline(OpPassManager &pm,
                               const PallasToLLVMOptions &options);

/// Dialects and interface models that the pipeline needs in a context.
void registerPallasToLLVMDependencies(DialectRegistry &registry);

/// Makes `pallas-to-llvm` known to pass pipelines in text.
void registerPallasToLLVMPipeline();

} // namespace mlir::pallas

#endif // PALLAS_PIPELINES_PALLASTOLLVM_H
