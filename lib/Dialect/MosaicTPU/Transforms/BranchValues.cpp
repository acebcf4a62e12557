//===- BranchValues.cpp - What branches yield -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler replaces a result by a selection with a scalar condition where
// both branches yield values defined outside. It can select whole vectors in
// that way, but not registers, which vectors become later. So values that it
// would find to be from outside must be outside before.
//
//===----------------------------------------------------------------------===//

#include "BranchValues.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/FoldUtils.h"
#include "pallas/Dialect/MosaicTPU/IR/TPU.h"

using namespace mlir;
using namespace mlir::tpu;

/// Whether an operation may be gone once vectors are registers, as it only
/// names, repeats or exchanges them. It has no effect and takes no time then.
static bool mayVanish(Operation &op) {
  if (auto transpose = dyn_cast<tpu::TransposeOp>(op)) {
    ArrayRef<int64_t> order = transpose.getPermutation();
    int64_t rank = order.size();
    return rank > 2 && order[rank - 1] == rank - 1 &&
           order[rank - 2] == rank - 2;
  }
  return isa<vector::ExtractStridedSliceOp, ConcatenateOp, vector::ShapeCastOp,
             vector::BroadcastOp, tpu::BitcastOp, arith::BitcastOp,
             arith::ConstantOp>(op);
}

/// Adds the operations of `block` that `value` needs. Fails where one of them
/// doesn't vanish.
static LogicalResult
collectVanishing(Value value, Block *block,
                 llvm::SmallPtrSetImpl<Operation *> &needed) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != block || needed.contains(op))
    return success();
  if (!mayVanish(*op))
    return failure();
  needed.insert(op);
  for (Value operand : op->getOperands())
    if (failed(collectVanishing(operand, block, needed)))
      return failure();
  return success();
}

/// Moves operations that may vanish in front of the branches, for each result
/// that both branches compute by such operations alone. In the branches they
/// would vanish once vectors are registers, and the compiler can't select
/// registers by a scalar condition:
///
///   %r = scf.if %c -> (vector<2x8x128xf32>) {
///     %a = vector.extract_strided_slice %v {offsets = [1, 0, 0], ...}
///     %b = vector.extract_strided_slice %v {offsets = [0, 0, 0], ...}
///     %flipped = tpu.concatenate %a, %b in 0
///     scf.yield %flipped
///   } else {
///     scf.yield %v
///   }
///
/// becomes
///
///   ... %flipped = tpu.concatenate %a, %b in 0
///   %r = scf.if %c -> (vector<2x8x128xf32>) {
///     scf.yield %flipped
///   } else {
///     scf.yield %v
///   }
static bool emptyBranches(scf::IfOp op) {
  if (op.getNumResults() == 0)
    return false;
  Block *blocks[] = {op.thenBlock(), op.elseBlock()};
  llvm::SmallPtrSet<Operation *, 8> moved;
  for (unsigned result = 0; result < op.getNumResults(); ++result) {
    llvm::SmallPtrSet<Operation *, 8> needed;
    if (llvm::all_of(blocks, [&](Block *block) {
          Value yielded = block->getTerminator()->getOperand(result);
          return succeeded(collectVanishing(yielded, block, needed));
        }))
      moved.insert_range(needed);
  }
  for (Block *block : blocks)
    for (Operation &inner : llvm::make_early_inc_range(*block))
      if (moved.contains(&inner))
        inner.moveBefore(op);
  return !moved.empty();
}

/// The value that a cut or a cast takes out again as it was put in, or null.
///
///   %0 = tpu.concatenate %a, %b in 0
///   %1 = vector.extract_strided_slice %0 {offsets = [0, 0, 0], ...}   is %a
static Value getPutIn(Operation *op) {
  if (auto cast = dyn_cast<vector::ShapeCastOp>(op)) {
    auto before = cast.getSource().getDefiningOp<vector::ShapeCastOp>();
    return before && before.getSource().getType() == cast.getType()
               ? before.getSource()
               : Value();
  }
  auto slice = dyn_cast<vector::ExtractStridedSliceOp>(op);
  auto joined = slice ? slice.getSource().getDefiningOp<ConcatenateOp>()
                      : ConcatenateOp();
  if (!joined)
    return {};
  int64_t dim = joined.getDimension(), start = 0;
  auto offsets = slice.getOffsets().getAsRange<IntegerAttr>();
  for (auto [k, offset] : llvm::enumerate(offsets))
    if (int64_t(k) == dim)
      start = offset.getInt();
    else if (offset.getInt() != 0)
      return {};
  for (Value part : joined.getSources()) {
    if (start == 0 && part.getType() == slice.getType())
      return part;
    start -= cast<VectorType>(part.getType()).getDimSize(dim);
  }
  return {};
}

