//===- AsyncCanonicalization.cpp - Simpler synchronization ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Canonicalization.h"
#include "mlir/IR/Matchers.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"

using namespace mlir;
using namespace mlir::pallas;

/// A signal that adds nothing wakes nobody.
static LogicalResult dropEmptySignal(SemaphoreSignalOp op,
                                     PatternRewriter &rewriter) {
  if (getConstantInteger(op.getIncrement()) != 0)
    return failure();
  rewriter.eraseOp(op);
  return success();
}

/// Each semaphore has reached zero.
static LogicalResult dropEmptyWait(SemaphoreWaitOp op,
                                   PatternRewriter &rewriter) {
  if (getConstantInteger(op.getCount()) != 0)
    return failure();
  rewriter.eraseOp(op);
  return success();
}

/// One core waits for nobody.
static LogicalResult dropBarrierOfOne(CoreBarrierOp op,
                                      PatternRewriter &rewriter) {
  if (lookUpAxis(op, op.getAxisName()).size != 1)
    return failure();
  rewriter.eraseOp(op);
  return success();
}

static LogicalResult dropEmptyDelay(DelayOp op, PatternRewriter &rewriter) {
  if (getConstantInteger(op.getNanoseconds()) != 0)
    return failure();
  rewriter.eraseOp(op);
  return success();
}

/// A copy whose predicate is known happens, or it does not.
template <typename Op>
static LogicalResult resolvePredicate(Op op, PatternRewriter &rewriter) {
  std::optional<int64_t> predicate;
  if (op.getPredicate())
    predicate = getConstantInteger(op.getPredicate());
  if (!predicate)
    return failure();
  if (*predicate != 0) {
    rewriter.modifyOpInPlace(op, [&] { op.getPredicateMutable().clear(); });
    return success();
  }
  // Waits count groups, be they empty or not.
  if constexpr (std::is_same_v<Op, CopySmemToGmemOp>)
    if (op.getCommitGroup())
      CommitSmemToGmemGroupOp::create(rewriter, op.getLoc());
  rewriter.eraseOp(op);
  return success();
}

/// A value that has a layout already is not moved.
static LogicalResult dropSecondCast(LayoutCastOp op,
                                    PatternRewriter &rewriter) {
  auto inner = op.getValue().getDefiningOp<LayoutCastOp>();
  if (!inner || inner.getLayout() != op.getLayout())
    return failure();
  rewriter.replaceOp(op, inner);
  return success();
}

void mlir::pallas::addAsyncPatterns(RewritePatternSet &patterns) {
  patterns.add(dropEmptySignal);
  patterns.add(dropEmptyWait);
  patterns.add(dropBarrierOfOne);
  patterns.add(dropEmptyDelay);
  patterns.add(resolvePredicate<CopyGmemToSmemOp>);
  patterns.add(resolvePredicate<CopySmemToGmemOp>);
  patterns.add(dropSecondCast);
}
