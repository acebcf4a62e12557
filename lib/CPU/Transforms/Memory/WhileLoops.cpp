//===- WhileLoops.cpp - Carried values of while loops ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WhileLoops.h"

using namespace mlir;

/// For each carried value the number of the handed on value that takes its
/// place, or none; values that find no place follow behind.
static SmallVector<std::optional<unsigned>> assignPlaces(scf::WhileOp loop) {
  OperandRange handedOn = loop.getConditionOp().getArgs();
  Block::BlockArgListType carried = loop.getBeforeArguments();
  SmallVector<std::optional<unsigned>> places(carried.size());
  SmallVector<bool> isPlaced(handedOn.size());
  auto place = [&](bool isSame) {
    for (auto [i, value] : llvm::enumerate(handedOn)) {
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

void mlir::pallas::alignWhileLoop(RewriterBase &rewriter, scf::WhileOp loop) {
  SmallVector<std::optional<unsigned>> places = assignPlaces(loop);
  bool isAligned = llvm::all_of(llvm::enumerate(places), [](auto place) {
    return place.value() == place.index();
  });
  if (isAligned)
    return;

  scf::ConditionOp condition = loop.getConditionOp();
  SmallVector<Value> handedOn;
  SmallVector<Type> types;
  SmallVector<Location> locations;
  for (auto [i, place] : llvm::enumerate(places)) {
    Value value = place ? condition.getArgs()[*place]
                        : Value(loop.getBeforeArguments()[i]);
    handedOn.push_back(value);
    types.push_back(value.getType());
    locations.push_back(value.getLoc());
  }
  rewriter.setInsertionPoint(condition);
  rewriter.replaceOpWithNewOp<scf::ConditionOp>(
      condition, condition.getCondition(), handedOn);

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
