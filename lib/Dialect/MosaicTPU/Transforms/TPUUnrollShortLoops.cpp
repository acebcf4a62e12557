//===- TPUUnrollShortLoops.cpp - Iterations that are scheduled together ---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler schedules the operations of one block at a time. A loop whose
// body is short is written out, or some of its iterations become one.
//
//===----------------------------------------------------------------------===//

#include "KernelFunctions.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "pallas/Dialect/MosaicTPU/IR/KernelAttributes.h"
#include "pallas/Dialect/MosaicTPU/IR/TPU.h"
#include "pallas/Dialect/MosaicTPU/Transforms/Passes.h"
#include "pallas/Dialect/MosaicTPU/Utils/ShortLoops.h"
#include "pallas/Support/DeadCode.h"
#include "pallas/Support/Nests.h"

namespace mlir::tpu {
#define GEN_PASS_DEF_TPUUNROLLSHORTLOOPS
#include "pallas/Dialect/MosaicTPU/Transforms/Passes.h.inc"
} // namespace mlir::tpu

using namespace mlir;
using namespace mlir::tpu;

/// Operations in the body of a loop; none when it waits: what follows a wait
/// does not move before it.
/// Waits order everything around them, so iterations that wait don't overlap.
static std::optional<int64_t> getSizeOfIteration(scf::ForOp loop) {
  int64_t size = 0;
  WalkResult result = loop.getBody()->walk([&](Operation *op) {
    ++size;
    return isa<WaitDMAOp, WaitDMA2Op, WaitIndirectDMAOp, SemWaitOp>(op)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  if (result.wasInterrupted())
    return std::nullopt;
  return size;
}

enum class Unrolling { None, Partial, Full };

///   scf.for %i = %c0 to %c4 step %c1 { A }
///
/// becomes A four times, with %i as a constant in each.
static Unrolling unrollShortLoop(scf::ForOp loop) {
  // The compiler overlaps the iterations of these itself.
  if (loop->hasAttr(kParallelAccessAttrName))
    return Unrolling::None;
  // The number of iterations has to be known.
  std::optional<APInt> trips = loop.getStaticTripCount();
  if (!trips || trips->getActiveBits() > 31)
    return Unrolling::None;
  std::optional<int64_t> size = getSizeOfIteration(loop);
  if (!size)
    return Unrolling::None;
  int64_t count = trips->getZExtValue();
  int64_t together = getNumUnrolled(*size, count);
  if (together == count)
    return succeeded(loopUnrollFull(loop)) ? Unrolling::Full : Unrolling::None;
  if (together > 1)
    return succeeded(loopUnrollByFactor(loop, together)) ? Unrolling::Partial
                                                         : Unrolling::None;
  return Unrolling::None;
}

namespace {
/// Inner loops first: an outer loop may become short only when they are counted
/// as unrolled.
struct UnrollShortLoopsPass
    : public tpu::impl::TPUUnrollShortLoopsBase<UnrollShortLoopsPass> {
  using TPUUnrollShortLoopsBase::TPUUnrollShortLoopsBase;

  void runOnOperation() override {
    if (failed(forEachKernelFunction(
            getOperation(), chip, [&](func::FuncOp function, const TPUChip &) {
              pallas::walkNests(function, [&](Operation *op) {
                if (auto loop = dyn_cast<scf::ForOp>(op))
                  unroll(loop);
              });
              // Known numbers of iterations leave arithmetic behind.
              pallas::eraseDeadCode(function);
            })))
      signalPassFailure();
  }

  void unroll(scf::ForOp loop) {
    Unrolling done = unrollShortLoop(loop);
    numUnrolled += done == Unrolling::Full;
    numJoined += done == Unrolling::Partial;
  }
};
} // namespace
