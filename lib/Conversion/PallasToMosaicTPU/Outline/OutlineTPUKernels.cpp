//===- OutlineTPUKernels.cpp - Modules of kernels out of calls ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Plan/CheckMeshes.h"
#include "KernelModule.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "pallas/Conversion/PallasToMosaicTPU/PallasToMosaicTPU.h"
#include "pallas/Dialect/MosaicTPU/IR/KernelAttributes.h"
#include "pallas/Dialect/Pallas/Utils/Grid.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_OUTLINETPUKERNELS
#include "pallas/Conversion/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

namespace {
struct OutlineTPUKernelsPass
    : pallas::impl::OutlineTPUKernelsBase<OutlineTPUKernelsPass> {
  using OutlineTPUKernelsBase::OutlineTPUKernelsBase;

  void runOnOperation() override {
    FailureOr<const TPUChip *> target = tpu::findTPUChip(getOperation(), chip);
    if (failed(target) ||
        (checkMeshes && failed(checkTPUMeshes(getOperation(), **target))))
      return signalPassFailure();
    SmallVector<Operation *> calls = getOutermostCalls(getOperation());
    SymbolTable symbols(getOperation());
    for (Operation *op : calls)
      if (failed(outline(op, symbols, **target)))
        return signalPassFailure();
    numKernels += calls.size();
  }

private:
  LogicalResult outline(Operation *op, SymbolTable &symbols,
                        const TPUChip &target) {
    FailureOr<ModuleOp> module =
        isa<PallasCallOp>(op)
            ? outlinePallasCall(cast<PallasCallOp>(op), symbols, target)
            : outlineMpmdMap(cast<MpmdMapOp>(op), symbols, target);
    if (failed(module))
      return failure();
    (*module)->setAttr(tpu::kTargetAttrName,
                       StringAttr::get(&getContext(), target.name));
    return success();
  }
};
} // namespace
