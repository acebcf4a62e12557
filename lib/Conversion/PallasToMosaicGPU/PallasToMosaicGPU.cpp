//===- PallasToMosaicGPU.cpp - From pallas to mosaic_gpu ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pallas/Conversion/PallasToMosaicGPU/PallasToMosaicGPU.h"
#include "ClusterRules.h"
#include "KernelModule.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/PassManager.h"
#include "pallas/Conversion/PallasToLinalg/PallasToLinalg.h"
#include "pallas/Dialect/Pallas/Transforms/Passes.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_CONVERTPALLASTOMOSAICGPU
#include "pallas/Conversion/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

RuleTable RuleTable::ofAllOperations() {
  RuleTable rules;
  addAccessRules(rules);
  addBarrierRules(rules);
  addClusterRules(rules);
  addContractionRules(rules);
  addControlFlowRules(rules);
  addCopyRules(rules);
  addDebugRules(rules);
  addDeviceRules(rules);
  addElementwiseRules(rules);
  addGridRules(rules);
  addLaunchControlRules(rules);
  addLoopRules(rules);
  addMiscRules(rules);
  addOrderRules(rules);
  addPartRules(rules);
  addProductRules(rules);
  addReductionRules(rules);
  addRefRules(rules);
  addScopeRules(rules);
  addSemaphoreRules(rules);
  addShapeRules(rules);
  addTensorRules(rules);
  addViewRules(rules);
  return rules;
}

/// Whether a module fits a GPU is checked on the same form that is lowered, so
/// both begin with these passes.
void mlir::pallas::addGPUPreparation(OpPassManager &pm, StringRef arch) {
  pm.addPass(createPallasResolveDeviceMesh());
  PallasCallToGPUKernelOptions kernels;
  if (const GPUTarget *target = mosaic_gpu::findGPUTarget(arch))
    kernels.sharedBytes = target->sharedBytes;
  pm.addPass(createPallasCallToGPUKernel(kernels));
  pm.addPass(createPallasExpandGPUPipelines());
  // Operations that move elements between lanes become loops.
  ConvertPallasToLinalgOptions moves;
  moves.ops = {"pallas.arg_reduce", "pallas.gather",  "pallas.rev",
               "pallas.roll",       "pallas.scatter", "pallas.take_along",
               "pallas.transpose"};
  moves.generic = true;
  pm.addPass(createConvertPallasToLinalg(moves));
}

namespace {

struct ConvertPallasToMosaicGPU
    : mlir::pallas::impl::ConvertPallasToMosaicGPUBase<
          ConvertPallasToMosaicGPU> {
  using ConvertPallasToMosaicGPUBase::ConvertPallasToMosaicGPUBase;

  LogicalResult initialize(MLIRContext *) override {
    rules = std::make_shared<RuleTable>(RuleTable::ofAllOperations());
    return success();
  }

  void runOnOperation() override {
    FailureOr<const GPUTarget *> target =
        mosaic_gpu::findGPUTarget(getOperation(), arch);
    if (failed(target) ||
        failed(outlineKernels(getOperation(), **target, *rules,
                              [](Operation *, const KernelFootprint &) {})))
      signalPassFailure();
  }

private:
  std::shared_ptr<const RuleTable> rules;
};

} // namespace
