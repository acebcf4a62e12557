//===- AlignWhileLoops.cpp - Carried values of while loops ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has the pass pallas-cpu-align-while-loops:
//   scf.while (%a = %x, %b = %y) {
//     scf.condition(%c) %b
//   } do {
//   ^bb0(%b2: tensor<8xf32>):
// becomes
//   scf.while (%a = %x, %b = %y) {
//     scf.condition(%c) %a, %b
//   } do {
//   ^bb0(%a2: tensor<8xf32>, %b2: tensor<8xf32>):
// because bufferization pairs carried and forwarded values by their positions,
// and canonicalization drops results in between.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "pallas/CPU/Transforms/Passes.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASCPUALIGNWHILELOOPS
#include "pallas/CPU/Transforms/Passes.h.inc"
} // namespace mlir::pallas
using namespace mlir;
using namespace mlir::pallas;

/// Returns for each carried value the number of the forwarded value that takes
/// its place, or none; values that find no place follow behind. A value that is
/// the carried one itself goes first, as it is in that memory already. For
/// example, with carried values `(%i, %a)` and:
///
///   scf.condition(%c) %a, %i : memref<8xf32>, i32
///
/// the positions are `[1, 0]`.
static SmallVector<std::optional<unsigned>> assignPlaces(scf::WhileOp loop) {
  OperandRange forwarded = loop.getConditionOp().getArgs();
  Block::BlockArgListType carried = loop.getBeforeArguments();
  SmallVector<std::optional<unsigned>> places(carried.size());
  SmallVector<bool> isPlaced(forwarded.size());
  auto place = [&](bool isSame) {
    for (auto [i, value] : llvm::enumerate(forwarded)) {
      for (auto [j, argument] : llvm::enumerate(carried)) {
        if (isPlaced[i] || places[j] || value.getType() != argument.getType() ||
            (isSame && value != argument))
          continue;
        places[j] = i;
        isPlaced[i] = true;
      }
    }
  };
  place(/*isSame=*/true);
  place(/*isSame=*/false);
  for (auto [i, placed] : llvm::enumerate(isPlaced))
    if (!placed)
      places.push_back(i);
  return places;
}

/// Rebuilds the loop with the forwarded values in their positions; a carried
/// value that nothing takes the place of is forwarded itself. For example, the
/// condition from above becomes:
///
///   scf.condition(%c) %i, %a : i32, memref<8xf32>
///
/// Users of the results are changed to their new positions.
static void alignWhileLoop(RewriterBase &rewriter, scf::WhileOp loop) {
  SmallVector<std::optional<unsigned>> places = assignPlaces(loop);
  bool isAligned = llvm::all_of(llvm::enumerate(places), [](auto place) {
    return place.value() == place.index();
  });
  if (isAligned)
    return;

  scf::ConditionOp condition = loop.getConditionOp();
  SmallVector<Value> forwarded;
  SmallVector<Type> types;
  SmallVector<Location> locations;
  for (auto [i, place] : llvm::enumerate(places)) {
    Value value = place ? condition.getArgs()[*place]
                        : Value(loop.getBeforeArguments()[i]);
    forwarded.push_back(value);
    types.push_back(value.getType());
    locations.push_back(value.getLoc());
  }
  rewriter.setInsertionPoint(condition);
  rewriter.replaceOpWithNewOp<scf::ConditionOp>(
      condition, condition.getCondition(), forwarded);

  rewriter.setInsertionPoint(loop);
  auto aligned =
      scf::WhileOp::create(rewriter, loop.getLoc(), types, loop.getInits());
  rewriter.inlineRegionBefore(loop.getBefore(), aligned.getBefore(),
                              aligned.getBefore().end());
  Block *body = rewriter.createBlock(&aligned.getAfter(), {}, types, locations);
  SmallVector<Value> arguments(loop.getNumResults()),
      results(loop.getNumResults());
  for (auto [i, place] : llvm::enumerate(places)) {
    if (!place)
      continue;
    arguments[*place] = body->getArgument(i);
    results[*place] = aligned.getResult(i);
  }
  rewriter.mergeBlocks(loop.getAfterBody(), body, arguments);
  rewriter.replaceOp(loop, results);
}

namespace {
struct AlignWhileLoops
    : public pallas::impl::PallasCPUAlignWhileLoopsBase<AlignWhileLoops> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation()->walk(
        [&](scf::WhileOp loop) { alignWhileLoop(rewriter, loop); });
  }
};
} // namespace
