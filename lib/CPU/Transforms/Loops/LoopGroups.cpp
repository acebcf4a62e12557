//===- LoopGroups.cpp - Runs of loops that may change places --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file finds runs of linalg operations that may be fused or reordered, for
// MergeLoops.cpp and ShareRows.cpp. The aliasing that it relies on is that of
// roots: two values with different roots never overlap.
//
//===----------------------------------------------------------------------===//

#include "LoopGroups.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::pallas;

/// The result of the branch that yields a view, where the other one yields
/// memory that has no other name outside of it. A partial block is such a pair
/// of branches. Its copy is private, so accesses through the result only
/// conflict with those of the array.
static Value getViewOfBranches(OpResult memory) {
  auto branches = dyn_cast<scf::IfOp>(memory.getOwner());
  if (!branches)
    return {};
  unsigned index = memory.getResultNumber();
  Value copy = branches.elseYield().getOperand(index);
  while (auto view = copy.getDefiningOp<ViewLikeOpInterface>())
    copy = view.getViewSource();
  auto alloc = copy.getDefiningOp<memref::AllocOp>();
  if (!alloc || alloc->getParentRegion() != &branches.getElseRegion())
    return {};
  return branches.thenYield().getOperand(index);
}

Value cpu::getRootMemory(Value memory) {
  while (Operation *op = memory.getDefiningOp()) {
    if (Value view = getViewOfBranches(cast<OpResult>(memory))) {
      memory = view;
      continue;
    }
    auto view = dyn_cast<ViewLikeOpInterface>(op);
    if (!view)
      return isa<memref::AllocOp, memref::AllocaOp>(op) ? memory : Value();
    memory = view.getViewSource();
  }
  // Callers pass buffers that don't overlap.
  bool isEntry =
      isa<func::FuncOp>(cast<BlockArgument>(memory).getOwner()->getParentOp());
  return isEntry ? memory : Value();
}

Operation *cpu::getPreviousEffect(Operation *op) {
  do
    op = op->getPrevNode();
  while (op && isMemoryEffectFree(op));
  return op;
}

/// A `memref.load` in the body has indices that no map describes.
FailureOr<SmallVector<cpu::MemoryUse>> cpu::getMemoryUses(linalg::LinalgOp op) {
  SmallVector<MemoryUse> uses;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    bool isOutput = op.isDpsInit(&operand);
    uses.push_back({operand.get(), getRootMemory(operand.get()),
                    op.getMatchingIndexingMap(&operand),
                    op.payloadUsesValueFromOperand(&operand), isOutput});
  }
  for (Operation &inner : *op.getBlock()) {
    if (auto load = dyn_cast<memref::LoadOp>(inner))
      uses.push_back({load.getMemRef(), getRootMemory(load.getMemRef()),
                      AffineMap(), true, false});
    else if (!isMemoryEffectFree(&inner))
      return failure();
  }
  for (MemoryUse &use : uses)
    if (!use.root)
      return failure();
  return uses;
}

/// Whether `op` fills the accumulator of the matmul behind it. The matmul then
/// starts from the constant, if both stay together.
static bool startsProduct(Operation *op) {
  auto fill = dyn_cast<linalg::FillOp>(op);
  Operation *next = fill ? op->getNextNode() : nullptr;
  while (next && isMemoryEffectFree(next))
    next = next->getNextNode();
  auto product = dyn_cast_or_null<linalg::LinalgOp>(next);
  return product && product.hasPureBufferSemantics() &&
         product.getNumLoops() == 3 &&
         linalg::isaContractionOpInterface(product) &&
         product.getDpsInits()[0] == fill.getDpsInits()[0];
}

/// Whether `op` computes on memory of known size by loops that can be changed.
/// Contractions are excluded, as they get register tiles instead.
static bool isLoopNest(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  return linalgOp && linalgOp.hasPureBufferSemantics() &&
         !linalg::isaContractionOpInterface(linalgOp) && !startsProduct(op) &&
         llvm::none_of(linalgOp.getStaticLoopRanges(), ShapedType::isDynamic) &&
         succeeded(cpu::getMemoryUses(linalgOp));
}

/// Whether `op` may move in front of operations that write to `written`.
static bool canMoveUp(Operation *op, const DenseSet<Value> &written) {
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    Value root = cpu::getRootMemory(load.getMemRef());
    return root && !written.contains(root);
  }
  return isa<memref::AllocOp>(op) ||
         (op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
          !op->hasTrait<OpTrait::IsTerminator>());
}

///   memref.copy %x, %y : memref<8xf32> to memref<8xf32>
///
/// becomes
///
///   linalg.generic ins(%x) outs(%y) {
///   ^bb0(%in: f32, %out: f32):
///     linalg.yield %in : f32
///   }
void cpu::generalizeCopies(RewriterBase &rewriter, func::FuncOp func) {
  SmallVector<memref::CopyOp> copies;
  func.walk([&](memref::CopyOp op) { copies.push_back(op); });
  for (memref::CopyOp op : copies) {
    rewriter.setInsertionPoint(op);
    if (op.getSource() != op.getTarget())
      linalg::makeMemRefCopyOp(rewriter, op.getLoc(), op.getSource(),
                               op.getTarget());
    rewriter.eraseOp(op);
  }
}

/// An operation in between ends a run, unless it can move in front of all of
/// it.
SmallVector<cpu::LoopRun> cpu::collectRuns(RewriterBase &rewriter,
                                           func::FuncOp func) {
  generalizeCopies(rewriter, func);
  SmallVector<Block *> blocks;
  func.walk([&](Block *block) {
    if (!isa<linalg::LinalgOp>(block->getParentOp()))
      blocks.push_back(block);
  });
  SmallVector<LoopRun> runs;
  for (Block *block : blocks) {
    LoopRun run;
    DenseSet<Value> written;
    for (Operation &op : llvm::make_early_inc_range(*block)) {
      if (isLoopNest(&op)) {
        run.ops.push_back(cast<linalg::LinalgOp>(op));
        SmallVector<MemoryUse> uses = *getMemoryUses(run.ops.back());
        for (const MemoryUse &use : uses)
          if (use.writes)
            written.insert(use.root);
      } else if (!run.ops.empty() && canMoveUp(&op, written)) {
        rewriter.moveOpBefore(&op, run.ops.front());
      } else {
        if (run.ops.size() > 1)
          runs.push_back(run);
        run.ops.clear();
        written.clear();
      }
    }
  }
  return runs;
}
