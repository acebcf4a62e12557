//===- LoopCarries.cpp - Vectors that control flow carries ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler finds no layout for some vectors with one dimension that a loop
// carries or a branch yields. They are carried as one row of a matrix.
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

static void passRows(Operation *op, const TPUChip &chip) {
  OpBuilder builder(op);
  Emitter emit(builder, op->getLoc(), chip);
  for (OpOperand &operand : op->getOpOperands())
    if (VectorType type = getCarriedType(operand.get().getType()))
      operand.set(emit.reshape(operand.get(), type.getShape()));
}

/// Makes the value a row; whoever uses it sees the vector again.
static void receiveRow(OpBuilder &builder, Value value, const TPUChip &chip) {
  VectorType row = getCarriedType(value.getType());
  if (!row)
    return;
  SmallVector<int64_t> shape(getShape(value.getType()));
  value.setType(row);
  Value vector =
      Emitter(builder, value.getLoc(), chip).reshape(value, ArrayRef(shape));
  value.replaceAllUsesExcept(vector, vector.getDefiningOp());
}

static void carryRows(Operation *op, const TPUChip &chip) {
  passRows(op, chip);
  for (Region &region : op->getRegions()) {
    if (region.empty())
      continue;
    OpBuilder builder = OpBuilder::atBlockBegin(&region.front());
    for (BlockArgument argument : region.getArguments())
      receiveRow(builder, argument, chip);
    passRows(region.front().getTerminator(), chip);
  }
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  for (OpResult result : op->getResults())
    receiveRow(builder, result, chip);
}

void mlir::pallas::carryVectorsAsRows(Operation *root, const TPUChip &chip) {
  walkNests(root, [&](Operation *op) {
    if (isa<scf::ForOp, scf::WhileOp, scf::IfOp>(op))
      carryRows(op, chip);
  });
}
