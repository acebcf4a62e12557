//===- ScopePatterns.cpp - Regions and the memory in them -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory in a region lives as long as it, which is a run_scoped in pallas.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

using namespace mlir;
using namespace mlir::pallas;

/// Memory that an operation allocates; null if it is none that a ref can be.
static RefType getAllocation(Operation *op) {
  if (!isa<memref::AllocaOp, tpu::SemAllocOp>(op))
    return {};
  return convertMemRef(cast<MemRefType>(op->getResult(0).getType()));
}

namespace {

/// Allocations in a region become the refs of a scope:
///
///   "tpu.region"() ({
///     %0 = memref.alloca() : memref<8x128xf32, #tpu.memory_space<vmem>>
///     A
///   })
///
/// becomes
///
///   pallas.run_scoped (%0: !pallas.ref<8x128xf32, vmem>) { A }
struct RaiseRegion : OpConversionPattern<tpu::RegionOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(tpu::RegionOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Type> results;
    if (failed(getTypeConverter()->convertTypes(op.getResultTypes(), results)))
      return failure();
    auto scope = RunScopedOp::create(rewriter, op.getLoc(), results,
                                     /*collectiveAxes=*/ArrayAttr());
    rewriter.inlineRegionBefore(op.getRegion(), scope.getBody(),
                                scope.getBody().end());
    Block &block = scope.getBody().front();
    for (Operation &nested : llvm::make_early_inc_range(block)) {
      RefType ref = getAllocation(&nested);
      // An allocation of dynamic size has no ref type.
      if (!ref || nested.getNumOperands() != 0)
        continue;
      Value argument = block.addArgument(ref, nested.getLoc());
      rewriter.replaceOp(&nested, argument);
    }
    rewriter.replaceOp(op, scope.getResults());
    return success();
  }
};

/// A span of the profile around operations.
/// pallas has no region for it: start and stop enclose the operations instead.
struct RaiseTrace : OpConversionPattern<tpu::TraceOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(tpu::TraceOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    TraceStartOp::create(rewriter, op.getLoc(), op.getMessage(), op.getLevel());
    Block &block = op.getRegion().front();
    Operation *yield = block.getTerminator();
    SmallVector<Value> results;
    if (failed(rewriter.getRemappedValues(yield->getOperands(), results)))
      return failure();
    rewriter.eraseOp(yield);
    rewriter.inlineBlockBefore(&block, op);
    TraceStopOp::create(rewriter, op.getLoc());
    rewriter.replaceOp(op, results);
    return success();
  }
};

/// Terminators of traces were erased with them, so this is the one of a region.
struct RaiseYield : OpConversionPattern<tpu::YieldOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(tpu::YieldOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isa<RunScopedOp>(op->getParentOp()))
      return failure();
    rewriter.replaceOpWithNewOp<YieldOp>(op, adaptor.getOperands());
    return success();
  }
};

/// Memory outside of regions lives as long as the kernel.
template <typename OpTy> struct RaiseAllocation : RaisePattern<OpTy> {
  using RaisePattern<OpTy>::RaisePattern;
  FailureOr<Value> raise(OpTy op, typename OpTy::Adaptor,
                         OpBuilder &builder) const override {
    RefType ref = getAllocation(op);
    if (!ref || op->getNumOperands() != 0)
      return op->emitOpError() << "allocates " << op->getResult(0).getType()
                               << ", which no ref can be; use a static shape "
                                  "and row-major order";
    return Value(EmptyRefOp::create(builder, op->getLoc(), ref));
  }
};

} // namespace

void mlir::pallas::populateScopePatterns(const TypeConverter &types,
                                         RewritePatternSet &patterns) {
  patterns
      .add<RaiseRegion, RaiseTrace, RaiseYield,
           RaiseAllocation<memref::AllocaOp>, RaiseAllocation<tpu::SemAllocOp>>(
          types, patterns.getContext());
}
