//===- PallasGridsToLoops.cpp - Grids as loops over windows ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file decides in which order grids become loops. PipelineToLoops.cpp and
// CallToLoops.cpp make the arrays that windows are parts of, GridToLoops.cpp
// the loops.
//
//===----------------------------------------------------------------------===//

#include "GridToLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "pallas/Dialect/Pallas/Transforms/Passes.h"
#include "pallas/Dialect/Pallas/Utils/Concurrency.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASGRIDSTOLOOPS
#include "pallas/Dialect/Pallas/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

namespace {
struct GridsToLoopsPass
    : public pallas::impl::PallasGridsToLoopsBase<GridsToLoopsPass> {
  using PallasGridsToLoopsBase::PallasGridsToLoopsBase;

  /// Pipelines come first, and those inside of others before these: their
  /// arrays are windows, which have names as long as the outer grid is there.
  /// An outer call comes before an inner one, which runs in order where the
  /// outer one has threads.
  LogicalResult convert(func::FuncOp func, bool checked) {
    SmallVector<EmitPipelineOp> pipelines;
    SmallVector<PallasCallOp> calls;
    func.walk([&](EmitPipelineOp op) { pipelines.push_back(op); });
    func.walk<WalkOrder::PreOrder>(
        [&](PallasCallOp op) { calls.push_back(op); });
    CallContext context{checked, false, false, false};
    if (!calls.empty()) {
      Concurrency concurrency(func);
      context.synchronizes = concurrency.synchronizes;
      context.namesOthers = concurrency.namesOthers;
      context.parallel = parallel && !checked && !concurrency.synchronizes &&
                         !usesRandomState(func.getBody());
    }
    for (EmitPipelineOp op : pipelines)
      if (failed(convertPipelineToLoops(op, checked)))
        return failure();
    for (PallasCallOp op : calls)
      if (failed(convertCallToLoops(op, context)))
        return failure();
    numPipelines += pipelines.size();
    numCalls += calls.size();
    return success();
  }

  void runOnOperation() override {
    bool checked = getOperation()->hasAttr(kHasChecksAttrName);
    // The call around a semaphore tells which devices meet at it.
    getOperation().walk(markCollective);
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (failed(convert(func, checked)))
        return signalPassFailure();
  }
};
} // namespace
