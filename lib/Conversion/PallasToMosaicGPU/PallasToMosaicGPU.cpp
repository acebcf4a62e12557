//===- PallasToMosaicGPU.cpp - From pallas to mosaic_gpu ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pallas/Conversion/PallasToMosaicGPU/PallasToMosaicGPU.h"
#include "KernelModule.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/SymbolTable.h"
#include "pallas/Dialect/Pallas/Utils/Grid.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_CONVERTPALLASTOMOSAICGPU
#include "pallas/Conversion/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

static void addAllRules(RuleTable &rules) {
  addBarrierRules(rules);
  addControlFlowRules(rules);
  addCopyRules(rules);
  addGridRules(rules);
  addMiscRules(rules);
  addProductRules(rules);
  addReductionRules(rules);
  addRefRules(rules);
  addScopeRules(rules);
  addShapeRules(rules);
}

namespace {

struct ConvertPallasToMosaicGPU
    : mlir::pallas::impl::ConvertPallasToMosaicGPUBase<
          ConvertPallasToMosaicGPU> {
  using ConvertPallasToMosaicGPUBase::ConvertPallasToMosaicGPUBase;

  LogicalResult initialize(MLIRContext *) override {
    auto table = std::make_shared<RuleTable>();
    addAllRules(*table);
    rules = std::move(table);
    return success();
  }

  void runOnOperation() override {
    const GPUTarget *target = findGPUTarget(arch);
    if (!target) {
      InFlightDiagnostic diag = getOperation().emitError()
                                << "architecture '" << arch
                                << "' is unknown; use";
      llvm::interleave(
          getGPUTargets(),
          [&](const GPUTarget &known) { diag << " " << known.arch; },
          [&]() { diag << ","; });
      return signalPassFailure();
    }
    SymbolTable symbols(getOperation());
    for (Operation *op : getOutermostCalls(getOperation())) {
      auto kernel = dyn_cast<MpmdMapOp>(op);
      if (!kernel) {
        op->emitOpError("has blocks; pallas-call-to-gpu-kernel makes copies of "
                        "them before this pass");
        return signalPassFailure();
      }
      if (failed(outlineKernel(kernel, symbols, *target, *rules)))
        return signalPassFailure();
    }
  }

private:
  std::shared_ptr<const RuleTable> rules;
};

} // namespace
