//===- OldGenerations.cpp - What early chips have no units for ------------===//

#include "Emitter.h"
#include "KernelModule.h"
#include "pallas/Conversion/PallasToMosaicTPU/TargetInfo.h"

using namespace mlir;
using namespace mlir::pallas;

/// Generation 4 can't spread masks over narrow elements, which the compiler
/// does where it finds booleans widened and narrowed. This keeps the two steps
/// apart.
static void keepMaskWide(arith::TruncIOp op) {
  auto wide = op.getIn().getDefiningOp<arith::ExtUIOp>();
  auto type = dyn_cast<VectorType>(op.getIn().getType());
  if (!wide || !type || !type.getElementType().isInteger(32) ||
      !getElementType(wide.getIn().getType()).isInteger(1))
    return;
  OpBuilder builder(op);
  Emitter emit(builder, op.getLoc());
  Value bits =
      emit.create<tpu::BitcastOp>(type.clone(builder.getF32Type()), op.getIn());
  op.getInMutable().set(emit.create<tpu::BitcastOp>(type, bits));
}

/// Tries one row after the other where the chip takes no elements along rows.
static void selectRows(tpu::DynamicGatherOp op, const TPUChip &chip) {
  auto type = cast<VectorType>(op.getSource().getType());
  int64_t dim = op.getDimensions().front();
  if (op.getDimensions().size() != 1 || dim != type.getRank() - 2 ||
      getTPUSupport("tpu.dynamic_gather, sublanes", type.getElementType(),
                    chip) == TPUSupport::Native)
    return;
  OpBuilder builder(op);
  Emitter emit(builder, op.getLoc());
  ArrayRef<int64_t> shape = getShape(op.getType());
  Value result;
  for (int64_t row = 0; row < type.getDimSize(dim); ++row) {
    Value from =
        emit.broadcast(emit.extractSlice(op.getSource(), dim, row, 1), shape);
    Value here = emit.compare(arith::CmpIPredicate::eq, op.getIndices(),
                              emit.integer(op.getIndices().getType(), row));
    result = result ? emit.select(here, from, result) : from;
  }
  op.replaceAllUsesWith(result);
  op.erase();
}

void mlir::pallas::keepToGeneration(Operation *root, const TPUChip &chip) {
  if (chip.generation >= 5)
    return;
  root->walk([&](Operation *op) {
    if (auto trunc = dyn_cast<arith::TruncIOp>(op))
      keepMaskWide(trunc);
    else if (auto gather = dyn_cast<tpu::DynamicGatherOp>(op))
      selectRows(gather, chip);
  });
}
