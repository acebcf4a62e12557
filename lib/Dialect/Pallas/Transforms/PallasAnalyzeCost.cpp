//===- PallasAnalyzeCost.cpp - Work and traffic of kernels ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass prints what Analysis/KernelCost computes, and writes it as JSON for
// tools that choose parameters.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/Pallas/Analysis/KernelCost.h"
#include "pallas/Dialect/Pallas/Analysis/Report.h"
#include "pallas/Dialect/Pallas/Transforms/Passes.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASANALYZECOST
#include "pallas/Dialect/Pallas/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

static llvm::json::Object toJSON(uint64_t flops, uint64_t transcendentals,
                                 uint64_t bytesAccessed, uint64_t remoteBytes) {
  return llvm::json::Object{{"flops", flops},
                            {"transcendentals", transcendentals},
                            {"bytes_accessed", bytesAccessed},
                            {"remote_bytes_transferred", remoteBytes}};
}

namespace {
struct AnalyzeCostPass
    : public pallas::impl::PallasAnalyzeCostBase<AnalyzeCostPass> {
  using PallasAnalyzeCostBase::PallasAnalyzeCostBase;

  void runOnOperation() override {
    llvm::json::Array calls;
    forEachCall(getOperation(), [&](Operation *op) {
      KernelCost cost = computeKernelCost(op, maxPrograms);
      CostEstimateAttr declared = getCostEstimate(op);
      // The remark is emitted at the end of this scope, before the next one.
      {
        InFlightDiagnostic diag = op->emitRemark();
        diag << "costs " << (cost.isExact ? "" : "about ") << cost.flops
             << " flops, " << cost.transcendentals << " transcendentals and "
             << cost.bytesAccessed << " bytes; " << cost.bytesMoved
             << " bytes move";
        if (declared)
          diag << "; its estimate is " << declared.getFlops() << " flops, "
               << declared.getTranscendentals() << " transcendentals and "
               << declared.getBytesAccessed() << " bytes";
      }
      llvm::json::Object call = describeOperation(op);
      llvm::json::Object computed =
          toJSON(cost.flops, cost.transcendentals, cost.bytesAccessed,
                 cost.remoteBytes);
      computed["bytes_moved"] = cost.bytesMoved;
      computed["exact"] = cost.isExact;
      // The declared cost is what XLA uses.
      if (declared)
        call["estimate"] = toJSON(
            declared.getFlops(), declared.getTranscendentals(),
            declared.getBytesAccessed(), declared.getRemoteBytesTransferred());
      else
        call["estimate"] = toJSON(cost.flops, cost.transcendentals,
                                  cost.bytesAccessed, cost.remoteBytes);
      call["declared"] = bool(declared);
      call["computed"] = std::move(computed);
      calls.push_back(std::move(call));
    });
    if (failed(writeReport(getOperation(), json, std::move(calls))))
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
