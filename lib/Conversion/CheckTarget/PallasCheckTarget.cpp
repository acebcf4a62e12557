//===- PallasCheckTarget.cpp - Modules that a target cannot compile -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One pass for all targets. Each brings a function that collects what it would
// reject; the module itself stays as it is, so the pass can run before any
// other.
//
//===----------------------------------------------------------------------===//

#include "../PallasToMosaicGPU/CheckTarget.h"
#include "../PallasToMosaicTPU/Plan/CheckTarget.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Pass/PassManager.h"
#include "pallas/Conversion/CheckTarget/CheckTarget.h"
#include "pallas/Conversion/PallasToMosaicGPU/PallasToMosaicGPU.h"
#include "pallas/Support/Report.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASCHECKTARGET
#include "pallas/Conversion/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

namespace {

struct PallasCheckTarget
    : mlir::pallas::impl::PallasCheckTargetBase<PallasCheckTarget> {
  using PallasCheckTargetBase::PallasCheckTargetBase;

  /// A value without a name is the target.
  LogicalResult initializeOptions(
      StringRef options,
      function_ref<LogicalResult(const Twine &)> errorHandler) override {
    if (options.empty() || options.contains('='))
      return Pass::initializeOptions(options, errorHandler);
    target = options.str();
    return success();
  }

  /// Those of the passes that prepare kernels of GPUs, which run on a copy.
  void getDependentDialects(DialectRegistry &registry) const override {
    PallasCheckTargetBase::getDependentDialects(registry);
    OpPassManager prepare(ModuleOp::getOperationName());
    addGPUPreparation(prepare, /*arch=*/"");
    prepare.getDependentDialects(registry);
  }

  void runOnOperation() override {
    llvm::json::Array calls;
    std::optional<LogicalResult> result = check(calls);
    if (!result) {
      reportUnknownTarget();
      return signalPassFailure();
    }
    if (failed(writeReport(getOperation(), json, std::move(calls))) ||
        failed(*result))
      signalPassFailure();
    markAllAnalysesPreserved();
  }

private:
  /// Nothing if there is no such target.
  std::optional<LogicalResult> check(llvm::json::Array &calls) {
    auto [kind, name] = StringRef(target).split(':');
    if (kind == "tpu")
      if (const TPUChip *chip = tpu::findTPUChip(name.empty() ? "v5e" : name))
        return checkTPUTarget(getOperation(), *chip, calls);
    if (kind == "gpu")
      if (const auto *gpu =
              mosaic_gpu::findGPUTarget(name.empty() ? "sm_90a" : name))
        return checkGPUTarget(getOperation(), *gpu, calls);
    return std::nullopt;
  }

  void reportUnknownTarget() {
    InFlightDiagnostic diag = getOperation().emitError()
                              << "target '" << target
                              << "' is unknown; use tpu or gpu, or one of";
    for (const TPUChip &chip : tpu::getTPUChips())
      diag << " tpu:" << chip.name;
    for (const mosaic_gpu::GPUTarget &gpu : mosaic_gpu::getGPUTargets())
      diag << " gpu:" << gpu.arch;
  }
};

} // namespace
