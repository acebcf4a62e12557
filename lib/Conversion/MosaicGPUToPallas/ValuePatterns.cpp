//===- ValuePatterns.cpp - Operations on vectors and products -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernel.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::pallas;

namespace {

/// Operations whose result is their first operand: they are about
/// layouts and bounds.
template <typename OpTy> struct RaiseIdentity : RaisePattern<OpTy> {
  using RaisePattern<OpTy>::RaisePattern;
  FailureOr<Value> raise(OpTy, typename OpTy::Adaptor adaptor,
                         OpBuilder &) const override {
    return Value(adaptor.getOperands().front());
  }
};

/// It keeps the compiler from moving values, which execution does not mind. It
/// has several results, so it is no RaisePattern.
struct RaiseOptimizationBarrier
    : OpConversionPattern<mosaic_gpu::OptimizationBarrierOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(mosaic_gpu::OptimizationBarrierOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, adaptor.getOperands());
    return success();
  }
};

/// Both dialects name dimensions of the result.
///
///   mosaic_gpu.broadcast_in_dim(%row : vector<128xf32>)
///       {broadcast_dimensions = array<i64: 1>} -> vector<64x128xf32>
/// -->
///   pallas.broadcast %row dims [1]
///       : tensor<128xf32> -> tensor<64x128xf32>
struct RaiseBroadcastInDim : RaisePattern<mosaic_gpu::BroadcastInDimOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(mosaic_gpu::BroadcastInDimOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    return Value(
        BroadcastOp::create(builder, op.getLoc(), toTensor(op.getType()),
                            adaptor.getOperand(), op.getBroadcastDimensions()));
  }
};

///   "mosaic_gpu.broadcasted_iota"() <{dimension = 1 : i32}>
///       : () -> vector<64x128xi32>
/// -->
///   pallas.iota 1 : tensor<64x128xi32>
struct RaiseIota : RaisePattern<mosaic_gpu::BroadcastedIotaOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(mosaic_gpu::BroadcastedIotaOp op, Adaptor,
                         OpBuilder &builder) const override {
    return Value(IotaOp::create(builder, op.getLoc(), toTensor(op.getType()),
                                op.getDimension()));
  }
};

///   mosaic_gpu.vector_concat(%a, %b : vector<64xf32>, vector<64xf32>)
///       {dimension = 0 : i32} -> vector<128xf32>
/// -->
///   tensor.concat dim(0) %a, %b
///       : (tensor<64xf32>, tensor<64xf32>) -> tensor<128xf32>
struct RaiseConcat : RaisePattern<mosaic_gpu::VectorConcatOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(mosaic_gpu::VectorConcatOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    return Value(
        tensor::ConcatOp::create(builder, op.getLoc(), toTensor(op.getType()),
                                 op.getDimension(), adaptor.getOperands()));
  }
};

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Stays asynchronous: waits are raised as well. Each product is a group.
struct RaiseWGMMA : RaisePattern<mosaic_gpu::WGMMAOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(mosaic_gpu::WGMMAOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    return Value(WGMMAOp::create(builder, op.getLoc(), toTensor(op.getType()),
                                 adaptor.getAccumulator(), adaptor.getA(),
                                 adaptor.getB()));
  }
};

/// Products of registers are done at once, so this is a contraction.
struct RaiseMMA : RaisePattern<mosaic_gpu::MMAOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(mosaic_gpu::MMAOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    ProductDims dims;
    dims.lhsContracting = {1};
    dims.rhsContracting = {0};
    return createProduct(builder, op.getLoc(), adaptor.getA(), adaptor.getB(),
                         adaptor.getAccumulator(), dims, Precision::Default);
  }
};

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

/// Upstream has patterns for the other operations of scf.
struct RaiseIndexSwitch : OpConversionPattern<scf::IndexSwitchOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(scf::IndexSwitchOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Type> results;
    if (failed(getTypeConverter()->convertTypes(op.getResultTypes(), results)))
      return failure();
    auto choice = scf::IndexSwitchOp::create(rewriter, op.getLoc(), results,
                                             adaptor.getArg(), op.getCases(),
                                             op.getNumCases());
    for (auto [from, to] :
         llvm::zip_equal(op->getRegions(), choice->getRegions()))
      rewriter.inlineRegionBefore(from, to, to.end());
    rewriter.replaceOp(op, choice.getResults());
    return success();
  }
};

} // namespace

void mlir::pallas::populateGPUValuePatterns(const TypeConverter &types,
                                            RewritePatternSet &patterns) {
  patterns.add<RaiseIdentity<mosaic_gpu::LayoutCastOp>,
               RaiseIdentity<mosaic_gpu::AssumeMultipleOp>,
               RaiseIdentity<mosaic_gpu::WithTransformsOp>,
               RaiseOptimizationBarrier, RaiseBroadcastInDim, RaiseIota,
               RaiseConcat, RaiseWGMMA, RaiseMMA, RaiseIndexSwitch>(
      types, patterns.getContext());
}
