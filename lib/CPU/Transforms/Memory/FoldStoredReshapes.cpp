//===- FoldStoredReshapes.cpp - Stores of values before a reshape ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has the pass pallas-cpu-fold-stored-reshapes:
//   %1 = tensor.collapse_shape %x [[0, 1]] : tensor<8x4xf32> into ...
//   bufferization.materialize_in_destination %1 in writable %memory
// becomes
//   %1 = memref.expand_shape %memory [[0, 1]] output_shape [8, 4] ...
//   bufferization.materialize_in_destination %x in writable %1
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "pallas/CPU/Transforms/Passes.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASCPUFOLDSTOREDRESHAPES
#include "pallas/CPU/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

/// The memory in the shape of `type`, or null.
static Value reshapeMemory(RewriterBase &rewriter, Value memory,
                           Operation *reshape, RankedTensorType type) {
  auto from = dyn_cast<MemRefType>(memory.getType());
  if (!from || !from.hasStaticShape() || !type.hasStaticShape())
    return {};
  Location loc = reshape->getLoc();
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(reshape))
    return memref::ExpandShapeOp::create(rewriter, loc, type.getShape(), memory,
                                         collapse.getReassociationIndices());
  SmallVector<ReassociationIndices> groups =
      cast<tensor::ExpandShapeOp>(reshape).getReassociationIndices();
  if (!memref::CollapseShapeOp::isGuaranteedCollapsible(from, groups))
    return {};
  return memref::CollapseShapeOp::create(rewriter, loc, memory, groups);
}

/// Stores a value in the shape that it is computed in, so that the memory can
/// be where it is computed. This is safe for values that read the same memory,
/// because the conversion to linalg has copied them. Erasing a reshape is safe,
/// because it precedes the store that the walk is at.
static void foldReshapes(RewriterBase &rewriter,
                         bufferization::MaterializeInDestinationOp store) {
  while (Operation *reshape = store.getSource().getDefiningOp()) {
    if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(reshape))
      break;
    Value source = reshape->getOperand(0);
    rewriter.setInsertionPoint(store);
    Value memory = reshapeMemory(rewriter, store.getDest(), reshape,
                                 cast<RankedTensorType>(source.getType()));
    if (!memory)
      break;
    store.getSourceMutable().assign(source);
    store.getDestMutable().assign(memory);
    if (reshape->use_empty())
      rewriter.eraseOp(reshape);
  }
}

namespace {
struct FoldStoredReshapes
    : public pallas::impl::PallasCPUFoldStoredReshapesBase<FoldStoredReshapes> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation()->walk([&](bufferization::MaterializeInDestinationOp store) {
      foldReshapes(rewriter, store);
    });
  }
};
} // namespace
