//===- Fuse.cpp - Elementwise fusion on tensors ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has the pass pallas-cpu-fuse. It fuses elementwise operations into
// their users, as upstream's elementwise fusion does, but with another cost
// model: operations on the same elements may also share a loop later, on
// memory (see MergeLoops.cpp), so only what saves memory or work is fused here.
//   %1 = linalg.generic ins(%x) ... arith.mulf ...
//   %2 = linalg.generic ins(%1, %y) ... arith.addf ...
// becomes
//   %2 = linalg.generic ins(%x, %y) ... arith.mulf ... arith.addf ...
//
//===----------------------------------------------------------------------===//

#include "LoopPlan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "pallas/CPU/Transforms/Passes.h"
#include "pallas/Support/DeadCode.h"

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
/// Such a producer is fused into each of its users.
static bool isCheap(linalg::LinalgOp producer) {
  unsigned work = 0, inputs = 0, fullInputs = 0;
  for (Operation &op : producer.getBlock()->without_terminator()) {
    if (isa_and_present<math::MathDialect>(op.getDialect()) ||
        isa<arith::DivFOp, tensor::ExtractOp>(op))
      return false;
    work += !isa<arith::ConstantOp, linalg::IndexOp>(op);
  }
  for (OpOperand *input : producer.getDpsInputOperands()) {
    unsigned rank = producer.getMatchingIndexingMap(input).getNumResults();
    inputs += rank > 0;
    fullInputs += rank == producer.getNumLoops();
  }
  return fullInputs == 0 ? work <= 8 : work <= 2 && inputs == 1;
}

/// Whether vectors of both have as many elements, without which they share no
/// loop. The many elements of a long computation with narrow values are worth a
/// loop of its own; those of `a & b`, as the condition of a choice, are not.
static bool haveSameLanes(linalg::LinalgOp producer,
                          linalg::LinalgOp consumer) {
  constexpr size_t shortBody = 4;
  return producer.getBlock()->getOperations().size() > shortBody ||
         cpu::getWidestBits(producer) == cpu::getWidestBits(consumer);
}

/// Whether the producer only repeats elements of a smaller tensor.
static bool isBroadcast(linalg::LinalgOp producer) {
  return llvm::hasSingleElement(*producer.getBlock()) &&
         llvm::none_of(producer.getDpsInputOperands(), [&](OpOperand *input) {
           return producer.getMatchingIndexingMap(input).getNumResults() ==
                  producer.getNumLoops();
         });
}

/// Whether both go through the same elements in the same order, so that they
/// share a loop in the end without becoming one operation here. Fusing here
/// would compute a producer with several users more than once. A broadcast is
/// fused all the same: where it would share the loop of something earlier, its
/// elements would be kept in memory until they are used.
static bool willShareLoop(linalg::LinalgOp producer, linalg::LinalgOp consumer,
                          OpOperand *fused) {
  return producer->getBlock() == consumer->getBlock() &&
         !isBroadcast(producer) &&
         producer.getNumParallelLoops() == producer.getNumLoops() &&
         consumer.getNumParallelLoops() == consumer.getNumLoops() &&
         haveSameLanes(producer, consumer) &&
         !ShapedType::isDynamicShape(consumer.getStaticLoopRanges()) &&
         consumer.getMatchingIndexingMap(fused).isIdentity() &&
         producer.getMatchingIndexingMap(producer.getDpsInitOperand(0))
             .isIdentity();
}

/// Whether this is a matmul, which reads its operands from memory many times.
/// Contractions with less dimensions are loops like others.
static bool isMatrixProduct(linalg::LinalgOp op) {
  if (!linalg::isaContractionOpInterface(op))
    return false;
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(op);
  return succeeded(dims) && !dims->m.empty() && !dims->n.empty();
}

/// Whether a contraction reads the elements of `fused` again and again, as a
/// matrix times a vector reads the vector.
static bool isReadRepeatedly(linalg::LinalgOp op, OpOperand *fused) {
  return linalg::isaContractionOpInterface(op) &&
         !op.getMatchingIndexingMap(fused).isPermutation();
}

/// Whether an operation reads its outputs. Fused into a user, it would
/// accumulate onto them once for each iteration of that user.
static bool readsInits(linalg::LinalgOp op) {
  return llvm::any_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
    return op.payloadUsesValueFromOperand(&init);
  });
}

