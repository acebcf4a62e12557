//===- GeneralizeConcats.cpp - Short rows as choices ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has the pass pallas-cpu-generalize-concats. Rows of single
// elements, as `jnp.stack(..., axis=-1)` makes them, are a choice by the place
// in the row, which fuses with what yields the elements:
//   %1 = tensor.concat dim(1) %x, %y
//       : (tensor<64x1xf32>, tensor<64x1xf32>) -> tensor<64x2xf32>
// becomes, where `%a` and `%b` are of `%x` and `%y` in the shape tensor<64xf32>
//   %1 = linalg.generic ins(%a, %b) ... {
//     %place = linalg.index 1 : index
//     %isFirst = arith.cmpi eq, %place, %c0 : index
//     %element = arith.select %isFirst, %a, %b : f32
//   }
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "pallas/CPU/Transforms/Passes.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASCPUGENERALIZECONCATS
#include "pallas/CPU/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

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

/// Parts in the shape of rows without their last dimension are elements of it.
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

namespace {
struct GeneralizeConcats
    : public pallas::impl::PallasCPUGeneralizeConcatsBase<GeneralizeConcats> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<tensor::ConcatOp> ops;
    getOperation()->walk([&](tensor::ConcatOp op) {
      if (makesShortRows(op))
        ops.push_back(op);
    });
    for (tensor::ConcatOp op : ops)
      chooseInRows(rewriter, op);
  }
};
} // namespace
