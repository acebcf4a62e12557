//===- lowering.cpp - From kernels to code, in a compiler of its own ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a module with kernels from a file, as `embedding` prints one or as
// `pallas_mlir.export` makes one of a JAX program, then
//
//   lowering FILE run     compiles it for this machine and calls its function,
//   lowering FILE v6e     prints what XLA takes to run the kernels on this
//   chip.
//
//===----------------------------------------------------------------------===//

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "pallas/Pipelines/PallasToMosaicTPU.h"
#include "pallas/Register.h"
#include "pallas/Runner/Engine.h"
#include "pallas/Target/TPUCustomCall/TPUCustomCall.h"
#include "llvm/Support/Format.h"
#include <numeric>

using namespace mlir;

/// Calls the function of the module with 0, 1, 2, ... and prints what the last
/// element of its result is.
static llvm::Error run(ModuleOp module) {
  auto engine = pallas::Engine::create(module);
  if (!engine)
    return engine.takeError();
  const std::string &entry = (*engine)->getEntries().front();
  const pallas::EntrySignature &signature = *(*engine)->getSignature(entry);
  const pallas::BufferType &type = signature.inputs.front();
  std::vector<float> in(ShapedType::getNumElements(type.shape)), out(in.size());
  std::iota(in.begin(), in.end(), 0.0f);
  if (llvm::Error error =
          (*engine)->invoke(entry, {{in.data(), type.dtype, type.shape}},
                            {{out.data(), type.dtype, type.shape}}))
    return error;
  llvm::outs() << llvm::format("%s: %g becomes %g\n", entry.c_str(), in.back(),
                               out.back());
  return llvm::Error::success();
}

/// Gives each kernel a module of the `tpu` dialect, and prints functions that
/// call them.
static LogicalResult lowerForTPU(ModuleOp module, StringRef chip) {
  PassManager pm(module.getContext());
  pallas::PallasToMosaicTPUOptions options;
  options.chip = chip.str();
  pallas::buildPallasToMosaicTPUPipeline(pm, options);
  if (failed(pm.run(module)))
    return failure();
  return tpu::writeHostModule(module, llvm::outs());
}

int main(int argc, char **argv) {
  if (argc != 3) {
    llvm::errs() << "usage: lowering FILE (run | CHIP)\n";
    return 2;
  }
  DialectRegistry registry;
  pallas::registerAllDialects(registry);
  MLIRContext context(registry);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(argv[1], &context);
  if (!module)
    return 1;
  if (StringRef(argv[2]) != "run")
    return failed(lowerForTPU(*module, argv[2]));
  if (llvm::Error error = run(*module)) {
    llvm::errs() << llvm::toString(std::move(error)) << "\n";
    return 1;
  }
  return 0;
}
