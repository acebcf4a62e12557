//===- SinkCollapses.cpp - Concatenation of uncollapsed tensors -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has the pass pallas-cpu-sink-collapses, which concatenates tensors
// in the shape that they have before they are collapsed, so that none is copied
// into the collapsed shape first.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "pallas/CPU/Transforms/Passes.h"
#include "pallas/Support/DeadCode.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASCPUSINKCOLLAPSES
#include "pallas/CPU/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

/// The dimension of the operand that becomes dimension `dim` of the result
/// alone.
static std::optional<int64_t> getOnlySource(tensor::CollapseShapeOp op,
                                            int64_t dim) {
  ReassociationIndices group = op.getReassociationIndices()[dim];
  return group.size() == 1 ? std::optional<int64_t>(group[0]) : std::nullopt;
}

/// An operand of the concatenation in the shape of `model`'s operand, but for
/// dimension `dim`.
static Value expandLike(RewriterBase &rewriter, Value part,
                        tensor::CollapseShapeOp model, int64_t dim) {
  auto type = cast<RankedTensorType>(part.getType());
  SmallVector<int64_t> shape(model.getSrcType().getShape());
  shape[*getOnlySource(model, dim)] = type.getDimSize(dim);
  auto collapse = part.getDefiningOp<tensor::CollapseShapeOp>();
  if (collapse && collapse.getSrcType().getShape() == ArrayRef(shape))
    return collapse.getSrc();
  return tensor::ExpandShapeOp::create(
      rewriter, part.getLoc(),
      RankedTensorType::get(shape, type.getElementType()), part,
      model.getReassociationIndices());
}

/// A collapse of a whole tensor costs nothing, so one of a slice must be among
/// the operands:
///
///   %a = tensor.collapse_shape %x [[0, 1], [2]]
///       : tensor<8x8x4xf32> into tensor<64x4xf32>
///   %b = tensor.collapse_shape %y [[0, 1], [2]] ...
///   %c = tensor.concat dim(1) %a, %b
///       : (tensor<64x4xf32>, tensor<64x4xf32>) -> tensor<64x8xf32>
///
/// becomes
///
///   %1 = tensor.concat dim(2) %x, %y
///       : (tensor<8x8x4xf32>, tensor<8x8x4xf32>) -> tensor<8x8x8xf32>
///   %c = tensor.collapse_shape %1 [[0, 1], [2]]
///       : tensor<8x8x8xf32> into tensor<64x8xf32>
static void sinkCollapses(RewriterBase &rewriter, Operation *root) {
  SmallVector<tensor::ConcatOp> ops;
  root->walk([&](tensor::ConcatOp op) { ops.push_back(op); });
  for (tensor::ConcatOp op : ops) {
    int64_t dim = op.getDim();
    tensor::CollapseShapeOp model;
    for (Value part : op.getInputs())
      if (auto collapse = part.getDefiningOp<tensor::CollapseShapeOp>();
          !model && collapse && collapse.getSrcType().hasStaticShape() &&
          collapse.getSrc().getDefiningOp<tensor::ExtractSliceOp>() &&
          getOnlySource(collapse, dim))
        model = collapse;
    if (!model || !op.getResultType().hasStaticShape() ||
        !llvm::all_of(op.getInputs(), [](Value part) {
          return cast<RankedTensorType>(part.getType()).hasStaticShape();
        }))
      continue;
    rewriter.setInsertionPoint(op);
    SmallVector<Value> parts;
    for (Value part : op.getInputs())
      parts.push_back(expandLike(rewriter, part, model, dim));
    Value whole = tensor::ConcatOp::create(rewriter, op.getLoc(),
                                           *getOnlySource(model, dim), parts);
    rewriter.replaceOpWithNewOp<tensor::CollapseShapeOp>(
        op, op.getResultType(), whole, model.getReassociationIndices());
  }
}

namespace {
struct SinkCollapses
    : public pallas::impl::PallasCPUSinkCollapsesBase<SinkCollapses> {
  using PallasCPUSinkCollapsesBase::PallasCPUSinkCollapsesBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    sinkCollapses(rewriter, getOperation());
    eraseDeadCode(getOperation());
  }
};
} // namespace
