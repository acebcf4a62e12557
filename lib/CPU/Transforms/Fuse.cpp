//===- Fuse.cpp - Elementwise fusion on tensors ---------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "pallas/CPU/Transforms/Passes.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASCPUFUSE
#include "pallas/CPU/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

/// Bodies longer than this spill registers, and fusing pair by pair would take
/// quadratic time.
static constexpr size_t maxFusedOps = 64;

/// Whether computing the results again costs about as much as loading them.
static bool isCheap(linalg::LinalgOp producer) {
  unsigned work = 0, fullInputs = 0;
  for (Operation &op : producer.getBlock()->without_terminator()) {
    if (isa<math::MathDialect>(op.getDialect()) ||
        isa<arith::DivFOp, tensor::ExtractOp>(op))
      return false;
    work += !isa<arith::ConstantOp, linalg::IndexOp>(op);
  }
  for (OpOperand *input : producer.getDpsInputOperands())
    fullInputs += producer.getMatchingIndexingMap(input).getNumResults() ==
                  producer.getNumLoops();
  return fullInputs == 0 ? work <= 8 : work <= 2 && fullInputs == 1;
}

static bool shouldFuse(OpOperand *fused) {
  auto producer = fused->get().getDefiningOp<linalg::LinalgOp>();
  auto consumer = dyn_cast<linalg::LinalgOp>(fused->getOwner());
  if (!producer || !consumer || producer->getNumResults() != 1 ||
      linalg::isaContractionOpInterface(consumer))
    return false;
  if (producer.getBlock()->getOperations().size() +
          consumer.getBlock()->getOperations().size() >
      maxFusedOps)
    return false;
  // Within loops, a value from outside is computed once.
  if (producer->getBlock() != consumer->getBlock() && !isCheap(producer))
    return false;
  return producer->hasOneUse() || isCheap(producer);
}

/// Gives operations that move or combine elements the general form, the only
/// one that fuses. Contractions and fills are recognized by what they are.
static void generalize(Operation *root) {
  SmallVector<linalg::LinalgOp> ops;
  root->walk([&](linalg::LinalgOp op) {
    if (isa<linalg::BroadcastOp, linalg::TransposeOp, linalg::MapOp,
            linalg::ReduceOp, linalg::ElementwiseOp>(op))
      ops.push_back(op);
  });
  IRRewriter rewriter(root->getContext());
  for (linalg::LinalgOp op : ops) {
    rewriter.setInsertionPoint(op);
    (void)linalg::generalizeNamedOp(rewriter, op);
  }
}

namespace {
/// x + contraction(a, b, 0) accumulates into x.
template <typename AddOp>
struct AccumulateIntoContraction : public OpRewritePattern<AddOp> {
  using OpRewritePattern<AddOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(AddOp op,
                                PatternRewriter &rewriter) const override {
    for (auto [product, other] : {std::pair(op.getLhs(), op.getRhs()),
                                  std::pair(op.getRhs(), op.getLhs())}) {
      auto contraction = product.template getDefiningOp<linalg::LinalgOp>();
      if (!contraction || !product.hasOneUse() ||
          contraction->getBlock() != op->getBlock() ||
          !linalg::isaContractionOpInterface(contraction))
        continue;
      auto fill =
          contraction.getDpsInits()[0].template getDefiningOp<linalg::FillOp>();
      if (!fill || !(matchPattern(fill.getInputs()[0], m_AnyZeroFloat()) ||
                     matchPattern(fill.getInputs()[0], m_Zero())))
        continue;
      rewriter.setInsertionPoint(op);
      Operation *accumulated = rewriter.clone(*contraction);
      cast<linalg::LinalgOp>(accumulated).setDpsInitOperand(0, other);
      rewriter.replaceOp(op, accumulated->getResults());
      rewriter.eraseOp(contraction);
      return success();
    }
    return failure();
  }
};

/// A tensor of equal elements needs no memory in the object.
struct FillConstant : public OpRewritePattern<arith::ConstantOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ConstantOp op,
                                PatternRewriter &rewriter) const override {
    auto splat = dyn_cast<SplatElementsAttr>(op.getValue());
    auto type = dyn_cast<RankedTensorType>(op.getType());
    if (!splat || !type)
      return failure();
    Location loc = op.getLoc();
    Value scalar = arith::ConstantOp::create(rewriter, loc,
                                             splat.getSplatValue<TypedAttr>());
    Value empty = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                          type.getElementType());
    rewriter.replaceOpWithNewOp<linalg::FillOp>(op, scalar, empty);
    return success();
  }
};

struct Fuse : public pallas::impl::PallasCPUFuseBase<Fuse> {
  void runOnOperation() override {
    GreedyRewriteConfig config;
    // A long chain takes many rounds; each fusion shortens it, so they end.
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled)
        .setMaxIterations(GreedyRewriteConfig::kNoLimit);
    {
      RewritePatternSet patterns(&getContext());
      patterns.add<FillConstant, AccumulateIntoContraction<arith::AddFOp>,
                   AccumulateIntoContraction<arith::AddIOp>>(&getContext());
      linalg::populateElementwiseToLinalgConversionPatterns(patterns);
      if (failed(applyPatternsGreedily(getOperation(), std::move(patterns),
                                       config)))
        return signalPassFailure();
    }
    generalize(getOperation());
    RewritePatternSet patterns(&getContext());
    linalg::populateElementwiseOpsFusionPatterns(patterns, shouldFuse);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};
} // namespace
