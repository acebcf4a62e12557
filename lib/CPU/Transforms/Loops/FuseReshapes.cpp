//===- FuseReshapes.cpp - Fusion across changes of shape ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has the pass pallas-cpu-fuse-reshapes, which lets elementwise
// operations read values whose dimensions were joined. `jnp.repeat(s, 4,
// axis=1)` is a broadcast to a dimension of its own, which then becomes part of
// another:
//   %1 = linalg.generic ins(%s : tensor<8x16xf32>) ... -> tensor<8x16x4xf32>
//   %2 = tensor.collapse_shape %1 [[0], [1, 2]] ... into tensor<8x64xf32>
//   %3 = linalg.generic ins(%x, %2) ... arith.mulf ... -> tensor<8x64xf32>
// becomes
//   %1 = tensor.expand_shape %x [[0], [1, 2]] ... into tensor<8x16x4xf32>
//   %2 = linalg.generic ins(%1, %s) ... arith.mulf ... -> tensor<8x16x4xf32>
//   %3 = tensor.collapse_shape %2 [[0], [1, 2]] ... into tensor<8x64xf32>
// after fusion, and the broadcast takes no memory. What follows %3 is expanded
// in turn.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/IR/TensorInferTypeOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "pallas/CPU/Transforms/Passes.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASCPUFUSERESHAPES
#include "pallas/CPU/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

/// Whether elements are computed one by one, and nothing is summed up.
static bool isParallel(Operation *op) {
  auto generic = dyn_cast_or_null<linalg::GenericOp>(op);
  return generic && generic.getNumParallelLoops() == generic.getNumLoops() &&
         llvm::all_of(generic.getIndexingMapsArray(), [](AffineMap map) {
           return map.isProjectedPermutation();
         });
}

/// Whether the loops of `op` may be split. Indices would have to be put
/// together from those of the parts, which is no work for vectors.
static bool canExpand(Operation *op) {
  return isParallel(op) && !cast<linalg::GenericOp>(op).hasIndexSemantics();
}

/// Whether two dimensions of more than one element become one. Others are no
/// loops, so they keep nothing from being fused. The last dimension must not
/// leave vectors of one loop with a rest that those of the whole don't have: it
/// is short, or a multiple of all vectors.
static bool joinsLoops(RankedTensorType type,
                       ArrayRef<ReassociationIndices> groups) {
  constexpr int64_t longestShort = 8, mostLanes = 16;
  if (!type.hasStaticShape() || type.getRank() == 0)
    return false;
  int64_t last = type.getShape().back();
  bool isWhole = groups.back().size() == 1 || last <= longestShort ||
                 last % mostLanes == 0;
  return isWhole &&
         llvm::any_of(groups, [&](const ReassociationIndices &group) {
           return llvm::count_if(group, [&](int64_t dim) {
                    return type.getDimSize(dim) > 1;
                  }) > 1;
         });
}

/// Whether the operation that reads `operand` should take the shape that the
/// value had before its dimensions were joined.
static bool readsCollapsed(OpOperand *operand) {
  auto collapse = operand->get().getDefiningOp<tensor::CollapseShapeOp>();
  return collapse &&
         joinsLoops(collapse.getSrcType(),
                    collapse.getReassociationIndices()) &&
         isParallel(collapse.getSrc().getDefiningOp()) &&
         canExpand(operand->getOwner());
}

/// Whether an operation should take another shape, or what computes `operand`,
/// all of which are read in that shape.
static bool shouldExpand(OpOperand *operand) {
  Operation *producer = operand->get().getDefiningOp();
  auto expand = dyn_cast<tensor::ExpandShapeOp>(operand->getOwner());
  if (!expand)
    return readsCollapsed(operand);
  return joinsLoops(expand.getResultType(), expand.getReassociationIndices()) &&
         canExpand(producer) && producer->hasOneUse() &&
         llvm::all_of(expand->getUsers(), isParallel);
}

namespace {
struct FuseReshapes
    : public pallas::impl::PallasCPUFuseReshapesBase<FuseReshapes> {
  /// Reshapes of empty tensors fold by the interface of the sizes of results.
  void getDependentDialects(DialectRegistry &registry) const override {
    PallasCPUFuseReshapesBase::getDependentDialects(registry);
    tensor::registerInferTypeOpInterfaceExternalModels(registry);
  }

  void runOnOperation() override {
    bool found = false;
    getOperation()->walk([&](linalg::GenericOp op) {
      for (OpOperand *input : op.getDpsInputOperands())
        found |= readsCollapsed(input);
    });
    if (!found)
      return;
    RewritePatternSet patterns(&getContext());
    linalg::populateFoldReshapeOpsByExpansionPatterns(patterns, shouldExpand);
    tensor::populateReassociativeReshapeFoldingPatterns(patterns);
    tensor::populateFoldTensorEmptyPatterns(patterns);
    linalg::FillOp::getCanonicalizationPatterns(patterns, &getContext());
    tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns,
                                                         &getContext());
    tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, &getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