/// The value that `value` is where `condition` holds, or where it doesn't:
///
///   %a = scf.if %c -> (vector<8x128xf32>) {
///     scf.yield %x
///   } else {
///     scf.yield %y
///   }
///   %b = scf.if %c -> (vector<8x128xf32>) {
///     scf.yield %a                                        is %x
///   } else { ... }
static Value getWhere(Value value, Value condition, bool holds) {
  auto select = value.getDefiningOp<arith::SelectOp>();
  if (select && select.getCondition() == condition)
    return getWhere(holds ? select.getTrueValue() : select.getFalseValue(),
                    condition, holds);
  auto choice = value.getDefiningOp<scf::IfOp>();
  if (!choice || choice.getCondition() != condition)
    return value;
  scf::YieldOp yield = holds ? choice.thenYield() : choice.elseYield();
  Value chosen = yield.getOperand(cast<OpResult>(value).getResultNumber());
  bool isInside = choice->isAncestor(chosen.getParentRegion()->getParentOp());
  return isInside ? value : getWhere(chosen, condition, holds);
}

/// A result before `chosen`, of `choice` or of an earlier operation, that is
/// one of the same values by the same condition, or null.
static Value getChosenBefore(scf::IfOp choice, OpResult chosen, Value one,
                             Value other, DominanceInfo &dominance) {
  for (Operation *user : choice.getCondition().getUsers()) {
    auto before = dyn_cast<scf::IfOp>(user);
    if (!before || before.getNumResults() == 0)
      continue;
    // Results of a choice around this one are no values here.
    if (before != choice &&
        !dominance.properlyDominates(before.getResult(0), choice))
      continue;
    for (auto [result, was, wasOther] :
         llvm::zip_equal(before.getResults(), before.thenYield().getOperands(),
                         before.elseYield().getOperands())) {
      if (result == chosen)
        break;
      if (was == one && wasOther == other)
        return result;
    }
  }
  return {};
}

/// Replaces a result by the value that both branches yield, or by an earlier
/// result of the same choice.
static void shareResults(scf::IfOp choice, DominanceInfo &dominance) {
  for (bool holds : {true, false}) {
    scf::YieldOp yield = holds ? choice.thenYield() : choice.elseYield();
    for (OpOperand &operand : yield->getOpOperands())
      operand.set(getWhere(operand.get(), choice.getCondition(), holds));
  }
  for (auto [result, one, other] :
       llvm::zip_equal(choice.getResults(), choice.thenYield().getOperands(),
                       choice.elseYield().getOperands())) {
    if (one == other)
      result.replaceAllUsesWith(one);
    else if (Value before =
                 getChosenBefore(choice, result, one, other, dominance))
      result.replaceAllUsesWith(before);
  }
}

/// Values of branches that were computed before are those of before. The
/// compiler finds them late, and selects between them by a number, which it
/// can't do with registers:
///
///   %sum = arith.addf %a, %b : vector<8x128xf32>
///   %r = scf.if %c -> (vector<8x128xf32>) {
///     %again = arith.addf %a, %b : vector<8x128xf32>
///     scf.yield %again
///   } else { ... }
///
/// %sum is yielded. A condition that became a number and a condition again is
/// the same one, and numbers computed from constants are constants: arithmetic
/// is folded before.
static void shareValuesOfBranches(Operation *root) {
  OperationFolder folder(root->getContext());
  root->walk([&](Operation *op) {
    if (isa<arith::ArithDialect>(op->getDialect()) ||
        isa<vector::BroadcastOp>(op))
      (void)folder.tryToFold(op);
  });
  // Constants that the folder creates have no location.
  root->walk([&](arith::ConstantOp op) {
    if (isa<UnknownLoc>(op.getLoc()))
      op->setLoc(root->getLoc());
  });
  IRRewriter rewriter(root->getContext());
  DominanceInfo dominance(root);
  eliminateCommonSubExpressions(rewriter, dominance, root);
  root->walk([&](Operation *op) {
    if (Value value = getPutIn(op)) {
      op->getResult(0).replaceAllUsesWith(value);
      op->erase();
      return;
    }
    if (auto choice = dyn_cast<scf::IfOp>(op);
        choice && choice.getNumResults() != 0) {
      shareResults(choice, dominance);
      if (isOpTriviallyDead(choice))
        choice.erase();
    }
  });
}

unsigned mlir::tpu::settleBranchValues(Operation *root) {
  bool hasChoices =
      root->walk([](scf::IfOp op) {
            return llvm::any_of(op.getResultTypes(), llvm::IsaPred<VectorType>)
                       ? WalkResult::interrupt()
                       : WalkResult::advance();
          })
          .wasInterrupted();
  if (!hasChoices)
    return 0;
  // A value that leaves one branch may be one that left another before.
  unsigned count = 0, before;
  do {
    before = count;
    shareValuesOfBranches(root);
    root->walk([&](scf::IfOp op) { count += emptyBranches(op); });
  } while (count != before);
  return count;
}
