//===- BenchEngine.cpp - The engine as the benchmarks call it -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The benchmarks are scripts that time compiled kernels and their peers in one
// process on the same buffers. This library gives them the engine.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "pallas/Conversion/Passes.h"
#include "pallas/Dialect/MosaicTPU/IR/DistinctVerifier.h"
#include "pallas/Dialect/Pallas/IR/GridAttributes.h"
#include "pallas/Dialect/Pallas/Transforms/CoarsenGrid.h"
#include "pallas/Pipelines/PallasToMosaicGPU.h"
#include "pallas/Pipelines/PallasToMosaicTPU.h"
#include "pallas/Register.h"
#include "pallas/Runner/Engine.h"
#include "pallas/Target/StableMosaic/StableMosaic.h"
#include <ctime>

using namespace mlir;
using namespace mlir::pallas;

static thread_local std::string lastError;

static llvm::Expected<std::unique_ptr<Engine>>
compile(StringRef text, StringRef pipelineOptions, unsigned optLevel) {
  DialectRegistry registry;
  registerPallasToLLVMDependencies(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  auto module = parseSourceString<ModuleOp>(text, &context);
  if (!module)
    return llvm::createStringError("not a valid module");
  EngineOptions options;
  options.optLevel = optLevel;
  options.useCache = false;
  if (failed(options.pipeline.parseFromString(pipelineOptions)))
    return llvm::createStringError("bad pipeline options");
  return Engine::create(*module, options);
}

/// Gives each grid the coarsening factors that the cost model chooses for it,
/// so that the same steps are joined without a choice.
static LogicalResult giveChosenFactors(ModuleOp module, StringRef chip) {
  OwningOpRef<ModuleOp> chosen = module.clone();
  PassManager passes(module.getContext());
  passes.addPass(createChooseTPUCoarsening({chip.str(), false}));
  if (failed(passes.run(*chosen)))
    return failure();
  for (auto [grid, joined] :
       llvm::zip_equal(collectGrids(module), collectGrids(*chosen))) {
    SmallVector<int64_t> factors;
    for (auto [size, left] :
         llvm::zip_equal(grid.getGridShape(), joined.getGridShape()))
      factors.push_back(size == left ? 1 : llvm::divideCeil(size, left));
    grid->setAttr(kCoarsenAttrName,
                  DenseI64ArrayAttr::get(module.getContext(), factors));
  }
  return success();
}

/// Seconds of processor time, in the fastest of some runs, of the passes and of
/// `finish` on a parsed module that `prepare` has changed; negative on errors.
static double lower(StringRef text, unsigned runs,
                    llvm::function_ref<LogicalResult(ModuleOp)> prepare,
                    llvm::function_ref<void(OpPassManager &)> addPasses,
                    llvm::function_ref<LogicalResult(ModuleOp)> finish) {
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  auto module = parseSourceString<ModuleOp>(text, &context);
  if (!module || failed(prepare(*module)))
    return -1;
  PassManager passes(&context);
  passes.enableVerifier(false);
  addPasses(passes);
  double best = std::numeric_limits<double>::infinity();
  for (unsigned run = 0; run < runs; ++run) {
    OwningOpRef<ModuleOp> copy = module->clone();
    std::clock_t start = std::clock();
    if (failed(passes.run(*copy)) || failed(finish(*copy)))
      return -1;
    best = std::min(best, double(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return best;
}

/// To the bytes of the kernels. `coarsen` may also be `chosen`: the
/// coarsening factors of `auto`, known before.
static double lowerForTPU(StringRef text, StringRef chip, StringRef coarsen,
                          bool mustVerify, unsigned runs) {
  bool isChosen = coarsen == "chosen";
  return lower(
      text, runs,
      [&](ModuleOp module) {
        return isChosen ? giveChosenFactors(module, chip) : success();
      },
      [&](OpPassManager &passes) {
        PallasToMosaicTPUOptions options;
        options.chip = chip.str();
        options.coarsen.addValue(isChosen ? "auto" : coarsen.str());
        buildPallasToMosaicTPUPipeline(passes, options);
      },
      [&](ModuleOp module) -> LogicalResult {
        std::string bytes;
        llvm::raw_string_ostream os(bytes);
        if (mustVerify && failed(tpu::verifyDistinct(module)))
          return failure();
        for (auto kernel : module.getOps<ModuleOp>())
          if (failed(tpu::serializeStableMosaic(kernel, os)))
            return failure();
        return success();
      });
}

/// To modules that JAX's layout inference takes, which are verified.
static double lowerForGPU(StringRef text, StringRef arch, unsigned runs) {
  return lower(
      text, runs, [](ModuleOp) { return success(); },
      [&](OpPassManager &passes) {
        PallasToMosaicGPUOptions options;
        options.arch = arch.str();
        buildPallasToMosaicGPUPipeline(passes, options);
      },
      [](ModuleOp module) { return verify(module); });
}

extern "C" {
#define PALLAS_BENCH_EXPORT __attribute__((visibility("default")))

PALLAS_BENCH_EXPORT const char *pallas_bench_error() {
  return lastError.c_str();
}

/// Text to code in a context of its own, as a text that comes for the first
/// time is compiled. Null on errors.
PALLAS_BENCH_EXPORT void *pallas_bench_compile(const char *text,
                                               const char *pipelineOptions,
                                               unsigned optLevel) {
  auto engine = compile(text, pipelineOptions, optLevel);
  if (engine)
    return engine->release();
  lastError = llvm::toString(engine.takeError());
  return nullptr;
}

PALLAS_BENCH_EXPORT double pallas_bench_lower_tpu(const char *text,
                                                  const char *chip,
                                                  const char *coarsen,
                                                  bool verify, unsigned runs) {
  return lowerForTPU(text, chip, coarsen, verify, runs);
}

PALLAS_BENCH_EXPORT double
pallas_bench_lower_gpu(const char *text, const char *arch, unsigned runs) {
  return lowerForGPU(text, arch, runs);
}

PALLAS_BENCH_EXPORT void pallas_bench_free(void *engine) {
  delete static_cast<Engine *>(engine);
}

/// Calls the only entry with its inputs, then its outputs.
PALLAS_BENCH_EXPORT bool pallas_bench_call(void *handle, void **buffers) {
  auto *engine = static_cast<Engine *>(handle);
  const EntrySignature *signature =
      engine->getSignature(engine->getEntries().front());
  SmallVector<BufferView> inputs, outputs;
  for (const BufferType &type : signature->inputs)
    inputs.push_back({*buffers++, type.dtype, type.shape});
  for (const BufferType &type : signature->outputs)
    outputs.push_back({*buffers++, type.dtype, type.shape});
  llvm::Error error = engine->invoke("", inputs, outputs);
  if (!error)
    return true;
  lastError = llvm::toString(std::move(error));
  return false;
}
}
