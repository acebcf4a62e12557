//===- TPUStripTarget.cpp - Kernels at the end of their way ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last pass of pallas-to-mosaic-tpu. The attribute tpu.target is ours, and
// the Mosaic compiler doesn't know it.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/BuiltinOps.h"
#include "pallas/Dialect/MosaicTPU/IR/KernelAttributes.h"
#include "pallas/Dialect/MosaicTPU/Transforms/Passes.h"

namespace mlir::tpu {
#define GEN_PASS_DEF_TPUSTRIPTARGET
#include "pallas/Dialect/MosaicTPU/Transforms/Passes.h.inc"
} // namespace mlir::tpu

using namespace mlir;
using namespace mlir::tpu;

namespace {
struct StripTargetPass : public tpu::impl::TPUStripTargetBase<StripTargetPass> {
  using TPUStripTargetBase::TPUStripTargetBase;

  void runOnOperation() override {
    getOperation()->walk<WalkOrder::PreOrder>([](Operation *op) {
      if (!isa<ModuleOp>(op))
        return WalkResult::skip();
      op->removeAttr(kTargetAttrName);
      return WalkResult::advance();
    });
  }
};
} // namespace
