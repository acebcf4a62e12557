//===- AsyncCanonicalization.cpp - Simpler synchronization ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Signals, waits, barriers and copies that are known to do nothing are erased,
// so that later passes need not look at counts and predicates.
//
//===----------------------------------------------------------------------===//

#include "Canonicalization.h"
#include "mlir/IR/Matchers.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"

using namespace mlir;
using namespace mlir::pallas;

/// A signal that adds zero does not change the semaphore, so no wait ends by
/// it. For example, this is erased:
///
///   %c0 = arith.constant 0 : i32
///   pallas.semaphore_signal %s, %c0
static LogicalResult dropEmptySignal(SemaphoreSignalOp op,
                                     PatternRewriter &rewriter) {
  if (getConstantInteger(op.getIncrement()) != 0)
    return failure();
  rewriter.eraseOp(op);
  return success();
}

/// A wait for zero signals never waits, and subtracts nothing.
static LogicalResult dropEmptyWait(SemaphoreWaitOp op,
                                   PatternRewriter &rewriter) {
  if (getConstantInteger(op.getCount()) != 0)
    return failure();
  rewriter.eraseOp(op);
  return success();
}

/// A barrier along an axis of one core has no other core to wait for.
static LogicalResult dropBarrierOfOne(CoreBarrierOp op,
                                      PatternRewriter &rewriter) {
  if (lookUpAxis(op, op.getAxisName()).size != 1)
    return failure();
  rewriter.eraseOp(op);
  return success();
}

/// A delay of zero nanoseconds has no effect.
static LogicalResult dropEmptyDelay(DelayOp op, PatternRewriter &rewriter) {
  if (getConstantInteger(op.getNanoseconds()) != 0)
    return failure();
  rewriter.eraseOp(op);
  return success();
}

/// Resolves the constant predicate of a copy: if it is true, the predicate goes
/// away, and if it is false, the copy does. A copy that commits its group keeps
/// the commit, because later waits count groups, whether empty or not:
///
///   pallas.copy_smem_to_gmem %s to %g if %false
///
/// becomes
///
///   pallas.commit_smem_to_gmem_group
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
  // The number of groups must stay the same.
  if constexpr (std::is_same_v<Op, CopySmemToGmemOp>)
    if (op.getCommitGroup())
      CommitSmemToGmemGroupOp::create(rewriter, op.getLoc());
  rewriter.eraseOp(op);
  return success();
}

/// A cast to the layout that the operand was cast to already does nothing.
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