/// Whether a reduction that computes `producer` itself would have rows of its
/// operands along different loops, as in a sum of `a * b.T`. Elementwise loops
/// go through tiles of these; a reduction would read a row across the others.
static bool wouldReadAcrossRows(linalg::LinalgOp producer,
                                linalg::LinalgOp consumer, OpOperand *fused) {
  if (consumer.getNumReductionLoops() == 0)
    return false;
  SmallVector<AffineMap> maps;
  for (OpOperand *input : consumer.getDpsInputOperands())
    if (input != fused)
      maps.push_back(consumer.getMatchingIndexingMap(input));
  AffineMap loops = inversePermutation(producer.getMatchingIndexingMap(
                                           producer.getDpsInitOperand(0)))
                        .compose(consumer.getMatchingIndexingMap(fused));
  for (OpOperand *input : producer.getDpsInputOperands())
    maps.push_back(producer.getMatchingIndexingMap(input).compose(loops));
  llvm::SmallSetVector<AffineExpr, 2> rows;
  for (AffineMap map : maps)
    if (map.isPermutation() && map.getNumResults() > 1)
      rows.insert(map.getResults().back());
  return rows.size() > 1;
}

/// Whether the consumer would compute expensive elements of the producer again
/// for each of its rows, or would be a broadcast whose users can't compute it
/// themselves any more:
///
///   %r = linalg.generic ins(%variance : tensor<64xf32>) { math.rsqrt }
///   %b = linalg.generic ins(%r) outs(%empty : tensor<512x64xf32>) { %in }
static bool wouldRepeatWork(linalg::LinalgOp producer,
                            linalg::LinalgOp consumer, OpOperand *fused) {
  AffineMap map = consumer.getMatchingIndexingMap(fused);
  if (map.isPermutation() || map.getNumResults() == 0 || isCheap(producer))
    return false;
  return map.isFunctionOfDim(consumer.getNumLoops() - 1) ||
         (isBroadcast(consumer) && !consumer->hasOneUse());
}

/// Decides for one operand of a consumer.
static bool shouldFuse(OpOperand *fused) {
  auto producer = fused->get().getDefiningOp<linalg::LinalgOp>();
  auto consumer = dyn_cast<linalg::LinalgOp>(fused->getOwner());
  if (!producer || !consumer || producer->getNumResults() != 1 ||
      readsInits(producer) || isMatrixProduct(consumer) ||
      willShareLoop(producer, consumer, fused) ||
      wouldReadAcrossRows(producer, consumer, fused) ||
      wouldRepeatWork(producer, consumer, fused))
    return false;
  if (producer.getBlock()->getOperations().size() +
          consumer.getBlock()->getOperations().size() >
      maxFusedOps)
    return false;
  // Within loops, a value from outside is computed once.
  if ((producer->getBlock() != consumer->getBlock() ||
       isReadRepeatedly(consumer, fused)) &&
      !isCheap(producer))
    return false;
  return producer->hasOneUse() || isCheap(producer);
}

/// Reads elements that are all the same from no memory.
static void inlineFill(RewriterBase &rewriter, linalg::GenericOp op) {
  for (OpOperand *input : op.getDpsInputOperands())
    if (auto fill = input->get().getDefiningOp<linalg::FillOp>())
      rewriter.replaceAllUsesWith(op.getMatchingBlockArgument(input),
                                  fill.getInputs()[0]);
}

/// Fuses what `op` reads into it, as long as there is something.
static void fuseProducers(RewriterBase &rewriter, linalg::GenericOp op) {
  while (true) {
    inlineFill(rewriter, op);
    SmallVector<OpOperand *> inputs = op.getDpsInputOperands();
    auto *found = llvm::find_if(inputs, [](OpOperand *input) {
      return linalg::areElementwiseOpsFusable(input) && shouldFuse(input);
    });
    rewriter.setInsertionPoint(op);
    if (found == inputs.end())
      break;
    Operation *producer = (*found)->get().getDefiningOp();
    auto fused = linalg::fuseElementwiseOps(rewriter, *found);
    if (failed(fused))
      break;
    for (Value result : op->getResults())
      rewriter.replaceAllUsesWith(result, fused->replacements.lookup(result));
    rewriter.eraseOp(op);
    if (producer->use_empty())
      rewriter.eraseOp(producer);
    op = cast<linalg::GenericOp>(fused->fusedOp);
    auto reduced = linalg::deduplicateOperandsAndRemoveDeadResults(
        rewriter, op, /*removeOutputs=*/true);
    if (succeeded(reduced))
      op = *reduced;
  }
  // Results without readers need not be computed.
  (void)linalg::deduplicateOperandsAndRemoveDeadResults(rewriter, op,
                                                        /*removeOutputs=*/true);
}

namespace {
struct Fuse : public pallas::impl::PallasCPUFuseBase<Fuse> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::GenericOp> ops;
    getOperation()->walk([&](linalg::GenericOp op) { ops.push_back(op); });
    // Users come after what they use, so producers are complete.
    for (linalg::GenericOp op : ops)
      fuseProducers(rewriter, op);
    eraseDeadCode(getOperation());
  }
};
} // namespace
