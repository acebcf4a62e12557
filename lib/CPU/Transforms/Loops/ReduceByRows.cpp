//===- ReduceByRows.cpp - Columns of large arrays -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has the pass pallas-cpu-reduce-by-rows. Columns of a large array
// are reduced a few rows at a time. Vectors that go through all rows would read
// each page for a piece of it, many times:
//   linalg.generic ins(%x : memref<2048x1024xf32>) outs(%sums)
// becomes
//   scf.for %i = %c0 to %c2048 step %c16 {
//     %rows = memref.subview %x[%i, 0] [16, 1024] [1, 1]
//     linalg.generic ins(%rows) outs(%sums)
//   }
//
//===----------------------------------------------------------------------===//

#include "LoopPlan.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "pallas/CPU/Target/Target.h"
#include "pallas/CPU/Transforms/Passes.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASCPUREDUCEBYROWS
#include "pallas/CPU/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

/// How many bytes lie between elements of `operand` along `dim`, if that is
/// known.
static int64_t getStrideBytes(linalg::LinalgOp op, OpOperand &operand,
                              unsigned dim) {
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  std::optional<unsigned> position =
      op.getMatchingIndexingMap(&operand).getResultPosition(
          getAffineDimExpr(dim, op.getContext()));
  return type && position ? cpu::getStrideBytes(type, *position).value_or(0)
                          : 0;
}

/// The order in which each column is summed up stays.
static void reduceByRows(RewriterBase &rewriter, linalg::LinalgOp op,
                         const cpu::Target &target) {
  constexpr int64_t rowsTogether = 16, pageBytes = 4096, leastVectors = 16;
  int64_t vectorBits = target.vectorBits;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  if (ShapedType::isDynamicShape(sizes))
    return;
  cpu::LoopPlan plan = cpu::planLoops(op, vectorBits);
  // Indices would be sums, which are no work for vectors. Functions take longer
  // than the memory, which vectors that go through all rows fetch ahead.
  bool hasFunctions = llvm::any_of(*op.getBlock(), [](Operation &inner) {
    return isa_and_present<math::MathDialect>(inner.getDialect()) ||
           isa<arith::DivFOp>(inner);
  });
  if (hasFunctions || op.hasIndexSemantics() || !plan.vectorDim ||
      plan.reductionDims.size() != 1 || plan.groupDim || plan.tileDim ||
      plan.parallelDims.empty() || plan.parallelDims.back() != *plan.vectorDim)
    return;
  unsigned rows = plan.reductionDims.front(), columns = *plan.vectorDim;
  for (unsigned dim : ArrayRef(plan.parallelDims).drop_back())
    if (sizes[dim] != 1)
      return;
  int64_t columnBytes = sizes[columns] * plan.widestBits / 8;
  if (sizes[rows] % rowsTogether != 0 ||
      columnBytes * 8 < leastVectors * vectorBits ||
      columnBytes > 4 * pageBytes)
    return;
  auto isLarge = [&](OpOperand *input) {
    int64_t stride = getStrideBytes(op, *input, rows);
    return stride >= pageBytes / 2 &&
           stride * sizes[rows] > target.secondCacheBytes;
  };
  SmallVector<OpOperand *> inputs = op.getDpsInputOperands();
  if (llvm::none_of(inputs, isLarge))
    return;
  SmallVector<int64_t> tiles(sizes.size(), 0);
  tiles[rows] = rowsTogether;
  rewriter.setInsertionPoint(op);
  if (succeeded(linalg::tileLinalgOp(
          rewriter, op, linalg::LinalgTilingOptions().setTileSizes(tiles))))
    rewriter.eraseOp(op);
}

namespace {
struct ReduceByRows
    : public pallas::impl::PallasCPUReduceByRowsBase<ReduceByRows> {
  using PallasCPUReduceByRowsBase::PallasCPUReduceByRowsBase;

  LogicalResult initialize(MLIRContext *context) override {
    return cpu::getTarget(context, cpu, target);
  }

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::LinalgOp> ops;
    getOperation().walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    for (linalg::LinalgOp op : ops)
      if (op.hasPureBufferSemantics() && op.getNumReductionLoops() == 1)
        reduceByRows(rewriter, op, target);
  }

private:
  cpu::Target target;
};
} // namespace
