//===- Conditions.cpp - Conditions of loops that write --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A condition that reduces a vector over several warps goes through shared
// memory, but conditions of loops may not write to refs. It is computed in
// front of the loop, and again at the end of the body:
//
//   scf.while (%x = %a) { C(%x); scf.condition(%c) %x } do { B; yield %y }
//   ->
//   C(%a)
//   scf.while (%c', %x' = %c, %a) { scf.condition(%c') %x' }
//   do { B; C(%y); yield %c'', %y }
//
//===----------------------------------------------------------------------===//

#include "Kernel.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::pallas;

/// Operations of unknown effects count, too: the rewrite is right for any loop.
static bool mayWrite(Region &region) {
  return llvm::any_of(region.getOps(), [](Operation &op) {
    std::optional<SmallVector<MemoryEffects::EffectInstance>> effects =
        getEffectsRecursively(&op);
    return !effects || llvm::any_of(*effects, [](const auto &effect) {
      return isa<MemoryEffects::Write>(effect.getEffect());
    });
  });
}

/// Copies a block without its terminator; returns what that one takes.
static SmallVector<Value> copyBlock(OpBuilder &b, Block &block,
                                    ValueRange arguments) {
  IRMapping mapping;
  mapping.map(block.getArguments(), arguments);
  for (Operation &op : block.without_terminator())
    b.clone(op, mapping);
  return llvm::map_to_vector(
      block.getTerminator()->getOperands(),
      [&](Value value) { return mapping.lookupOrDefault(value); });
}

static void moveCondition(scf::WhileOp loop, OpBuilder &b) {
  Location loc = loop.getLoc();
  Block &condition = *loop.getBeforeBody(), &body = *loop.getAfterBody();
  b.setInsertionPoint(loop);
  SmallVector<Value> first = copyBlock(b, condition, loop.getInits());
  auto moved = scf::WhileOp::create(b, loc, loop.getResultTypes(), first);
  SmallVector<Location> locs(first.size(), loc);
  Block *before = b.createBlock(&moved.getBefore(), {}, TypeRange(first), locs);
  scf::ConditionOp::create(b, loc, before->getArgument(0),
                           before->getArguments().drop_front());
  Block *after =
      b.createBlock(&moved.getAfter(), {}, body.getArgumentTypes(),
                    ArrayRef(locs).take_front(body.getNumArguments()));
  SmallVector<Value> next = copyBlock(b, body, after->getArguments());
  scf::YieldOp::create(b, loc, copyBlock(b, condition, next));
  loop->replaceAllUsesWith(moved);
  loop.erase();
}

void KernelRaiser::moveConditions() {
  // Inner loops come first, so an outer condition is copied with what became
  // of them.
  SmallVector<scf::WhileOp> loops;
  map.walk([&](scf::WhileOp loop) {
    if (mayWrite(loop.getBefore()))
      loops.push_back(loop);
  });
  for (scf::WhileOp loop : loops)
    moveCondition(loop, b);
}
