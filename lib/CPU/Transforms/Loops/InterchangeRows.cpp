//===- InterchangeRows.cpp - Rows outside of programs ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has the pass pallas-cpu-interchange-rows. Programs that compute
// element by element on windows side by side go through the first row of all
// windows, then through the second: hardware reads ahead along rows, and a row
// of one window is over before that helps.
//
//===----------------------------------------------------------------------===//

#include "RowLoop.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "pallas/CPU/Target/Target.h"
#include "pallas/CPU/Transforms/Passes.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASCPUINTERCHANGEROWS
#include "pallas/CPU/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;
using namespace mlir::pallas::cpu;

/// The operation on memory in a loop that does nothing else.
static linalg::LinalgOp getOnlyOp(scf::ForOp loop) {
  linalg::LinalgOp only;
  for (Operation &op : loop.getBody()->without_terminator()) {
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    if (linalgOp && !only && linalgOp.hasPureBufferSemantics())
      only = linalgOp;
    else if (op.getNumRegions() != 0 || !isMemoryEffectFree(&op))
      return nullptr;
  }
  return loop.getInitArgs().empty() ? only : nullptr;
}

/// An upper bound of a value that is a minimum with a constant.
static std::optional<int64_t> getBound(OpFoldResult value) {
  if (std::optional<int64_t> known = getConstantIntValue(value))
    return known;
  auto minimum = cast<Value>(value).getDefiningOp<arith::MinSIOp>();
  return minimum ? getConstantIntValue(minimum.getRhs()) : std::nullopt;
}

/// Whether each iteration of the loop sees a part of an array that no other
/// iteration sees.
static bool hasOwnPart(Value memory, scf::ForOp loop) {
  auto view = memory.getDefiningOp<memref::SubViewOp>();
  if (!view || !view.hasUnitStride())
    return false;
  for (auto [offset, size] :
       llvm::zip_equal(view.getMixedOffsets(), view.getMixedSizes())) {
    auto start = dyn_cast<Value>(offset);
    std::optional<int64_t> bound = getBound(size);
    if (!start || !bound)
      continue;
    // A part that begins at the end of the array is empty.
    if (auto clamped = start.getDefiningOp<arith::MinSIOp>();
        clamped && !getConstantIntValue(size))
      start = clamped.getLhs();
    APInt step(64, 1);
    if (auto product = start.getDefiningOp<arith::MulIOp>();
        product && matchPattern(product.getRhs(), m_ConstantInt(&step)))
      start = product.getLhs();
    if (start == loop.getInductionVar() && step.sge(*bound))
      return true;
  }
  return false;
}

/// Whether rows of this view are short pieces of long rows.
static bool isNarrow(const MemoryUse &use, unsigned rowDim) {
  constexpr int64_t shortRow = 4096;
  auto type = cast<MemRefType>(use.memory.getType());
  if (!use.map)
    return false;
  FailureOr<std::optional<unsigned>> position =
      findRowPosition(use.map, rowDim);
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(position) || !*position || !type.getElementType().isIntOrFloat() ||
      failed(type.getStridesAndOffset(strides, offset)))
    return false;
  auto view = use.memory.getDefiningOp<memref::SubViewOp>();
  if (!view)
    return false;
  int64_t row = 1;
  llvm::SmallBitVector dropped = view.getDroppedDims();
  for (unsigned d = 0, kept = 0; d < dropped.size(); ++d) {
    if (dropped[d] || kept++ == **position)
      continue;
    std::optional<int64_t> bound = getBound(view.getMixedSizes()[d]);
    if (!bound)
      return false;
    row *= *bound;
  }
  return row * type.getElementTypeBitWidth() <= 8 * shortRow &&
         strides[**position] > row;
}

/// Moves the loop over programs into one over rows. That is legal if each
/// program writes to a part of its own and reads nothing that is written.
///
///   scf.for %program = ... {
///     linalg.generic ins(window %program of %x) outs(window %program of %y)
///   }
///
/// becomes
///
///   scf.for %row = ... {
///     scf.for %program = ... {
///       linalg.generic ins(row %row of window %program of %x) ...
///     }
///   }
static void interchangeRows(RewriterBase &rewriter, scf::ForOp loop,
                            int64_t bits) {
  linalg::LinalgOp op = getOnlyOp(loop);
  if (!op || op.getNumParallelLoops() != op.getNumLoops() ||
      failed(getMemoryUses(op)))
    return;
  std::optional<RowMember> member =
      getRowMember(op, bits, /*allowsDynamic=*/true);
  RowGroup group;
  if (!member || member->losesVectors || !group.add(*member))
    return;
  DenseSet<Value> written;
  for (const MemoryUse &use : member->uses)
    if (use.writes) {
      if (!hasOwnPart(use.memory, loop) || !isNarrow(use, member->rowDim))
        return;
      written.insert(use.root);
    }
  for (const MemoryUse &use : member->uses)
    if (!use.writes && written.contains(use.root))
      return;
  Location loc = loop.getLoc();
  moveLoopInvariantCode(loop);
  rewriter.setInsertionPoint(op);
  Value numRows = getValueOrCreateConstantIndexOp(
      rewriter, loc,
      memref::getMixedSize(rewriter, loc, op.getDpsInits()[0], 0));
  if (numRows.getDefiningOp<arith::ConstantOp>())
    rewriter.moveOpBefore(numRows.getDefiningOp(), loop);
  if (!loop.isDefinedOutsideOfLoop(numRows))
    return;
  rewriter.setInsertionPoint(loop);
  auto outer = scf::ForOp::create(
      rewriter, loc, arith::ConstantIndexOp::create(rewriter, loc, 0), numRows,
      arith::ConstantIndexOp::create(rewriter, loc, 1));
  rewriter.moveOpBefore(loop, outer.getBody()->getTerminator());
  rewriter.setInsertionPoint(op);
  emitRow(rewriter, group, outer.getInductionVar());
}

namespace {
struct InterchangeRows
    : public pallas::impl::PallasCPUInterchangeRowsBase<InterchangeRows> {
  using PallasCPUInterchangeRowsBase::PallasCPUInterchangeRowsBase;

  LogicalResult initialize(MLIRContext *context) override {
    return cpu::getTarget(context, cpu, target);
  }

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      interchangeRows(rewriter, loop, target.vectorBits);
  }

private:
  cpu::Target target;
};
} // namespace
