//===- pallas-opt.cpp - Runs passes on modules ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "pallas/Dialect/MosaicGPU/Utils/TargetInfo.h"
#include "pallas/Dialect/MosaicTPU/Utils/TargetInfo.h"
#include "pallas/Register.h"
#include "pallas/Support/CrashReport.h"
#include "pallas/Support/DumpStages.h"
#include "pallas/Support/GuardedRead.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;

static llvm::cl::opt<std::string> stagesFolder(
    "dump-stages", llvm::cl::value_desc("DIR"),
    llvm::cl::desc("Where to put the module after each pass that changes it, "
                   "in numbered files"));

/// Prints what a chip can do, or all of a kind; a name that is none gets the
/// known ones.
static int printTargetInfo(StringRef name) {
  if (name == "tpu")
    tpu::printTPUTargets(llvm::outs());
  else if (name == "gpu")
    mosaic_gpu::printGPUTargets(llvm::outs());
  else if (const tpu::TPUChip *chip = tpu::findTPUChip(name))
    tpu::printTPUTargetInfo(*chip, llvm::outs());
  else if (const auto *gpu = mosaic_gpu::findGPUTarget(name))
    mosaic_gpu::printGPUTargetInfo(*gpu, llvm::outs());
  else {
    llvm::errs() << "pallas-opt: chip '" << name << "' is unknown; use";
    for (const tpu::TPUChip &chip : tpu::getTPUChips())
      llvm::errs() << " " << chip.name;
    for (const mosaic_gpu::GPUTarget &gpu : mosaic_gpu::getGPUTargets())
      llvm::errs() << " " << gpu.arch;
    llvm::errs() << ", or tpu or gpu for all of a kind\n";
    return 1;
  }
  return 0;
}

/// Reads the file that a command line names, if it can be read without harm.
static std::unique_ptr<llvm::MemoryBuffer>
openModule(StringRef name, const DialectRegistry &registry,
           const MlirOptMainConfig &config) {
  if (name == "-" &&
      llvm::sys::Process::FileDescriptorIsDisplayed(fileno(stdin)))
    llvm::errs() << "(reading from the terminal; end with ctrl-d)\n";
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> file = openInputFile(name, &message);
  if (!file) {
    llvm::errs() << "pallas-opt: " << message << "\n";
    return nullptr;
  }
  pallas::ReadOptions options;
  options.allowUnregisteredDialects = config.shouldAllowUnregisteredDialects();
  options.splitMarker = config.inputSplitMarker();
  return pallas::makeReadable(std::move(file), registry, options, llvm::errs());
}

static LogicalResult runTool(int argc, char **argv) {
  DialectRegistry registry;
  pallas::registerAllDialects(registry);
  pallas::registerAllPasses();
  auto [inputName, outputName] = registerAndParseCLIOptions(
      argc, argv, "Pallas kernel optimizer\n", registry);
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  config.setPassPipelineSetupFn([chosen = config](PassManager &pm) {
    pallas::reportPassesInCrashes(pm);
    if (llvm::Error error = pallas::dumpStages(pm, stagesFolder)) {
      llvm::errs() << "pallas-opt: " << llvm::toString(std::move(error))
                   << "\n";
      return failure();
    }
    return chosen.setupPassPipeline(pm);
  });
  // These look at no module.
  if (config.shouldShowDialects() || config.shouldListPasses())
    return MlirOptMain(argc, argv, inputName, outputName, registry);

  auto input = openModule(inputName, registry, config);
  if (!input)
    return failure();
  std::string message;
  auto output = openOutputFile(outputName, &message);
  if (!output) {
    llvm::errs() << "pallas-opt: " << message << "\n";
    return failure();
  }
  if (failed(MlirOptMain(output->os(), std::move(input), registry, config)))
    return failure();
  output->keep();
  return success();
}

int main(int argc, char **argv) {
  for (StringRef argument : ArrayRef(argv, argc).drop_front())
    if (argument.consume_front("--print-target-info="))
      return printTargetInfo(argument);
  pallas::installCrashReport(argc, argv);
  llvm::InitLLVM init(argc, argv);
  return asMainReturnCode(runTool(argc, argv));
}
