//===- OutlineTPUKernels.cpp - Modules of kernels out of calls ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs between Prepare and Body. Bodies stay operations on refs, and casts from
// memrefs join both worlds:
//
//   %r = builtin.unrealized_conversion_cast %m
//       : memref<8x128xf32, ...> to !pallas.ref<8x128xf32, vmem>
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
/// Outlines the outermost calls. A call in a kernel is a pipeline of that
/// kernel, and was expanded by an earlier pass.
struct OutlineTPUKernelsPass
    : pallas::impl::OutlineTPUKernelsBase<OutlineTPUKernelsPass> {
  using OutlineTPUKernelsBase::OutlineTPUKernelsBase;

  void runOnOperation() override {
    FailureOr<const TPUChip *> target = tpu::findTPUChip(getOperation(), chip);
    if (failed(target) ||
        (checkMeshes && failed(checkTPUMeshes(getOperation(), **target))))
      return signalPassFailure();
    // The calls are collected first: outlining erases them and adds modules.
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
    // Later passes find the chip here. The last one removes it.
    (*module)->setAttr(tpu::kTargetAttrName,
                       StringAttr::get(&getContext(), target.name));
    return success();
  }
};
} // namespace
