//===- DropUnitDims.cpp - Rows of one element -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has the pass pallas-cpu-drop-unit-dims. Rows of one element lose
// their dimension, for example `tensor<8x1xf32>` becomes `tensor<8xf32>`: they
// would keep one value in memory of two shapes, which no loop could share. A
// reduction over one element that loses its loop reads its neutral element as
// an input, so that it fuses as others do:
//   %1 = linalg.generic {iterators = ["reduction"]}
//          ins(%x : tensor<1xf32>) outs(%zero : tensor<f32>) ... arith.addf
// becomes
//   %1 = linalg.generic {iterators = []}
//          ins(%x, %zero : tensor<f32>, tensor<f32>) outs(%empty)
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/IR/TensorInferTypeOpInterfaceImpl.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "pallas/CPU/Transforms/Passes.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASCPUDROPUNITDIMS
#include "pallas/CPU/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

/// The loops over rows of one element, as reductions that keep their dimension
/// leave them.
static SmallVector<unsigned> getUnitLoops(Operation *op) {
  SmallVector<unsigned> dims;
  auto generic = dyn_cast<linalg::GenericOp>(op);
  auto type = generic && generic->getNumResults() == 1
                  ? dyn_cast<RankedTensorType>(generic->getResult(0).getType())
                  : RankedTensorType();
  if (!type || type.getRank() == 0 || type.getShape().back() != 1)
    return dims;
  for (auto [dim, size] : llvm::enumerate(generic.getStaticLoopRanges()))
    if (size == 1)
      dims.push_back(dim);
  return dims;
}

namespace {
struct DropUnitDims
    : public pallas::impl::PallasCPUDropUnitDimsBase<DropUnitDims> {
  using PallasCPUDropUnitDimsBase::PallasCPUDropUnitDimsBase;

  /// Reshapes of empty tensors fold by the interface of the sizes of results.
  void getDependentDialects(DialectRegistry &registry) const override {
    PallasCPUDropUnitDimsBase::getDependentDialects(registry);
    tensor::registerInferTypeOpInterfaceExternalModels(registry);
  }

  void runOnOperation() override {
    bool found = false;
    getOperation()->walk(
        [&](Operation *op) { found |= !getUnitLoops(op).empty(); });
    if (!found)
      return;
    RewritePatternSet patterns(&getContext());
    linalg::ControlDropUnitDims options;
    options.controlFn = getUnitLoops;
    linalg::populateFoldUnitExtentDimsPatterns(patterns, options);
    linalg::populateFoldUnitExtentDimsCanonicalizationPatterns(patterns,
                                                               options);
    linalg::populateMoveInitOperandsToInputPattern(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
