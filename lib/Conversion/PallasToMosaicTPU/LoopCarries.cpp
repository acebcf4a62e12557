//===- LoopCarries.cpp - Vectors that loops carry
//--------------------------===//
//
// The compiler finds no layout for some vectors with one dimension that a loop
// carries. They are carried as one row of a matrix.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "Patterns.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::pallas;

/// The type to carry in place of this one; null when it can stay.
static VectorType getCarriedType(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector || vector.getRank() != 1 || vector.getElementType().isInteger(1))
    return {};
  return VectorType::get({1, vector.getDimSize(0)}, vector.getElementType());
}

static void carryRows(scf::ForOp loop) {
  if (llvm::none_of(loop.getInitArgs().getTypes(), getCarriedType))
    return;
  OpBuilder builder(loop);
  Emitter before(builder, loop.getLoc());
  SmallVector<Value> inits;
  for (Value init : loop.getInitArgs()) {
    VectorType type = getCarriedType(init.getType());
    inits.push_back(type ? before.reshape(init, type.getShape()) : init);
  }
  auto wide = scf::ForOp::create(builder, loop.getLoc(), loop.getLowerBound(),
                                 loop.getUpperBound(), loop.getStep(), inits);
  wide->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  Block *body = wide.getBody();
  if (Operation *end = body->empty() ? nullptr : &body->back())
    if (end->hasTrait<OpTrait::IsTerminator>())
      end->erase();
  builder.setInsertionPointToStart(body);
  SmallVector<Value> arguments{wide.getInductionVar()};
  for (auto [old, carried] :
       llvm::zip_equal(loop.getRegionIterArgs(), wide.getRegionIterArgs()))
    arguments.push_back(before.reshape(carried, getShape(old.getType())));
  for (auto [old, value] :
       llvm::zip_equal(loop.getBody()->getArguments(), arguments))
    old.replaceAllUsesWith(value);
  body->getOperations().splice(body->end(), loop.getBody()->getOperations());
  auto yield = cast<scf::YieldOp>(body->getTerminator());
  builder.setInsertionPoint(yield);
  for (OpOperand &operand : yield->getOpOperands())
    if (VectorType type = getCarriedType(operand.get().getType()))
      operand.set(before.reshape(operand.get(), type.getShape()));
  builder.setInsertionPointAfter(wide);
  for (auto [old, value] :
       llvm::zip_equal(loop.getResults(), wide.getResults()))
    old.replaceAllUsesWith(before.reshape(value, getShape(old.getType())));
  loop.erase();
}

void mlir::pallas::carryVectorsAsRows(Operation *root) {
  SmallVector<scf::ForOp> loops;
  root->walk([&](scf::ForOp loop) { loops.push_back(loop); });
  for (scf::ForOp loop : loops)
    carryRows(loop);
}
