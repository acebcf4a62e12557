//===- ControlFlow.cpp - What scf has and the target has not --------------===//

#include "Patterns.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"

using namespace mlir;
using namespace mlir::pallas;

namespace {

/// A switch becomes a chain of ifs, the last case being the default.
struct ConvertIndexSwitch : OpConversionPattern<scf::IndexSwitchOp> {
  ConvertIndexSwitch(const TPUTypeConverter &types, MLIRContext *context)
      : OpConversionPattern(types, context) {}

  LogicalResult
  matchAndRewrite(scf::IndexSwitchOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Type> results;
    if (failed(getTypeConverter()->convertTypes(op.getResultTypes(), results)))
      return failure();
    Emitter emit(rewriter, op.getLoc());
    Value selector = emit.toI32(adaptor.getArg());
    OpBuilder::InsertionGuard guard(rewriter);
    Operation *outermost = nullptr;
    for (auto [value, region] :
         llvm::zip_equal(op.getCases(), op.getCaseRegions())) {
      Value isCase =
          emit.compare(arith::CmpIPredicate::eq, selector, emit.i32(value));
      auto branch = scf::IfOp::create(rewriter, op.getLoc(), results, isCase,
                                      /*addThenBlock=*/false,
                                      /*addElseBlock=*/false);
      rewriter.inlineRegionBefore(region, branch.getThenRegion(),
                                  branch.getThenRegion().end());
      if (outermost)
        scf::YieldOp::create(rewriter, op.getLoc(), branch.getResults());
      else
        outermost = branch;
      if (&region == &op.getCaseRegions().back()) {
        rewriter.inlineRegionBefore(op.getDefaultRegion(),
                                    branch.getElseRegion(),
                                    branch.getElseRegion().end());
        break;
      }
      rewriter.createBlock(&branch.getElseRegion());
    }
    if (!outermost)
      return op.emitOpError("has no case; write its default region in place");
    rewriter.replaceOp(op, outermost->getResults());
    return success();
  }
};

} // namespace

void mlir::pallas::populateControlFlowPatterns(const TPUTypeConverter &types,
                                               RewritePatternSet &patterns) {
  addTPUPatterns<ConvertIndexSwitch>(types, patterns);
}

//===----------------------------------------------------------------------===//
// Short loops
//===----------------------------------------------------------------------===//

void mlir::pallas::inlineSingleIterations(Operation *root) {
  IRRewriter rewriter(root->getContext());
  // Inner loops come first.
  root->walk(
      [&](scf::ForOp loop) { (void)loop.promoteIfSingleIteration(rewriter); });
}

/// How many operations the iterations of an unrolled loop have together.
static constexpr int64_t kMaxUnrolledOperations = 512;
static constexpr int64_t kMaxUnrolledIterations = 16;

void mlir::pallas::unrollShortLoops(Operation *root) {
  root->walk([&](scf::ForOp loop) {
    std::optional<APInt> count = loop.getStaticTripCount();
    if (!count || count->ugt(kMaxUnrolledIterations))
      return;
    int64_t size = 0;
    loop.getBody()->walk([&](Operation *) { ++size; });
    if (size * int64_t(count->getZExtValue()) <= kMaxUnrolledOperations)
      (void)loopUnrollFull(loop);
  });
}
