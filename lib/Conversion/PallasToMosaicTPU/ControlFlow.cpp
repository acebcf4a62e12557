//===- ControlFlow.cpp - What scf has and the target has not --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "pallas/Support/Nests.h"

using namespace mlir;
using namespace mlir::pallas;

namespace {

/// A switch becomes a chain of ifs, the last case being the default.
struct ConvertIndexSwitch : TPUPattern<scf::IndexSwitchOp> {
  using TPUPattern::TPUPattern;
  Results convert(scf::IndexSwitchOp op, Adaptor adaptor,
                  Emitter &emit) const override {
    SmallVector<Type> results;
    if (failed(types.convertTypes(op.getResultTypes(), results)))
      return failure();
    Value selector = emit.toI32(adaptor.getArg());
    OpBuilder &builder = emit.getBuilder();
    OpBuilder::InsertionGuard guard(builder);
    Operation *outermost = nullptr;
    for (auto [value, region] :
         llvm::zip_equal(op.getCases(), op.getCaseRegions())) {
      Value isCase =
          emit.compare(arith::CmpIPredicate::eq, selector, emit.i32(value));
      auto branch = emit.create<scf::IfOp>(results, isCase,
                                           /*addThenBlock=*/false,
                                           /*addElseBlock=*/false);
      branch.getThenRegion().takeBody(region);
      if (outermost)
        emit.create<scf::YieldOp>(branch.getResults());
      else
        outermost = branch;
      if (&region == &op.getCaseRegions().back()) {
        branch.getElseRegion().takeBody(op.getDefaultRegion());
        break;
      }
      builder.createBlock(&branch.getElseRegion());
    }
    if (!outermost)
      return op.emitOpError("has no case; write its default region in place");
    return SmallVector<Value>(outermost->getResults());
  }
};

} // namespace

void mlir::pallas::populateControlFlowPatterns(const TPUTypeConverter &types,
                                               TPUPatternSet &patterns) {
  addTPUPatterns<ConvertIndexSwitch>(types, patterns);
}

//===----------------------------------------------------------------------===//
// Parallel loops
//===----------------------------------------------------------------------===//

static constexpr llvm::StringLiteral kParallelAccess = "sc.parallel_access";
static constexpr llvm::StringLiteral kUnrollFactor = "sc.loop_unroll_factor";

void mlir::pallas::markParallelLoops(Operation *root, tpu::CoreType core) {
  root->walk([&](scf::ForOp loop) {
    Attribute factor = loop->removeAttr(kParallelLoopAttrName);
    if (!factor || core == tpu::CoreType::TensorCore)
      return;
    loop->setAttr(kParallelAccess, UnitAttr::get(loop.getContext()));
    loop->setAttr(kUnrollFactor, factor);
  });
}

//===----------------------------------------------------------------------===//
// Short loops
//===----------------------------------------------------------------------===//

void mlir::pallas::inlineSingleIterations(Operation *root) {
  IRRewriter rewriter(root->getContext());
  walkNests(root, [&](Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      (void)loop.promoteIfSingleIteration(rewriter);
  });
}

/// How many operations the iterations of an unrolled loop have together, and
/// how many iterations of a longer loop become one.
static constexpr int64_t kMaxUnrolledOperations = 512;
static constexpr int64_t kMaxUnrolledIterations = 16;
static constexpr int64_t kMaxJoinedOperations = 256;
static constexpr int64_t kMaxJoinedIterations = 8;

/// Operations in the body of a loop; none when it waits: what follows a wait
/// does not move before it.
static std::optional<int64_t> getSizeOfIteration(scf::ForOp loop) {
  int64_t size = 0;
  WalkResult result = loop.getBody()->walk([&](Operation *op) {
    ++size;
    return isa<tpu::WaitDMAOp, tpu::WaitDMA2Op, tpu::WaitIndirectDMAOp,
               tpu::SemWaitOp>(op)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  if (result.wasInterrupted())
    return std::nullopt;
  return size;
}

static void unrollShortLoop(scf::ForOp loop) {
  // The compiler overlaps the iterations of these itself.
  if (loop->hasAttr(kParallelAccess))
    return;
  std::optional<APInt> trips = loop.getStaticTripCount();
  if (!trips || trips->getActiveBits() > 31)
    return;
  std::optional<int64_t> size = getSizeOfIteration(loop);
  if (!size)
    return;
  int64_t count = trips->getZExtValue();
  if (count <= kMaxUnrolledIterations &&
      *size * count <= kMaxUnrolledOperations) {
    (void)loopUnrollFull(loop);
    return;
  }
  // No iteration is left over.
  for (int64_t joined = kMaxJoinedIterations; joined > 1; --joined)
    if (count % joined == 0 && *size * joined <= kMaxJoinedOperations) {
      (void)loopUnrollByFactor(loop, joined);
      return;
    }
}

void mlir::pallas::unrollShortLoops(Operation *root) {
  walkNests(root, [](Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      unrollShortLoop(loop);
  });
}
