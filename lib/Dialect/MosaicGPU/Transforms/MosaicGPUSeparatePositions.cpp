//===- MosaicGPUSeparatePositions.cpp - Iotas of their own ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows and columns may be counted by one vector, which then has no layout that
// suits both:
//   %r = broadcast_in_dim(%iota) {broadcast_dimensions = array<i64: 0>}
//   %c = broadcast_in_dim(%iota) {broadcast_dimensions = array<i64: 1>}
// Broadcasts take copies of what counts:
//   %r = broadcast_in_dim(%iota) {broadcast_dimensions = array<i64: 0>}
//   %other = broadcasted_iota dimension 0
//   %c = broadcast_in_dim(%other) {broadcast_dimensions = array<i64: 1>}
//
//===----------------------------------------------------------------------===//

#include "VectorGroups.h"
#include "pallas/Dialect/MosaicGPU/IR/MosaicGPU.h"
#include "pallas/Dialect/MosaicGPU/Transforms/Passes.h"

namespace mlir::mosaic_gpu {
#define GEN_PASS_DEF_MOSAICGPUSEPARATEPOSITIONS
#include "pallas/Dialect/MosaicGPU/Transforms/Passes.h.inc"
} // namespace mlir::mosaic_gpu

using namespace mlir;
using namespace mlir::mosaic_gpu;

/// Whether a vector follows from the positions of its elements alone, by not
/// more operations in a row than `depth`.
static bool isOfPositions(Value value, unsigned depth) {
  Operation *op = value.getDefiningOp();
  if (!isa<VectorType>(value.getType()) || isSplat(value) ||
      isa_and_nonnull<BroadcastedIotaOp>(op))
    return true;
  return op && depth > 0 && op->hasTrait<OpTrait::Elementwise>() &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return isOfPositions(operand, depth - 1);
         });
}

/// Gives a use of a vector of positions operations of its own, up to the iotas.
static void separate(OpOperand &use) {
  Value value = use.get();
  if (!isa<VectorType>(value.getType()) || isSplat(value))
    return;
  Operation *op = value.getDefiningOp();
  if (!value.hasOneUse()) {
    OpBuilder b(op);
    op = b.clone(*op);
    use.set(op->getResult(0));
  }
  for (OpOperand &operand : op->getOpOperands())
    separate(operand);
}

namespace {
struct SeparatePositions
    : mlir::mosaic_gpu::impl::MosaicGPUSeparatePositionsBase<
          SeparatePositions> {
  void runOnOperation() override {
    getOperation()->walk([](BroadcastInDimOp op) {
      if (isOfPositions(op.getOperand(), /*depth=*/4))
        separate(op.getOperandMutable());
    });
  }
};
} // namespace
