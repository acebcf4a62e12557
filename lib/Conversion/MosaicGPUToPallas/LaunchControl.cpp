//===- LaunchControl.cpp - Work of blocks that have not started -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each block expects the bytes of the answer, and the first one of a cluster
// asks for all of them. On CPUs each block asks for itself:
//   mosaic_gpu.arrive_expect_tx barrier(%b) 16
//   "mosaic_gpu.try_cluster_cancel"(%answer, %b, %isFirst)
// becomes
//   pallas.try_cluster_cancel %answer signals %b collective []
//
//===----------------------------------------------------------------------===//

#include "Barriers.h"
#include "mlir/IR/Dominance.h"
#include "pallas/Dialect/Pallas/IR/LaunchControlOps.h"

using namespace mlir;
using namespace mlir::pallas;

/// The last operation in front of a question that expects bytes at its barrier,
/// of the same block or of a branch that one warpgroup takes.
FailureOr<mosaic_gpu::ArriveExpectTxOp>
BarrierRaiser::findAnswerArrival(mosaic_gpu::TryClusterCancelOp ask) {
  FailureOr<Place> place = getPlace(ask, ask.getBarrier());
  if (failed(place))
    return failure();
  for (Operation *op = ask->getPrevNode(); op; op = op->getPrevNode()) {
    mosaic_gpu::ArriveExpectTxOp found;
    WalkResult result = op->walk([&](mosaic_gpu::ArriveExpectTxOp arrival) {
      FailureOr<Place> other = getPlace(arrival, arrival.getBarrier());
      if (failed(other))
        return WalkResult::interrupt();
      if (*other == *place)
        found = arrival;
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return failure();
    if (found)
      return found;
  }
  return ask.emitOpError("brings 16 bytes to its barrier, but no "
                         "mosaic_gpu.arrive_expect_tx in front of it expects "
                         "them");
}

/// The question takes the place of the arrival, which each block makes once.
LogicalResult BarrierRaiser::raiseQuestion(mosaic_gpu::TryClusterCancelOp ask) {
  FailureOr<mosaic_gpu::ArriveExpectTxOp> arrival = findAnswerArrival(ask);
  if (failed(arrival))
    return failure();
  FailureOr<Expectation> expectation = readExpectation(*arrival);
  if (failed(expectation))
    return failure();
  if (expectation->bytes != 16) {
    InFlightDiagnostic diag =
        ask.emitOpError() << "brings 16 bytes to a barrier where "
                          << expectation->bytes << " are expected; expect 16";
    diag.attachNote(arrival->getLoc())
        << "this expects " << expectation->bytes << " bytes";
    return diag;
  }
  Value answer = ask.getCancellationResult();
  if (!DominanceInfo(raiser.entry).dominates(answer, *arrival))
    return ask.emitOpError("writes to a view that is made behind the arrival "
                           "for its bytes; make the view in front of that");
  b.setInsertionPoint(*arrival);
  Location loc = ask.getLoc();
  TryClusterCancelOp::create(b, loc, getRefOf(answer, loc),
                             createRef(expectation->place, loc),
                             /*collectiveAxes=*/b.getStrArrayAttr({}));
  arrival->erase();
  ask.erase();
  return success();
}

/// Hardware names the first block of a cluster, the pallas dialect the cluster.
///   %x, %y, %z, %found = "mosaic_gpu.query_cluster_cancel"(%answer)
/// -->
///   %i, %found = pallas.query_cluster_cancel %answer along ["x"]
///   %x = arith.muli %i, %blocksOfACluster
void BarrierRaiser::raiseAnswer(mosaic_gpu::QueryClusterCancelOp answer) {
  Location loc = answer.getLoc();
  b.setInsertionPoint(answer);
  // As the mesh, which has the first axis in any case.
  auto hasAxis = [&](unsigned dim) {
    return dim == 0 || raiser.kernel.grid[dim] > 1;
  };
  SmallVector<StringRef> axes;
  for (unsigned dim : {0, 1, 2})
    if (hasAxis(dim))
      axes.push_back(getGridAxis(dim));
  auto query = QueryClusterCancelOp::create(
      b, loc, getRefOf(answer.getCancellationResult(), loc),
      b.getStrArrayAttr(axes));
  auto index = query.getIndices().begin();
  Type i32 = b.getI32Type();
  for (unsigned dim : {0, 1, 2}) {
    Value block = arith::ConstantIntOp::create(b, loc, i32, 0);
    if (hasAxis(dim))
      block =
          arith::MulIOp::create(b, loc, *index++,
                                arith::ConstantIntOp::create(
                                    b, loc, i32, raiser.kernel.cluster[dim]));
    answer->getResult(dim).replaceAllUsesWith(block);
  }
  answer.getSuccess().replaceAllUsesWith(query.getFound());
  answer.erase();
}

/// The compiler's fences around questions and answers have no form here.
LogicalResult BarrierRaiser::raiseLaunchControl() {
  SmallVector<mosaic_gpu::TryClusterCancelOp> questions;
  SmallVector<mosaic_gpu::QueryClusterCancelOp> answers;
  SmallVector<LLVM::InlineAsmOp> fences;
  block.walk([&](Operation *op) {
    if (auto ask = dyn_cast<mosaic_gpu::TryClusterCancelOp>(op))
      questions.push_back(ask);
    else if (auto answer = dyn_cast<mosaic_gpu::QueryClusterCancelOp>(op))
      answers.push_back(answer);
    else if (auto assembly = dyn_cast<LLVM::InlineAsmOp>(op);
             assembly &&
             assembly.getAsmString().starts_with("fence.proxy.async::generic."))
      fences.push_back(assembly);
  });
  for (mosaic_gpu::TryClusterCancelOp ask : questions)
    if (failed(raiseQuestion(ask)))
      return failure();
  for (mosaic_gpu::QueryClusterCancelOp answer : answers)
    raiseAnswer(answer);
  for (LLVM::InlineAsmOp fence : fences)
    fence.erase();
  return success();
}
