//===- LaunchControl.cpp - Work of blocks that have not started -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On CPUs each block has the work that it was started for, and finds no other:
// a question for more is answered at once.
//   mosaic_gpu.arrive_expect_tx barrier(%b) 16
//   "mosaic_gpu.try_cluster_cancel"(%answer, %b)
// becomes
//   pallas.barrier_arrive %b
//
//===----------------------------------------------------------------------===//

#include "Barriers.h"

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

/// CPUs start all blocks, so the answer is known, and only the arrival stays
/// that the barrier expects with its 16 bytes.
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
  if (failed(arrive(*arrival, arrival->getBarrier(), /*isThread=*/false,
                    /*predicate=*/Value())))
    return failure();
  arrival->erase();
  ask.erase();
  return success();
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
  for (mosaic_gpu::QueryClusterCancelOp answer : answers) {
    b.setInsertionPoint(answer);
    for (Value result : answer->getResults())
      result.replaceAllUsesWith(arith::ConstantIntOp::create(
          b, answer.getLoc(), result.getType(), 0));
    answer.erase();
  }
  for (LLVM::InlineAsmOp fence : fences)
    fence.erase();
  return success();
}
