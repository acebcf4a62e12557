//===- Canonicalization.cpp - Canonical forms -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Mosaic compiler infers one layout per memref, so a cast between two of
// them hides what it looks for. These patterns bring casts to the allocation.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/MosaicGPU/IR/MosaicGPU.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::mosaic_gpu;

/// A chain of casts is one cast, and none if it ends where it began.
OpFoldResult ReinterpretCastOp::fold(FoldAdaptor) {
  if (getSource().getType() == getResult().getType())
    return getSource();
  // cast(cast(%x)) -> cast(%x)
  if (auto inner = getSource().getDefiningOp<ReinterpretCastOp>()) {
    getSourceMutable().assign(inner.getSource());
    return getResult();
  }
  return {};
}

namespace {

/// reinterpret_cast(slice_smem) -> slice_smem of the other type.
///
///   %s = "mosaic_gpu.slice_smem"() <{alias_id = 2 : i32, offset = 1024 : i32}>
///       : () -> memref<16x64xf32, #gpu.address_space<workgroup>>
///   %c = "mosaic_gpu.reinterpret_cast"(%s) : ... -> memref<1024xf32, ...>
/// -->
///   %c = "mosaic_gpu.slice_smem"() <{alias_id = 2 : i32, offset = 1024 : i32}>
///       : () -> memref<1024xf32, #gpu.address_space<workgroup>>
struct CastOfSlice : OpRewritePattern<ReinterpretCastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReinterpretCastOp op,
                                PatternRewriter &rewriter) const override {
    auto slice = op.getSource().getDefiningOp<SliceSMEMOp>();
    if (!slice)
      return failure();
    rewriter.replaceOpWithNewOp<SliceSMEMOp>(
        op, op.getType(), slice.getOffsetAttr(), slice.getAliasIdAttr());
    return success();
  }
};

/// warp_map(%x) { cast(%arg) } -> warp_map(cast(%x)) { %arg }, when all uses of
/// the argument are this cast: memrefs have one layout, which is easier to find
/// outside.
struct CastOfWarpArgument : OpRewritePattern<WarpMapOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(WarpMapOp op,
                                PatternRewriter &rewriter) const override {
    for (BlockArgument argument : op.getRegion().getArguments()) {
      if (!argument.hasOneUse())
        continue;
      auto cast = dyn_cast<ReinterpretCastOp>(*argument.user_begin());
      if (!cast || cast->getBlock() != argument.getOwner())
        continue;
      unsigned number = argument.getArgNumber();
      Value outside = ReinterpretCastOp::create(
          rewriter, cast.getLoc(), cast.getType(), op.getOperand(number));
      rewriter.modifyOpInPlace(op, [&]() {
        op->setOperand(number, outside);
        argument.setType(cast.getType());
      });
      rewriter.replaceOp(cast, argument);
      return success();
    }
    return failure();
  }
};

} // namespace

void ReinterpretCastOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                    MLIRContext *context) {
  patterns.add<CastOfSlice>(context);
}

void WarpMapOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  patterns.add<CastOfWarpArgument>(context);
}
