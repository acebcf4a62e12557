//===- FuseReshapes.cpp - Fusion across changes of shape ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file lets elementwise operations read values whose dimensions were
// joined. `jnp.repeat(s, 4, axis=1)` is a broadcast to a dimension of its own,
// which then becomes part of another:
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

#include "FuseReshapes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace mlir::pallas;

/// Whether elements are computed one by one, and nothing is summed up.
static bool isElementwise(Operation *op) {
  auto generic = dyn_cast_or_null<linalg::GenericOp>(op);
  return generic && generic.getNumParallelLoops() == generic.getNumLoops() &&
         llvm::all_of(generic.getIndexingMapsArray(), [](AffineMap map) {
           return map.isProjectedPermutation();
         });
}

/// Whether the loops of `op` may be split. Indices would have to be put
/// together from those of the parts, which is no work for vectors.
static bool canExpand(Operation *op) {
  return isElementwise(op) && !cast<linalg::GenericOp>(op).hasIndexSemantics();
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
         isElementwise(collapse.getSrc().getDefiningOp()) &&
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
         llvm::all_of(expand->getUsers(), isElementwise);
}

/// Whether a concatenation makes short rows of single elements that are many
/// enough to be written by vectors.
static bool makesShortRows(tensor::ConcatOp op) {
  constexpr int64_t longest = 8, leastRows = 32;
  RankedTensorType type = op.getResultType();
  int64_t rank = type.getRank();
  return type.hasStaticShape() && rank >= 2 &&
         static_cast<int64_t>(op.getDim()) == rank - 1 &&
         type.getDimSize(rank - 1) <= longest &&
         type.getDimSize(rank - 2) >= leastRows &&
         type.getElementType().isIntOrFloat() &&
         type.getElementTypeBitWidth() >= 8 &&
         llvm::all_of(op.getInputs(), [](Value part) {
           return cast<RankedTensorType>(part.getType()).getShape().back() == 1;
         });
}

/// Rows of single elements, as `jnp.stack(..., axis=-1)` makes them, are a
/// choice by the place in the row, which fuses with what yields the elements:
///
///   %1 = tensor.concat dim(1) %x, %y
///       : (tensor<64x1xf32>, tensor<64x1xf32>) -> tensor<64x2xf32>
///
/// becomes, where `%a` and `%b` are of `%x` and `%y` in the shape
/// tensor<64xf32>
///
///   %1 = linalg.generic ins(%a, %b) ... {
///     %place = linalg.index 1 : index
///     %isFirst = arith.cmpi eq, %place, %c0 : index
///     %element = arith.select %isFirst, %a, %b : f32
///   }
static void chooseInRows(RewriterBase &rewriter, tensor::ConcatOp op) {
  Location loc = op.getLoc();
  RankedTensorType type = op.getResultType();
  int64_t rank = type.getRank();
  rewriter.setInsertionPoint(op);
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 0; dim < rank - 1; ++dim)
    groups.push_back({dim});
  groups.back().push_back(rank - 1);
  SmallVector<Value> parts;
  for (Value part : op.getInputs()) {
    auto expand = part.getDefiningOp<tensor::ExpandShapeOp>();
    bool isFlat = expand && expand.getReassociationIndices() == groups;
    parts.push_back(
        isFlat ? expand.getSrc()
               : tensor::CollapseShapeOp::create(rewriter, loc, part, groups));
  }
  AffineMap whole = rewriter.getMultiDimIdentityMap(rank);
  SmallVector<AffineMap> maps(parts.size(), whole.dropResult(rank - 1));
  maps.push_back(whole);
  SmallVector<utils::IteratorType> kinds(rank, utils::IteratorType::parallel);
  Value empty = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                        type.getElementType());
  auto choose = [&](OpBuilder &b, Location loc, ValueRange elements) {
    Value place = linalg::IndexOp::create(b, loc, rank - 1);
    Value chosen = elements[parts.size() - 1];
    for (int64_t i = parts.size() - 2; i >= 0; --i) {
      Value here = arith::ConstantIndexOp::create(b, loc, i);
      Value isHere =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, place, here);
      chosen = arith::SelectOp::create(b, loc, isHere, elements[i], chosen);
    }
    linalg::YieldOp::create(b, loc, chosen);
  };
  rewriter.replaceOp(op, linalg::GenericOp::create(rewriter, loc, type, parts,
                                                   empty, maps, kinds, choose));
}

void cpu::fuseShortRows(RewriterBase &rewriter, Operation *root) {
  SmallVector<tensor::ConcatOp> ops;
  root->walk([&](tensor::ConcatOp op) {
    if (makesShortRows(op))
      ops.push_back(op);
  });
  for (tensor::ConcatOp op : ops)
    chooseInRows(rewriter, op);
}

LogicalResult cpu::fuseReshapes(Operation *root) {
  bool found = false;
  root->walk([&](linalg::GenericOp op) {
    for (OpOperand *input : op.getDpsInputOperands())
      found |= readsCollapsed(input);
  });
  if (!found)
    return success();
  RewritePatternSet patterns(root->getContext());
  linalg::populateFoldReshapeOpsByExpansionPatterns(patterns, shouldExpand);
  tensor::populateReassociativeReshapeFoldingPatterns(patterns);
  tensor::populateFoldTensorEmptyPatterns(patterns);
  linalg::FillOp::getCanonicalizationPatterns(patterns, root->getContext());
  tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns,
                                                       root->getContext());
  tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns,
                                                     root->getContext());
  return applyPatternsGreedily(root, std::move(patterns));
}
